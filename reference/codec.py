"""Codec, the interface of every type of every dialect; and functions that decode, encode and explain a whole input."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeGuard

from wireproof.reference import compiled, message
from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.errors import DecodeError, Reason, WireError
from wireproof.reference.rules import DEMANDED, Rules
from wireproof.reference.schema.plan import Array, Node, Struct
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

    def fast_decoder(self, rules: Rules) -> compiled.Decoder | None:  # noqa: ARG002 (others look at them)
        """A faster reader for the common case under these rules, without paths and reasons; None without one."""
        return None

    def fast_encoder(self) -> compiled.Encoder | None:
        """A faster writer for the common case; None without one."""
        return None


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

    def fast_decoder(self, rules: Rules) -> compiled.Decoder | None:  # noqa: ARG002 (what is plain is so under all)
        """Generated for a message; and for an array of numbers, which may be long."""
        return compiled.decoder(self.node) if _is_message(self.node) or _is_row_of_numbers(self.node) else None

    def fast_encoder(self) -> compiled.Encoder | None:
        """Generated for the same."""
        return compiled.encoder(self.node) if _is_message(self.node) or _is_row_of_numbers(self.node) else None


def _is_message(node: Node) -> TypeGuard[Struct]:
    """Whether it is a structure with generated code: not one that begins with an optional-field buffer."""
    return isinstance(node, Struct) and not node.optional


def _is_row_of_numbers(node: Node) -> TypeGuard[Array]:
    """Whether it is an array of numbers of a fixed width."""
    return isinstance(node, Array) and compiled.is_number(node.element)


@dataclass(frozen=True, slots=True)
class ShapedCodec(Codec):
    """The codec of a type without a plan (records): `shape` describes its values. `decode` and `encode`: the fast
    functions, if any."""

    read_value: Callable[[Reader], Any]
    append_value: Callable[[Writer, Any], None]
    shape: Shape
    decode: compiled.Decoder | None = None
    encode: compiled.Encoder | None = None

    def read(self, reader: Reader) -> Any:
        return self.read_value(reader)

    def append(self, writer: Writer, value: Any) -> None:
        self.append_value(writer, value)

    def fast_decoder(self, rules: Rules) -> compiled.Decoder | None:
        """Under the demanded readings, and under those that only accept more: what is plain is the same under them.
        Limits and compression rules matter inside of content too."""
        return self.decode if rules is DEMANDED or accepts_more(rules) else None

    def fast_encoder(self) -> compiled.Encoder | None:
        return self.encode

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


class InternalError(RuntimeError):
    """The two codecs disagree. That is a bug of the kit, for any input."""


def decode_fast(codec: Codec, data: bytes | memoryview, rules: Rules) -> Any:
    """`decode`, by the fast codec where the type has one. Where that gives up, the readable one starts again: it
    decides, and its error names the place. Raises DecodeError."""
    fast = codec.fast_decoder(rules)
    if fast is None:
        return decode(codec, data, rules)
    data = bytes(data)
    odd = False
    try:
        value, end = fast(data, 0)
        if end == len(data):
            return value
    except compiled.NotPlain:
        odd = True
    except compiled.GIVES_UP:
        pass
    value = decode(codec, data, rules)
    if odd or rules != DEMANDED:
        return value
    raise InternalError(f"{codec}: the fast codec refuses {data.hex()}, the readable one reads {value!r}")


#: With one of these `quick_reader` refuses.
REFUSED = (WireError, *compiled.GIVES_UP)


def quick_reader(codec: Codec, rules: Rules) -> Callable[[bytes], Any]:
    """A function that reads a value, or raises one of `REFUSED`: without a reason, where the fast codec alone decides.
    To find the reason takes the readable codec several times as long."""
    fast = codec.fast_decoder(rules)
    if fast is None:
        return lambda data: decode(codec, data, rules)

    def read(data: bytes) -> Any:
        try:
            value, end = fast(data, 0)
        except compiled.NotPlain:
            return decode(codec, data, rules)
        if end != len(data):
            raise compiled.Fault
        return value

    return read


def encode_fast(codec: Codec, value: Any, rules: Rules) -> bytes:
    """`encode`, by the fast codec where the type has one and the value is whole. Raises EncodeError."""
    fast = codec.fast_encoder()
    if fast is not None:
        try:
            return fast(value)
        except compiled.GIVES_UP:
            pass
    return encode(codec, value, rules)


#: Switches whose other readings accept something that the demanded reading refuses, and change nothing else.
_LOOSENING = frozenset(
    {
        "high_bits",
        "invalid_text",
        "trailing_bytes",
        "negative_length",
        "compact_length",
        "tag_order",
        "tag_size",
        "struct_marker",
        "record_length",
        "empty_batch",
        "after_stream",
        "xerial_version",
        "zstd_window",
        "inner_partial",
        "inner_magic",
    }
)


@functools.lru_cache(64)
def accepts_more(rules: Rules) -> bool:
    """Whether these rules accept all that the demanded readings accept, with the same values."""
    return all(
        field.name in _LOOSENING or getattr(rules, field.name) == getattr(DEMANDED, field.name)
        for field in fields(Rules)
    )


def explain(codec: Codec, data: bytes | memoryview, rules: Rules) -> Explanation:
    """Decode, keeping a span for every byte read."""
    spans: list[Span] = []
    try:
        value = decode(codec, data, rules, spans)
    except DecodeError as error:
        return Explanation(tuple(spans), None, error)
    return Explanation(tuple(spans), value, None)
