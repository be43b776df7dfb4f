"""KIP-82 with string keys: conversion to and from shipped records, and to older messages (R-82s-11)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from support.wire import Refused, attempt

from wireproof import reference
from wireproof.conformance.properties import strategies
from wireproof.conformance.values.compare import equal
from wireproof.reference.dialects.kip_82_string_keys import convert
from wireproof.reference.dialects.kip_82_string_keys.clients import received

DRAFT = "kip-82-string-keys"
HEADERS = [("a", b"\1"), ("b", b"\xff"), ("a", b""), ("a", b"\1")]


def message(**fields: Any) -> dict[str, Any]:
    plain = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": b"k", "value": b"v", "headers": []}
    return plain | fields


def batch(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    plain = {
        "firstOffset": 100,
        "attributes": 0,
        "lastOffsetDelta": len(messages) - 1,
        "firstTimestamp": 1000,
        "maxTimestamp": 1005,
        "pid": -1,
        "epoch": -1,
        "firstSequence": -1,
    }
    return plain | fields | {"records": [*messages]}


TWO = batch(
    message(headers=HEADERS),
    message(attributes=3, timestampDelta=5, offsetDelta=1, key=None, value=None, headers=[("", b"")]),
    pid=7,
    epoch=1,
    firstSequence=3,
)
SHIPPED = {
    "magic": 2,
    "baseOffset": 100,
    "partitionLeaderEpoch": -1,
    "attributes": 0,
    "lastOffsetDelta": 1,
    "baseTimestamp": 1000,
    "maxTimestamp": 1005,
    "producerId": 7,
    "producerEpoch": 1,
    "baseSequence": 3,
    "records": [
        message(headers=HEADERS),
        message(timestampDelta=5, offsetDelta=1, key=None, value=None, headers=[("", b"")]),
    ],
}


def test_to_the_record_that_shipped_and_back() -> None:
    shipped = convert.to_shipped([TWO])
    assert (shipped.entries, shipped.lost) == ([SHIPPED], [])
    back = convert.from_shipped(shipped.entries)
    assert (back.entries, back.lost) == ([TWO], [])


def test_duplicates_and_order_survive_through_bytes_of_both() -> None:
    data = reference.encode("BATCH", TWO, dialect=DRAFT)
    shipped = convert.to_shipped([reference.decode("BATCH", data, dialect=DRAFT)]).entries
    other = reference.encode("RecordSet", shipped, dialect="kafka")
    # Two headers of the same message: without counts and value lengths here, with both there.
    assert bytes.fromhex("03016101" + "030162ff" + "020161" + "03016101") in data
    assert bytes.fromhex("08" + "02610201" + "026202ff" + "026100" + "02610201") in other
    back = convert.from_shipped(reference.decode("RecordSet", other, dialect="kafka")).entries
    assert [reference.encode("BATCH", one, dialect=DRAFT) for one in back] == [data]


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(strategies.values("BATCH", dialect=DRAFT))
def test_whatever_can_be_sent_comes_back(value: dict[str, Any]) -> None:
    for one in value["records"]:
        one["offsetDelta"] &= 0x7FFFFFFF
    sent = reference.decode("BATCH", reference.encode("BATCH", value, dialect=DRAFT), dialect=DRAFT)
    shipped = convert.to_shipped([sent])
    carried = reference.encode("RecordSet", shipped.entries, dialect="kafka")
    back = convert.from_shipped(reference.decode("RecordSet", carried, dialect="kafka")).entries
    kept = [one | {"attributes": one["attributes"] & 3} for one in sent["records"]]
    attributes = sent["attributes"] & ~0x20  # R-82s-15
    assert equal([sent | {"attributes": attributes, "records": kept}], back)
    assert bool(shipped.lost) == (kept != sent["records"] or attributes != sent["attributes"])


@pytest.mark.parametrize(
    ("record", "refusal", "named"),
    [
        (
            message(headers=[("a", b""), ("x-id", None)]),
            Refused("null-not-allowed", None, "entry 0: records[1].headers[1].value"),
            "header 'x-id' has a null value",
        ),
        (
            message(offsetDelta=-1),
            Refused("out-of-range", None, "entry 0: records[1].offsetDelta"),
            "-1: the draft's offset delta is unsigned",
        ),
    ],
)
def test_what_the_draft_has_no_form_for_is_refused_by_name(
    record: dict[str, Any], refusal: Refused, named: str
) -> None:
    entry = SHIPPED | {"records": [message(), record]}
    assert attempt(lambda: convert.from_shipped([entry])) == refusal
    with pytest.raises(reference.EncodeError, match=named):
        convert.from_shipped([entry])


def test_what_the_record_that_shipped_has_no_form_for_is_refused_by_name() -> None:
    assert convert.to_record(message(offsetDelta=2**31 - 1))["offsetDelta"] == 2**31 - 1
    greatest = batch(message(), message(offsetDelta=2**31))
    refused = Refused("out-of-range", None, "batch 0: records[1].offsetDelta")
    assert attempt(lambda: convert.to_shipped([greatest])) == refused
    assert attempt(lambda: convert.to_older([greatest], 1)) == refused


def test_what_is_left_behind_is_named() -> None:
    entry = SHIPPED | {"attributes": 4 | 0x18, "partitionLeaderEpoch": 5, "records": [message(attributes=1)]}
    found = convert.from_shipped([SHIPPED, entry])
    assert found.lost == [
        "entry 1: zstd, which only the shipped format has: gzip in its place",
        "entry 1: the partition leader's epoch",
        "entry 1: records' attributes",
    ]
    assert found.entries[1]["attributes"] == 0x19
    assert found.entries[1]["records"][0]["attributes"] == 0
    assert reference.encode("BATCH", found.entries[1], dialect=DRAFT)
    shipped = convert.to_shipped([TWO, batch(message(attributes=-4))])
    assert shipped.lost == ["batch 1: messages' attributes"]
    assert shipped.entries[1]["records"][0]["attributes"] == 0


def test_one_record() -> None:
    null = message(attributes=1, key=None, headers=HEADERS)
    assert convert.to_record(null) == null | {"attributes": 0}
    assert convert.from_record(null | {"attributes": 0x40}) == null
    assert convert.from_record(message(value=None))["attributes"] == 2
    refused = Refused("null-not-allowed", None, "Record.headers[0].value")
    assert attempt(lambda: convert.from_record(message(headers=[("a", None)]))) == refused


def test_side_by_side() -> None:
    """The bytes of the page about this dialect."""
    one = message(headers=[("a", b"\1")])
    ours = "0b" + "00" + "00" + "00" + "016b" + "0176" + "03" + "0161" + "01"
    shipped = "18" + "00" + "00" + "00" + "026b" + "0276" + "02" + "0261" + "0201"
    assert reference.encode("MESSAGE", one, dialect=DRAFT).hex() == ours
    assert reference.encode("Record", convert.to_record(one), dialect="kafka").hex() == shipped


# --- Older messages ---------------------------------------------------------------------------------------------------

OLDER: list[dict[str, Any]] = [
    {"magic": 0, "offset": 7, "attributes": 0, "key": b"k", "value": b"v"},
    {"magic": 1, "offset": 8, "attributes": 0, "timestamp": 1000, "key": None, "value": None},
    {
        "magic": 1,
        "offset": 10,
        "attributes": 1,
        "timestamp": 1005,
        "key": None,
        "messages": [
            {"offset": 9, "attributes": 0, "timestamp": 1001, "key": b"k", "value": b""},
            {"offset": 10, "attributes": 0, "timestamp": 1005, "key": b"k", "value": None},
        ],
    },
]


def test_older_messages_have_empty_headers() -> None:
    found = convert.from_shipped(OLDER)
    assert found.lost == []
    assert [one["attributes"] for one in found.entries] == [0, 0, 1]
    batches = [
        reference.decode("BATCH", reference.encode("BATCH", one, dialect=DRAFT), dialect=DRAFT) for one in found.entries
    ]
    records = received(batches, "t", 0)
    assert [len(record.get_headers()) for record in records] == [0] * 4
    assert [(record.offset, record.timestamp, record.key, record.value) for record in records] == [
        (7, -1, b"k", b"v"),
        (8, 1000, None, None),
        (9, 1001, b"k", b""),
        (10, 1005, b"k", None),
    ]


def test_to_older_messages_headers_are_dropped() -> None:
    one = {"magic": 1, "offset": 100, "attributes": 0, "timestamp": 1000, "key": b"k", "value": b"v"}
    two = {"magic": 1, "offset": 101, "attributes": 0, "timestamp": 1005, "key": None, "value": None}
    found = convert.to_older([TWO], 1)
    assert found.entries == [one, two]
    assert found.lost == ["entry 0: 5 headers", "entry 0: the producer's id, epoch and sequence"]
    oldest = convert.to_older([TWO], 0)
    timeless = [{key: item for key, item in old.items() if key != "timestamp"} | {"magic": 0} for old in (one, two)]
    assert oldest.entries == timeless
    assert oldest.lost == [*found.lost, "entry 0: the timestamps and their type"]
    assert reference.encode("RecordSet", found.entries, dialect="kafka")


def test_without_headers_nothing_is_lost_to_magic_1_and_back() -> None:
    plain = batch(message())
    found = convert.to_older([plain], 1)
    assert found.lost == []
    assert convert.from_shipped(found.entries).entries == [plain | {"maxTimestamp": 1000}]


# --- What the op refuses ----------------------------------------------------------------------------------------------


def test_there_is_no_other_format() -> None:
    with pytest.raises(NotImplementedError, match="BATCH is converted to magic-0, magic-1, shipped, not to 'draft'"):
        reference.convert("BATCH", b"", "draft", dialect=DRAFT)
    with pytest.raises(NotImplementedError, match="RecordSet is converted to draft, not to 'magic-1'"):
        reference.convert("RecordSet", b"", "magic-1", dialect=DRAFT)
    with pytest.raises(NotImplementedError, match="BATCH, RecordSet are converted, and not MESSAGE"):
        reference.convert("MESSAGE", b"", "magic-1", dialect=DRAFT)


def test_one_batch_is_converted_and_no_more() -> None:
    data = reference.encode("BATCH", TWO, dialect=DRAFT)
    found = attempt(lambda: reference.convert("BATCH", data + b"\0", "magic-1", dialect=DRAFT))
    assert found == Refused("trailing-bytes", len(data))


@pytest.mark.parametrize("to", ["magic-0", "magic-1"])
def test_a_compressed_batch_becomes_a_wrapper(to: str) -> None:
    data = reference.encode("BATCH", TWO | {"attributes": 1}, dialect=DRAFT)
    converted = reference.convert("BATCH", data, to, dialect=DRAFT)
    (found,) = reference.decode("MessageSet", converted, dialect="kafka", version=int(to[-1]))
    assert [one["offset"] for one in found["messages"]] == [100, 101]
