"""Records by kafka-clients' own classes and by the reference: what one writes, the other reads.

Skipped where the wrapper is not built; `implementations/java/build` builds it, with a JDK and Maven.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

import lz4.frame  # type: ignore[import-untyped]
import pytest
from crc32c import crc32c
from support.java import DESCRIBE, LAUNCHERS, Wrapper, question, skip_unless_built

from wireproof import reference
from wireproof.conformance.values.encoding import from_json, to_json
from wireproof.reference.records.compression import GZIP, LZ4, NAMES, deflate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LEAST, GREATEST = -(2**63), 2**63 - 1

#: Three records k/v, null/empty, k2/null with headers a=01, a=null, b="": by the classes of Apache Kafka 4.3.0.
MAGIC_2 = (
    "000000000000000000000054ffffffff024bfe327600000000000200000000000003e800000000000003edffffffffffffffffffffffffffff"
    "0000000310000000026b0276000c00020201000024000a04046b32010602610201026101026200"
)
MAGIC_0 = "0000000000000000000000101fecd70a0000000000016b000000017600000000000000010000000e795748e00000ffffffff00000000"
MAGIC_1 = (
    "000000000000000000000018e4e321bc010000000000000003e8000000016b0000000176"
    "0000000000000001000000166f36d589010000000000000003e9ffffffff00000000"
)


@pytest.fixture(scope="module")
def wrapper() -> Iterator[Wrapper]:
    skip_unless_built()
    with Wrapper(LAUNCHERS["generated"]) as found:
        yield found


def record(delta: int = 0, **changes: Any) -> dict[str, Any]:
    plain = {"attributes": 0, "timestampDelta": 0, "offsetDelta": delta, "key": b"k", "value": b"v", "headers": []}
    return plain | changes


def batch(*records: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "baseOffset": 0,
        "partitionLeaderEpoch": -1,
        "attributes": 0,
        "lastOffsetDelta": 2,
        "baseTimestamp": 1000,
        "maxTimestamp": 1005,
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "records": list(records),
    } | changes


def message(offset: int, magic: int, **changes: Any) -> dict[str, Any]:
    timestamp = {"timestamp": 1000 + offset} if magic else {}
    return {"offset": offset, "attributes": 0, **timestamp, "key": b"k", "value": b"v"} | changes


def wrapped(offset: int, magic: int, codec: int, *messages: dict[str, Any], **changes: Any) -> dict[str, Any]:
    plain = message(offset, magic, attributes=codec, key=None, messages=list(messages))
    return {key: value for key, value in plain.items() if key != "value"} | changes


THREE = (
    record(0),
    record(1, timestampDelta=1, key=None, value=b""),
    record(2, timestampDelta=5, key=b"k2", value=None, headers=[("a", b"\1"), ("a", None), ("b", b"")]),
)
GOLDEN: dict[str, tuple[str, int | None, str, Any]] = {
    "magic 2": ("RecordBatch", None, MAGIC_2, batch(*THREE)),
    "magic 0": ("MessageSet", 0, MAGIC_0, [message(0, 0), message(1, 0, key=None, value=b"")]),
    "magic 1": ("MessageSet", 1, MAGIC_1, [message(0, 1), message(1, 1, key=None, value=b"")]),
    "all of them": (
        "RecordSet",
        None,
        MAGIC_0 + MAGIC_1 + MAGIC_2,
        [
            {"magic": 0, **message(0, 0)},
            {"magic": 0, **message(1, 0, key=None, value=b"")},
            {"magic": 1, **message(0, 1)},
            {"magic": 1, **message(1, 1, key=None, value=b"")},
            {"magic": 2, **batch(*THREE)},
        ],
    ),
    "record": ("Record", None, "24000a04046b32010602610201026101026200", THREE[2]),
}


def value_of(answer: Mapping[str, Any]) -> Any:
    assert "value" in answer, answer
    return texts(from_json(answer["value"]))


def texts(value: Any) -> Any:
    """Headers as tuples, as the reference has them."""
    if isinstance(value, dict):
        return {key: [tuple(pair) for pair in item] if key == "headers" else texts(item) for key, item in value.items()}
    return [texts(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bytes(wrapper: Wrapper, name: str) -> None:
    type_name, version, data, value = GOLDEN[name]
    decoded, encoded, recoded = wrapper.ask(
        question("decode", type_name, version, data=data),
        question("encode", type_name, version, value=to_json(value)),
        question("recode", type_name, version, data=data),
    )
    assert value_of(decoded) == value
    assert (encoded["data"], recoded["data"]) == (data, data)


# --- What one writes, the other reads -----------------------------------------------------------------------------

HEADERS = [("b", b"1"), ("a", None), ("b", b""), ("", b"\xff"), ("é", b"\0" * 200), ("b", b"1")]
RECORDS: dict[str, tuple[dict[str, Any], ...]] = {
    "plain": THREE,
    "none": (),
    "headers": (record(headers=HEADERS), record(1, key=None, value=None, headers=[("", None)])),
    "deltas below zero": (record(-1, timestampDelta=-1), record(-64, timestampDelta=-65), record(5)),
    "extremes": (
        record(-(2**31), timestampDelta=LEAST),
        record(2**31 - 1, timestampDelta=GREATEST, key=b"", value=b"x" * 70_000),
    ),
}
#: Of a batch's attributes: what is beside the codec.
BITS = {"create time": 0, "log append time": 8, "transactional": 16, "control": 48, "delete horizon": 64, "all": 120}
BORDERS: dict[str, dict[str, Any]] = {
    "greatest": {
        "baseOffset": GREATEST,
        "partitionLeaderEpoch": 2**31 - 1,
        "lastOffsetDelta": 2**31 - 1,
        "baseTimestamp": GREATEST,
        "maxTimestamp": GREATEST,
        "producerId": GREATEST,
        "producerEpoch": 2**15 - 1,
        "baseSequence": 2**31 - 1,
    },
    "least": {
        "baseOffset": LEAST,
        "partitionLeaderEpoch": -(2**31),
        "lastOffsetDelta": -(2**31),
        "baseTimestamp": -1,
        "maxTimestamp": LEAST,
        "producerId": LEAST,
        "producerEpoch": -(2**15),
        "baseSequence": -(2**31),
    },
    "nanoseconds": {"baseTimestamp": 1_700_000_000_123_456_789, "maxTimestamp": 1_700_000_000_123_456_790},
    "no records any more": {"lastOffsetDelta": 9, "baseTimestamp": -1},
}


def batches() -> Iterator[tuple[str, dict[str, Any]]]:
    for codec, codec_name in enumerate(NAMES):
        for name, records in RECORDS.items():
            yield f"{codec_name}, {name}", batch(*records, attributes=codec)
        for name, bits in BITS.items():
            yield f"{codec_name}, {name}", batch(*THREE, attributes=codec | bits)
    for name, fields in BORDERS.items():
        yield name, batch(*THREE, **fields)


def message_sets() -> Iterator[tuple[str, int, list[dict[str, Any]]]]:
    for magic in (0, 1):
        inner = (message(7, magic), message(9, magic, key=None, value=b""), message(10, magic, key=b"", value=None))
        yield f"magic {magic}, none", magic, []
        yield (
            f"magic {magic}, plain",
            magic,
            [*inner, message(GREATEST, magic) | ({"timestamp": GREATEST} if magic else {})],
        )
        yield f"magic {magic}, unused bits", magic, [message(0, magic, attributes=-8)]
        for codec in range(1, LZ4 + 1):
            name = f"magic {magic}, {NAMES[codec]}"
            wrapper = wrapped(10, magic, codec, *inner)
            yield name, magic, [message(6, magic), wrapper, message(11, magic)]
            yield f"{name}, key", magic, [wrapped(10, magic, codec, *inner, key=b"w")]
            yield f"{name}, large", magic, [wrapped(10, magic, codec, message(10, magic, value=b"x" * 70_000))]
            yield f"{name}, offset 0", magic, [wrapped(0, magic, codec, message(0, magic), message(1, magic))]
    appended = wrapped(1, 1, 8 | GZIP, message(0, 1), message(1, 1, attributes=8, timestamp=-1), timestamp=5000)
    yield "gzip, log append time", 1, [appended, message(2, 1, attributes=8, timestamp=GREATEST)]


EXCHANGED: list[tuple[str, str, int | None, Any]] = [
    *((f"batch: {name}", "RecordBatch", None, value) for name, value in batches()),
    *((f"messages: {name}", "MessageSet", magic, value) for name, magic, value in message_sets()),
    *(
        (f"set: {name}", "RecordSet", None, [{"magic": magic, **entry} for entry in value] + [{"magic": 2, **batch()}])
        for name, magic, value in message_sets()
    ),
    *((f"record: {name}", "Record", None, item) for name, items in RECORDS.items() for item in items),
]


def test_what_java_writes_the_reference_reads_and_back(wrapper: Wrapper) -> None:
    written = wrapper.ask(
        *(question("encode", type_name, version, value=to_json(value)) for _, type_name, version, value in EXCHANGED)
    )
    ours = [
        reference.encode(type_name, value, dialect="kafka", version=version)
        for _, type_name, version, value in EXCHANGED
    ]
    read = wrapper.ask(
        *(
            question("decode", type_name, version, data=data.hex())
            for (_, type_name, version, _), data in zip(EXCHANGED, ours, strict=True)
        )
    )
    for (name, type_name, version, value), encoded, decoded in zip(EXCHANGED, written, read, strict=True):
        assert "data" in encoded, (name, encoded)
        data = bytes.fromhex(encoded["data"])
        assert reference.decode(type_name, data, dialect="kafka", version=version) == value, name
        assert "value" in decoded, (name, decoded)
        assert value_of(decoded) == value, name


def test_uncompressed_bytes_are_the_same(wrapper: Wrapper) -> None:
    plain = [
        (type_name, version, value)
        for name, type_name, version, value in EXCHANGED
        if not any(codec in name for codec in NAMES[1:])
    ]
    written = wrapper.ask(
        *(question("encode", type_name, version, value=to_json(value)) for type_name, version, value in plain)
    )
    assert [answer.get("data") for answer in written] == [
        reference.encode(type_name, value, dialect="kafka", version=version).hex()
        for type_name, version, value in plain
    ]
    assert len(plain) == 37


def test_lookup(wrapper: Wrapper) -> None:
    data = reference.encode("Record", record(headers=HEADERS), dialect="kafka").hex()
    keys = ("b", "a", "é", "", "c")
    answers = wrapper.ask(*(question("lookup", "Record", None, data=data, key=key) for key in keys))
    assert [value_of(answer) for answer in answers] == [[b"1", b"", b"1"], [None], [b"\0" * 200], [b"\xff"], []]


def test_lookup_is_offered_in_a_record_alone(wrapper: Wrapper) -> None:
    (answer,) = wrapper.ask(question("lookup", "RecordBatch", None, data=MAGIC_2, key="a"))
    assert answer["unsupported"] == "kafka-clients looks up headers in a Record alone"


# --- A consumer ---------------------------------------------------------------------------------------------------

#: A transaction of producer 7, its marker that aborts, and a record of no producer's under LogAppendTime.
ABORTED = "".join(
    reference.encode("RecordBatch", batch(item, lastOffsetDelta=0, **changes), dialect="kafka").hex()
    for item, changes in (
        (record(), {"attributes": 16, "producerId": 7}),
        (record(key=bytes(4), value=bytes(6)), {"baseOffset": 1, "attributes": 48, "producerId": 7}),
        (record(key=None), {"baseOffset": 2, "attributes": 8, "maxTimestamp": 2000}),
    )
)


def delivered(offset: int, timestamp: int, **changes: Any) -> dict[str, Any]:
    plain = {"offset": offset, "timestamp": timestamp, "timestamp_type": "create"}
    return plain | {"key": b"k", "value": b"v", "headers": []} | changes


@pytest.mark.parametrize(
    ("data", "position", "isolation", "records", "reached"),
    [
        ("", 2**62, "read_uncommitted", [], 2**62),
        (
            MAGIC_0,
            0,
            "read_uncommitted",
            [delivered(0, -1, timestamp_type=None), delivered(1, -1, timestamp_type=None, key=None, value=b"")],
            2,
        ),
        (MAGIC_1, 1, "read_uncommitted", [delivered(1, 1001, key=None, value=b"")], 2),
        (
            MAGIC_2,
            2,
            "read_committed",
            [delivered(2, 1005, key=b"k2", value=None, headers=THREE[2]["headers"])],
            3,
        ),
        (
            ABORTED,
            0,
            "read_uncommitted",
            [delivered(0, 1000), delivered(2, 2000, timestamp_type="append", key=None)],
            3,
        ),
        (ABORTED, 0, "read_committed", [delivered(2, 2000, timestamp_type="append", key=None)], 3),
    ],
)
def test_what_its_consumer_delivers(
    wrapper: Wrapper, data: str, position: int, isolation: str, records: list[dict[str, Any]], reached: int
) -> None:
    asked = {
        "seq": 1,
        "op": "consume",
        "dialect": "kafka",
        "data": data,
        "position": to_json(position),
        "isolation": isolation,
        "aborted": [{"producer_id": 7, "first_offset": 0}],
    }
    (answer,) = wrapper.ask(asked)
    assert texts(from_json(answer["delivered"])) == {"records": records, "position": reached}


def test_what_its_producer_writes(wrapper: Wrapper) -> None:
    options = {"producer_id": to_json(2**60), "producer_epoch": 1, "base_sequence": 5, "transactional": True}
    records = [{"timestamp": 7, "key": None, "value": {"hex": "76"}, "headers": [["a", None]]}]
    asked = {"seq": 1, "op": "produce", "dialect": "kafka", "magic": 2, "codec": "lz4"}
    written, refused = wrapper.ask(
        asked | {"records": records, "options": options},
        asked | {"seq": 2, "magic": 1, "records": records, "options": options | {"transactional": False}},
    )
    batch = reference.decode("RecordBatch", bytes.fromhex(written["data"]), dialect="kafka")
    assert (batch["attributes"], batch["producerId"], batch["baseSequence"]) == (0x13, 2**60, 5)
    assert batch["records"][0]["headers"] == [("a", None)]
    assert "does not support record headers" in refused["reject"]["detail"]


# --- Refusals -----------------------------------------------------------------------------------------------------


def flipped(data: str, at: int) -> str:
    """The hex with the lowest bit of the byte at `at` flipped."""
    octets = bytearray.fromhex(data)
    octets[at] ^= 1
    return octets.hex()


@pytest.mark.parametrize(
    ("type_name", "version", "data", "reason"),
    [
        ("RecordBatch", None, flipped(MAGIC_2, 17), "crc-mismatch"),
        ("RecordBatch", None, flipped(MAGIC_2, 95), "crc-mismatch"),
        ("RecordSet", None, MAGIC_0 + flipped(MAGIC_1, 12), "crc-mismatch"),
        ("MessageSet", 0, flipped(MAGIC_0, 53), "crc-mismatch"),
        ("MessageSet", 0, MAGIC_1, "unsupported-magic"),
        ("MessageSet", 1, MAGIC_2, "unsupported-magic"),
        ("RecordBatch", None, MAGIC_1, "unsupported-magic"),
        ("RecordBatch", None, MAGIC_2[:32] + "03" + MAGIC_2[34:], "unsupported-magic"),
        ("RecordBatch", None, MAGIC_2[:-2], "truncated"),
        ("RecordBatch", None, MAGIC_2 + "00", "trailing-bytes"),
        ("RecordSet", None, "0000000000000000 0000000d", "truncated"),
        ("RecordSet", None, "0000000000000000 ffffffff", "negative-length"),
        ("Record", None, "0e 00 00 00 01 00 00", "truncated"),
        ("Record", None, "0e 00 00 00 01 00 00 00", "length-mismatch"),
        ("Record", None, "0c 00 00 00 01 00 01", "negative-length"),
    ],
)
def test_bytes_are_refused(wrapper: Wrapper, type_name: str, version: int | None, data: str, reason: str) -> None:
    (answer,) = wrapper.ask(question("decode", type_name, version, data=data))
    assert "reject" in answer, answer
    assert answer["reject"]["reason"] == reason


def sealed(codec: int, content: bytes, count: int = 1) -> bytes:
    """A batch of this codec with this content, its size and CRC computed."""
    covered = struct.pack(">hiqqqhii", codec, 0, 1000, 1000, -1, -1, -1, count) + content
    return struct.pack(">qiibI", 0, 9 + len(covered), -1, 2, crc32c(covered)) + covered


def entry(offset: int, magic: int, attributes: int, value: bytes, key_length: int = -1) -> bytes:
    """A message of magic 0 or 1, with a null key."""
    timestamp = struct.pack(">q", 1000) if magic else b""
    covered = struct.pack(">bb", magic, attributes) + timestamp + struct.pack(">ii", key_length, len(value)) + value
    return struct.pack(">qiI", offset, 4 + len(covered), zlib.crc32(covered)) + covered


RECORD = bytes.fromhex("10000000026b027600")


@pytest.mark.parametrize(
    ("type_name", "version", "data", "reason"),
    [
        ("RecordBatch", None, sealed(0, RECORD, 2), "count-mismatch"),
        ("RecordBatch", None, sealed(0, RECORD * 2, 1), "count-mismatch"),
        ("RecordBatch", None, sealed(0, RECORD, -1), "negative-length"),
        ("RecordBatch", None, sealed(5, RECORD), "unsupported-compression"),
        ("MessageSet", 1, entry(0, 1, 4, b"x"), "unsupported-compression"),
        ("MessageSet", 1, entry(0, 1, GZIP, deflate(GZIP, entry(0, 1, GZIP, b"x"))), "invalid-wrapper"),
        ("MessageSet", 1, entry(1, 1, GZIP, deflate(GZIP, entry(2, 1, 0, b"x"))), "invalid-wrapper"),
        ("MessageSet", 1, entry(1, 1, GZIP, deflate(GZIP, b"")), "invalid-wrapper"),
        (
            "MessageSet",
            0,
            entry(1, 0, GZIP, deflate(GZIP, bytes.fromhex(flipped(entry(0, 0, 0, b"x").hex(), 26)))),
            "crc-mismatch",
        ),
    ],
)
def test_sealed_bytes_are_refused(
    wrapper: Wrapper, type_name: str, version: int | None, data: bytes, reason: str
) -> None:
    with pytest.raises(reference.DecodeError):
        reference.decode(type_name, data, dialect="kafka", version=version)
    (answer,) = wrapper.ask(question("decode", type_name, version, data=data.hex()))
    assert "reject" in answer, answer
    assert answer["reject"]["reason"] == reason


def test_partial_tails_are_dropped(wrapper: Wrapper) -> None:
    whole, tail = GOLDEN["all of them"][3], bytes.fromhex(MAGIC_2)
    tails = [tail[:size] for size in range(len(tail))]
    answers = wrapper.ask(
        *(question("decode", "RecordSet", None, data=MAGIC_0 + MAGIC_1 + MAGIC_2 + part.hex()) for part in tails)
    )
    assert all(value_of(answer) == whole for answer in answers)


@pytest.mark.parametrize(
    ("type_name", "version", "value", "reason"),
    [
        ("RecordBatch", None, batch(baseTimestamp=-2), "out-of-range"),
        ("RecordBatch", None, batch(attributes=7), "unsupported-compression"),
        ("RecordBatch", None, batch(baseOffset=None), "null-not-allowed"),
        ("RecordBatch", None, batch(record(headers=[(None, b"")])), "null-not-allowed"),
        ("Record", None, record(size=0), "unknown-field"),
        ("MessageSet", 1, [message(0, 1, timestamp=-2)], "out-of-range"),
        ("MessageSet", 0, [message(0, 0, timestamp=0)], "unknown-field"),
        ("MessageSet", 1, [wrapped(0, 1, 4, message(0, 1))], "unsupported-compression"),
        ("MessageSet", 1, [wrapped(0, 1, GZIP)], "invalid-wrapper"),
        ("MessageSet", 1, [wrapped(0, 1, 0, message(0, 1))], "invalid-wrapper"),
        ("MessageSet", 1, [wrapped(5, 1, GZIP, message(4, 1))], "invalid-wrapper"),
        ("MessageSet", 1, [wrapped(1, 1, GZIP, wrapped(1, 1, GZIP, message(1, 1)))], "invalid-wrapper"),
    ],
)
def test_values_are_refused(wrapper: Wrapper, type_name: str, version: int | None, value: Any, reason: str) -> None:
    (answer,) = wrapper.ask(question("encode", type_name, version, value=to_json(value)))
    assert "reject" in answer, answer
    assert answer["reject"]["reason"] == reason


@pytest.mark.parametrize(
    ("type_name", "value", "why"),
    [
        ("Record", record(attributes=1), "DefaultRecord.writeTo takes no attributes: it writes 0"),
        ("RecordBatch", batch(attributes=128), "DefaultRecordBatch.writeHeader takes no attributes beyond bit 6"),
    ],
)
def test_what_the_writers_cannot_be_told_is_not_offered(wrapper: Wrapper, type_name: str, value: Any, why: str) -> None:
    (answer,) = wrapper.ask(question("encode", type_name, None, value=to_json(value)))
    assert answer["unsupported"] == why


def test_a_message_set_of_magic_2_is_not_offered(wrapper: Wrapper) -> None:
    (answer,) = wrapper.ask(question("decode", "MessageSet", 2, data=MAGIC_2))
    assert answer["unsupported"] == "MessageSet has versions 0 to 1, its magic, not 2"


# --- Where Java reads otherwise -----------------------------------------------------------------------------------

LARGE = b"x" * 200_000
LINKED = lz4.frame.compress(reference.encode("Record", record(value=LARGE), dialect="kafka"), block_linked=True)
PACKED = deflate(GZIP, RECORD)
FRAMED = deflate(LZ4, RECORD)
INNER = entry(0, 1, 0, b"a")


def wrap(magic: int, *inner: bytes) -> bytes:
    """A wrapper of this magic around these bytes."""
    return entry(0, magic, GZIP, deflate(GZIP, b"".join(inner)))


@pytest.mark.parametrize(
    ("ruling", "type_name", "version", "data"),
    [
        pytest.param("R-K-12", "Record", None, bytes.fromhex("0c000000030000"), id="key"),
        pytest.param("R-K-12", "Record", None, bytes.fromhex("0c000000000300"), id="value"),
        pytest.param("R-K-12", "Record", None, bytes.fromhex("12000000010102026103"), id="header value"),
        pytest.param("R-K-12", "MessageSet", 1, entry(0, 1, 0, b"v", key_length=-2), id="message key"),
        pytest.param("R-K-19b", "RecordBatch", None, sealed(0, RECORD, 0), id="count 0"),
        pytest.param("R-K-22", "RecordBatch", None, sealed(GZIP, PACKED + b"x"), id="gzip"),
        pytest.param("R-K-22", "RecordBatch", None, sealed(LZ4, FRAMED + b"x"), id="lz4"),
        pytest.param("R-K-22", "RecordBatch", None, sealed(LZ4, FRAMED * 2), id="two frames"),
        pytest.param("R-K-22b", "RecordBatch", None, sealed(LZ4, LINKED), id="linked"),
        pytest.param("R-K-26", "MessageSet", 1, wrap(1, INNER, INNER[:-1]), id="partial"),
        pytest.param("R-K-26", "MessageSet", 0, wrap(0, entry(0, 0, 0, b"a"), INNER[:16]), id="partial header"),
        pytest.param("R-K-27", "MessageSet", 1, wrap(1, entry(0, 0, 0, b"a")), id="magic 0 in 1"),
        pytest.param("R-K-27", "MessageSet", 0, wrap(0, INNER), id="magic 1 in 0"),
    ],
)
def test_readings(wrapper: Wrapper, ruling: str, type_name: str, version: int | None, data: bytes) -> None:
    demanded = outcome(reference.Reference(), type_name, version, data)
    rules = reference.rules_with(reference.rulings("kafka").values(), {ruling: "other"})
    other = outcome(reference.Reference(rules), type_name, version, data)
    (answer,) = wrapper.ask(question("decode", type_name, version, data=data.hex()))
    assert "error" not in answer
    assert demanded != other
    assert (value_of(answer) if "value" in answer else None) == other


def outcome(implementation: reference.Reference, type_name: str, version: int | None, data: bytes) -> Any:
    """The value, None where it is refused."""
    try:
        return implementation.decode(type_name, data, dialect="kafka", version=version)
    except reference.DecodeError:
        return None


def test_its_readings_of_records_are_declared(wrapper: Wrapper) -> None:
    (found,) = wrapper.ask(DESCRIBE)
    assert {"R-K-12", "R-K-19b", "R-K-22", "R-K-22b", "R-K-26", "R-K-27", "R-K-37", "R-K-39"} <= set(found["readings"])


def test_bits_that_no_getter_shows_are_not_seen(wrapper: Wrapper) -> None:
    data = reference.encode("RecordBatch", batch(*THREE, attributes=-128 | 16), dialect="kafka").hex()
    (answer,) = wrapper.ask(question("decode", "RecordBatch", None, data=data))
    assert value_of(answer) == batch(*THREE, attributes=16)


@pytest.mark.parametrize("codec", range(1, len(NAMES)), ids=NAMES[1:])
def test_a_count_bomb_takes_memory_in_compressed_batches(wrapper: Wrapper, codec: int) -> None:
    data = sealed(codec, deflate(codec, RECORD), 2**31 - 1)
    bombed, after = wrapper.ask(
        question("decode", "RecordBatch", None, data=data.hex()),
        question("decode", "RecordBatch", None, data=MAGIC_2),
    )
    assert bombed["exception"] == "java.lang.OutOfMemoryError"
    assert value_of(after) == batch(*THREE)
