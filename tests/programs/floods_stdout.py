"""Prints lines without end."""

import sys

from program import serve


def act(_: object) -> None:
    while True:
        sys.stdout.write("all work and no play\n")


serve(act)
