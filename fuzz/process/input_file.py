"""The current input of a child, in a memory-mapped file: if the child ends, the parent can still read its input."""

from __future__ import annotations

import mmap
from pathlib import Path

from wireproof.conformance.writing import write_whole
from wireproof.fuzz.targets.inputs import LONGEST

_SIZE = 4


class RunningInput:
    """The child's side: a file of fixed size, written without system calls."""

    def __init__(self, path: Path) -> None:
        write_whole(path, bytes(_SIZE + LONGEST), overwrite=True)
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def set(self, raw: bytes) -> None:
        """Store the current input."""
        size = len(raw)
        if size > LONGEST:
            raw, size = b"", 0
        self._map[_SIZE : _SIZE + size] = raw
        self._map[:_SIZE] = size.to_bytes(_SIZE)


def read(path: Path) -> bytes:
    """The current input; empty if there is none."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    return content[_SIZE : _SIZE + int.from_bytes(content[:_SIZE])]
