"""Fifty segments of batches that released implementations wrote, in every codec: decoded, record for record.

What is put in comes from a seed; a segment is what a broker's log has: batches one after another, read as a RecordSet.
"""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Any

import pytest
from support.java import LAUNCHERS, Wrapper, question, skip_unless_built

from wireproof import reference
from wireproof.conformance.values.encoding import to_json
from wireproof.reference.records.compression import LZ4, MASK, ZSTD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Offset, timestamp (None in magic 0), key, value, headers.
Row = tuple[int, int | None, bytes | None, bytes | None, list[tuple[str, bytes | None]]]
#: Magic and codec of each batch of a segment, and the rows that go into it.
Plan = list[tuple[int, int, list[Row]]]

#: Batches of each magic and codec in a segment.
ROUNDS = 2
#: No builder may call a batch full.
ROOM = 1 << 20
MODERN = [(2, codec) for codec in range(ZSTD + 1)]
LEGACY = [(magic, codec) for magic in (0, 1) for codec in range(LZ4 + 1)]
#: aiokafka writes no lz4 in magic 0: that wants a broken header checksum.
LEGACY_AIOKAFKA = [kind for kind in LEGACY if kind != (0, LZ4)]


# --- What is put in -----------------------------------------------------------------------------------------------


def octets(rng: random.Random) -> bytes | None:
    """Null, empty, short, or long enough for every codec to be worth its while."""
    match rng.randrange(6):
        case 0:
            return None
        case 1:
            return b""
        case 2:
            return rng.randbytes(rng.randrange(1, 40))
        case 3:
            return rng.randbytes(3) * rng.randrange(1000, 3000)
    return bytes(rng.choices(b"abcdef", k=rng.randrange(1, 200)))


def headers(rng: random.Random) -> list[tuple[str, bytes | None]]:
    """Few keys, so that many are there twice: next to each other, and apart."""
    return [
        (rng.choice(["a", "b", "", "trace-id", "ключ"]), octets(rng) if rng.random() < 0.5 else b"v")
        for _ in range(rng.choice([0, 0, 1, 2, 5]))
    ]


def rows(rng: random.Random, magic: int, offset: int) -> list[Row]:
    """Records from this offset on, with some offsets left out where the format allows it."""
    made: list[Row] = []
    for _ in range(rng.randrange(1, 25)):
        timestamp = rng.choice([1_700_000_000_000, 1_700_000_000_123_456_789, 0]) + rng.randrange(1000)
        made.append(
            (
                offset,
                timestamp if magic else None,
                octets(rng),
                octets(rng),
                headers(rng) if magic == 2 else [],
            )
        )
        offset += rng.choice([1, 1, 1, 2, 70])
    # Compressible, so that no builder leaves the codec out: it would be larger than what it packs.
    made.append((offset, made[0][1], b"last", b"0123456789" * 100, []))
    return made


def plan(rng: random.Random, kinds: Sequence[tuple[int, int]]) -> Plan:
    planned: Plan = []
    offset = 0
    for magic, codec in rng.sample([*kinds] * ROUNDS, len(kinds) * ROUNDS):
        planned.append((magic, codec, rows(rng, magic, offset)))
        offset = planned[-1][2][-1][0] + rng.choice([1, 1000])
    return planned


# --- The writers --------------------------------------------------------------------------------------------------


def appended(builder: Any, batch: list[Row], base: int) -> bytes:
    """What a builder makes of these rows, with offsets from `base` on."""
    for offset, timestamp, key, value, pairs in batch:
        assert builder.append(offset - base, timestamp, key=key, value=value, headers=pairs) is not None
    return bytes(builder.build())


def modern(builder_class: Any) -> Callable[[Plan], bytes]:
    """A builder of magic 2. It counts offsets from 0, and a broker sets the base, which no CRC covers."""

    def write(planned: Plan) -> bytes:
        segment = bytearray()
        for magic, codec, batch in planned:
            base = batch[0][0]
            builder = builder_class(magic, codec, 0, -1, -1, -1, ROOM)
            segment += struct.pack(">q", base) + appended(builder, batch, base)[8:]
        return bytes(segment)

    return write


def legacy(builder_class: Any) -> Callable[[Plan], bytes]:
    """A builder of magic 0 and 1: its wrappers have the offset 0, so that the inner offsets stand as they are."""

    def write(planned: Plan) -> bytes:
        return b"".join(appended(builder_class(magic, codec, ROOM), batch, 0) for magic, codec, batch in planned)

    return write


def aiokafka_compiled() -> Callable[[Plan], bytes]:
    records = pytest.importorskip("aiokafka.record._crecords.default_records")
    return modern(records.DefaultRecordBatchBuilder)


def aiokafka_plain() -> Callable[[Plan], bytes]:
    return modern(pytest.importorskip("aiokafka.record.default_records")._DefaultRecordBatchBuilderPy)


def aiokafka_legacy_compiled() -> Callable[[Plan], bytes]:
    records = pytest.importorskip("aiokafka.record._crecords.legacy_records")
    return legacy(records.LegacyRecordBatchBuilder)


def aiokafka_legacy_plain() -> Callable[[Plan], bytes]:
    return legacy(pytest.importorskip("aiokafka.record.legacy_records")._LegacyRecordBatchBuilderPy)


def kafka_python() -> Callable[[Plan], bytes]:
    return modern(pytest.importorskip("kafka.record.default_records").DefaultRecordBatchBuilder)


def kafka_python_legacy() -> Callable[[Plan], bytes]:
    return legacy(pytest.importorskip("kafka.record.legacy_records").LegacyRecordBatchBuilder)


#: Name → its builder, what it writes, how many segments it writes.
WRITERS: dict[str, tuple[Callable[[], Callable[[Plan], bytes]], list[tuple[int, int]], int]] = {
    "aiokafka, compiled": (aiokafka_compiled, MODERN, 8),
    "aiokafka, pure Python": (aiokafka_plain, MODERN, 8),
    "aiokafka, compiled, magic 0 and 1": (aiokafka_legacy_compiled, LEGACY_AIOKAFKA, 4),
    "aiokafka, pure Python, magic 0 and 1": (aiokafka_legacy_plain, LEGACY_AIOKAFKA, 4),
    "kafka-python": (kafka_python, MODERN, 8),
    "kafka-python, magic 0 and 1": (kafka_python_legacy, LEGACY, 6),
}
JAVA_SEGMENTS = 12


# --- What comes out -----------------------------------------------------------------------------------------------


def read(segment: bytes) -> tuple[set[tuple[int, int]], list[Row]]:
    """The magics and codecs, and all records of a segment, by the reference."""
    kinds: set[tuple[int, int]] = set()
    found: list[Row] = []
    for entry in reference.decode("RecordSet", segment, dialect="kafka"):
        kinds.add((entry["magic"], entry["attributes"] & MASK))
        found += of_batch(entry) if entry["magic"] == 2 else of_message(entry)
    return kinds, found


def of_batch(batch: dict[str, Any]) -> Iterator[Row]:
    for record in batch["records"]:
        yield (
            batch["baseOffset"] + record["offsetDelta"],
            batch["baseTimestamp"] + record["timestampDelta"],
            record["key"],
            record["value"],
            record["headers"],
        )


def of_message(message: dict[str, Any]) -> Iterator[Row]:
    for inner in message.get("messages", [message]):
        yield inner["offset"], inner.get("timestamp"), inner["key"], inner["value"], []


def check(segment: bytes, planned: Plan) -> None:
    kinds, found = read(segment)
    assert kinds == {(magic, codec) for magic, codec, _ in planned}
    for ours, theirs in zip(found, (row for _, _, batch in planned for row in batch), strict=True):
        assert ours == theirs


@pytest.mark.parametrize("writer", WRITERS)
def test_segments_of_python_clients(writer: str) -> None:
    make, kinds, segments = WRITERS[writer]
    write = make()
    for number in range(segments):
        planned = plan(random.Random(f"{writer} {number}"), kinds)
        check(write(planned), planned)


def java_value(planned: Plan) -> list[dict[str, Any]]:
    """The same as a protocol value: batches with base offsets and deltas as Java has them."""
    entries: list[dict[str, Any]] = []
    for magic, codec, batch in planned:
        if magic == 2:
            entries.append(java_batch(codec, batch))
        elif codec:
            inner = [java_message(magic, row) for row in batch]
            wrapper = {"magic": magic, **inner[-1], "attributes": codec, "key": None, "messages": inner}
            entries.append({key: value for key, value in wrapper.items() if key != "value"})
        else:
            entries += [{"magic": magic, **java_message(magic, row)} for row in batch]
    return entries


def java_batch(codec: int, batch: list[Row]) -> dict[str, Any]:
    base, first = batch[0][:2]
    assert first is not None
    times = [timestamp for _, timestamp, *_ in batch if timestamp is not None]
    return {
        "magic": 2,
        "baseOffset": base,
        "partitionLeaderEpoch": 0,
        "attributes": codec,
        "lastOffsetDelta": batch[-1][0] - base,
        "baseTimestamp": first,
        "maxTimestamp": max(times),
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "records": [
            {
                "attributes": 0,
                "timestampDelta": time - first,
                "offsetDelta": offset - base,
                "key": key,
                "value": value,
                "headers": pairs,
            }
            for (offset, _, key, value, pairs), time in zip(batch, times, strict=True)
        ],
    }


def java_message(magic: int, row: Row) -> dict[str, Any]:
    offset, timestamp, key, value, _ = row
    time = {"timestamp": timestamp} if magic else {}
    return {"offset": offset, "attributes": 0, **time, "key": key, "value": value}


def test_segments_of_java() -> None:
    skip_unless_built()
    plans = [plan(random.Random(f"java {number}"), MODERN + LEGACY) for number in range(JAVA_SEGMENTS)]
    with Wrapper(LAUNCHERS["generated"]) as wrapper:
        answers = wrapper.ask(
            *(question("encode", "RecordSet", None, value=to_json(java_value(planned))) for planned in plans)
        )
    for answer, planned in zip(answers, plans, strict=True):
        check(bytes.fromhex(answer["data"]), planned)


def test_there_are_fifty_segments() -> None:
    assert sum(segments for _, _, segments in WRITERS.values()) + JAVA_SEGMENTS == 50
