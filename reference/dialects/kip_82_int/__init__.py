"""The dialect `kip-82-int-keys`: KIP-82's draft in which a message's headers are a map from int32 keys to bytes.

rulings     how the page is read where it is silent
headers     the map's bytes; reading no further than a key
messages    messages of magic 2, and of 0 and 1; sets, compressed wrappers
bodies      Produce and Fetch 0 to 3, and the magic that each carries
convert     messages of one magic into another, and what is lost
records     a producer's and a consumer's record, interceptors
registry    the key space: who may use which keys, and what they are called
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference.codec import Codec, NodeCodec
from reference.cursor import Reader, Span, Writer
from reference.dialects.base import Dialect, Ground, UnknownType
from reference.dialects.kip_82_int import bodies, headers, messages, registry
from reference.dialects.kip_82_int.rulings import RULINGS
from reference.errors import Reason
from reference.rules import Rules

_TYPES: Mapping[str, tuple[int, int] | None] = {
    "HEADERS": None,
    "MESSAGE_AND_OFFSET": None,
    "MESSAGE_SET": None,
    **dict.fromkeys(bodies.NAMES, bodies.VERSIONS),
}


@dataclass(frozen=True, slots=True)
class HeadedCodec(Codec):
    """The codec of headers, or of messages that may carry them."""

    type: str
    read_value: Callable[[Reader], Any]
    append_value: Callable[[Writer, Any], None]

    def read(self, reader: Reader) -> Any:
        return self.read_value(reader)

    def append(self, writer: Writer, value: Any) -> None:
        self.append_value(writer, value)

    def complete(self, value: Any) -> Any:
        """A value of records names every key: there is nothing to complete."""
        return value


_CODECS = {
    found.type: found
    for found in (
        HeadedCodec("HEADERS", headers.read_headers, headers.append_headers),
        HeadedCodec("MESSAGE_AND_OFFSET", messages.read_message_and_offset, messages.append_message_and_offset),
        HeadedCodec("MESSAGE_SET", messages.read_message_set, messages.append_message_set),
    )
}


class Kip82Int(Dialect):
    """The dialect's surface; see `reference.dialects.base.Dialect`, and `NamesNumbers` there."""

    name = "kip-82-int-keys"
    rulings = RULINGS
    types = _TYPES
    grounds: Mapping[Ground, str] = {
        Reason.KEY_ORDER: "R-82i-3",
        Reason.KEY_DUPLICATE: "R-82i-3",
        Reason.NULL_NOT_ALLOWED: "R-82i-4",
        Reason.NEGATIVE_LENGTH: "R-82i-4",
        Reason.CRC_MISMATCH: "R-82i-5",
        Reason.LENGTH_MISMATCH: "R-82i-5",
        Reason.UNSUPPORTED_MAGIC: "R-82i-9",
        Reason.UNSUPPORTED_COMPRESSION: "R-82i-11",
        Reason.INVALID_WRAPPER: "R-82i-11",
        Reason.TRAILING_BYTES: "R-D-5",
    }
    bomb_ruling: str | None = None
    empty_areas: Mapping[str, str] = {
        "varints": "it has no varints: lengths and counts have fixed widths",
        "tag-ordering": "it has no tags; the order of header keys is in header-multimaps",
        "schema-evolution": "its types have no schemas that could change",
    }
    areas: Mapping[str, str] = {
        "HEADERS": "header-multimaps",
        "MESSAGE_AND_OFFSET": "framing",
        "MESSAGE_SET": "framing",
    }

    def apis(self) -> Mapping[int, str]:
        return bodies.APIS

    def codec(self, type_name: str, version: int | None) -> Codec:
        if type_name in bodies.NAMES:
            return NodeCodec(bodies.body(type_name, version))
        if type_name not in _CODECS:
            raise UnknownType(f"the dialect {self.name} has no type {type_name!r}")
        return _CODECS[type_name]

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:  # noqa: ARG002 (the types with headers have no versions)
        """In no order but that of keys, of which there is one each: at most one value. A number that is no int32 is
        no header's key."""
        reader = Reader(data, rules)
        match type_name:
            case "HEADERS":
                return [value for own, value in headers.headers_up_to(reader, key) if own == key]
            case "MESSAGE_AND_OFFSET":
                found = messages.lookup(reader, key)
                reader.path = ""
                reader.demand_end(Reason.TRAILING_BYTES, "the message")
                return found
        raise NotImplementedError(f"headers are looked up in HEADERS and MESSAGE_AND_OFFSET, not in {type_name}")

    def named(self, spans: Sequence[Span], registers: Mapping[str, str]) -> list[Span]:
        """Header keys with what they are registered as (R-82i-7)."""
        return registry.named(spans, registry.load(registers))

    def register_problems(self, registers: Mapping[str, str]) -> list[str]:
        return [str(problem) for problem in registry.load(registers).problems]
