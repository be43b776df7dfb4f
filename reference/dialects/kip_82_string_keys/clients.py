"""Records with headers, as a producer sends and a consumer receives them, and the batch between the two.

Source: KIP-82 with string keys, Public Interfaces: both records have `getHeaders()`; Compatibility: records of older
messages have empty headers. This is the proposal's text as code: methods of a class have no bytes, so the kit asks for
nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wireproof.reference.dialects.kip_82_string_keys.headers import Headers
from wireproof.reference.errors import EncodeError, Reason
from wireproof.reference.records import LOG_APPEND_TIME

#: For no producer id, epoch or sequence.
NONE = -1


@dataclass(frozen=True, slots=True)
class ProducerRecord:
    """A record to be sent. `timestamp` is in milliseconds since 1970."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = field(default_factory=Headers)
    partition: int | None = None

    def get_headers(self) -> Headers:
        """`getHeaders()`. Headers can be added until the record is sent."""
        return self.headers


@dataclass(frozen=True, slots=True)
class ConsumerRecord:
    """A record that was received, with its position. `timestamp` is in milliseconds since 1970, -1 for none."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers

    def get_headers(self) -> Headers:
        """`getHeaders()`: empty for a record that was sent as an older message."""
        return self.headers


def batch_of(records: Sequence[ProducerRecord], first_offset: int = 0) -> dict[str, Any]:
    """The BATCH in which a producer sends these records, in order, with their timestamps.

    Raises EncodeError without records: a batch's first timestamp is that of its first message.
    """
    if not records:
        raise EncodeError(Reason.OUT_OF_RANGE, "a batch is made of one record at least", "records")
    first = records[0].timestamp
    return {
        "firstOffset": first_offset,
        "attributes": 0,
        "lastOffsetDelta": len(records) - 1,
        "firstTimestamp": first,
        "maxTimestamp": max(record.timestamp for record in records),
        "pid": NONE,
        "epoch": NONE,
        "firstSequence": NONE,
        "records": [
            {
                "attributes": 0,
                "timestampDelta": record.timestamp - first,
                "offsetDelta": index,
                "key": record.key,
                "value": record.value,
                "headers": [*record.get_headers()],
            }
            for index, record in enumerate(records)
        ],
    }


def received(batches: Iterable[Mapping[str, Any]], topic: str, partition: int) -> list[ConsumerRecord]:
    """A consumer's records from the BATCHes of a partition, in order. A batch with LogAppendTime has it in
    `maxTimestamp`, for all its messages."""
    return [
        ConsumerRecord(
            topic,
            partition,
            batch["firstOffset"] + message["offsetDelta"],
            batch["maxTimestamp"]
            if batch["attributes"] & LOG_APPEND_TIME
            else batch["firstTimestamp"] + message["timestampDelta"],
            message["key"],
            message["value"],
            Headers.of(message["headers"]),
        )
        for batch in batches
        for message in batch["records"]
    ]
