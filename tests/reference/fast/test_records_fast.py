"""The fast path for batches and the readable codec are equal: values, bytes and refusals."""

from __future__ import annotations

import random
from typing import Any

import pytest

from wireproof import reference
from wireproof.reference import DecodeError, EncodeError, fast
from wireproof.reference.fast import records
from wireproof.reference.fast.source import Fault, NotPlain
from wireproof.reference.rules import Rules

KAFKA = "kafka"
FAST = fast.reference
READABLE = reference.Reference()


def record(dice: random.Random, index: int) -> dict[str, Any]:
    def content(*, null: bool = True) -> bytes | None:
        if null and dice.random() < 0.2:
            return None
        return dice.randbytes(dice.choice([0, 1, 63, 64, 65, 200]) if dice.random() < 0.4 else dice.randrange(20))

    keys = ["", "a", "trace-id", "é", "k" * 70]
    return {
        "attributes": dice.choice([0, 0, 0, 1, -1, 127, -128]),
        "timestampDelta": dice.choice([index, 0, -1, 63, 64, -64, -65, 2**31, 2**63 - 1, -(2**63)]),
        "offsetDelta": dice.choice([index, index, -1, 2**31 - 1, -(2**31)]),
        "key": content(),
        "value": content(),
        "headers": [(dice.choice(keys), content()) for _ in range(dice.choice([0, 0, 1, 3, 70]))],
    }


def batch(seed: int) -> dict[str, Any]:
    dice = random.Random(seed)
    return {
        "baseOffset": dice.choice([0, 7, -1, 2**63 - 1]),
        "partitionLeaderEpoch": dice.choice([-1, 0, 2**31 - 1]),
        "attributes": dice.choice([0, 0, 1, 2, 3, 4]) | dice.choice([0, 0x08, 0x30, 0x40, -(2**15)]),
        "lastOffsetDelta": dice.choice([0, 5, -1]),
        "baseTimestamp": dice.choice([0, 1_700_000_000_000, -1, -(2**63), 2**63 - 1]),
        "maxTimestamp": dice.choice([0, -1, 2**63 - 1]),
        "producerId": dice.choice([-1, 4]),
        "producerEpoch": dice.choice([-1, 3]),
        "baseSequence": dice.choice([-1, 9]),
        "records": [record(dice, index) for index in range(dice.choice([0, 1, 2, 20]))],
    }


def read(codec: reference.Reference, data: bytes) -> Any:
    try:
        return codec.decode("RecordBatch", data, dialect="kafka")
    except DecodeError as error:
        return error.reason, error.offset, error.path


def write(codec: reference.Reference, value: Any) -> Any:
    try:
        return codec.encode("RecordBatch", value, dialect="kafka")
    except EncodeError as error:
        return error.reason, error.path


@pytest.mark.parametrize("seed", range(200))
def test_values_and_bytes_are_equal(seed: int) -> None:
    value = batch(seed)
    data = write(FAST, value)
    assert isinstance(data, bytes)
    assert data == write(READABLE, value)
    assert read(FAST, data) == read(READABLE, data) == value


def recrc(data: bytearray) -> bytes:
    """With the CRC that its bytes have, so that what is wrong behind it is looked at."""
    from crc32c import crc32c

    return bytes(data[:17] + crc32c(data[21:]).to_bytes(4, "big") + data[21:])


@pytest.mark.parametrize("seed", range(60))
def test_refusals_are_equal(seed: int) -> None:
    dice = random.Random(-seed)
    data = bytearray(write(READABLE, batch(seed)))
    refused = 0
    for _ in range(40):
        broken = bytearray(data)
        at = dice.randrange(8, len(data))
        broken[at] = dice.choice([0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        for tried in (bytes(broken), recrc(broken), recrc(broken[: dice.randrange(61, len(broken) + 1)])):
            seen = read(READABLE, tried)
            refused += isinstance(seen, tuple)
            assert read(FAST, tried) == seen, tried.hex()
    assert refused


@pytest.mark.parametrize("seed", range(20))
def test_sets_are_equal_with_partial_tails_and_older_messages(seed: int) -> None:
    dice = random.Random(seed)
    one, two = ({"magic": 2} | batch(seed * 2 + index) for index in range(2))
    old = {"magic": 1, "offset": 5, "attributes": 0, "timestamp": 7, "key": None, "value": b"v"}
    for entries in ([one], [one, two], [one, old, two]):
        data = FAST.encode("RecordSet", entries, dialect="kafka")
        for tried in (data, data[: dice.randrange(len(data))], data[:-1], data + data[:20], data[:-3] + b"\0\0\0"):
            seen = _of_set(READABLE, tried)
            assert _of_set(FAST, tried) == seen
        assert _of_set(FAST, data) == entries


def _of_set(codec: reference.Reference, data: bytes) -> Any:
    try:
        return codec.decode("RecordSet", data, dialect="kafka")
    except DecodeError as error:
        return error.reason, error.offset, error.path


@pytest.mark.parametrize(
    "change",
    [
        {"records": None},
        {"records": [None]},
        {"records": ({},)},
        {"attributes": 5},
        {"attributes": 2**15},
        {"baseOffset": None},
        {"more": 1},
    ],
)
def test_odd_values_end_alike(change: dict[str, Any]) -> None:
    value = batch(3) | change
    assert write(FAST, value) == write(READABLE, value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"key": "text"}, "out-of-range"),
        ({"headers": [(None, b"")]}, "null-not-allowed"),
        ({"headers": [("a", "b")]}, "out-of-range"),
        ({"headers": [("a",)]}, "out-of-range"),
        ({"headers": [("\ud800", b"")]}, "invalid-utf8"),
        ({"timestampDelta": 2**63}, "out-of-range"),
        ({"timestampDelta": -(2**63) - 1}, "out-of-range"),
        ({"offsetDelta": 2**31}, "out-of-range"),
        ({"offsetDelta": -(2**31) - 1}, "out-of-range"),
        ({"attributes": 128}, "out-of-range"),
        ({"size": 1}, "unknown-field"),
    ],
)
def test_wrong_records_are_refused_alike(change: dict[str, Any], reason: str) -> None:
    value = batch(3) | {"attributes": 0, "records": [record(random.Random(1), 0) | change]}
    assert write(FAST, value) == write(READABLE, value)
    assert write(FAST, value)[0] == reason


def test_a_smaller_bound_holds_too() -> None:
    value = batch(5) | {"attributes": 1, "records": [record(random.Random(1), 0) | {"value": bytes(5000)}]}
    data = write(FAST, value)
    assert read(FAST, data) == value
    bounded = reference.Reference(Rules(inflate_limit=4999))
    assert read(bounded, data) == ("resource-limit", 61, "records")


@pytest.mark.parametrize("seed", range(40))
def test_what_is_valid_is_left_to_nobody_else(seed: int) -> None:
    """The fast path gives up by an exception, and the readable codec does its work: then they are equal anyhow."""
    value = batch(seed)
    written = READABLE.encode("RecordBatch", value, dialect=KAFKA)
    assert records.encode_batch(value) == written
    assert records.decode_batch(written, 0) == (READABLE.decode("RecordBatch", written, dialect=KAFKA), len(written))
    entries, end = records.decode_set(written * 2, 0)
    assert (len(entries), end) == (2, 2 * len(written))


def alone(**changes: Any) -> dict[str, Any]:
    """A batch of one record with these fields."""
    plain: dict[str, Any] = {
        "attributes": 0,
        "timestampDelta": 0,
        "offsetDelta": 0,
        "key": None,
        "value": None,
        "headers": [],
    }
    return batch(3) | {"attributes": 0, "records": [plain | changes]}


def both_ways(value: dict[str, Any]) -> None:
    """The fast path alone writes it as the readable codec does, and reads it back."""
    written = READABLE.encode("RecordBatch", value, dialect=KAFKA)
    assert records.encode_batch(value) == written
    assert records.decode_batch(written, 0) == (value, len(written))


#: Where varints get another byte: after 7 bits, 14, 21, …; and around what is made in advance, −64 to 511.
BORDERS = sorted(
    {border + by for border in (0, 256, 512, *(1 << bits for bits in range(6, 63, 7))) for by in (-1, 0, 1)}
)


@pytest.mark.parametrize("border", BORDERS)
def test_the_borders_of_a_delta_are_left_to_nobody_else(border: int) -> None:
    for delta in (border, -1 - border):
        both_ways(alone(timestampDelta=delta))
        if -(2**31) <= delta < 2**31:
            both_ways(alone(offsetDelta=delta))


def test_the_greatest_deltas_are_left_to_nobody_else() -> None:
    for timestamp, offset in ((2**63 - 1, 2**31 - 1), (-(2**63), -(2**31))):
        both_ways(alone(timestampDelta=timestamp, offsetDelta=offset))


@pytest.mark.parametrize("size", [size for size in BORDERS if 0 <= size <= 8193])
def test_the_borders_of_a_length_are_left_to_nobody_else(size: int) -> None:
    both_ways(alone(key=b"k" * size))
    both_ways(alone(value=b"v" * size))
    both_ways(alone(headers=[("n" * size, b"")]))
    both_ways(alone(headers=[("a", b"h" * size), ("b", None)]))
    both_ways(alone(headers=[("a", None)] * size))


def of_record(body: str) -> bytes:
    """A batch of one record of these bytes, which stand behind its size."""
    raw = bytes.fromhex(body)
    assert len(raw) < 64
    content = bytes([2 * len(raw)]) + raw
    data = records.encode_batch(batch(3) | {"attributes": 0, "records": []})
    fields = data[21:57] + (1).to_bytes(4, "big") + content
    return recrc(bytearray(data[:8] + (49 + len(content)).to_bytes(4, "big") + data[12:21] + fields))


def test_a_record_by_hand() -> None:
    (read_back,) = records.decode_batch(of_record("00" + "04" + "06" + "026b" + "0276" + "02" + "0261" + "01"), 0)[0][
        "records"
    ]
    assert (
        read_back == alone(timestampDelta=2, offsetDelta=3, key=b"k", value=b"v", headers=[("a", None)])["records"][0]
    )


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("00" + "8000" + "00" + "01" + "01" + "00", id="timestamp of a byte too many"),
        pytest.param("00" + "00" + "8000" + "01" + "01" + "00", id="offset of a byte too many"),
        pytest.param("00" + "00" + "00" + "8200" + "6b" + "01" + "00", id="length of a key of a byte too many"),
        pytest.param("00" + "00" + "00" + "01" + "8200" + "76" + "00", id="length of a value of a byte too many"),
        pytest.param(
            "00" + "00" + "00" + "01" + "01" + "8200" + "0261" + "01", id="count of headers of a byte too many"
        ),
        pytest.param("00" + "00" + "00" + "01" + "01" + "02" + "8200" + "61" + "01", id="length of a name, the same"),
        pytest.param(
            "00" + "00" + "00" + "01" + "01" + "02" + "0261" + "8200" + "62", id="length of an item, the same"
        ),
    ],
)
def test_a_varint_that_readers_differ_on_is_left_to_the_readable_codec(body: str) -> None:
    data = of_record(body)
    with pytest.raises(NotPlain):
        records.decode_batch(data, 0)
    assert read(FAST, data) == read(READABLE, data)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("00" + "80" * 9 + "02" + "00" + "01" + "01" + "00", id="timestamp of 65 bits"),
        pytest.param("00" + "00" + "8080808010" + "01" + "01" + "00", id="offset of 33 bits"),
    ],
)
def test_a_varint_of_too_many_bits_is_refused_at_once_and_read_where_they_are_dropped(body: str) -> None:
    data = of_record(body)
    with pytest.raises(Fault):
        records.decode_batch(data, 0)
    assert read(FAST, data) == read(READABLE, data)
    dropped = Rules(high_bits="dropped")
    assert read(FAST.under(dropped), data) == read(READABLE.under(dropped), data)


def test_a_batch_that_ends_behind_the_input_is_refused_whatever_its_crc() -> None:
    data = bytearray(records.encode_batch(alone()))
    data[8:12] = (int.from_bytes(data[8:12]) + 1).to_bytes(4)
    with pytest.raises(Fault):
        records.decode_batch(recrc(data), 0)
    assert read(FAST, recrc(data)) == read(READABLE, recrc(data))


def test_a_batch_shorter_than_its_fields_is_refused_whatever_its_crc() -> None:
    """Its count has a byte too few; the one behind it is another's."""
    whole = bytearray(records.encode_batch(batch(3) | {"attributes": 0, "records": []}))
    assert len(whole) == 61
    whole[8:12] = (48).to_bytes(4)
    data = recrc(whole[:60])
    for behind in (b"", b"\0"):
        with pytest.raises(Fault):
            records.decode_batch(data + behind, 0)
    assert read(FAST, data) == read(READABLE, data)


def test_each_batch_of_a_set_is_read_where_it_stands() -> None:
    values = [alone(key=b"one") | {"baseOffset": 1}, alone(key=b"other") | {"baseOffset": 2}]
    data = b"".join(records.encode_batch(value) for value in values)
    assert records.decode_set(data, 0) == ([{"magic": 2} | value for value in values], len(data))


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_a_codec_that_is_none_is_refused_at_once_and_not_written(codec: int) -> None:
    with pytest.raises(NotPlain):
        records.encode_batch(alone() | {"attributes": codec})
    data = bytearray(records.encode_batch(alone()))
    data[22] = codec
    with pytest.raises(Fault):
        records.decode_batch(recrc(data), 0)
    assert read(FAST, recrc(data)) == read(READABLE, recrc(data)) == ("unsupported-compression", 21, "attributes")


@pytest.mark.parametrize("codec", [1, 2, 3, 4])
def test_broken_content_is_refused_at_once(codec: int) -> None:
    data = bytearray(records.encode_batch(batch(5) | {"attributes": codec}))
    data[61] ^= 0x80
    with pytest.raises(Fault):
        records.decode_batch(recrc(data), 0)
    assert read(FAST, recrc(data)) == read(READABLE, recrc(data)) == ("corrupt-compression", 61, "records")


@pytest.mark.parametrize("codec", [1, 2, 3, 4])
def test_what_is_compressed_to_nothing_is_left_to_the_readable_codec(codec: int) -> None:
    data = bytearray(records.encode_batch(batch(3) | {"attributes": 0, "records": []}))
    data[22] = codec
    with pytest.raises(NotPlain):
        records.decode_batch(recrc(data), 0)
    assert read(FAST, recrc(data)) == read(READABLE, recrc(data))


@pytest.mark.parametrize("least", [-(2**63), -(2**62), -65, -64, -1, 0])
def test_the_borders_of_a_delta_are_written_at_once(least: int) -> None:
    for delta in (least, -1 - least):
        value = batch(3) | {"attributes": 0, "records": [record(random.Random(1), 0) | {"timestampDelta": delta}]}
        written = READABLE.encode("RecordBatch", value, dialect=KAFKA)
        assert records.encode_batch(value) == written
        assert records.decode_batch(written, 0)[0]["records"][0]["timestampDelta"] == delta
