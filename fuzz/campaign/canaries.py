"""Planted bugs: before a campaign begins, it must find a bug that is planted in a copy of its target.

Each canary is the reference with one bug. `wireproof fuzz` reaches it in the same way as the implementation, so a
harness that sees, asks or judges nothing is noticed at once.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from wireproof import reference
from wireproof.reference.errors import DecodeError, EncodeError, Reason, WireError

#: The bug shows in one of this number of inputs: often enough to be found soon, but not on every input.
_ONE_IN = 16


def _hit(data: bytes) -> bool:
    return zlib.crc32(data) % _ONE_IN == 0


class Canary:
    """The reference. Each subclass makes one method wrong."""

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

    def lookup(self, type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> Any:
        return self._right.lookup(type, data, key, dialect=dialect, version=version)

    def convert(self, type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
        return self._right.convert(type, data, to, dialect=dialect, version=version)

    def consume(self, data: bytes, *, dialect: str, **asked: Any) -> Any:
        return self._right.consume(data, dialect=dialect, **asked)

    def produce(self, records: Any, *, dialect: str, **asked: Any) -> bytes:
        return self._right.produce(records, dialect=dialect, **asked)

    def serve(self, chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
        return self._right.serve(chunks, dialect=dialect)

    def interpret(self, request: bytes, response: bytes | None, *, dialect: str) -> Any:
        return self._right.interpret(request, response, dialect=dialect)

    def negotiate(self, api_key: int, client: Any, broker: Any, *, dialect: str) -> int | None:
        return self._right.negotiate(api_key, client, broker, dialect=dialect)

    def evolve(self, old: Any, new: Any, *, dialect: str) -> Any:
        return self._right.evolve(old, new, dialect=dialect)


class _Reads(Canary):
    """Does something else with some bytes that it should refuse."""

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        try:
            return self._right.decode(type, data, dialect=dialect, version=version)
        except DecodeError:
            if not _hit(data):
                raise
            return self._instead()

    def _instead(self) -> Any:
        raise NotImplementedError


class _Falls(_Reads):
    """Raises an unexpected exception instead."""

    def _instead(self) -> Any:
        raise ZeroDivisionError("the canary's bug")


class _Accepts(_Reads):
    """Accepts them instead."""

    def _instead(self) -> Any:
        return None


class _Writes(Canary):
    """Cannot write some of what it reads."""

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        written = self._right.encode(type, value, dialect=dialect, version=version)
        if _hit(written):
            raise EncodeError(Reason.OUT_OF_RANGE, "the canary's bug")
        return written


class _Answers(Canary):
    """Gives wrong answers to serve, interpret, negotiate and evolve for some inputs."""

    def serve(self, chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
        sent, closed = self._right.serve(chunks, dialect=dialect)
        return sent, closed is not _hit(b"".join(chunks))

    def interpret(self, request: bytes, response: bytes | None, *, dialect: str) -> Any:
        if _hit(response or b""):
            return {"outcome": "retry", "version": 99}
        return self._right.interpret(request, response, dialect=dialect)

    def negotiate(self, api_key: int, client: Any, broker: Any, *, dialect: str) -> int | None:
        version = self._right.negotiate(api_key, client, broker, dialect=dialect)
        return None if _hit(repr((client, broker)).encode()) else version

    def evolve(self, old: Any, new: Any, *, dialect: str) -> Any:
        changes = self._right.evolve(old, new, dialect=dialect)
        if _hit(repr((old, new)).encode()):
            return [] if changes else ["everything"]
        return changes


class _Looks(Canary):
    """Finds one value too few for some bytes."""

    def lookup(self, type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> Any:
        found = self._right.lookup(type, data, key, dialect=dialect, version=version)
        return found[:-1] if _hit(data) else found


class _Converts(Canary):
    """Gives one byte too many for some bytes."""

    def convert(self, type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
        converted = self._right.convert(type, data, to, dialect=dialect, version=version)
        return converted + b"\0" if _hit(data) else converted


class _Delivers(Canary):
    """Does not go on behind some bytes."""

    def consume(self, data: bytes, *, dialect: str, **asked: Any) -> Any:
        found = self._right.consume(data, dialect=dialect, **asked)
        return {**found, "position": found["position"] - 1} if _hit(data) else found


class _Produces(Canary):
    """Loses the last of some records."""

    def produce(self, records: Any, *, dialect: str, **asked: Any) -> bytes:
        lost = len(records) > 1 and _hit(repr(records).encode())
        return self._right.produce(records[:-1] if lost else records, dialect=dialect, **asked)


#: One canary for each target, by its name, and for each op that a target asks beside the others.
decode = _Falls()
differential = _Accepts()
stability = _Writes()
values = _Writes()
lookup = _Looks()
convert = _Converts()
consume = _Delivers()
produce = _Produces()
exchange = _Answers()
schema = _Answers()
