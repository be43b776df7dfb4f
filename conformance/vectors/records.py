"""Records in a conversation: as an application gives them to a producer, and as a consumer delivers them.

A batch is given as {"records": [{"key", "value", "headers", "timestamp"}], "codec", "magic", "producer", …}; what the
format adds (offsets, deltas, sizes, CRC) is computed. Delivered are all records but those of control batches, in their
order.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.vectors.model import VectorError
from wireproof.reference import catalog
from wireproof.reference.dialects.kafka import CatalogMessages
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.records.control import CONTROL, read_control
from wireproof.reference.rules import DEMANDED

_DIALECT = "kafka"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
_APPEND_TIME, _TRANSACTIONAL = 1 << 3, 1 << 4
_NAMES = {0: "create", _APPEND_TIME: "append"}
_TYPE = "RecordSet"


class Record(msgspec.Struct, forbid_unknown_fields=True):
    """A record as an application gives it. `headers`: of messages with magic 0 or 1 there are none."""

    key: Any
    value: Any
    headers: list[Any] = []
    timestamp: int = 0


class Batch(msgspec.Struct, forbid_unknown_fields=True):
    """A batch, or for magic 0 and 1 the messages in its place. `producer`: id, epoch and the first sequence.
    `max_timestamp`: of a batch; None: the greatest of its records."""

    records: list[Record]
    codec: str = "none"
    magic: Literal[0, 1, 2] = 2
    producer: tuple[int, int, int] = (-1, -1, -1)
    transactional: bool = False
    max_timestamp: int | None = None


def check(batches: Any) -> None:
    """Raises VectorError for what is no array of batches. A producer may have marks."""
    try:
        for batch in msgspec.convert(batches, list[dict[str, Any]]):
            read = msgspec.convert({**batch, "producer": (-1, -1, -1)}, Batch)
            if read.codec not in CODECS:
                raise VectorError(f"batches: there is no codec {read.codec!r}, only {', '.join(CODECS)}")
    except msgspec.ValidationError as error:
        raise VectorError(f"batches: {error}") from None


def written(batches: Any) -> bytes:
    """The bytes of such batches, whose values are not JSON any more."""
    read = msgspec.convert(batches, list[Batch])
    entries = [entry for batch in read for entry in (_batch(batch) if batch.magic == 2 else _messages(batch))]
    return reference_codec().encode(_TYPE, entries, dialect=_DIALECT)


def _batch(batch: Batch) -> list[dict[str, Any]]:
    first = batch.records[0].timestamp if batch.records else 0
    greatest = max((one.timestamp for one in batch.records), default=-1)
    identifier, epoch, sequence = batch.producer
    return [
        {
            "magic": 2,
            "partitionLeaderEpoch": -1,
            "attributes": CODECS.index(batch.codec) | (_TRANSACTIONAL if batch.transactional else 0),
            "lastOffsetDelta": len(batch.records) - 1,
            "baseTimestamp": first,
            "maxTimestamp": greatest if batch.max_timestamp is None else batch.max_timestamp,
            "producerId": identifier,
            "producerEpoch": epoch,
            "baseSequence": sequence,
            "records": [
                {
                    "offsetDelta": number,
                    "timestampDelta": one.timestamp - first,
                    "key": one.key,
                    "value": one.value,
                    "headers": one.headers,
                }
                for number, one in enumerate(batch.records)
            ],
        }
    ]


def _messages(batch: Batch) -> list[dict[str, Any]]:
    """The messages alone, or within one that is compressed (whose offsets count from 0)."""
    messages: list[dict[str, Any]] = [
        {"offset": number, "key": one.key, "value": one.value} | ({"timestamp": one.timestamp} if batch.magic else {})
        for number, one in enumerate(batch.records)
    ]
    if batch.codec == "none":
        return [{"magic": batch.magic, **message} for message in messages]
    wrapper = {"magic": batch.magic, "offset": len(messages) - 1, "attributes": CODECS.index(batch.codec), "key": None}
    times = {"timestamp": max(one.timestamp for one in batch.records)} if batch.magic else {}
    return [{**wrapper, **times, "messages": messages}]


@functools.lru_cache(256)  # the same bytes come in every version of Fetch
def delivered(data: bytes) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The records in a partition's bytes: offset, timestamp, its type, key, value, headers, and the magic; and the same
    as JSON. A partial last batch is left out. Raises WireError, also for a control record that cannot be read."""
    records: list[dict[str, Any]] = []
    for entry in reference_codec().decode(_TYPE, data, dialect=_DIALECT):
        if entry["magic"] != 2:
            records += _of_message(entry)
        elif entry["attributes"] & CONTROL:
            _check_control(entry)
        else:
            records += _of_batch(entry)
    return records, to_json(records)


def _check_control(batch: Mapping[str, Any]) -> None:
    """Read the control records of a batch. Versions that the catalogue lacks are not read. Raises DecodeError."""
    messages = CatalogMessages(catalog.current())
    for record in batch["records"]:
        try:
            read_control(record, messages, DEMANDED)
        except DecodeError as error:
            if error.reason is not Reason.UNSUPPORTED_VERSION:
                raise


def _of_batch(batch: Mapping[str, Any]) -> list[dict[str, Any]]:
    by_append = batch["attributes"] & _APPEND_TIME
    return [
        {
            "magic": 2,
            "offset": batch["baseOffset"] + one["offsetDelta"],
            "timestamp": batch["maxTimestamp"] if by_append else batch["baseTimestamp"] + one["timestampDelta"],
            "time": _NAMES[by_append],
            "key": one["key"],
            "value": one["value"],
            "headers": [[*header] for header in one["headers"]],
        }
        for one in batch["records"]
    ]


def _of_message(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of a message: itself, or those within it."""
    inner = message.get("messages")
    if inner is None:
        by_append = message["attributes"] & _APPEND_TIME
        return [
            {
                "magic": message["magic"],
                "offset": message["offset"],
                "timestamp": message.get("timestamp", -1),
                "time": _NAMES[by_append],
                "key": message["key"],
                "value": message["value"],
                "headers": [],
            }
        ]
    return [one for each in inner for one in _of_message({"magic": message["magic"], **each})]
