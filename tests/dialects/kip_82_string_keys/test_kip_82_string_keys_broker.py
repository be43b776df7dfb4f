"""A broker of kip-82-string-keys: Produce 3 and Fetch 4 carry its batches, older versions messages without headers."""

from __future__ import annotations

from typing import Any

import pytest
from support.draft_requests import fetch, opened, produce

from wireproof import reference
from wireproof.reference.dialects import DIALECTS

DIALECT = "kip-82-string-keys"
HEADERS = [["a", b"1"], ["b", b""], ["a", b"1"]]


def batch(*headers: list[Any], deltas: tuple[int, ...] = (0, 1), attributes: int = 0) -> bytes:
    records = [
        {"attributes": 0, "timestampDelta": delta, "offsetDelta": delta, "key": b"k", "value": b"v", "headers": headers}
        for delta in deltas
    ]
    fields = {"firstOffset": 0, "attributes": attributes, "lastOffsetDelta": deltas[-1], "firstTimestamp": 5}
    producer = {"maxTimestamp": 6, "pid": -1, "epoch": -1, "firstSequence": -1}
    return reference.encode("BATCH", {**fields, **producer, "records": records}, dialect=DIALECT)


def older(magic: int) -> bytes:
    one = {"offset": 0, "attributes": 0, "key": b"k", "value": b"v", **({"timestamp": 5} if magic else {})}
    return reference.encode("MessageSet", [one, one], dialect="kafka", version=magic)


def fetched(at: Any, version: int) -> list[Any]:
    """Offset, timestamp (None: it has none) and headers of each message, in the format of the version."""
    answer = fetch(at, "kafka", version)
    assert answer["ErrorCode"] == 0
    data = answer["Records"]
    if version < 4:
        found = reference.decode("MessageSet", data, dialect="kafka", version=version // 2)
        return [(one["offset"], one.get("timestamp"), []) for one in found]
    messages = []
    while data:
        size = 12 + int.from_bytes(data[8:12])
        one, data = reference.decode("BATCH", data[:size], dialect=DIALECT), data[size:]
        messages += [
            (
                one["firstOffset"] + record["offsetDelta"],
                one["firstTimestamp"] + record["timestampDelta"],
                record["headers"],
            )
            for record in one["records"]
        ]
    return messages


def test_headers_are_for_those_who_ask_for_them() -> None:
    at = opened(DIALECT, t=1)
    assert [produce(at, "kafka", 3, batch(*HEADERS))["BaseOffset"] for _ in range(2)] == [0, 2]
    both = [(0, 5), (1, 6), (2, 5), (3, 6)]
    assert fetched(at, 4) == [(offset, time, [tuple(one) for one in HEADERS]) for offset, time in both]
    assert fetched(at, 3) == fetched(at, 2) == [(offset, time, []) for offset, time in both]
    assert fetched(at, 1) == fetched(at, 0) == [(offset, None, []) for offset, _ in both]


@pytest.mark.parametrize(("version", "magic"), [(0, 0), (1, 0), (2, 1)])
def test_older_messages_come_as_batches_without_headers(version: int, magic: int) -> None:
    at = opened(DIALECT, t=1)
    assert produce(at, "kafka", version, older(magic))["BaseOffset"] == 0
    time = 5 if magic else -1
    assert fetched(at, 4) == fetched(at, 2) == [(0, time, []), (1, time, [])]
    assert fetched(at, 0) == [(0, None, []), (1, None, [])]


@pytest.mark.parametrize("attributes", [0, 1])
def test_a_broker_gives_the_offsets(attributes: int) -> None:
    at = opened(DIALECT, t=1)
    data = batch(deltas=(3, 7, 7), attributes=attributes)
    assert [produce(at, "kafka", 3, data * 2)["BaseOffset"] for _ in range(2)] == [0, 6]
    assert [offset for offset, _, _ in fetched(at, 4)] == [*range(12)]


@pytest.mark.parametrize(
    ("version", "records"),
    [(3, older(1)), (2, older(0)), (2, batch()), (3, batch()[:20] + b"?" + batch()[21:]), (3, batch()[:-1])],
    ids=["older", "oldest", "batch", "crc", "cut"],
)
def test_what_the_version_does_not_carry_is_refused(version: int, records: bytes) -> None:
    at = opened(DIALECT, t=1)
    assert produce(at, "kafka", version, records)["ErrorCode"] == 2
    assert produce(at, "kafka", 3, batch())["BaseOffset"] == 0


def test_it_announces_the_versions_of_the_kafka_that_the_page_amends() -> None:
    request = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
    sent = DIALECTS[DIALECT].broker(("localhost", 9092), {})().receive(request)
    assert sent[4:].startswith(bytes.fromhex("00000001 0000 00000006 0000 0000 0003 0001 0000 0004"))
