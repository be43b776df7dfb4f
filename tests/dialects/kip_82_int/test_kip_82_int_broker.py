"""A broker of kip-82-int-keys: each version of Fetch gets the messages of its magic, whatever was produced."""

from __future__ import annotations

from typing import Any

import pytest
from support.draft_requests import fetch, opened, produce

from wireproof import reference

DIALECT = "kip-82-int-keys"


def messages(*, magic: int, **fields: Any) -> bytes:
    one = {"offset": 0, "magic": magic, "attributes": 0, "key": b"k", "headers": [], "value": b"v", **fields}
    if magic:
        one["timestamp"] = 5
    return reference.encode("MESSAGE_SET", [one, one], dialect=DIALECT)


def fetched(at: Any, version: int) -> Any:
    answer = fetch(at, DIALECT, version)
    assert answer["ErrorCode"] == 0
    return reference.decode("MESSAGE_SET", answer["Records"], dialect=DIALECT)


@pytest.mark.parametrize(("version", "magic"), [(0, 0), (1, 0), (2, 1), (3, 2)])
def test_each_version_carries_its_magic(version: int, magic: int) -> None:
    at = opened(DIALECT, t=1)
    assert produce(at, DIALECT, version, messages(magic=magic))["BaseOffset"] == 0
    for other, expected in ((0, 0), (1, 0), (2, 1), (3, 2)):
        found = fetched(at, other)
        assert [(one["offset"], one["magic"]) for one in found] == [(0, expected), (1, expected)]
        assert all((one["key"], one["value"], one["headers"]) == (b"k", b"v", []) for one in found)
        assert {one.get("timestamp") for one in found} == {None if not expected else 5 if magic else -1}


def test_headers_are_for_those_who_ask_for_them() -> None:
    at = opened(DIALECT, t=1)
    produce(at, DIALECT, 3, messages(magic=2, headers=[(1, b"a"), (2, b"b")]))
    assert [one["headers"] for one in fetched(at, 3)] == [[(1, b"a"), (2, b"b")]] * 2
    older = fetched(at, 2)
    assert [(one["headers"], one["attributes"]) for one in older] == [([], 0)] * 2


def test_offsets_go_on_inside_of_wrappers() -> None:
    at = opened(DIALECT, t=1)
    inner: dict[str, Any] = {"magic": 2, "attributes": 0, "timestamp": 5, "key": None, "headers": []}
    wrapper = {
        **inner,
        "offset": 1,
        "attributes": 1,
        "messages": [{**inner, "offset": at, "value": b"v"} for at in (0, 1)],
    }
    data = reference.encode("MESSAGE_SET", [wrapper], dialect=DIALECT)
    assert [produce(at, DIALECT, 3, data)["BaseOffset"] for _ in range(2)] == [0, 2]
    for version in (0, 2, 3):
        assert [[one["offset"] for one in found["messages"]] for found in fetched(at, version)] == [[0, 1], [2, 3]]
    assert produce(at, DIALECT, 3, messages(magic=2))["BaseOffset"] == 4


HEADED = messages(magic=2)


@pytest.mark.parametrize(
    ("version", "records"), [(3, messages(magic=1)), (2, HEADED), (3, HEADED[:20] + b"?" + HEADED[21:])]
)
def test_messages_of_another_magic_or_with_a_wrong_crc_are_refused(version: int, records: bytes) -> None:
    at = opened(DIALECT, t=1)
    assert produce(at, DIALECT, version, records)["ErrorCode"] == 2
    assert produce(at, DIALECT, 3, HEADED)["BaseOffset"] == 0


def test_other_errors_are_kafka_s() -> None:
    assert produce(opened(DIALECT), DIALECT, 3, messages(magic=2))["ErrorCode"] == 3
    assert produce(opened(DIALECT, t=1), DIALECT, 3, messages(magic=2), acks=2)["ErrorCode"] == 21
    assert fetch(opened(DIALECT, t=1), DIALECT, 3, offset=1)["ErrorCode"] == 1
