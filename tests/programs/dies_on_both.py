"""Dies as a JVM does that has no memory: its cause on stderr, a word on stdout, then much on stderr. What is written
first is more than a pipe holds, so it has been read before the word is there."""

import os
import sys

from program import serve


def act(_: object) -> None:
    sys.stderr.write("# There is insufficient memory for the runtime to continue.\n")
    sys.stderr.write("a register\n" * 100_000)
    sys.stderr.flush()
    os.write(1, b"#\n")
    sys.stderr.write("a library\n" * 100_000)
    sys.stderr.flush()
    os._exit(1)


serve(act)
