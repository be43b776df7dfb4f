"""Conversion between the record formats, and control records."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_records_fast import batch

from wireproof import reference
from wireproof.reference import DecodeError, Reason, catalog
from wireproof.reference.dialects.kafka import CatalogMessages
from wireproof.reference.records.control import ControlRecord, read_control
from wireproof.reference.records.convert import convert
from wireproof.reference.rules import Rules

BATCH: dict[str, Any] = {
    "magic": 2,
    "baseOffset": 100,
    "partitionLeaderEpoch": -1,
    "attributes": 0,
    "lastOffsetDelta": 2,
    "baseTimestamp": 1000,
    "maxTimestamp": 1005,
    "producerId": -1,
    "producerEpoch": -1,
    "baseSequence": -1,
    "records": [
        {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": b"k", "value": b"v", "headers": []},
        {"attributes": 0, "timestampDelta": 5, "offsetDelta": 2, "key": None, "value": None, "headers": []},
    ],
}
ONE = {"magic": 1, "offset": 100, "attributes": 0, "timestamp": 1000, "key": b"k", "value": b"v"}
TWO = {"magic": 1, "offset": 102, "attributes": 0, "timestamp": 1005, "key": None, "value": None}


def bare(*messages: dict[str, Any], without: str = "magic") -> list[dict[str, Any]]:
    return [{key: item for key, item in message.items() if key not in without.split()} for message in messages]


def test_a_plain_batch_becomes_messages_and_loses_nothing() -> None:
    converted = convert([BATCH], 1)
    assert converted.entries == [ONE, TWO]
    assert converted.lost == []


def test_a_compressed_batch_becomes_a_wrapper() -> None:
    converted = convert([BATCH | {"attributes": 1}], 1)
    assert converted.entries == [
        {
            "magic": 1,
            "offset": 102,
            "attributes": 1,
            "timestamp": 1005,
            "key": None,
            "messages": bare(ONE, TWO),
        }
    ]
    assert converted.lost == []


def test_what_is_lost_is_named() -> None:
    records = [BATCH["records"][0] | {"headers": [("a", b"1"), ("a", None)]}]
    batch = BATCH | {
        "records": records,
        "attributes": 0x10 | 0x40,
        "producerId": 3,
        "partitionLeaderEpoch": 0,
    }
    converted = convert([ONE, batch], 0)
    assert converted.entries == [{"magic": 0} | message for message in bare(ONE, ONE, without="magic timestamp")]
    assert converted.lost == [
        "entry 0: the timestamp and its type",
        "entry 1: 2 headers",
        "entry 1: the producer's id, epoch and sequence",
        "entry 1: that it belongs to a transaction",
        "entry 1: the delete horizon",
        "entry 1: the partition leader's epoch",
        "entry 1: the timestamps and their type",
    ]


def test_control_and_empty_batches_are_left_out() -> None:
    converted = convert([BATCH | {"attributes": 0x20}, BATCH | {"records": []}], 1)
    assert converted.entries == []
    assert converted.lost == ["entry 0: the whole control batch", "entry 1: the empty batch"]


def test_append_time_is_every_message_s() -> None:
    (one, two) = convert([BATCH | {"attributes": 8}], 1).entries
    assert [(one["timestamp"], one["attributes"]), (two["timestamp"], two["attributes"])] == [(1005, 8), (1005, 8)]


def test_messages_become_batches() -> None:
    wrapper = {"magic": 1, "offset": 102, "attributes": 2, "timestamp": 1005, "key": None, "messages": bare(ONE, TWO)}
    old = {"magic": 0} | bare(ONE, without="magic timestamp")[0]
    batches = convert([wrapper, old, BATCH], 2).entries
    assert batches[0] == BATCH | {"attributes": 2}
    assert (batches[1]["baseTimestamp"], batches[1]["maxTimestamp"], batches[1]["baseOffset"]) == (-1, -1, 100)
    assert batches[2] == BATCH
    data = reference.encode("RecordSet", batches, dialect="kafka")
    assert reference.decode("RecordSet", data, dialect="kafka") == batches


def test_what_no_format_loses_comes_back() -> None:
    down = convert([BATCH | {"attributes": 3}], 1)
    assert convert(down.entries, 2).entries == [BATCH | {"attributes": 3}]


@given(st.integers(0, 2**32), st.booleans())
def test_nothing_is_lost_unnamed(seed: int, plain: bool) -> None:
    """Down and up again: keys, values, offsets and times are those of before, and all else that differs was named."""
    whole = {"magic": 2} | batch(seed)
    if plain:
        bare_records = [record | {"headers": [], "attributes": 0} for record in whole["records"]]
        whole |= {"producerId": -1, "producerEpoch": -1, "baseSequence": -1, "partitionLeaderEpoch": -1}
        whole |= {"attributes": whole["attributes"] & 3, "records": bare_records}
    down = convert([whole], 1)
    if not plain:
        headers = sum(len(record["headers"]) for record in whole["records"])
        control = bool(whole["attributes"] & 0x20)
        assert any("headers" in line for line in down.lost) is (headers > 0 and not control)
        assert any("control batch" in line for line in down.lost) is control
        return
    assert down.lost == (["entry 0: the empty batch"] if not whole["records"] else [])
    assert _contents(convert(down.entries, 2).entries) == _contents([whole])


def _contents(batches: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (
            found["baseOffset"] + record["offsetDelta"],
            found["baseTimestamp"] + record["timestampDelta"],
            record["key"],
            record["value"],
        )
        for found in batches
        for record in found["records"]
    ]


# --- Control records --------------------------------------------------------------------------------------------------


def control(key: str | None, value: str | None) -> ControlRecord:
    record = {"key": key and bytes.fromhex(key), "value": value and bytes.fromhex(value)}
    return read_control(record, CatalogMessages(catalog.current()), Rules())


def test_markers_say_how_a_transaction_ended() -> None:
    # key: version 0, type 1 commit; value: version 0, coordinator epoch 7
    assert control("00000001", "000000000007") == ControlRecord(0, 1, "commit", {"CoordinatorEpoch": 7})
    assert control("00000000", "000000000007").kind == "abort"
    assert control("0001000000ff", "000000000007").kind == "abort"  # a later version's key


def test_messages_name_their_own_version() -> None:
    # version 0, leader 3, one voter 3, none granting, no tags
    leader = control("00000002", "000000000003" + "02" + "00000003" + "00" + "01" + "00")
    assert leader.kind == "leader change"
    assert leader.value is not None
    assert leader.value["LeaderId"] == 3
    assert [voter["VoterId"] for voter in leader.value["Voters"]] == [3]


def test_unknown_types_are_passed_over() -> None:
    assert control("00000063", None) == ControlRecord(0, 99, None, None)


@pytest.mark.parametrize(
    ("key", "value", "path"), [(None, "0000", "key"), ("000000", "0000", "key"), ("00000001", None, "value")]
)
def test_control_records_without_their_parts_are_refused(key: str | None, value: str | None, path: str) -> None:
    with pytest.raises(DecodeError) as caught:
        control(key, value)
    assert (caught.value.reason, caught.value.path) == ("truncated", path)


def test_a_fault_in_a_marker_has_its_place_in_the_value() -> None:
    with pytest.raises(DecodeError) as caught:
        control("00000000", "0000" + "0000")  # the value's version, and half of coordinatorEpoch
    assert (caught.value.reason, caught.value.offset, caught.value.path) == (Reason.TRUNCATED, 2, "CoordinatorEpoch")
