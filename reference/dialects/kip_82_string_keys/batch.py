"""The batch around messages, which KIP-98's draft gives and the page builds on (R-82s-10).

    Batch => FirstOffset:INT64 Length:INT32 CRC:INT32 Magic:INT8=2 Attributes:INT16 LastOffsetDelta:INT32
             FirstTimestamp:INT64 MaxTimestamp:INT64 PID:INT64 Epoch:INT16 FirstSequence:INT32 *Message

`Length` counts what follows it, `CRC` is the CRC-32 of what follows it. Messages run to the end: there is no count of
them. There is no compression: the attributes' codec bits, 0 to 2, are refused when set; the others are kept.
"""

from __future__ import annotations

import zlib
from typing import Any

from reference.cursor import Reader, Writer
from reference.dialects.kip_82_string_keys.messages import append_message, read_message
from reference.errors import EncodeError, Reason
from reference.primitives import (
    append_int8,
    append_int16,
    append_int32,
    append_int64,
    append_uint32,
    read_int8,
    read_int16,
    read_int32,
    read_int64,
    read_uint32,
    read_window,
)
from reference.records import CODEC
from reference.records.fields import check_crc, check_keys, sequence

MAGIC = 2
#: Where the CRC stands.
CRC_AT = 12
#: The fields between `Magic` and the messages, in order.
_FIELDS = (
    ("attributes", read_int16, append_int16),
    ("lastOffsetDelta", read_int32, append_int32),
    ("firstTimestamp", read_int64, append_int64),
    ("maxTimestamp", read_int64, append_int64),
    ("pid", read_int64, append_int64),
    ("epoch", read_int16, append_int16),
    ("firstSequence", read_int32, append_int32),
)
KEYS = ("firstOffset", *(name for name, _, _ in _FIELDS), "records")
_CRC_SIZE = 4


def crc(covered: bytes) -> int:
    """The CRC-32 of a batch, from its magic on."""
    return zlib.crc32(covered)


def read_batch(reader: Reader) -> dict[str, Any]:
    """One batch. Raises DecodeError: its magic, then its size, then its CRC, then its codec, then what it holds."""
    reader.path = "firstOffset"
    first_offset = read_int64(reader, "firstOffset")
    reader.path = "length"
    window = read_window(reader, read_int32, "length")
    window.path = "crc"
    crc_at = window.pos
    stored = read_uint32(window, "crc")
    window.path = "magic"
    magic_at = window.pos
    magic = read_int8(window, "magic")
    if magic != MAGIC:
        raise window.error(Reason.UNSUPPORTED_MAGIC, f"magic {magic}; a batch has {MAGIC}", magic_at)
    batch: dict[str, Any] = {"firstOffset": first_offset}
    attributes_at = window.pos
    for name, read, _ in _FIELDS:
        window.path = name
        batch[name] = read(window, name)
    window.path = "crc"
    check_crc(window, crc_at, stored, crc(window.data[magic_at : window.end]))
    if batch["attributes"] & CODEC:
        window.path = "attributes"
        raise window.error(Reason.UNSUPPORTED_COMPRESSION, _no_codec(batch["attributes"]), attributes_at)
    messages: list[dict[str, Any]] = []
    while window.remaining:
        messages.append(read_message(window, f"records[{len(messages)}]"))
    return batch | {"records": messages}


def _no_codec(attributes: int) -> str:
    return f"the attributes name codec {attributes & CODEC}; the draft's batch has no compression"


def append_batch(writer: Writer, value: Any) -> None:
    """Append one batch; length and CRC are computed. Raises EncodeError."""
    check_keys(value, KEYS, "")
    covered = writer.inner()
    covered.path = "magic"
    append_int8(covered, MAGIC)
    for name, _, append in _FIELDS:
        covered.path = name
        append(covered, value.get(name, 0))
    if value.get("attributes", 0) & CODEC:
        raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, _no_codec(value["attributes"]), "attributes")
    for index, message in enumerate(sequence(value.get("records", ()), "records")):
        append_message(covered, message, f"records[{index}]")
    writer.path = "firstOffset"
    append_int64(writer, value.get("firstOffset", 0))
    writer.path = "length"
    append_int32(writer, _CRC_SIZE + len(covered.out))
    append_uint32(writer, crc(bytes(covered.out)))
    writer.out += covered.out
