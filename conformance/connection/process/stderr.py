"""A child's stderr, in bounded memory: the beginning since its last answer, and the end.

The cause of a crash may be in the first lines (Go's "panic: …", Rust's "memory allocation of … failed") or in the last
ones (Python's exception).
"""

from __future__ import annotations

#: The number of bytes kept from the beginning, and from the end.
HEAD = 4 * 1024
TAIL = 12 * 1024


class Stderr:
    """Collects pieces of any size."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all: another process starts."""
        #: The number of bytes in all, and since the beginning of the head.
        self.size = self._since = 0
        self._head = self._tail = b""
        self._answered = False

    def add(self, piece: bytes) -> None:
        """Add a piece."""
        if self._answered and piece:
            self._head, self._since, self._answered = b"", 0, False
        self._head += piece[: HEAD - len(self._head)]
        self._tail = (self._tail + piece[-TAIL:])[-TAIL:]
        self.size += len(piece)
        self._since += len(piece)

    def answered(self) -> None:
        """The child gave an answer: the next piece belongs to the next question, and begins a new head."""
        self._answered = True

    def __bytes__(self) -> bytes:
        """The text since the last answer; a line marks the place where bytes are left out."""
        end = self._tail[max(len(self._tail) - self._since, 0) :]
        beginning = self._head[: self._since - len(end)]
        left_out = self._since - len(beginning) - len(end)
        return beginning + (b"\n... (%d bytes left out) ...\n" % left_out if left_out else b"") + end
