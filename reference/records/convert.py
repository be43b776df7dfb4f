"""Converts between record formats, as a broker does for older or newer clients, and lists what is lost.

Each entry of another magic than the asked one is taken apart into its records, and made again: in magic 2 a batch, in
magic 0 and 1 a message for each record, in a wrapper if the entry is compressed. Offsets, keys and values stay; a
message of magic 0 gets the timestamp −1. To an older magic the headers, the producer and its transaction are lost, and
to magic 0 the timestamps; a batch of markers is left out (R-K-50 to R-K-55).
Source: Kafka's message format, Old Message Format; KIP-31, KIP-32, KIP-82, KIP-98, KIP-110; Apache Kafka's
down-conversion for Fetch, up-conversion for Produce.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import DecodeError, Reason, shown
from wireproof.reference.records import CODEC, LOG_APPEND_TIME, ends_partially
from wireproof.reference.records.compression import GZIP, ZSTD
from wireproof.reference.records.control import CONTROL
from wireproof.reference.records.record_set import append_record_set, read_record_set
from wireproof.reference.rules import DEMANDED, Rules

#: Bit 4 of a batch's attributes.
TRANSACTIONAL = 0x10
#: Bit 6 of a batch's attributes: `baseTimestamp` is the delete horizon.
DELETE_HORIZON = 0x40

#: The timestamp of a message of magic 0, which has no field for it.
NO_TIMESTAMP = -1
#: Name of a target format → its magic.
MAGIC_NAMED: Mapping[str, int] = {f"magic-{magic}": magic for magic in (0, 1, 2)}

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted set. `lost`: the data that the format can't hold, a line for each kind in each entry."""

    entries: list[dict[str, Any]]
    lost: list[str]


def converted(data: bytes, to: str, rules: Rules) -> bytes:
    """A RecordSet, converted to one of which all entries have this magic. Raises DecodeError, EncodeError for zstd to
    an older magic, and NotImplementedError for an unknown format."""
    if to not in MAGIC_NAMED:
        raise NotImplementedError(f"records are converted to {', '.join(MAGIC_NAMED)}, not to {shown(to)}")
    entries = read_record_set(Reader(data, dataclasses.replace(rules, wrapped_messages="wrapper")))
    if rules.converted_partial == "refused" and ends_partially(data):
        raise DecodeError(Reason.TRUNCATED, "the set ends with a part of an entry", None)
    writer = Writer(rules)
    append_record_set(writer, convert(entries, MAGIC_NAMED[to], rules).entries)
    return bytes(writer.out)


def convert(entries: Iterable[Entry], magic: int, rules: Rules = DEMANDED) -> Converted:
    """Entries of this magic for a set of any magics. An entry that has it already stays as it is."""
    made: list[dict[str, Any]] = []
    lost: list[str] = []
    merges = False
    for index, entry in enumerate(entries):
        if entry["magic"] == magic or (entry["magic"] < magic < 2 and rules.lower_magics == "kept"):
            made.append(dict(entry))
            merges = False
            continue
        lost += [f"entry {index}: {what}" for what in _losses(entry, magic)]
        if entry["magic"] == 2 and (entry["attributes"] & CONTROL or not entry["records"]):
            continue
        codec, appended = _codec_of(entry, rules), _append_time(entry)
        records = _records_of(entry, stored=rules.converted_append_time == "stored" and codec != 0)
        greatest = max(record["timestamp"] for record in records) if appended is None else appended
        if magic < 2:
            marked = 0 if appended is None or magic == 0 else LOG_APPEND_TIME
            inside = marked if not codec or rules.converted_append_time == "outer" else 0
            messages = _messages(records, inside, magic)
            made += [_wrapper(messages, codec | marked, magic, greatest)] if codec else messages
            continue
        batch = _batch(records, codec | (0 if appended is None else LOG_APPEND_TIME), greatest)
        plain = rules.older_messages == "one-batch" and not entry["attributes"] & CODEC and appended is None
        if plain and merges:
            _add(made[-1], batch)
        else:
            made.append(batch)
        merges = plain
    return Converted(made, lost)


def _codec_of(entry: Entry, rules: Rules) -> int:
    """The codec of what an entry is converted to."""
    codec: int = entry["attributes"] & CODEC
    if rules.older_wrappers == "messages":
        return 0
    return GZIP if codec == ZSTD and rules.converted_zstd == "gzip" else codec


def _append_time(entry: Entry) -> int | None:
    """The time at which a broker appended an entry, where that is its time."""
    if entry["magic"] == 0 or not entry["attributes"] & LOG_APPEND_TIME:
        return None
    time: int = entry["maxTimestamp" if entry["magic"] == 2 else "timestamp"]
    return time


def _records_of(entry: Entry, *, stored: bool) -> list[dict[str, Any]]:
    """An entry's records: offset, timestamp, key and value. With a time of appending each has that one, but where the
    timestamps are those that are `stored`."""
    if entry["magic"] == 2:
        base, first = entry["baseOffset"], entry["baseTimestamp"]
        records = [
            _record(record, base + record["offsetDelta"], first + record["timestampDelta"])
            for record in entry["records"]
        ]
    else:
        messages: Sequence[Entry] = entry.get("messages", (entry,))
        records = [_record(message, message["offset"], message.get("timestamp", NO_TIMESTAMP)) for message in messages]
    appended = _append_time(entry)
    return records if stored or appended is None else [{**record, "timestamp": appended} for record in records]


def _record(record: Entry, offset: int, timestamp: int) -> dict[str, Any]:
    return {"offset": offset, "timestamp": timestamp, "key": record["key"], "value": record["value"]}


def _batch(records: Sequence[Entry], attributes: int, greatest: int) -> dict[str, Any]:
    """A batch of magic 2, of no producer. `greatest`: its greatest timestamp."""
    offset, time = records[0]["offset"], records[0]["timestamp"]
    return {
        "magic": 2,
        "baseOffset": offset,
        "partitionLeaderEpoch": -1,
        "attributes": attributes,
        "lastOffsetDelta": records[-1]["offset"] - offset,
        "baseTimestamp": time,
        "maxTimestamp": greatest,
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "records": [
            {
                "attributes": 0,
                "timestampDelta": record["timestamp"] - time,
                "offsetDelta": record["offset"] - offset,
                "key": record["key"],
                "value": record["value"],
                "headers": [],
            }
            for record in records
        ],
    }


def _add(batch: dict[str, Any], other: Entry) -> None:
    """Add the record of a batch of one to a batch before it."""
    (record,) = other["records"]
    offset, time = (other[name] - batch[name] for name in ("baseOffset", "baseTimestamp"))
    batch["records"] = [*batch["records"], {**record, "offsetDelta": offset, "timestampDelta": time}]
    batch["lastOffsetDelta"] = offset
    batch["maxTimestamp"] = max(batch["maxTimestamp"], other["maxTimestamp"])


def _messages(records: Iterable[Entry], attributes: int, magic: int) -> list[dict[str, Any]]:
    """Records as messages; magic 0 has no timestamps."""
    without = () if magic else ("timestamp",)
    return [
        {"magic": magic, "attributes": attributes, **{key: item for key, item in record.items() if key not in without}}
        for record in records
    ]


def _wrapper(messages: Sequence[dict[str, Any]], attributes: int, magic: int, greatest: int) -> dict[str, Any]:
    """A wrapper around messages. `greatest`: its timestamp in magic 1."""
    for message in messages:
        del message["magic"]
    timestamp = {"timestamp": greatest} if magic else {}
    head = {"magic": magic, "offset": messages[-1]["offset"], "attributes": attributes, **timestamp}
    return {**head, "key": None, "messages": messages}


def _losses(entry: Entry, magic: int) -> Iterable[str]:
    """The data of an entry that a lower format can't hold."""
    if magic > entry["magic"]:
        return
    if entry["magic"] == 1:
        yield "the timestamp and its type"
        return
    attributes, records = entry["attributes"], entry["records"]
    if attributes & CONTROL:
        yield "the whole control batch"
        return
    headers = sum(len(record["headers"]) for record in records)
    if headers:
        yield f"{headers} headers"
    if entry["producerId"] != -1:
        yield "the producer's id, epoch and sequence"
    if attributes & TRANSACTIONAL:
        yield "that it belongs to a transaction"
    if attributes & DELETE_HORIZON:
        yield "the delete horizon"
    if entry["partitionLeaderEpoch"] != -1:
        yield "the partition leader's epoch"
    if magic == 0:
        yield "the timestamps and their type"
    if not records:
        yield "the empty batch"
