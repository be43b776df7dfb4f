"""Converts the draft's batches to and from shipped record batches, and to older messages (R-82s-11, R-82s-14 ‡ to
R-82s-17 ‡).

The formats differ in this: a shipped record has null header values, signed offset deltas, a partition leader's epoch
and zstd; the draft has unsigned offset deltas, and bits in a message's attributes that the shipped record lacks. Data
that a reader would miss is refused, and the error's path names it; other losses are listed in `Converted.lost`, a line
each.

Source: KIP-82 with string keys, Compatibility, Deprecation, and Migration Plan; KIP-32 for what is older.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_string_keys.batch import append_batch, read_batch
from wireproof.reference.dialects.kip_82_string_keys.messages import NULL_KEY, NULL_VALUE
from wireproof.reference.errors import DecodeError, EncodeError, Reason, shown
from wireproof.reference.primitives import MAX_INT32
from wireproof.reference.records import CODEC, ends_partially
from wireproof.reference.records.compression import GZIP, ZSTD
from wireproof.reference.records.control import CONTROL
from wireproof.reference.records.convert import Converted, convert
from wireproof.reference.records.record_set import append_record_set, read_record_set
from wireproof.reference.rules import DEMANDED, Rules

Fields = Mapping[str, Any]

#: Name of a BATCH's target format → the magic of its messages, None for shipped batches.
_OLDER: Mapping[str, int | None] = {"magic-0": 0, "magic-1": 1, "shipped": None}
#: The name of the target format for shipped batches.
DRAFT = "draft"


def converted(type_name: str, data: bytes, to: str, rules: Rules) -> bytes:
    """A BATCH, converted to shipped batches (a RecordSet) or to messages of magic 0 or 1 (a MessageSet); or a
    RecordSet, converted to the draft's batches. Raises DecodeError, EncodeError, and NotImplementedError for an unknown
    format."""
    names = [*_OLDER] if type_name == "BATCH" else [DRAFT]
    if to not in names:
        raise NotImplementedError(f"{type_name} is converted to {', '.join(names)}, not to {shown(to)}")
    writer = Writer(rules)
    if to == DRAFT:
        entries = _whole(read_record_set, data, rules)
        if rules.converted_partial == "refused" and ends_partially(data):
            raise DecodeError(Reason.TRUNCATED, "the set ends with a part of a message", None)
        for batch in from_shipped(entries, rules).entries:
            append_batch(writer, _repacked(batch, rules))
        return bytes(writer.out)
    batches = [_repacked(_whole(read_batch, data, rules), rules)]
    if rules.batch_bit_5 == "refused" and batches[0]["attributes"] & CONTROL:
        raise EncodeError(Reason.OUT_OF_RANGE, "bit 5 marks a control batch in the format that shipped", "attributes")
    magic = _OLDER[to]
    result = to_shipped(batches) if magic is None else to_older(batches, magic)
    append_record_set(writer, result.entries)
    return bytes(writer.out)


def _whole(read: Callable[[Reader], Any], data: bytes, rules: Rules) -> Any:
    reader = Reader(data, rules)
    value = read(reader)
    reader.path = ""
    if rules.trailing_bytes == "refused":
        reader.demand_end(Reason.TRAILING_BYTES, "the value")
    return value


def _repacked(batch: Fields, rules: Rules) -> Fields:
    """A batch that keeps its codec, or is compressed no more (R-82s-16 ‡)."""
    return batch if rules.older_wrappers == "wrapper" else {**batch, "attributes": batch["attributes"] & ~CODEC}


#: The draft's name of a batch's field → the shipped name.
_NAMES = {
    "firstOffset": "baseOffset",
    "attributes": "attributes",
    "lastOffsetDelta": "lastOffsetDelta",
    "firstTimestamp": "baseTimestamp",
    "maxTimestamp": "maxTimestamp",
    "pid": "producerId",
    "epoch": "producerEpoch",
    "firstSequence": "baseSequence",
}
#: The draft has no epoch of the partition leader.
_NO_EPOCH = -1


def to_record(message: Fields, path: str = "MESSAGE") -> dict[str, Any]:
    """A MESSAGE, converted to a shipped record; its attributes are dropped. Raises EncodeError."""
    delta = message["offsetDelta"]
    if delta > MAX_INT32:
        detail = f"{delta}: the shipped record's is signed, and at most {MAX_INT32}"
        raise EncodeError(Reason.OUT_OF_RANGE, detail, f"{path}.offsetDelta")
    return {**message, "attributes": 0, "headers": [*message["headers"]]}


def from_record(record: Fields, path: str = "Record") -> dict[str, Any]:
    """A shipped record, converted to a MESSAGE; its attributes are dropped. Raises EncodeError."""
    delta = record["offsetDelta"]
    if delta < 0:
        detail = f"{delta}: the draft's offset delta is unsigned, and has no negative ones"
        raise EncodeError(Reason.OUT_OF_RANGE, detail, f"{path}.offsetDelta")
    for index, (key, value) in enumerate(record["headers"]):
        if value is None:
            detail = f"header {key!r} has a null value, which the draft has no form for"
            raise EncodeError(Reason.NULL_NOT_ALLOWED, detail, f"{path}.headers[{index}].value")
    presence = (NULL_KEY if record["key"] is None else 0) | (NULL_VALUE if record["value"] is None else 0)
    return {**record, "attributes": presence, "headers": [*record["headers"]]}


def to_shipped(batches: Iterable[Fields]) -> Converted:
    """BATCHes, converted to entries of a shipped RecordSet, each with its `magic`. Raises EncodeError."""
    entries: list[dict[str, Any]] = []
    lost: list[str] = []
    for index, batch in enumerate(batches):
        if isinstance(batch["records"], bytes):
            detail = "compressed messages that are kept as bytes are not converted"
            raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, detail, f"batch {index}: records")
        records = [
            to_record(message, f"batch {index}: records[{number}]") for number, message in enumerate(batch["records"])
        ]
        if any(message["attributes"] & ~(NULL_KEY | NULL_VALUE) for message in batch["records"]):
            lost.append(f"batch {index}: messages' attributes")
        if batch["attributes"] & CONTROL:
            lost.append(f"batch {index}: bit 5 of its attributes")
        fields = {shipped: batch[ours] for ours, shipped in _NAMES.items()}
        fields["attributes"] &= ~CONTROL  # it means nothing in the draft, and would hide the records
        entries.append({"magic": 2, "partitionLeaderEpoch": _NO_EPOCH, **fields, "records": records})
    return Converted(entries, lost)


def from_shipped(entries: Iterable[Fields], rules: Rules = DEMANDED) -> Converted:
    """Entries of a RecordSet of any magic, converted to BATCHes; older messages have no headers. Raises EncodeError."""
    batches: list[dict[str, Any]] = []
    lost: list[str] = []
    for index, entry in enumerate(convert(entries, 2, rules).entries):
        records = [
            from_record(record, f"entry {index}: records[{number}]") for number, record in enumerate(entry["records"])
        ]
        lost += [f"entry {index}: {what}" for what in _losses(entry)]
        fields = {ours: entry[shipped] for ours, shipped in _NAMES.items()}
        batches.append({**fields, "attributes": _with_codec(entry["attributes"]), "records": records})
    return Converted(batches, lost)


def _with_codec(attributes: int) -> int:
    """The attributes with a codec that the draft has; it lacks zstd."""
    return attributes & ~CODEC | GZIP if attributes & CODEC == ZSTD else attributes


def _losses(entry: Fields) -> Iterable[str]:
    if entry["attributes"] & CODEC == ZSTD:
        yield "zstd, which only the shipped format has: gzip in its place"
    if entry["partitionLeaderEpoch"] != _NO_EPOCH:
        yield "the partition leader's epoch"
    if any(record["attributes"] for record in entry["records"]):
        yield "records' attributes"


def to_older(batches: Iterable[Fields], magic: int) -> Converted:
    """BATCHes, converted to messages of magic 0 or 1 (entries of a RecordSet) without headers. Raises EncodeError."""
    shipped = to_shipped(batches)
    older = convert(shipped.entries, magic)
    return Converted(older.entries, shipped.lost + older.lost)
