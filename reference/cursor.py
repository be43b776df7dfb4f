"""The cursors of the codec: a Reader over bytes that never looks past its end, and a Writer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.rules import Rules

#: The most spans of an input. Fields after them have none: megabytes of small numbers would make millions.
MOST_SPANS = 50_000


@dataclass(frozen=True, slots=True)
class Span:
    """The meaning of the bytes from `start` up to `end`: their path in the value, what they are, and their value."""

    path: str
    start: int
    end: int
    what: str
    value: Any


class Reader:
    """A position in bytes and the end of the window that may be read.

    `rules` are the readings in force; `spans`, when given, collects a Span for every byte read, MOST_SPANS at most.
    `steps` are the reader's position in the value: names of fields, indexes of elements. A path is made of them only
    when an error or a span needs one.
    """

    __slots__ = ("data", "end", "pos", "rules", "spans", "steps")

    def __init__(self, data: bytes | memoryview, rules: Rules, spans: list[Span] | None = None) -> None:
        self.data = bytes(data)
        self.rules = rules
        self.spans = spans
        self.pos = 0
        self.end = len(self.data)
        self.steps: list[str | int] = []

    @property
    def path(self) -> str:
        """The reader's position in the value: "ApiKeys[2].MinVersion"."""
        path = ""
        for step in self.steps:
            if isinstance(step, int):
                path += f"[{step}]"
            else:
                path += f".{step}" if path else step
        return path

    @path.setter
    def path(self, path: str) -> None:
        self.steps = [path] if path else []

    @property
    def remaining(self) -> int:
        return self.end - self.pos

    def take(self, count: int, start: int, what: str) -> bytes:
        """The next `count` bytes of the field that began at `start`. Raises DecodeError(truncated) at the end."""
        end = self.pos + count
        if end > self.end:
            raise self.truncated(count, start, what)
        taken = self.data[self.pos : end]
        self.pos = end
        return taken

    def peek(self, count: int) -> bytes:
        """Up to `count` of the next bytes, without moving."""
        return self.data[self.pos : min(self.pos + count, self.end)]

    def window(self, size: int) -> Reader:
        """A reader over the next `size` bytes; this one moves behind them. The caller has checked that they are there,
        and calls `demand_end` for bytes left over."""
        inner = Reader.__new__(Reader)
        inner.data, inner.rules, inner.spans, inner.steps = self.data, self.rules, self.spans, self.steps
        inner.pos, inner.end = self.pos, self.pos + size
        self.pos += size
        return inner

    def demand_end(self, reason: Reason, what: str, offset: int | None = None) -> None:
        """Refuse with `reason` when bytes are left: at the first of them, or at `offset`."""
        if self.pos < self.end:
            at = self.pos if offset is None else offset
            raise self.error(reason, f"{self.end - self.pos} bytes are left over after {what}", at)

    def note(self, start: int, what: str, value: Any) -> None:
        """Record a span: the meaning of the bytes from `start` up to here."""
        if self.spans is not None and len(self.spans) < MOST_SPANS:
            self.spans.append(Span(self.path, start, self.pos, what, value))

    def truncated(self, count: int, start: int, what: str) -> DecodeError:
        """The error for a field that began at `start` and needs `count` bytes from here, when there are fewer."""
        needed = "1 more byte" if count == 1 else f"{count} more bytes"
        left = "1 is" if self.remaining == 1 else f"{self.remaining} are"
        error = self.error(Reason.TRUNCATED, f"{what} needs {needed}, {left} left", start)
        error.what = what
        return error

    def error(self, reason: Reason, detail: str, offset: int) -> DecodeError:
        return DecodeError(reason, detail, offset, self.path)


class Writer:
    """Bytes being written. `path`: the position in the value, for errors."""

    __slots__ = ("out", "path", "rules")

    def __init__(self, rules: Rules) -> None:
        self.out = bytearray()
        self.rules = rules
        self.path = ""

    def inner(self) -> Writer:
        """An empty writer at the same path, for a value with its size before it."""
        inner = Writer(self.rules)
        inner.path = self.path
        return inner
