"""The input at hand, in memory that outlives the process: whatever ends a child, its parent knows what it was at."""

from __future__ import annotations

import mmap
from pathlib import Path

from fuzz.inputs import LONGEST

_SIZE = 4


class RunningInput:
    """The writing side: a file of a fixed size, written without a call of the system."""

    def __init__(self, path: Path) -> None:
        with path.open("wb") as file:
            file.write(bytes(_SIZE + LONGEST))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def set(self, raw: bytes) -> None:
        """From now on this one."""
        size = len(raw)
        if size > LONGEST:
            raw, size = b"", 0
        self._map[_SIZE : _SIZE + size] = raw
        self._map[:_SIZE] = size.to_bytes(_SIZE)


def read(path: Path) -> bytes:
    """The input at hand; empty where there is none."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    return content[_SIZE : _SIZE + int.from_bytes(content[:_SIZE])]
