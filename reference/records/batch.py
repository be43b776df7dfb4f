"""A batch of records: message format 2.

    RecordBatch => baseOffset:INT64 batchLength:INT32 partitionLeaderEpoch:INT32 magic:INT8=2 crc:UINT32
                   attributes:INT16 lastOffsetDelta:INT32 baseTimestamp:INT64 maxTimestamp:INT64
                   producerId:INT64 producerEpoch:INT16 baseSequence:INT32 recordsCount:INT32 *Record
    attributes  => bits 0–2 codec, 3 timestamp type, 4 transactional, 5 control, 6 delete horizon; others are kept

`batchLength` counts the bytes after it; `crc` is the CRC-32C of the bytes after it; only the records are compressed.
Source: KIP-98, message format; the Kafka protocol guide, Record Batch; R-K-19, R-K-19b, R-K-20, R-K-22, R-K-36.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from crc32c import crc32c

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, join
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
from wireproof.reference.records import LOG_APPEND_TIME
from wireproof.reference.records.compression import MASK, NAMES, CompressionError, deflate, inflate
from wireproof.reference.records.fields import attributes_appender, check_crc, check_keys, sequence
from wireproof.reference.records.record import append_record, read_record

MAGIC = 2
#: The fields between `crc` and `recordsCount`, in order.
_FIELDS = (
    ("attributes", read_int16, attributes_appender(append_int16, 0x7F)),
    ("lastOffsetDelta", read_int32, append_int32),
    ("baseTimestamp", read_int64, append_int64),
    ("maxTimestamp", read_int64, append_int64),
    ("producerId", read_int64, append_int64),
    ("producerEpoch", read_int16, append_int16),
    ("baseSequence", read_int32, append_int32),
)
_LAYOUT = struct.Struct(">hiqqqhi")
KEYS = ("baseOffset", "partitionLeaderEpoch", *(name for name, _, _ in _FIELDS), "records")
#: The end of each field after `batchLength`, counted from there. The last one is the least size of a batch.
FIELD_ENDS = (4, 5, 9, 11, 15, 23, 31, 39, 41, 45, 49)


def read_batch(reader: Reader) -> dict[str, Any]:
    """One batch. Raises DecodeError."""
    batch, window = read_head(reader)
    batch["records"] = [*read_records(window, batch["attributes"] & MASK)]
    if window.rules.log_append_time == "outer" and batch["attributes"] & LOG_APPEND_TIME:  # R-K-36 ‡, other
        for record in batch["records"]:
            record["timestampDelta"] = batch["maxTimestamp"] - batch["baseTimestamp"]
    reader.steps.pop()
    return batch


def read_head(reader: Reader) -> tuple[dict[str, Any], Reader]:
    """A batch up to its recordsCount, without that, and a reader of the rest. Raises DecodeError."""
    steps = reader.steps
    steps.append("baseOffset")
    base_offset = read_int64(reader, "baseOffset")
    steps[-1] = "batchLength"
    start = reader.pos
    window = read_window(reader, read_int32, "batchLength")
    steps[-1] = "partitionLeaderEpoch"
    epoch = read_int32(window, "partitionLeaderEpoch")
    steps[-1] = "magic"
    at = window.pos
    magic = read_int8(window, "magic")
    if magic != MAGIC:
        raise window.error(Reason.UNSUPPORTED_MAGIC, f"magic {magic}; a batch has {MAGIC}", at)
    steps[-1] = "batchLength"
    demand_fields(window, start + 4, FIELD_ENDS)
    steps[-1] = "crc"
    _read_crc(window)
    batch: dict[str, Any] = {"baseOffset": base_offset, "partitionLeaderEpoch": epoch}
    attributes_at = window.pos
    if window.spans is None:  # none of them is cut off, so their paths are not needed either
        batch |= zip(KEYS[2:-1], _LAYOUT.unpack(window.take(_LAYOUT.size, attributes_at, "attributes")), strict=True)
    else:
        for name, read, _ in _FIELDS:
            steps[-1] = name
            batch[name] = read(window, name)
    return batch, window


def demand_fields(window: Reader, start: int, ends: tuple[int, ...]) -> None:
    """Refuse a window below the format's least size, at the first field that does not fit."""
    size = window.end - start
    if size < ends[-1]:
        at = max((end for end in ends if end <= size), default=0)
        raise window.error(Reason.TRUNCATED, f"{size} bytes; the format has at least {ends[-1]}", start + at)


def _read_crc(window: Reader) -> None:
    at = window.pos
    stored = read_uint32(window, "crc")
    check_crc(window, at, stored, crc32c(window.data[window.pos : window.end]), "CRC-32C")


def read_records(window: Reader, codec: int, *, trusts_count: bool = False) -> Iterator[dict[str, Any]]:
    """Reads recordsCount and as many records (R-K-19b ‡, other: with a count of 0, the rest is ignored). Those before a
    fault are given before the DecodeError; before a count beyond the bytes left only with `trusts_count`."""
    steps = window.steps
    at = window.pos
    if codec >= len(NAMES):
        steps[-1] = "attributes"
        raise window.error(Reason.UNSUPPORTED_COMPRESSION, f"there is no codec {codec}", at - _LAYOUT.size)
    steps[-1] = "recordsCount"
    count = read_int32(window, "recordsCount")
    if count < 0:
        raise window.error(Reason.NEGATIVE_LENGTH, f"{count} records", at)
    if count == 0 and window.rules.empty_batch == "ignored":
        window.pos = window.end
        return
    steps[-1] = "records"
    content_at = window.pos
    content = _content(window, codec)
    if count > content.remaining and not trusts_count:
        steps[-1] = "recordsCount"
        raise window.error(Reason.TRUNCATED, f"{count} records, but {content.remaining} bytes are left", at)
    read = 0
    steps.append(0)
    try:
        while read < count and content.pos < content.end:
            steps[-1] = read
            yield read_record(content)
            read += 1
    except DecodeError as error:
        if content is not window:  # bytes inside of compressed content have no offset of their own
            error.offset = content_at
        raise
    steps.pop()
    if read < count or content.remaining:
        steps[-1] = "recordsCount"
        there = f"{read} are there" if read < count else f"{content.remaining} bytes follow them"
        raise window.error(Reason.COUNT_MISMATCH, f"{count} records, but {there}", at)


def _content(window: Reader, codec: int) -> Reader:
    """A reader of the records, at the same position in the value: the window itself, or its inflated rest."""
    if not codec:
        return window
    start = window.pos
    if not window.remaining and window.rules.empty_content == "read":
        return window
    try:
        content = inflate(codec, window.take(window.remaining, start, "content"), window.rules)
    except CompressionError as error:
        raise window.error(error.reason, error.detail, start) from None
    window.note(start, f"{NAMES[codec]} content", content)
    reader = Reader(content, window.rules)
    reader.steps = window.steps
    return reader


def append_batch(writer: Writer, value: Any, path: str = "") -> None:
    """Append one batch; sizes, count and CRC are computed. Raises EncodeError."""
    check_keys(value, KEYS, path)
    covered = writer.inner()
    for name, _, append in _FIELDS:
        covered.path = join(path, name)
        append(covered, value.get(name, 0))
    codec = value.get("attributes", 0) & MASK
    if codec >= len(NAMES):
        raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, f"there is no codec {codec}", join(path, "attributes"))
    records = sequence(value.get("records", ()), join(path, "records"))
    content = writer.inner()
    for index, record in enumerate(records):
        append_record(content, record, join(path, f"records[{index}]"))
    covered.path = join(path, "recordsCount")
    append_int32(covered, len(records))
    covered.out += deflate(codec, bytes(content.out)) if codec else content.out
    writer.path = join(path, "baseOffset")
    append_int64(writer, value.get("baseOffset", 0))
    writer.path = join(path, "batchLength")
    append_int32(writer, FIELD_ENDS[2] + len(covered.out))
    writer.path = join(path, "partitionLeaderEpoch")
    append_int32(writer, value.get("partitionLeaderEpoch", 0))
    append_int8(writer, MAGIC)
    append_uint32(writer, crc32c(covered.out))
    writer.out += covered.out
