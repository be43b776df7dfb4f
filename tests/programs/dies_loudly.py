"""Dies as a Go program does: its cause, then the stacks of a hundred thousand threads, then a last line."""

import os
import sys

from program import serve


def act(_: object) -> None:
    sys.stderr.write("panic: runtime error: index out of range [7] with length 3\n\x1b[31mgoroutine 1 [running]:\n")
    for number in range(100_000):
        sys.stderr.write(f"main.read{number}(0xc000012345)\n")
    sys.stderr.write("exit status 2\n")
    sys.stderr.flush()
    os._exit(2)


sys.stderr.write("".join(f"loading table {number}\n" for number in range(1000)))
serve(act)
