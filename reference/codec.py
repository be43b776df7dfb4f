"""Codec, the interface of every type of every dialect; and functions that decode, encode and explain a whole input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from wireproof.reference import message
from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Node
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
