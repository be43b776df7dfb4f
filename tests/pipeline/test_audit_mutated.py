"""Mutated segments and captures: every byte ends in one row, every row fits its table, and nothing is raised."""

from __future__ import annotations

import contextlib
import random
import struct
import zlib

import pytest

pytest.importorskip("pyspark", reason="the extra `pipeline` is not installed")

from support.captures import packet, pcap, pcapng, segments
from support.log_segments import MAGIC, sealed
from test_audit_frames import PIPELINED
from test_audit_segments import everything

from wireproof.pipeline.audit.captures.exchange import Frame
from wireproof.pipeline.audit.captures.frames import frames
from wireproof.pipeline.audit.files import CaptureFile, LogFile
from wireproof.pipeline.audit.logs.batches import judge
from wireproof.pipeline.audit.logs.segments import Range
from wireproof.pipeline.audit.rows import batch_rows, frame_rows, record_rows
from wireproof.pipeline.errors import PipelineError

LOG = LogFile("a.log", 0, "topic", 0, 0)
CAPTURES = [write([packet(one) for one in segments(PIPELINED, 9)]) for write in (pcap, pcapng)]


def mutated(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(changed))
        match rng.randrange(5):
            case 0:
                del changed[at : at + rng.randrange(1, 30)]
            case 1:
                changed[at:at] = rng.randbytes(rng.randrange(1, 30))
            case _:
                changed[at] = rng.choice([0, 1, 2, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    return bytes(changed)


def with_one_mutated(parts: list[bytes], rng: random.Random) -> bytes:
    """One batch is mutated; its length and CRC are right."""
    number = rng.randrange(len(parts))
    part = bytearray(mutated(parts[number], rng))
    if len(part) > 24:
        part[8:12] = struct.pack(">i", len(part) - 12)
        if part[MAGIC] == 2:
            part = bytearray(sealed(part))
        else:
            part[12:16] = struct.pack(">I", zlib.crc32(part[16:]))
    return b"".join([*parts[:number], bytes(part), *parts[number + 1 :]])


@pytest.mark.parametrize("seed", range(100))
def test_segments(seed: int) -> None:
    rng = random.Random(seed)
    data = with_one_mutated(everything().parts, rng) if seed % 2 else mutated(everything().data, rng)
    size = 0
    for block in judge(data, Range(0, len(data), 0)):
        rows = batch_rows(block, LOG)
        rows.validate(full=True)
        size += sum(rows.column("size_bytes").to_pylist())
        for records in record_rows(block, LOG, redact=bool(seed % 3)):
            records.validate(full=True)
    assert size == len(data)


@pytest.mark.parametrize("seed", range(100))
def test_captures(seed: int) -> None:
    rng = random.Random(seed)
    data = mutated(rng.choice(CAPTURES), rng)
    with contextlib.suppress(PipelineError):  # it is cut off, or damaged
        found = list(frames(data, "a.pcap", frozenset({9092} if seed % 2 else ())))
        frame_rows(found, CaptureFile("a.pcap"), redact=False).validate(full=True)


@pytest.mark.parametrize(
    ("time", "shown"),
    [(0, True), (253_402_300_799_999, True), (253_402_300_800_000, False), (2**64, False), (-1, False)],
)
def test_a_time_beyond_any_calendar_is_no_time(time: int, shown: bool) -> None:
    """A capture of one kilobyte can say so, and Python makes no date of it."""
    rows = frame_rows([Frame("a > b", "request", 0, time, b"")], CaptureFile("a.pcap"), redact=False)
    assert [one is not None for one in rows.column("time_ms").to_pylist()] == [shown]
