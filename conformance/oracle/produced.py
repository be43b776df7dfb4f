"""What a producer has written, in the form in which it is compared.

A broker assigns offsets and the leader's epoch, so they are left out; but the offset deltas of a batch's records stay,
and those of the messages in a wrapper of magic 1, from its first one: there a broker keeps them. Of a producer without
an id, neither epoch nor sequence number means anything. Where a batch's times count from is a writer's choice, so times
are absolute.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.compare import equal
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.records import ends_partially

#: The magic of batches.
_BATCH = 2
#: The fields of a batch that are not compared, beside its times: a broker sets them.
_ASSIGNED = ("baseOffset", "partitionLeaderEpoch")
#: What means nothing without a producer's id, and the id that is none.
_OF_A_PRODUCER, _NOBODY = ("producerEpoch", "baseSequence"), -1
#: Sequence numbers begin again at 0 before this one (KIP-98).
_SEQUENCES = 2**31


def read_produced(data: bytes, dialect: str) -> list[dict[str, Any]]:
    """The batches and messages that a producer has written, in the form of a vector's `writes`: as a RecordSet's value,
    but without what a broker assigns, and with times in the place of deltas. Raises DecodeError for what a reader may
    refuse, and what no writer may write."""
    spoken = reference_codec().dialect(dialect)
    assert spoken.records_field is not None
    if ends_partially(data):
        raise DecodeError(Reason.TRUNCATED, "the last batch or message is cut off", len(data))
    entries = reference_codec().under(spoken.written).decode(spoken.records_field, data, dialect=dialect)
    return [_batch_compared(entry) if entry["magic"] == _BATCH else _message_compared(entry) for entry in entries]


def _batch_compared(batch: Mapping[str, Any]) -> dict[str, Any]:
    without = _OF_A_PRODUCER if batch["producerId"] == _NOBODY else ()
    compared = {key: item for key, item in batch.items() if key not in (*_ASSIGNED, "baseTimestamp", *without)}
    records = [
        {
            **{key: item for key, item in record.items() if key != "timestampDelta"},
            "timestamp": batch["baseTimestamp"] + record["timestampDelta"],
            "headers": [*map(list, record["headers"])],
        }
        for record in batch["records"]
    ]
    return {**compared, "records": records}


def _message_compared(message: Mapping[str, Any]) -> dict[str, Any]:
    plain = _without_offset(message)
    if "messages" in message:
        inner = message["messages"]
        first = inner[0]["offset"]
        plain["messages"] = [
            ({"offsetDelta": one["offset"] - first} if message["magic"] == 1 else {}) | _without_offset(one)
            for one in inner
        ]
    return plain


def _without_offset(message: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in message.items() if key != "offset"}


def same_produced(expected: bytes, answer: bytes, dialect: str) -> bool:
    """Whether both mean the same, if both can be read."""
    try:
        wanted, found = read_produced(expected, dialect), read_produced(answer, dialect)
    except DecodeError:
        return expected == answer
    return equal(as_divided(wanted, found), found)


def as_divided(expected: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What is expected of one batch or wrapper, in as many as were found, with as many records each; both as
    `read_produced` gives them. No text forbids a producer to send several."""
    match expected:
        case [{"records": [*records]} as whole]:
            counts = [len(entry.get("records", ())) for entry in found]
        case [{"messages": [*records]} as whole]:
            counts = [len(entry.get("messages", ())) for entry in found]
        case _:
            return [*expected]
    if len(counts) < 2 or 0 in counts or sum(counts) != len(records):
        return [*expected]
    ends = [*itertools.accumulate(counts)]
    return [_part(whole, records, end - count, end) for count, end in zip(counts, ends, strict=True)]


def _part(whole: Mapping[str, Any], records: Sequence[Mapping[str, Any]], start: int, end: int) -> dict[str, Any]:
    counted = [
        {**record, "offsetDelta": delta} if "offsetDelta" in record else record
        for delta, record in enumerate(records[start:end])
    ]
    greatest = max(record.get("timestamp", 0) for record in counted)
    if "messages" in whole:
        return {**whole, **({"timestamp": greatest} if "timestamp" in whole else {}), "messages": counted}
    numbered = {"baseSequence": (whole["baseSequence"] + start) % _SEQUENCES} if "baseSequence" in whole else {}
    return {**whole, **numbered, "lastOffsetDelta": len(counted) - 1, "maxTimestamp": greatest, "records": counted}
