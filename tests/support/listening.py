"""Programs of tests that listen as brokers."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.paths import TESTS

#: One with the three apis of the `serve` vectors, and one that stores records.
SERVING, STORING = TESTS / "programs" / "broker.py", TESTS / "programs" / "storing"


def spec(name: str, program: Path = SERVING) -> str:
    """The kit's name for a program with this peculiarity."""
    return f"exec:{shlex.join([sys.executable, '-P', str(program), name])}"


@contextmanager
def running(*arguments: str, program: Path = SERVING) -> Iterator[str]:
    """A broker that somebody else runs. Its address."""
    words = [sys.executable, "-P", str(program), *arguments]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("{}\n")
        process.stdin.flush()
        port = process.stdout.readline().rpartition(":")[2].strip('"}\n')
        try:
            yield f"tcp://127.0.0.1:{port}"
        finally:
            process.stdin.close()
