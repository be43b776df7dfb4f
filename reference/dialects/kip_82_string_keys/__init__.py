"""KIP-82 as it stood with string keys: headers as a multimap, at the end of KIP-98's draft message.

numbers    uintVar, intVar, lengths
messages   headers, and the messages that they end
batch      the batch around messages
headers    the class Headers
clients    records of producer and consumer
convert    to and from the record that shipped, and older messages
rulings    how open points are read

The page is a comparison of two revisions, in which removed and added text run together ("int32uintVar"): what stands on
the right is the new side.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from reference.codec import Codec, ShapedCodec, decode
from reference.dialects.base import Dialect, Entries, Ground, UnknownType
from reference.dialects.kip_82_string_keys import batch, messages, numbers
from reference.dialects.kip_82_string_keys.rulings import RULINGS, lacking
from reference.errors import DecodeError, Reason
from reference.records import CODEC, guarded_from
from reference.rules import Rules
from reference.shapes import Fields, Integers, Items, KeyValue, KeyValues, Octets, Text, signed

_UINT_VAR = Integers(0, 2**32 - 1)
_HEADERS = KeyValues(Text(), Octets())
_MESSAGE = Fields(
    {
        "attributes": signed(8),
        "timestampDelta": signed(64),
        "offsetDelta": _UINT_VAR,
        "key": Octets(nullable=True),
        "value": Octets(nullable=True),
        "headers": _HEADERS,
    }
)
_BATCH = Fields(
    {
        "firstOffset": signed(64),
        "attributes": signed(16, without=CODEC),
        "lastOffsetDelta": signed(32),
        "firstTimestamp": signed(64),
        "maxTimestamp": signed(64),
        "pid": signed(64),
        "epoch": signed(16),
        "firstSequence": signed(32),
        "records": Items(_MESSAGE),
    }
)
_CODECS: Mapping[str, ShapedCodec] = {
    "UVARINT": ShapedCodec(numbers.read_uint_var, numbers.append_uint_var, _UINT_VAR),
    "INTVAR": ShapedCodec(numbers.read_int_var, numbers.append_int_var, signed(64)),
    "HEADER": ShapedCodec(messages.read_header, messages.append_header, KeyValue(Text(), Octets())),
    "HEADERS": ShapedCodec(messages.read_headers, messages.append_headers, _HEADERS),
    "MESSAGE": ShapedCodec(messages.read_message, messages.append_message, _MESSAGE),
    "BATCH": ShapedCodec(batch.read_batch, batch.append_batch, _BATCH),
}


class Kip82StringKeys(Dialect):
    """The dialect's surface; see `reference.dialects.base.Dialect`. It is a format of messages: it has no requests."""

    name = "kip-82-string-keys"
    rulings = RULINGS
    grounds: Mapping[Ground, str] = {
        Reason.VARINT_OVERFLOW: "R-D-1",
        Reason.NEGATIVE_LENGTH: "R-D-3",
        Reason.TRAILING_BYTES: "R-D-5",
        Reason.CRC_MISMATCH: "R-82s-10",
        Reason.UNSUPPORTED_MAGIC: "R-82s-10",
        Reason.UNSUPPORTED_COMPRESSION: "R-82s-10",
    }
    bomb_ruling: str | None = None
    empty_areas: Mapping[str, str] = {
        "tag-ordering": "it has no tags; the order of headers is in header-multimaps",
        "messages": "it is a format of messages inside of requests, and has no requests",
        "schema-evolution": "its types have no schemas that could change",
    }
    areas: Mapping[str, str] = {
        "UVARINT": "varints",
        "INTVAR": "varints",
        "HEADER": "header-multimaps",
        "HEADERS": "header-multimaps",
        "MESSAGE": "header-multimaps",
        "BATCH": "framing",
    }
    entries: Mapping[str, Entries] = {
        "BATCH": Entries(partial(guarded_from, batch.CRC_AT), lambda _: False),  # the draft has no compression
    }

    @property
    def types(self) -> Mapping[str, tuple[int, int] | None]:
        return dict.fromkeys(_CODECS)

    def apis(self) -> Mapping[int, str]:
        return {}

    def codec(self, type_name: str, version: int | None) -> Codec:  # noqa: ARG002 (no type has versions)
        if type_name not in _CODECS:
            raise UnknownType(f"the dialect {self.name} has no type {type_name!r}")
        return _CODECS[type_name]

    def ground(self, type_name: str, error: DecodeError, *, announced: bool) -> str | None:
        if error.reason is Reason.TRUNCATED:
            return lacking(type_name, error.path, announced=announced)
        return super().ground(type_name, error, announced=announced)

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:
        if type_name not in ("HEADERS", "MESSAGE"):
            raise NotImplementedError(f"headers are looked up in HEADERS and MESSAGE, not in {type_name}")
        found = decode(self.codec(type_name, version), data, rules)
        headers = found["headers"] if type_name == "MESSAGE" else found
        return [value for name, value in headers if name == key]
