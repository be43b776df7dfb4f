"""KIP-82 with string keys: the class Headers, and the records that have it."""

from __future__ import annotations

import pytest
from support.wire import Refused, attempt

from wireproof import reference
from wireproof.reference import DecodeError, EncodeError, Rules
from wireproof.reference.dialects.kip_82_string_keys.clients import ConsumerRecord, ProducerRecord, batch_of, received
from wireproof.reference.dialects.kip_82_string_keys.headers import Headers

DRAFT = "kip-82-string-keys"
PAIRS = [("b", b"\2"), ("a", b"\1"), ("b", b""), ("", b"x"), ("b", b"\2")]
WIRE = bytes.fromhex("030162 02" + "030161 01" + "020162" + "0200 78" + "030162 02")


def test_a_multimap_in_the_order_of_adding() -> None:
    headers = Headers()
    assert (headers.keys(), [*headers], len(headers), headers.as_bytes()) == ([], [], 0, b"")
    for key, value in PAIRS:
        headers.add(key, value)
    assert [*headers] == PAIRS
    assert len(headers) == 5
    assert headers.keys() == ["b", "a", ""]
    assert headers.get("b") == [b"\2", b"", b"\2"]
    assert headers.get("") == [b"x"]
    assert headers.get("B") == headers.get("c") == []


def test_to_bytes_and_back() -> None:
    headers = Headers.of(PAIRS)
    assert headers.as_bytes() == WIRE
    assert Headers(WIRE) == headers
    assert Headers(WIRE).as_bytes() == WIRE
    assert Headers() == Headers(b"")
    assert reference.decode("HEADERS", WIRE, dialect=DRAFT) == PAIRS


def test_order_is_part_of_it() -> None:
    assert Headers.of([("a", b"1"), ("b", b"2")]) != Headers.of([("b", b"2"), ("a", b"1")])
    assert Headers.of([("a", b"1")]) != Headers.of([("a", b"1"), ("a", b"1")])
    assert Headers() != []
    with pytest.raises(TypeError, match="unhashable"):
        hash(Headers())
    assert repr(Headers.of([("a", b"1")])) == "Headers.of([('a', b'1')])"


def test_what_is_handed_out_is_not_what_is_held() -> None:
    headers = Headers.of(PAIRS)
    headers.get("b").clear()
    headers.keys().clear()
    for _ in headers:  # adding while going over them
        headers.add("new", b"")
    assert len(headers) == 10


@pytest.mark.parametrize(
    ("key", "value", "refusal"),
    [
        (None, b"", Refused("null-not-allowed", None, "key")),
        (b"a", b"", Refused("out-of-range", None, "key")),
        ("\udc00", b"", Refused("invalid-utf8", None, "key")),
        ("a", None, Refused("null-not-allowed", None, "value")),
        ("a", "1", Refused("out-of-range", None, "value")),
    ],
)
def test_what_has_no_bytes_is_not_added(key: str, value: bytes, refusal: Refused) -> None:
    headers = Headers.of(PAIRS)
    assert attempt(lambda: headers.add(key, value)) == refusal
    assert [*headers] == PAIRS


@pytest.mark.parametrize(("digits", "at"), [("00", 1), ("0301", 0), ("030161010301ff01", 5), ("01030161", 1)])
def test_bytes_that_are_no_headers_are_refused(digits: str, at: int) -> None:
    with pytest.raises(DecodeError) as caught:
        Headers(bytes.fromhex(digits))
    assert caught.value.offset == at


def test_under_other_readings() -> None:
    grouped = Headers(WIRE, Rules(header_order="grouped"))
    assert [key for key, _ in grouped] == ["b", "b", "b", "a", ""]
    assert grouped.get("b") == [b"\2", b"", b"\2"]
    assert Headers.of(PAIRS, Rules(header_order="sorted")).as_bytes() == bytes.fromhex(
        "0200 78" + "030161 01" + "030162 02" + "020162" + "030162 02"
    )
    assert Headers.of([("a", b"\1")], Rules(uint_var="zigzag")).as_bytes() == bytes.fromhex("06026101")
    assert [*Headers(bytes.fromhex("0301ff01"), Rules(invalid_text="replaced"))] == [("\ufffd", b"\1")]


# --- Records ----------------------------------------------------------------------------------------------------------


def sent() -> list[ProducerRecord]:
    first = ProducerRecord("t", b"k", b"v", 1000)
    first.get_headers().add("trace", b"1")
    first.get_headers().add("hop", b"x")
    first.get_headers().add("trace", b"2")
    tombstone = ProducerRecord("t", b"k", None, 990, Headers.of([("why", b"")]), partition=3)
    return [first, tombstone, ProducerRecord("t", None, b"", 1010)]


def test_from_producer_to_consumer_through_bytes() -> None:
    data = reference.encode("BATCH", batch_of(sent(), first_offset=40), dialect=DRAFT)
    found = received([reference.decode("BATCH", data, dialect=DRAFT)], "t", 3)
    headers = [
        [("trace", b"1"), ("hop", b"x"), ("trace", b"2")],
        [("why", b"")],
        [],
    ]
    assert [[*record.get_headers()] for record in found] == headers
    assert found[0].get_headers().get("trace") == [b"1", b"2"]
    assert found == [
        ConsumerRecord("t", 3, 40, 1000, b"k", b"v", Headers.of(headers[0])),
        ConsumerRecord("t", 3, 41, 990, b"k", None, Headers.of(headers[1])),
        ConsumerRecord("t", 3, 42, 1010, None, b"", Headers()),
    ]


def test_a_batch_says_what_its_records_span() -> None:
    batch = batch_of(sent(), first_offset=40)
    assert (batch["firstOffset"], batch["lastOffsetDelta"]) == (40, 2)
    assert (batch["firstTimestamp"], batch["maxTimestamp"]) == (1000, 1010)
    assert [message["timestampDelta"] for message in batch["records"]] == [0, -10, 10]
    with pytest.raises(EncodeError, match="one record at least"):
        batch_of([])


def test_records_have_headers_of_their_own() -> None:
    one, two = ProducerRecord("t", None, None, 0), ProducerRecord("t", None, None, 0)
    one.get_headers().add("a", b"")
    assert len(two.get_headers()) == 0


def test_the_time_of_appending() -> None:
    batch = batch_of(sent()) | {"attributes": 0x08, "maxTimestamp": 5000}
    assert [record.timestamp for record in received([batch], "t", 0)] == [5000] * 3
