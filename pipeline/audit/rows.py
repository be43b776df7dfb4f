"""Judged entries and frames as rows of the tables `batches`, `records` and `frames`, by Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from wireproof.pipeline.audit.captures.exchange import Frame
from wireproof.pipeline.audit.files import CaptureFile, LogFile
from wireproof.pipeline.audit.findings import Trouble, Verdict
from wireproof.pipeline.audit.logs.batches import Block, Entry
from wireproof.pipeline.audit.logs.columns import Columns, Field, binary
from wireproof.pipeline.tables import BATCHES, FRAMES, RECORDS
from wireproof.reference.records.compression import MASK, NAMES
from wireproof.reference.records.control import CONTROL

_BATCH_SCHEMA, _RECORD_SCHEMA = BATCHES.arrow, RECORDS.arrow
#: Spark takes times from Arrow in microseconds alone.
_TIME = pa.timestamp("us", "UTC")
_FRAME_SCHEMA = pa.schema([one.with_type(_TIME) if pa.types.is_timestamp(one.type) else one for one in FRAMES.arrow])
#: The last millisecond of the year 9999.
_LAST_MS = 253_402_300_799_999
#: Bit 4 of a batch's attributes.
_TRANSACTIONAL = 0x10
#: The longest detail, in characters.
_LONGEST_DETAIL = 2000


def batch_rows(block: Block, log: LogFile) -> pa.RecordBatch:
    """A row for each entry of the block."""
    return _batch(_BATCH_SCHEMA, _of_entries(block.entries, log))


def record_rows(block: Block, log: LogFile, *, redact: bool) -> Iterator[pa.RecordBatch]:
    """A row for each record, and one for each entry whose records are not known. `redact`: without keys, values and
    values of headers."""
    wrong = [entry for entry in block.entries if entry.unread]
    if wrong:
        yield _batch(_RECORD_SCHEMA, _of_entries(wrong, log))
    if block.columns is not None and len(block.columns.batch):
        yield _of_columns(block, block.columns, log, redact)
    for number, records in block.others.items():
        if records and not block.entries[number].unread:
            yield _of_values(block.entries[number], records, log, redact)


def _batch(schema: pa.Schema, columns: dict[str, Any]) -> pa.RecordBatch:
    """Columns by name; those that are not there are null."""
    count = len(next(iter(columns.values())))
    arrays = [columns[one.name] if one.name in columns else pa.nulls(count, one.type) for one in schema]
    typed = [
        array if isinstance(array, pa.Array) else pa.array(array, one.type)
        for array, one in zip(arrays, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(typed, schema=schema)


def _of_entries(entries: Sequence[Entry], log: LogFile) -> dict[str, Any]:
    attributes = [entry.attributes for entry in entries]
    modern = [entry.attributes if entry.magic == 2 else None for entry in entries]
    return {
        "file": [log.path] * len(entries),
        "file_offset_bytes": [entry.start for entry in entries],
        "topic": [log.topic] * len(entries),
        "partition": [log.partition] * len(entries),
        "size_bytes": [entry.end - entry.start for entry in entries],
        "magic": [entry.magic for entry in entries],
        "base_offset": [entry.base_offset for entry in entries],
        "last_offset": [_int64(entry.last_offset) for entry in entries],
        "compression": [None if one is None else _codec(one) for one in attributes],
        "is_control": [None if one is None else bool(one & CONTROL) for one in modern],
        "is_transactional": [None if one is None else bool(one & _TRANSACTIONAL) for one in modern],
        "producer_id": [entry.producer_id for entry in entries],
        "records": [entry.count for entry in entries],
        **_troubles([entry.trouble for entry in entries]),
    }


def _codec(attributes: int) -> str | None:
    codec = attributes & MASK
    return NAMES[codec] if codec < len(NAMES) else None


def _int64(number: int | None) -> int | None:
    """A number that fits; the sum of two header fields may not."""
    return None if number is None or not -(1 << 63) <= number < 1 << 63 else number


def _of_columns(block: Block, columns: Columns, log: LogFile, redact: bool) -> pa.RecordBatch:
    owners = [block.entries[number] for number in block.owners]
    passed = np.array([entry.trouble is None for entry in owners])
    rows = np.flatnonzero(passed[columns.batch])
    batch = columns.batch[rows]
    per_batch = _of_entries(owners, log)
    taken = pa.array(batch)
    shared = {
        name: pa.array(per_batch[name], _RECORD_SCHEMA.field(name).type).take(taken)
        for name in _RECORD_SCHEMA.names
        if name in per_batch
    }
    base = np.array([entry.base_offset for entry in owners], np.int64)[batch]
    time = np.array([entry.base_timestamp for entry in owners], np.int64)[batch]
    key, value = (Field(one.at[rows], one.size[rows]) for one in (columns.key, columns.value))
    own = {
        "offset": pa.array(base + columns.offset_delta[rows]),
        "timestamp_ms": pa.array(time + columns.timestamp_delta[rows]),
        "key_size_bytes": pa.array(key.size.astype(np.int32), mask=key.size < 0),
        "value_size_bytes": pa.array(value.size.astype(np.int32), mask=value.size < 0),
        "headers": _headers(columns, rows, redact),
    }
    if not redact:
        own |= {"key": binary(columns.content, key), "value": binary(columns.content, value)}
    return _batch(_RECORD_SCHEMA, shared | own)


def _headers(columns: Columns, rows: Any, redact: bool) -> pa.ListArray:
    """The headers of these records, in wire order."""
    counts = columns.header_count
    kept = np.zeros(len(counts), np.bool_)
    kept[rows] = True
    there = np.flatnonzero(kept[columns.headers.record])
    key, value = (Field(one.at[there], one.size[there]) for one in (columns.headers.key, columns.headers.value))
    values = pa.nulls(len(there), pa.binary()) if redact else binary(columns.content, value)
    fields = [*_RECORD_SCHEMA.field("headers").type.value_type]
    pairs = pa.StructArray.from_arrays([binary(columns.content, key).cast(pa.string()), values], fields=fields)
    offsets = np.concatenate(([0], np.cumsum(counts[rows]))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pairs, type=_RECORD_SCHEMA.field("headers").type)


def _of_values(entry: Entry, records: Sequence[dict[str, Any]], log: LogFile, redact: bool) -> pa.RecordBatch:
    """The same for the reference's values."""
    one = _of_entries([entry], log)
    shared = {name: column * len(records) for name, column in one.items() if name in _RECORD_SCHEMA.names}
    keys, values = ([record[name] for record in records] for name in ("key", "value"))
    own: dict[str, Any] = {
        "offset": [_int64(record["offset"]) for record in records],
        "timestamp_ms": [_int64(record["timestamp"]) for record in records],
        "key_size_bytes": [None if one is None else len(one) for one in keys],
        "value_size_bytes": [None if one is None else len(one) for one in values],
        "headers": [
            [{"key": key, "value": None if redact else item} for key, item in record["headers"]] for record in records
        ],
    }
    if not redact:
        own |= {"key": keys, "value": values}
    return _batch(_RECORD_SCHEMA, shared | own)


def frame_rows(found: Sequence[Frame], capture: CaptureFile, *, redact: bool) -> pa.RecordBatch:
    """A row for each frame. `redact`: without its bytes."""
    return _batch(
        _FRAME_SCHEMA,
        {
            "file": [capture.file_of(one.direction) for one in found],
            "connection": [one.connection for one in found],
            "file_offset_bytes": [one.offset for one in found],
            "time_ms": [_microseconds(one.time) for one in found],
            "direction": [one.direction for one in found],
            "api_key": [one.api_key for one in found],
            "api": [one.api for one in found],
            "version": [one.version for one in found],
            "correlation_id": [one.correlation_id for one in found],
            "size_bytes": [len(one.content) for one in found],
            "bytes": [None if redact else one.content for one in found],
            **_troubles([one.trouble for one in found]),
        },
    )


def _microseconds(time: int | None) -> int | None:
    """Milliseconds since 1970 as microseconds. None beyond the year 9999, where Python's calendar and Spark's end: one
    such packet would end the whole job."""
    return None if time is None or not 0 <= time <= _LAST_MS else time * 1000


def _troubles(troubles: Sequence[Trouble | None]) -> dict[str, Any]:
    return {
        "verdict": [str(Verdict.PASS if one is None else one.verdict) for one in troubles],
        "reason": [None if one is None else str(one.reason) for one in troubles],
        "error_offset_bytes": [None if one is None else one.offset for one in troubles],
        "detail": ["" if one is None else one.detail[:_LONGEST_DETAIL] for one in troubles],
    }
