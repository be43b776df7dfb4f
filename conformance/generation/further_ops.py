"""The questions of `lookup`, `convert`, `consume` and `produce` about the bytes of a type: which key, which format, as
which consumer, and as which producer.

An input holds the bytes alone, so that it is changed like any other. It is converted to each format that the dialect
names for its type. Two keys are looked up: one of those in the value, and one of those that vectors ask for, which need
not be there. A consumer is at one of the offsets, and transactions that stand there are aborted for it. A producer is
given the records of the bytes, in any magic and codec. The bytes decide which ones.
"""

from __future__ import annotations

import functools
import itertools
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference.cursor import Reader
from wireproof.reference.errors import DecodeError, WireError
from wireproof.reference.records import record_set
from wireproof.reference.records.batch import MAGIC
from wireproof.reference.records.compression import NAMES
from wireproof.reference.records.consume import ISOLATIONS
from wireproof.reference.records.control import CONTROL
from wireproof.reference.records.convert import NO_TIMESTAMP, TRANSACTIONAL
from wireproof.reference.records.message_set import MAGICS
from wireproof.reference.records.produce import OPTIONS
from wireproof.reference.rules import DEMANDED

#: The dialect and the type of the bytes that are consumed, and whose records are produced.
_KAFKA, RECORDS = "kafka", "RecordSet"
#: The ops that take something else than the bytes of a type alone.
OPS = frozenset({Op.LOOKUP, Op.CONVERT, Op.CONSUME, Op.PRODUCE})
_GREATEST = 2**63 - 1
#: The head of a batch or a message: offset and length, the magic, and a batch's attributes and lastOffsetDelta.
_HEAD = struct.Struct(">qi4xb4xhi")
_COUNTED_FROM = 12
#: The least size of a control record's key: a version and a type.
_TYPE_OF_CONTROL = 4


def ops_of(dialect: str, type_name: str) -> frozenset[Op]:
    """Those of `OPS` that a type has in a dialect."""
    looked_up = {Op.LOOKUP} if _is_looked_up(dialect, type_name) and _keys(dialect, type_name) else set()
    converted = {Op.CONVERT} if type_name in reference_codec().dialect(dialect).formats else set()
    records = {Op.CONSUME, Op.PRODUCE} if (dialect, type_name) == (_KAFKA, RECORDS) else set()
    return frozenset(looked_up | converted | records)


def converted_alone(dialect: str) -> list[str]:
    """The types that are converted, and not read or written."""
    spoken = reference_codec().dialect(dialect)
    return sorted(spoken.formats.keys() - spoken.types.keys())


def read_as(dialect: str, type_name: str) -> tuple[str, str]:
    """The dialect and the type as which the bytes of a type are read: others for what is only converted."""
    if type_name not in converted_alone(dialect):
        return dialect, type_name
    named = (form for forms in reference_codec().dialect(dialect).formats.values() for form in forms.values())
    return next(((form.dialect, form.type) for form in named if form.type == type_name), (dialect, type_name))


def arguments(
    ops: frozenset[Op], dialect: str, type_name: str, data: bytes, value: Any
) -> Iterator[tuple[Op, dict[str, Any]]]:
    """Each op to ask about the bytes, with its arguments. `value`: what the reference reads; None if it refuses."""
    if Op.LOOKUP in ops:
        number = zlib.crc32(data)
        for keys in ([*_of_pairs(value)], _keys(dialect, type_name)):
            if keys:
                yield Op.LOOKUP, {"data": data, "key": keys[number % len(keys)]}
    if Op.CONVERT in ops:
        for name in reference_codec().dialect(dialect).formats.get(type_name, ()):
            yield Op.CONVERT, {"data": data, "to": name}
    if Op.CONSUME in ops and may_be_a_log(data):
        yield Op.CONSUME, {"data": data, **_consumer(value or (), zlib.crc32(data))}
    if Op.PRODUCE in ops and (asked := production(value or (), zlib.crc32(data))) is not None:
        yield Op.PRODUCE, asked


def as_bytes(op: Op, args: Mapping[str, Any]) -> bytes:
    """The bytes that a question is about; of `produce`, a batch that holds its records. Raises EncodeError."""
    if op is not Op.PRODUCE:
        return bytes(args["data"])
    return reference_codec().produce(args["records"], magic=MAGIC, codec=NAMES[0], options=OPTIONS, dialect=_KAFKA)


def production(entries: Sequence[Mapping[str, Any]], number: int) -> dict[str, Any] | None:
    """The arguments of `produce` with the records of these batches and messages; None if an application can't give
    them. `number` decides the magic and the codec, and whether the first batch's producer has written them."""
    records = _records(entries)
    if not _may_be_given(records):
        return None
    magics = (*MAGICS, MAGIC)
    return {
        "records": records,
        "magic": magics[number % len(magics)],
        "codec": NAMES[(number >> 8) % len(NAMES)],
        "options": (_producer(entries[0]) if (number >> 16) % 2 else None) or dict(OPTIONS),
    }


def _records(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What an application would have given a producer for these batches and messages."""
    found = []
    for entry in entries:
        base = entry.get("baseTimestamp", 0)
        for one in entry.get("records") or entry.get("messages") or ([entry] if entry["magic"] != MAGIC else []):
            time = base + one["timestampDelta"] if "timestampDelta" in one else one.get("timestamp", NO_TIMESTAMP)
            headers = [[*pair] for pair in one.get("headers", ())]
            found.append({"timestamp": time, "key": one["key"], "value": one["value"], "headers": headers})
    return found


def _may_be_given(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an application can give these: some, each with a time from 0 on, or all without one."""
    times = [record["timestamp"] for record in records]
    return bool(times) and (0 <= min(times) <= max(times) <= _GREATEST or {*times} == {NO_TIMESTAMP})


def _producer(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """The options of the producer that has written a batch; None if it has no id, epoch and sequence."""
    if entry["magic"] != MAGIC or min(entry["producerId"], entry["producerEpoch"], entry["baseSequence"]) < 0:
        return None
    return {
        "producer_id": entry["producerId"],
        "producer_epoch": entry["producerEpoch"],
        "base_sequence": entry["baseSequence"],
        "transactional": bool(entry["attributes"] & TRANSACTIONAL),
    }


def may_be_a_log(data: bytes) -> bool:
    """Whether a broker may have such a log: offsets ascend, inside of batches and wrappers too, no offset and no time
    is beyond an INT64, and a control batch has one record, whose key has a version and a type. What a consumer makes of
    others no text says. Any batch may be broken, but no control batch."""
    last = -1
    for first, end in _batches(data):
        if not last < first <= end < _GREATEST:
            return False
        last = end
    reader, last, behind = Reader(data, DEMANDED), -1, 0
    try:
        for entry in record_set.entries(reader):
            if not (_is_batch_of_a_log(entry) if entry["magic"] == MAGIC else _is_message_of_a_log(entry, last)):
                return False
            last = entry["baseOffset"] + entry["lastOffsetDelta"] if entry["magic"] == MAGIC else entry["offset"]
            behind = reader.pos
    except DecodeError:
        broken = data[behind:]
        return len(broken) < _HEAD.size or not _HEAD.unpack_from(broken)[3] & CONTROL
    return True


def _batches(data: bytes) -> Iterator[tuple[int, int]]:
    """The first and the last offset of each batch, up to one whose length is not there. A message has one offset."""
    while len(data) >= _HEAD.size:
        offset, length, magic, _, delta = _HEAD.unpack_from(data)
        yield offset, offset + delta if magic == MAGIC else offset
        if not 0 < length <= len(data) - _COUNTED_FROM:
            return
        data = data[_COUNTED_FROM + length :]


def _is_batch_of_a_log(batch: Mapping[str, Any]) -> bool:
    """Whether a batch's records have ascending offsets inside of it, and times of 64 bits; and it has one record with a
    type in its key, if it is a control batch."""
    records = batch["records"]
    if batch["attributes"] & CONTROL and not (len(records) == 1 and len(records[0]["key"] or b"") >= _TYPE_OF_CONTROL):
        return False
    times = [batch["baseTimestamp"] + record["timestampDelta"] for record in records]
    deltas = [-1, *(record["offsetDelta"] for record in records), batch["lastOffsetDelta"] + 1]
    return _ascend(deltas) and max(map(abs, times), default=0) <= _GREATEST


def _is_message_of_a_log(message: Mapping[str, Any], last: int) -> bool:
    """Whether a message, or those in a wrapper, follow this offset in their order, and the last one has the wrapper's
    offset."""
    offsets = [last, *(one["offset"] for one in message.get("messages", (message,)))]
    return _ascend(offsets) and offsets[-1] == message["offset"]


def _ascend(numbers: Sequence[int]) -> bool:
    return all(earlier < later for earlier, later in itertools.pairwise(numbers))


def _consumer(entries: Sequence[Mapping[str, Any]], number: int) -> dict[str, Any]:
    """Position, isolation and aborted transactions. `number` decides which."""
    offsets = [0, *(entry.get("baseOffset", entry.get("offset", 0)) for entry in entries)]
    begun = [
        {"producer_id": entry["producerId"], "first_offset": entry["baseOffset"]}
        for entry in entries
        if entry["magic"] == MAGIC and entry["attributes"] & TRANSACTIONAL
    ]
    return {
        "position": min(offsets[number % len(offsets)] + (number >> 8) % 2, _GREATEST),
        "isolation": ISOLATIONS[(number >> 9) % 2],
        "aborted": begun[(number >> 10) % 2 :: 2],
    }


@functools.cache
def _is_looked_up(dialect: str, type_name: str) -> bool:
    """Whether the reference looks keys up in a type. It is asked first, because to read all vectors takes a second."""
    try:
        reference_codec().lookup(type_name, b"", "", dialect=dialect)
    except NotImplementedError:
        return False
    except WireError:
        return True
    return True


@functools.cache
def _keys(dialect: str, type_name: str) -> tuple[Any, ...]:
    """The keys that vectors look up in a type."""
    asked = (vector for vector in vectors.load([dialect]) if vector.type == type_name and Op.LOOKUP in vector.ops)
    return tuple(dict.fromkeys(vector.args["key"] for vector in asked))


def _of_pairs(value: Any) -> Iterator[Any]:
    """The keys of all pairs of a key and a value in a value: headers, tags."""
    match value:
        case Mapping():
            for item in value.values():
                yield from _of_pairs(item)
        case [int() | str() as key, bytes() | str() | None]:
            yield key
        case list() | tuple():
            for item in value:
                yield from _of_pairs(item)
