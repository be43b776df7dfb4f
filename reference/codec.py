"""Codec, the interface of every type of every dialect; and functions that decode, encode and explain a whole input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from wireproof.reference import message
from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.primitives import append_int16, read_int16
from wireproof.reference.rules import DEMANDED, Rules
from wireproof.reference.schema.plan import Node, Struct
from wireproof.reference.schema.shapes import Shape


class Codec(Protocol):
    """One type (at one version): reads its values from bytes and writes them. What a codec does not define, it inherits
    from here."""

    __slots__ = ()

    def read(self, reader: Reader) -> Any: ...

    def append(self, writer: Writer, value: Any) -> None: ...

    def complete(self, value: Any) -> Any:
        """The value with every missing key at its default."""
        ...


@dataclass(frozen=True, slots=True)
class NodeCodec(Codec):
    """The codec of a plan's node."""

    node: Node

    def read(self, reader: Reader) -> Any:
        return message.read(self.node, reader)

    def append(self, writer: Writer, value: Any) -> None:
        message.append(self.node, writer, value)

    def complete(self, value: Any) -> Any:
        return message.complete(self.node, value)


@dataclass(frozen=True, slots=True)
class VersionPrefixed(Codec):
    """{"version": …, "body": …}: an INT16, which says how the message after it is read.

    `plans`: by version. `open_ended`: a version above them is read as the highest one, and what follows is ignored
    (R-K-58 ‡)."""

    plans: Mapping[int, Struct]
    open_ended: bool = False

    def read(self, reader: Reader) -> Any:
        start = reader.pos
        reader.path = "version"
        version = read_int16(reader, "version")
        plan = self._plan(version, reader.rules)
        if plan is None:
            raise reader.error(Reason.UNSUPPORTED_VERSION, self._unknown(version), start)
        value = {"version": version, "body": message.read(plan, reader, "body")}
        if self.open_ended and version > max(self.plans):
            reader.path = "body"
            start = reader.pos
            reader.note(start, "of a newer version, ignored", bytes(reader.take(reader.remaining, start, "the rest")))
        return value

    def append(self, writer: Writer, value: Any) -> None:
        match value:
            case {"version": int(version), "body": Mapping() as body, **rest} if not rest:
                plan = self._plan(version, writer.rules)
                if plan is None:
                    raise EncodeError(Reason.UNSUPPORTED_VERSION, self._unknown(version), "version")
                writer.path = "version"
                append_int16(writer, version)
                message.append(plan, writer, body, "body")
            case _:
                raise EncodeError(Reason.OUT_OF_RANGE, "a message behind its version is {version, body: {…}}")

    def complete(self, value: Any) -> Any:
        match value:
            case {"version": int(version), "body": Mapping() as body, **rest} if not rest:
                plan = self._plan(version, DEMANDED)
                return value if plan is None else {"version": version, "body": message.complete(plan, body)}
        return value

    def _plan(self, version: int, rules: Rules) -> Struct | None:
        lowest, highest = min(self.plans), max(self.plans)
        if self.open_ended and version > highest:
            return self.plans[highest] if rules.newer_version == "as-the-highest" else None
        if rules.unknown_version == "nearest":
            version = min(max(version, lowest), highest)
        return self.plans.get(version)

    def _unknown(self, version: int) -> str:
        return f"version {version}; there are {', '.join(map(str, sorted(self.plans)))}"


@dataclass(frozen=True, slots=True)
class ShapedCodec(Codec):
    """The codec of a type without a plan (records): `shape` describes its values."""

    read_value: Callable[[Reader], Any]
    append_value: Callable[[Writer, Any], None]
    shape: Shape

    def read(self, reader: Reader) -> Any:
        return self.read_value(reader)

    def append(self, writer: Writer, value: Any) -> None:
        self.append_value(writer, value)

    def complete(self, value: Any) -> Any:
        """The value itself: keys of records have no defaults."""
        return value


@dataclass(frozen=True, slots=True)
class Explanation:
    """The meaning of each byte of an input: spans in byte order; then the value, or the error that ended the
    reading."""

    spans: tuple[Span, ...]
    value: Any
    error: DecodeError | None


def decode(codec: Codec, data: bytes | memoryview, rules: Rules, spans: list[Span] | None = None) -> Any:
    """The value that all of `data` holds. Raises DecodeError; bytes left over are refused (R-K-7 ‡, other: ignored)."""
    reader = Reader(data, rules, spans)
    value = codec.read(reader)
    reader.path = ""
    if rules.trailing_bytes == "refused":
        reader.demand_end(Reason.TRAILING_BYTES, "the value")
    return value


def encode(codec: Codec, value: Any, rules: Rules) -> bytes:
    """The canonical bytes of a value. Raises EncodeError."""
    writer = Writer(rules)
    codec.append(writer, value)
    return bytes(writer.out)


def explain(codec: Codec, data: bytes | memoryview, rules: Rules) -> Explanation:
    """Decode, keeping a span for every byte read."""
    spans: list[Span] = []
    try:
        value = decode(codec, data, rules, spans)
    except DecodeError as error:
        return Explanation(tuple(spans), None, error)
    return Explanation(tuple(spans), value, None)
