"""The batch around messages: the one of KIP-98's draft, on which the page builds (R-82s-10).

    Batch => FirstOffset:INT64 Length:INT32 CRC:INT32 Magic:INT8=2 Attributes:INT16 LastOffsetDelta:INT32
             FirstTimestamp:INT64 MaxTimestamp:INT64 PID:INT64 Epoch:INT16 FirstSequence:INT32 *Message

`Length` counts the bytes after it; `CRC` is the CRC-32 of the bytes after it. The messages go on to the end, without a
count. Bits 0 to 2 of the attributes are the codec, as in the older format; only the messages are compressed (R-82s-10
‡, other: a codec is refused; or the messages are bytes that are not decompressed). The other bits are kept."""

from __future__ import annotations

import zlib
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_string_keys.messages import append_message, read_message
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.primitives import (
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
from wireproof.reference.records import CODEC
from wireproof.reference.records.compression import LZ4, NAMES, NONE, CompressionError, deflate, inflate
from wireproof.reference.records.fields import bytes_of, check_crc, check_keys, sequence
from wireproof.reference.rules import Rules

MAGIC = 2
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
    """One batch. Raises DecodeError; it checks magic, size, CRC, codec and messages, in this order. A fault inside of
    compressed content has the offset of the content's start."""
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
    codec = batch["attributes"] & CODEC
    window.path = "records"
    start = window.pos
    if codec and window.rules.batch_codec == "kept":
        return batch | {"records": bytes(window.take(window.remaining, start, "content"))}
    if codec > _most(window.rules):
        window.path = "attributes"
        raise window.error(Reason.UNSUPPORTED_COMPRESSION, f"the draft's batch has no codec {codec}", attributes_at)
    if not codec:
        return batch | {"records": _read_messages(window)}
    packed = bytes(window.take(window.remaining, start, "content"))
    try:
        content = inflate(codec, packed, window.rules)
        records = _read_messages(Reader(content, window.rules))
    except CompressionError as error:
        raise window.error(error.reason, error.detail, start) from None
    except DecodeError as error:
        error.offset = start  # bytes inside of compressed content have no offset of their own
        raise
    window.note(start, f"{NAMES[codec]} content", content)
    return batch | {"records": records}


def _most(rules: Rules) -> int:
    """The greatest codec; the draft adds none to those of the older format."""
    return NONE if rules.batch_codec == "refused" else LZ4


def _read_messages(reader: Reader) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    while reader.remaining:
        messages.append(read_message(reader, f"records[{len(messages)}]"))
    return messages


def append_batch(writer: Writer, value: Any) -> None:
    """Append one batch; length and CRC are computed. Raises EncodeError."""
    check_keys(value, KEYS, "")
    covered = writer.inner()
    covered.path = "magic"
    append_int8(covered, MAGIC)
    for name, _, append in _FIELDS:
        covered.path = name
        append(covered, value.get(name, 0))
    codec = value.get("attributes", 0) & CODEC
    if codec and writer.rules.batch_codec == "kept":
        covered.out += bytes_of(value.get("records"), "records")
    elif codec > _most(writer.rules):
        raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, f"the draft's batch has no codec {codec}", "attributes")
    else:
        messages = covered.inner()
        for index, message in enumerate(sequence(value.get("records", ()), "records")):
            append_message(messages, message, f"records[{index}]")
        covered.out += deflate(codec, bytes(messages.out)) if codec else messages.out
    writer.path = "firstOffset"
    append_int64(writer, value.get("firstOffset", 0))
    writer.path = "length"
    append_int32(writer, _CRC_SIZE + len(covered.out))
    append_uint32(writer, crc(bytes(covered.out)))
    writer.out += covered.out
