"""Prints without end, and without a line feed."""

import sys

from program import serve


def act(_: object) -> None:
    while True:
        sys.stdout.write("0" * 65536)


serve(act)
