"""What a child says on stderr, in bounded memory: the first of it since its last answer, and the last of it.

The cause of a death stands in the first lines (Go's "panic: …", Rust's "memory allocation of … failed") as often as in
the last ones (Python's exception).
"""

from __future__ import annotations

#: Bytes that are kept of the beginning, and of the end.
HEAD = 4 * 1024
TAIL = 12 * 1024


class Stderr:
    """Takes up pieces of any size."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Another process speaks."""
        #: Bytes in all, and since the head began.
        self.size = self._since = 0
        self._head = self._tail = b""
        self._answered = False

    def add(self, piece: bytes) -> None:
        """What has come."""
        if self._answered and piece:
            self._head, self._since, self._answered = b"", 0, False
        self._head += piece[: HEAD - len(self._head)]
        self._tail = (self._tail + piece[-TAIL:])[-TAIL:]
        self.size += len(piece)
        self._since += len(piece)

    def answered(self) -> None:
        """It gave an answer: what comes from now on belongs to the next question, and its beginning is kept anew."""
        self._answered = True

    def __bytes__(self) -> bytes:
        """What came after the last answer; where something was left out, a line says so."""
        end = self._tail[max(len(self._tail) - self._since, 0) :]
        beginning = self._head[: self._since - len(end)]
        left_out = self._since - len(beginning) - len(end)
        return beginning + (b"\n... (%d bytes left out) ...\n" % left_out if left_out else b"") + end
