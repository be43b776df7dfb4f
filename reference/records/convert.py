"""Converts between record formats, as a broker does for older or newer clients, and lists what is lost.

Up: a message becomes a batch of one record, a wrapper a batch of all its messages; a message of magic 0 gets the
timestamp −1. Down: headers, producer ids and other fields of magic 2 are dropped, and control batches are left out.
Source: KIP-32 and KIP-98, the sections on compatibility; Apache Kafka's down-conversion for Fetch, up-conversion for
Produce.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wireproof.reference.records import LOG_APPEND_TIME
from wireproof.reference.records.compression import MASK, ZSTD
from wireproof.reference.records.control import CONTROL

#: Bit 4 of a batch's attributes.
TRANSACTIONAL = 0x10
#: Bit 6 of a batch's attributes: `baseTimestamp` is the delete horizon.
DELETE_HORIZON = 0x40

#: The timestamp of a message of magic 0, which has no field for it.
NO_TIMESTAMP = -1

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted set. `lost`: the data that the format can't hold, a line for each kind in each entry."""

    entries: list[dict[str, Any]]
    lost: list[str]


def up_convert(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Batches of magic 2 for a set of any magics; nothing is lost."""
    return [dict(entry) if entry["magic"] == 2 else _batch_of(entry) for entry in entries]


def _batch_of(entry: Entry) -> dict[str, Any]:
    messages: Sequence[Entry] = entry.get("messages", (entry,))
    appended = entry["magic"] == 1 and bool(entry["attributes"] & LOG_APPEND_TIME)
    times = [entry["timestamp"] if appended else message.get("timestamp", NO_TIMESTAMP) for message in messages]
    base = messages[0]["offset"]
    return {
        "magic": 2,
        "baseOffset": base,
        "partitionLeaderEpoch": -1,
        "attributes": entry["attributes"] & (MASK | (LOG_APPEND_TIME if entry["magic"] == 1 else 0)),
        "lastOffsetDelta": messages[-1]["offset"] - base,
        "baseTimestamp": times[0],
        "maxTimestamp": max(times),
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "records": [
            {
                "attributes": 0,
                "timestampDelta": time - times[0],
                "offsetDelta": message["offset"] - base,
                "key": message["key"],
                "value": message["value"],
                "headers": [],
            }
            for message, time in zip(messages, times, strict=True)
        ],
    }


def down_convert(entries: Iterable[Entry], magic: int) -> Converted:
    """Messages of magic 0 or 1 for a set of any magics. Entries of this magic or a lower one do not change."""
    kept: list[dict[str, Any]] = []
    lost: list[str] = []
    for index, entry in enumerate(entries):
        if entry["magic"] <= magic:
            kept.append(dict(entry))
            continue
        lost += [f"entry {index}: {what}" for what in _losses(entry, magic)]
        if entry["magic"] == 1:
            kept.append(_timeless(entry) | {"magic": 0})
        elif not entry["attributes"] & CONTROL and entry["records"]:
            kept += _messages_of(entry, magic)
    return Converted(kept, lost)


def _timeless(message: Entry) -> dict[str, Any]:
    """A message of magic 1 as one of magic 0."""
    plain = {key: item for key, item in message.items() if key not in ("timestamp", "magic")}
    plain["attributes"] = message["attributes"] & ~LOG_APPEND_TIME
    if "messages" in message:
        plain["messages"] = [_timeless(inner) for inner in message["messages"]]
    return plain


def _messages_of(batch: Entry, magic: int) -> list[dict[str, Any]]:
    """A batch's records as messages, in a wrapper if it is compressed. Neither magic has zstd: gzip replaces it."""
    codec = batch["attributes"] & MASK
    appended = batch["attributes"] & LOG_APPEND_TIME
    messages = []
    for record in batch["records"]:
        time = batch["maxTimestamp"] if appended else batch["baseTimestamp"] + record["timestampDelta"]
        messages.append(
            {
                "offset": batch["baseOffset"] + record["offsetDelta"],
                "attributes": appended * magic,
                **({"timestamp": time} if magic == 1 else {}),
                "key": record["key"],
                "value": record["value"],
            }
        )
    if not codec:
        return [{"magic": magic, **message} for message in messages]
    wrapper = {
        "magic": magic,
        "offset": messages[-1]["offset"],
        "attributes": (1 if codec == ZSTD else codec) | appended * magic,
        **({"timestamp": max(message["timestamp"] for message in messages)} if magic == 1 else {}),
        "key": None,
        "messages": messages,
    }
    return [wrapper]


def _losses(entry: Entry, magic: int) -> Iterable[str]:
    """The data of an entry that this lower format can't hold."""
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
    if attributes & MASK == ZSTD:
        yield "zstd, which only magic 2 has: gzip in its place"
    if magic == 0:
        yield "the timestamps and their type"
    if not records:
        yield "the empty batch"
