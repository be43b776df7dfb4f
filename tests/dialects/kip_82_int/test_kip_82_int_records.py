"""kip-82-int-keys: records of producers and consumers, interceptors, and conversion between magics."""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.wire import Refused, attempt

from wireproof import reference
from wireproof.conformance.properties import strategies
from wireproof.conformance.values.compare import equal
from wireproof.reference.dialects.kip_82_int import convert, messages
from wireproof.reference.dialects.kip_82_int.records import (
    HeaderPlugin,
    HeadersChangedError,
    IntKeyConsumerRecord,
    IntKeyProducerRecord,
    receive,
    send,
    wrap,
)
from wireproof.reference.errors import EncodeError
from wireproof.reference.rules import Rules

DIALECT = "kip-82-int-keys"
TRACE, REGION = 0x00100010, 0x00120001


def encode(name: str, value: Any) -> bytes:
    return reference.encode(name, value, dialect=DIALECT)


def decode(name: str, data: bytes) -> Any:
    return reference.decode(name, data, dialect=DIALECT)


# --- Records ----------------------------------------------------------------------------------------------------------


def test_a_second_header_of_a_key_replaces_the_first() -> None:
    record = IntKeyProducerRecord("t", value=b"v")
    record.set_header(TRACE, b"first")
    record.set_header(1, b"one")
    record.set_header(TRACE, b"second")
    assert record.get_header(TRACE) == b"second"
    assert list(record.headers.items()) == [(1, b"one"), (TRACE, b"second")]
    assert record.get_header(2) is None


def test_a_producer_record_s_headers_are_changed_by_its_accessor_alone() -> None:
    record = IntKeyProducerRecord("t", value=b"v", headers=[(1, b"one")])
    with pytest.raises(TypeError):
        record.headers[2] = b"two"  # type: ignore[index]
    assert dict(record.headers) == {1: b"one"}


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("1", b"", "out-of-range"),
        (True, b"", "out-of-range"),
        (2**31, b"", "out-of-range"),
        (-(2**31) - 1, b"", "out-of-range"),
        (1, None, "null-not-allowed"),
        (1, "text", "out-of-range"),
    ],
)
def test_what_is_no_header_is_not_set(key: Any, value: Any, reason: str) -> None:
    record = IntKeyProducerRecord("t", value=None)
    with pytest.raises(EncodeError) as caught:
        record.set_header(key, value)
    assert caught.value.reason == reason
    assert record.headers == {}


def test_later_changes_of_bytes_do_not_reach_the_record() -> None:
    value: Any = bytearray(b"before")
    record = IntKeyProducerRecord("t", value=b"")
    record.set_header(1, value)
    value[:] = b"later!"
    assert record.get_header(1) == b"before"


def consumer_record(**fields: Any) -> IntKeyConsumerRecord:
    plain: dict[str, Any] = {"timestamp": 0, "log_append_time": False, "key": None, "value": None, "headers": {}}
    return IntKeyConsumerRecord("t", 0, 0, **{**plain, **fields})


def test_a_consumer_record_and_its_headers_are_immutable() -> None:
    given_headers = {TRACE: b"t", 1: b"one"}
    record = consumer_record(headers=given_headers)
    given_headers[1] = b"changed"
    assert record.get_header(1) == b"one"
    assert list(record.headers) == [1, TRACE]
    assert not hasattr(record, "set_header")
    with pytest.raises(TypeError):
        record.headers[1] = b""  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.headers = {}  # type: ignore[misc]
    assert record.get_header(2) is None


# --- Interceptors and plugins -----------------------------------------------------------------------------------------


class Stamps:
    """Sets a header on every record, under a key of its own."""

    def __init__(self, key: int, value: bytes) -> None:
        self.key, self.value = key, value
        self.seen: list[dict[int, bytes]] = []

    def on_send(self, record: IntKeyProducerRecord) -> IntKeyProducerRecord:
        self.seen.append(dict(record.headers))
        record.set_header(self.key, self.value)
        return record


class Looks:
    """Remembers the headers of what passes by."""

    def __init__(self) -> None:
        self.seen: list[dict[int, bytes]] = []

    def on_consume(self, record: IntKeyConsumerRecord) -> IntKeyConsumerRecord:
        self.seen.append(dict(record.headers))
        return record


def test_interceptors_have_the_record_in_their_order() -> None:
    first, second = Stamps(TRACE, b"trace"), Stamps(REGION, b"eu")
    record = IntKeyProducerRecord("t", key=b"k", value=b"v", headers=[(1, b"me")])
    message = send(record, [first, second], now=1000)
    assert (first.seen, second.seen) == ([{1: b"me"}], [{1: b"me", TRACE: b"trace"}])
    assert message == decode("MESSAGE_AND_OFFSET", encode("MESSAGE_AND_OFFSET", message))
    looks = Looks()
    (received,) = receive(message, "t", 3, [looks])
    assert looks.seen == [{1: b"me", TRACE: b"trace", REGION: b"eu"}]
    assert (received.topic, received.partition, received.key, received.value) == ("t", 3, b"k", b"v")
    assert (received.timestamp, received.log_append_time) == (1000, False)


def test_a_record_s_own_timestamp_counts() -> None:
    assert send(IntKeyProducerRecord("t", value=b"", timestamp=7), now=1000)["timestamp"] == 7


def test_a_tombstone_carries_headers_to_the_consumer() -> None:
    """What a wrapper in the value can't: compaction sees a null value."""
    message = send(IntKeyProducerRecord("t", key=b"k", value=None, headers=[(TRACE, b"why")]), now=0)
    (received,) = receive(decode("MESSAGE_AND_OFFSET", encode("MESSAGE_AND_OFFSET", message)), "t", 0)
    assert received.value is None
    assert received.get_header(TRACE) == b"why"


def test_an_interceptor_of_a_consumer_can_t_change_headers() -> None:
    class Changes:
        def on_consume(self, record: IntKeyConsumerRecord) -> IntKeyConsumerRecord:
            return dataclasses.replace(record, headers={})

    class Replaces:
        def on_consume(self, record: IntKeyConsumerRecord) -> IntKeyConsumerRecord:
            return dataclasses.replace(record, value=b"decrypted")

    message = send(IntKeyProducerRecord("t", value=b"v", headers=[(1, b"one")]), now=0)
    assert receive(message, "t", 0, [Replaces()])[0].value == b"decrypted"
    with pytest.raises(HeadersChangedError, match="Changes changed headers"):
        receive(message, "t", 0, [Changes()])


def test_a_plugin_says_what_its_header_s_bytes_mean() -> None:
    hops = HeaderPlugin[int](0x00110001, lambda count: struct.pack(">h", count), lambda data: int.from_bytes(data))
    record = IntKeyProducerRecord("t", value=b"v")
    assert hops.get_from(record) is None
    hops.set_on(record, 3)
    assert record.get_header(0x00110001) == b"\0\3"
    (received,) = receive(send(record, now=0), "t", 0)
    assert hops.get_from(received) == 3


def test_records_through_a_compressed_wrapper() -> None:
    records = [IntKeyProducerRecord("t", value=bytes([n]), headers=[(1, b"%d" % n)], timestamp=n) for n in range(3)]
    messages = [{**send(record, now=0), "offset": 40 + n} for n, record in enumerate(records)]
    for codec in (1, 2, 3):
        wrapper = wrap(messages, codec)
        assert (wrapper["offset"], wrapper["timestamp"], wrapper["headers"]) == (42, 2, [])
        read = decode("MESSAGE_AND_OFFSET", encode("MESSAGE_AND_OFFSET", wrapper))
        received = receive(read, "t", 0)
        assert [(one.offset, one.value, one.get_header(1)) for one in received] == [
            (40 + n, bytes([n]), b"%d" % n) for n in range(3)
        ]


@pytest.mark.parametrize(("messages", "codec"), [([], 1), ([{"offset": 0}], 0), ([{"offset": 0}], 8)])
def test_what_makes_no_wrapper(messages: list[Any], codec: int) -> None:
    with pytest.raises(ValueError, match="a wrapper has a codec"):
        wrap(messages, codec)


def message(magic: int, **fields: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"offset": 5, "magic": magic, "attributes": 0}
    if magic:
        plain["timestamp"] = 1000
    return {**plain, "key": b"k", "headers": [], "value": b"v", **fields}


@pytest.mark.parametrize(
    ("found", "timestamp", "appended"),
    [
        (message(0), -1, False),
        (message(0, attributes=8), -1, False),
        (message(1), 1000, False),
        (message(1, attributes=8), 1000, True),
        (message(2, attributes=8), 1000, True),
    ],
)
def test_an_older_message_has_no_headers(found: dict[str, Any], timestamp: int, appended: bool) -> None:
    (record,) = receive(found, "t", 0)
    assert (record.headers, record.timestamp, record.log_append_time) == ({}, timestamp, appended)


def test_the_time_of_appending_is_the_wrapper_s() -> None:
    wrapper = {**wrap([message(2, offset=5)], 1), "attributes": 1 | 8, "timestamp": 2000}
    (record,) = receive(wrapper, "t", 0)
    assert (record.timestamp, record.log_append_time) == (2000, True)


# --- One magic as another ---------------------------------------------------------------------------------------------

HEADED = message(2, attributes=0x18, headers=[(1, b"one"), (TRACE, b"t")])


@pytest.mark.parametrize(
    ("source", "magic", "expected", "lost"),
    [
        (HEADED, 2, HEADED, []),
        (HEADED, 1, message(1, attributes=0x08), ["message 0: 2 headers"]),
        (HEADED, 0, message(0), ["message 0: 2 headers", "message 0: the timestamp and its type"]),
        (message(2), 1, message(1), []),
        (message(2, attributes=0xE0 - 256), 1, message(1, attributes=0xE0 - 256), []),
        (message(1, attributes=0x18), 2, message(2, attributes=0x08), []),
        (message(1, attributes=0x18), 0, message(0, attributes=0x10), ["message 0: the timestamp and its type"]),
        (message(0), 1, message(1, timestamp=-1), []),
        (message(0), 2, message(2, timestamp=-1), []),
        (message(0, attributes=0x18), 2, message(2, timestamp=-1), []),
        (message(2, headers=[(1, b"")], value=None), 1, message(1, value=None), ["message 0: 1 header"]),
    ],
)
def test_one_magic_as_another(source: dict[str, Any], magic: int, expected: dict[str, Any], lost: list[str]) -> None:
    found = convert.convert([source], magic)
    assert (found.entries, found.lost) == ([expected], lost)


def test_a_wrapper_is_converted_with_what_is_in_it() -> None:
    wrapper = wrap([{**HEADED, "offset": 7}, {**HEADED, "offset": 9, "headers": []}], 3)
    down = convert.convert([message(2), wrapper], 0)
    assert down.lost == [
        "message 0: the timestamp and its type",
        "message 1: 2 headers",
        "message 1: the timestamp and its type",
    ]
    inner = down.entries[1]["messages"]
    assert [(one["magic"], one["offset"], one["headers"], one["attributes"]) for one in inner] == [
        (0, 7, [], 0),
        (0, 9, [], 0),
    ]
    up = convert.convert(down.entries, 2).entries[1]
    assert (up["offset"], up["timestamp"], [one["timestamp"] for one in up["messages"]]) == (9, -1, [-1, -1])
    assert decode("MESSAGE_SET", encode("MESSAGE_SET", [up])) == [up]


def test_a_wrapper_of_magic_0_takes_the_offset_of_its_last_message() -> None:
    """There its own says nothing; from magic 1 on the inner ones are relative to it."""
    inner = [message(0, offset=3), message(0, offset=4)]
    wrapper = {**message(0, offset=99, attributes=1, key=None), "messages": inner}
    del wrapper["value"]
    (found,) = convert.convert([wrapper], 2).entries
    assert (found["offset"], [one["offset"] for one in found["messages"]]) == (4, [3, 4])
    assert decode("MESSAGE_AND_OFFSET", encode("MESSAGE_AND_OFFSET", found)) == found


@given(st.lists(strategies.values("MESSAGE_AND_OFFSET", dialect=DIALECT), max_size=3), st.sampled_from([0, 1, 2]))
@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_what_was_converted_can_be_written_and_keeps_keys_and_values(messages: list[Any], magic: int) -> None:
    read = decode("MESSAGE_SET", encode("MESSAGE_SET", messages))
    found = convert.convert(read, magic)
    written = decode("MESSAGE_SET", encode("MESSAGE_SET", found.entries))
    assert equal(written, found.entries)
    assert {one["magic"] for one in written} <= {magic}

    def content(entries: list[Any]) -> list[Any]:
        return [(one["key"], one["value"]) for entry in entries for one in entry.get("messages", (entry,))]

    assert content(written) == content(read)
    had = any(one["headers"] for entry in read for one in (entry, *entry.get("messages", ())))
    assert ("header" in " ".join(found.lost)) == (had and magic < 2)
    assert not had or magic == 2 or not any(entry["headers"] for entry in written)


# --- Formats that are no bytes of messages ---------------------------------------------------------------------------


def test_there_is_no_other_format() -> None:
    with pytest.raises(NotImplementedError, match="magic-0, magic-1, magic-2, not to 'magic-3'"):
        reference.convert("MESSAGE_SET", b"", "magic-3", dialect=DIALECT)
    with pytest.raises(NotImplementedError, match="MESSAGE_SET is converted, and not HEADERS"):
        reference.convert("HEADERS", b"", "magic-1", dialect=DIALECT)


def test_a_wrapper_under_offset_0_stays_so() -> None:
    """As a producer sends it: what is in it counts from 0."""
    wrapper = {**message(2, attributes=1, offset=0), "messages": [message(2, offset=0), message(2, offset=1)]}
    del wrapper["value"]
    data = encode("MESSAGE_SET", [wrapper])
    (down,) = decode("MESSAGE_SET", reference.convert("MESSAGE_SET", data, "magic-1", dialect=DIALECT))
    assert (down["offset"], [one["offset"] for one in down["messages"]]) == (0, [0, 1])


# --- Produce and Fetch ------------------------------------------------------------------------------------------------


def carried(messages: list[Any], magic: int) -> bytes:
    """What Records of a version with this magic hold for messages of any."""
    return reference.convert("MESSAGE_SET", encode("MESSAGE_SET", messages), f"magic-{magic}", dialect=DIALECT)


@pytest.mark.parametrize(("version", "magic"), [(0, 0), (1, 0), (2, 1), (3, 2)])
def test_each_version_carries_its_magic(version: int, magic: int) -> None:
    assert messages.MAGIC_OF[version] == magic
    records = carried([HEADED, message(1), message(0)], magic)
    read = decode("MESSAGE_SET", records)
    assert [one["magic"] for one in read] == [magic] * 3
    messages.demand_magic(records, version, Rules())
    body = {
        "Acks": 1,
        "TimeoutMs": 1,
        "TopicData": [{"Name": "t", "PartitionData": [{"Index": 0, "Records": records}]}],
    }
    request = reference.encode("ProduceRequest", body, dialect=DIALECT, version=version)
    again = reference.decode("ProduceRequest", request, dialect=DIALECT, version=version)
    assert again["TopicData"][0]["PartitionData"][0]["Records"] == records
    assert (read[0]["headers"] == [(1, b"one"), (TRACE, b"t")]) == (version == 3)


@pytest.mark.parametrize(("version", "magic"), [(0, 1), (1, 2), (2, 0), (2, 2), (3, 1), (3, 0)])
def test_a_version_carries_no_other_magic(version: int, magic: int) -> None:
    good = carried([message(0)], messages.MAGIC_OF[version])
    records = good + encode("MESSAGE_SET", [message(magic)])
    found = attempt(lambda: messages.demand_magic(records, version, Rules()))
    assert found == Refused("unsupported-magic", len(good) + 16, "[1].magic")


@pytest.mark.parametrize("magic", [1, 2])
@pytest.mark.parametrize(
    "offsets", [[-1], [-129, 128], [5, -3, 7], [2**62, -(2**63), 2**63 - 1], [-(2**63), 2**63 - 1], [7, 7]]
)
def test_whatever_the_offsets_a_wrapper_is_read_as_it_was_written(magic: int, offsets: list[int]) -> None:
    wrapper = {
        **message(magic, offset=offsets[-1], attributes=1),
        "messages": [message(magic, offset=o) for o in offsets],
    }
    del wrapper["value"]
    assert decode("MESSAGE_SET", encode("MESSAGE_SET", [wrapper])) == [wrapper]


@pytest.mark.parametrize("magic", [1, 2])
def test_an_offset_that_is_no_int64_makes_no_wrapper(magic: int) -> None:
    """Under 0 they stand as they are; under 1 each is one more."""
    wrapper = {**message(magic, offset=0, attributes=1), "messages": [message(magic, offset=o) for o in (2**63 - 1, 0)]}
    del wrapper["value"]
    data = encode("MESSAGE_SET", [wrapper])
    assert decode("MESSAGE_SET", data) == [wrapper]
    assert attempt(lambda: decode("MESSAGE_SET", data[:7] + b"\1" + data[8:])) == Refused("invalid-wrapper", 35)


def test_records_that_are_no_messages_are_refused() -> None:
    assert attempt(lambda: messages.demand_magic(b"\0" * 17, 3, Rules())) == Refused("truncated", 12)


def test_records_that_are_cut_off_are_those_before() -> None:
    """R-82i-12, within R-82i-13's other reading."""
    data = encode("MESSAGE_SET", [HEADED, HEADED])
    messages.demand_magic(data[:-1], 3, Rules())
    with pytest.raises(reference.DecodeError):
        messages.demand_magic(data[:-1], 3, Rules(headed_partial="refused"))


def request(version: int, records: bytes) -> bytes:
    head = bytes.fromhex("0001" + "000003e8" + "00000001" + "0001" + "74" + "00000001" + "00000000")
    return head + len(records).to_bytes(4) + records


@pytest.mark.parametrize(("version", "magic"), [(0, 1), (2, 2), (3, 1)])
def test_where_records_are_messages_those_of_another_magic_are_refused_at_their_magic(version: int, magic: int) -> None:
    """R-82i-13's other reading: decode, by the generated codec too, and encode."""
    good, other = (encode("MESSAGE_SET", [message(one)]) for one in (messages.MAGIC_OF[version], magic))
    data = request(version, good + other)
    start = len(request(version, b""))
    own = reference.Reference(reference.Rules(headed_records="messages"))
    path = "TopicData[0].PartitionData[0].Records"
    found = attempt(lambda: own.decode("ProduceRequest", data, dialect=DIALECT, version=version))
    assert found == Refused("unsupported-magic", start + len(good) + 16, path)
    value = reference.decode("ProduceRequest", data, dialect=DIALECT, version=version)
    found = attempt(lambda: own.encode("ProduceRequest", value, dialect=DIALECT, version=version))
    assert found == Refused("unsupported-magic", None, path)
    data = request(version, good)
    assert own.recode("ProduceRequest", data, dialect=DIALECT, version=version) == data
