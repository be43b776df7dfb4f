"""`wireproof serve` as a process, as a person starts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The process, and the port that its last line at its start names. At the end its standard input is closed."""
    words = [sys.executable, "-m", "wireproof", "serve", "--port=0", *arguments]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdin
        assert run.stdout
        try:
            run.stdout.readline()
            yield run, int(run.stdout.readline().removeprefix("127.0.0.1:"))
        finally:
            run.stdin.close()
            assert run.wait(10) == 0, run.stderr and run.stderr.read()
