"""Fails to allocate, says so as a native library does, and aborts."""

import os
import sys

from program import serve


def act(_: object) -> None:
    sys.stderr.write("memory allocation of 17179869184 bytes failed\n")
    sys.stderr.flush()
    os.abort()


serve(act)
