"""Planted bugs: before a campaign begins, it has to find the one that is planted in a copy of its target.

Each is the reference but for one thing, as a miniature of the tests is. `wireproof fuzz` reaches it just as it reaches
the implementation: so a harness that sees nothing, asks nothing or judges nothing shows at once.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import reference
from reference.errors import DecodeError, EncodeError, Reason, WireError

#: The bug shows on one input in so many: often enough to be found soon, too seldom to be found without looking.
_ONE_IN = 16


def _hit(data: bytes) -> bool:
    return zlib.crc32(data) % _ONE_IN == 0


class Canary:
    """The reference, with a bug: one of its methods has to be wrong."""

    name = "canary"
    rejects = (WireError,)
    dialects = reference.dialects
    types = reference.types

    def __init__(self) -> None:
        self._right = reference.Reference()

    def configure(self, settings: Any, *, dialect: str) -> None:
        self._right.configure(settings, dialect=dialect)

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        return self._right.decode(type, data, dialect=dialect, version=version)

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        return self._right.encode(type, value, dialect=dialect, version=version)

    def serve(self, chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
        return self._right.serve(chunks, dialect=dialect)

    def interpret(self, request: bytes, response: bytes | None, *, dialect: str) -> Any:
        return self._right.interpret(request, response, dialect=dialect)

    def negotiate(self, api_key: int, client: Any, broker: Any, *, dialect: str) -> int | None:
        return self._right.negotiate(api_key, client, broker, dialect=dialect)

    def evolve(self, old: Any, new: Any, *, dialect: str) -> Any:
        return self._right.evolve(old, new, dialect=dialect)


class _Falls(Canary):
    """Falls over some bytes that it should refuse."""

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        try:
            return self._right.decode(type, data, dialect=dialect, version=version)
        except DecodeError:
            if _hit(data):
                raise ZeroDivisionError("the canary's bug") from None
            raise


class _Accepts(Canary):
    """Reads some bytes that it should refuse."""

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        try:
            return self._right.decode(type, data, dialect=dialect, version=version)
        except DecodeError:
            if _hit(data):
                return None
            raise


class _Writes(Canary):
    """Cannot write some of what it reads."""

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        written = self._right.encode(type, value, dialect=dialect, version=version)
        if _hit(written):
            raise EncodeError(Reason.OUT_OF_RANGE, "the canary's bug")
        return written


class _Answers(Canary):
    """Closes, takes, chooses and compares what it should not, now and then."""

    def serve(self, chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
        sent, closed = self._right.serve(chunks, dialect=dialect)
        return sent, closed is not _hit(b"".join(chunks))

    def interpret(self, request: bytes, response: bytes | None, *, dialect: str) -> Any:
        if _hit(response or b""):
            return {"outcome": "retry", "version": 99}
        return self._right.interpret(request, response, dialect=dialect)

    def negotiate(self, api_key: int, client: Any, broker: Any, *, dialect: str) -> int | None:
        found = self._right.negotiate(api_key, client, broker, dialect=dialect)
        return None if _hit(repr((client, broker)).encode()) else found

    def evolve(self, old: Any, new: Any, *, dialect: str) -> Any:
        found = self._right.evolve(old, new, dialect=dialect)
        if _hit(repr((old, new)).encode()):
            return [] if found else ["everything"]
        return found


#: By target.
decode = _Falls()
differential = _Accepts()
stability = _Writes()
values = _Writes()
exchange = _Answers()
schema = _Answers()
