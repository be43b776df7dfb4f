"""Aborts, and says why on stderr."""

import os
import sys

from program import serve


def act(_: object) -> None:
    sys.stderr.write("assertion failed: length >= 0\n")
    sys.stderr.flush()
    os.abort()


serve(act)
