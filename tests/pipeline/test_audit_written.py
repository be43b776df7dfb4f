"""Segments that released clients and Kafka's own classes wrote, in every magic and codec: an audit finds nothing wrong
in them, and reads the records that were put in."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")

from support.java import LAUNCHERS, Wrapper, question, skip_unless_built
from support.log_segments import COUNT, told
from test_segments import LEGACY, MODERN, WRITERS, Plan, Row, java_value, plan

from wireproof.conformance.values.encoding import to_json
from wireproof.pipeline.audit.files import LogFile
from wireproof.pipeline.audit.logs.batches import judge
from wireproof.pipeline.audit.logs.segments import Range, ranges
from wireproof.pipeline.audit.rows import record_rows
from wireproof.reference.records.compression import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Segments of each writer.
SEGMENTS = 2


def audited(data: bytes, size: int) -> Iterator[dict[str, Any]]:
    """The rows of `records`, read in ranges of this many bytes."""
    log = LogFile("some.log", len(data), "some", 0, 0)
    for part in ranges(data, size):
        for block in judge(data, part):
            assert told(block.entries) == []
            for rows in record_rows(block, log, redact=False):
                yield from rows.to_pylist()


def stored(write: Callable[[Plan], bytes], planned: Plan) -> bytes:
    """The bytes that a broker stores of what a producer wrote: a wrapper has the offset of its last message, and the
    messages in one of magic 1 count from 0. No CRC covers an offset."""
    segment = bytearray()
    for magic, codec, batch in planned:
        base = batch[0][0] if magic == 1 and codec else 0
        written = write([(magic, codec, [(row[0] - base, *row[1:]) for row in batch])])
        segment += struct.pack(">q", batch[-1][0]) + written[8:] if magic < 2 and codec else written
    return bytes(segment)


def check(data: bytes, planned: Plan) -> None:
    wanted = [(magic, NAMES[codec], row) for magic, codec, batch in planned for row in batch]
    for size in (1, 64 << 20):
        found = sorted(audited(data, size), key=lambda row: row["offset"])
        assert [(row["magic"], row["compression"], _row(row)) for row in found] == wanted


def _row(row: dict[str, Any]) -> Row:
    headers = [(pair["key"], pair["value"]) for pair in row["headers"]]
    return row["offset"], row["timestamp_ms"], row["key"], row["value"], headers


@pytest.mark.parametrize("writer", WRITERS)
def test_segments_of_python_clients(writer: str) -> None:
    make, kinds, _ = WRITERS[writer]
    write = make()
    for number in range(SEGMENTS):
        planned = plan(random.Random(f"audit {writer} {number}"), kinds)
        check(stored(write, planned), planned)


def test_segments_of_java() -> None:
    skip_unless_built()
    plans = [plan(random.Random(f"audit java {number}"), MODERN + LEGACY) for number in range(SEGMENTS)]
    with Wrapper(LAUNCHERS["generated"]) as wrapper:
        answers = wrapper.ask(
            *(question("encode", "RecordSet", None, value=to_json(java_value(planned))) for planned in plans)
        )
    for answer, planned in zip(answers, plans, strict=True):
        check(bytes.fromhex(answer["data"]), planned)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_flipped_bit_in_each_batch_is_told(writer: str) -> None:
    """The same segments, with one bit wrong in one batch: that batch is told, and no other."""
    make, kinds, _ = WRITERS[writer]
    data = stored(make(), plan(random.Random(f"audit {writer}"), kinds))
    whole = Range(0, len(data), 0)
    places = [(entry.start, entry.end) for block in judge(data, whole) for entry in block.entries]
    for start, end in places:
        wrong = bytearray(data)
        wrong[min(start + COUNT, end - 1)] ^= 1
        found = [one for block in judge(bytes(wrong), whole) for one in told(block.entries)]
        assert [(one[0], one[1], one[2]) for one in found] == [(start, "fail", "crc-mismatch")]
