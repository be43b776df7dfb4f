"""Segments without a fault: every format, codec and gap; and the same verdicts in ranges of any size."""

from __future__ import annotations

import itertools
import random
import re
import struct

import pytest
from support.paths import ROOT

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")

from support.log_segments import (
    BASES,
    Segment,
    batch,
    by_ranges,
    clean,
    entries,
    marker,
    message,
    raw_batch,
    record,
    sealed,
    told,
    wrapper,
)

from wireproof.conformance.vectors import compression_bombs
from wireproof.pipeline.audit.findings import LogReason, Verdict
from wireproof.pipeline.audit.logs.batches import judge
from wireproof.pipeline.audit.logs.columns import binary, read_columns
from wireproof.pipeline.audit.logs.messages import plain_messages
from wireproof.pipeline.audit.logs.segments import Bytes, Range, pieces, ranges
from wireproof.pipeline.audit.reading import Reading
from wireproof.reference import DecodeError, decode
from wireproof.reference.records.compression import deflate
from wireproof.reference.rules import Rules


def everything() -> Segment:
    """All formats and codecs, gaps, a batch that compaction emptied, a transaction."""
    parts: list[bytes] = []
    base = 0
    for magic in (0, 1):
        parts.append(message(base, magic))
        parts += [wrapper(base + 4 * codec, magic, codec) for codec in (1, 2, 3)]
        base += 20
    parts += [batch(base + 10 * codec, codec=codec) for codec in range(5)]
    parts.append(raw_batch(base + 60, 9, 0, b""))
    parts.append(raw_batch(base + 70, 9, 2, record(3) + record(7)))
    parts += [batch(base + 90, attributes=0x10), marker(base + 94), batch(base + 95, attributes=0x08)]
    return Segment(parts)


def test_no_false_alarm() -> None:
    found = entries(everything().data)
    assert told(found) == []
    assert [(one.start, one.end) for one in found] == [
        (one, end) for one, end in zip(everything().starts, everything().starts[1:], strict=False)
    ]
    assert [one.count for one in found if one.magic == 2] == [4] * 5 + [0, 2, 4, 1, 4]


def test_the_offsets_of_an_entry() -> None:
    found = entries(everything().data)
    assert [(one.base_offset, one.last_offset) for one in found[:4]] == [(0, 0), (2, 4), (6, 8), (10, 12)]
    assert [(one.base_offset, one.last_offset) for one in found[8:10]] == [(40, 43), (50, 53)]


@pytest.mark.parametrize("size", [1, 200, 1000, 10**6])
def test_ranges_make_no_difference(size: int) -> None:
    data = everything().data
    parts = ranges(data, size)
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
    assert (parts[0].start, parts[-1].end) == (0, len(data))
    assert len(parts) == 1 if size > len(data) else len(parts) > 1
    assert by_ranges(data, size) == entries(data)


@pytest.mark.parametrize("seed", range(60))
def test_ranges_make_no_difference_to_corrupted_files(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(everything().data)
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.3:
        del data[(at := rng.randrange(len(data))) : at + rng.randrange(1, 50)]
    parts = ranges(bytes(data), rng.choice([1, 150, 700]))
    expected = list(pieces(bytes(data), 0, len(data)))
    assert [piece for part in parts for piece in pieces(bytes(data), part.start, part.end)] == expected
    found = entries(bytes(data))
    assert [(one.start, one.end) for one in found] == [(one.start, one.end) for one in expected]
    assert (expected[0].start, expected[-1].end) == (0, len(data))
    assert all(one.end == two.start for one, two in itertools.pairwise(expected))


def test_an_empty_file() -> None:
    assert entries(b"") == []
    assert ranges(b"", 100)[0].end == 0


def test_preallocated_space_alone() -> None:
    assert told(entries(bytes(3 << 20))) == [(0, "torn-tail", "truncated", 0)]


def _crc_bytes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of all entries whose CRC is computed from now on."""
    import wireproof.pipeline.audit.logs.segments as module

    sizes: list[int] = []
    real = module.is_whole

    def counted(data: Bytes, start: int, end: int) -> bool:
        sizes.append(end - start)
        return real(data, start, end)

    monkeypatch.setattr(module, "is_whole", counted)
    return sizes


def test_a_file_of_heads_is_not_searched_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch reaches to the end of the file, and each has a wrong CRC."""
    import wireproof.pipeline.audit.logs.segments as module

    monkeypatch.setattr(module, "_CRC_BUDGET", 1 << 20)
    one = bytearray(batch(0)[:61])
    parts = 3000
    data = bytearray(bytes(one) * parts)
    for number in range(parts):
        data[number * 61 + 8 : number * 61 + 12] = struct.pack(">i", (parts - number) * 61 - 12 - 1)
    sizes = _crc_bytes(monkeypatch)
    list(pieces(bytes(data), 0, len(data)))
    assert len(data) < sum(sizes) < 5 << 20


def test_random_bytes_are_searched_without_many_crcs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost length of a compressed batch in a large file: hundreds of positions look like heads, of entries of many
    megabytes."""
    rng = random.Random(5)
    broken = bytearray(raw_batch(4, 0, 1, rng.randbytes(700_000)))
    broken[9] ^= 1
    data = batch(0) + bytes(broken) + batch(5) + raw_batch(9, 0, 1, bytes(20 << 20))
    sizes = _crc_bytes(monkeypatch)
    found = [(piece.start, piece.end) for piece in pieces(data, 0, len(data))]
    start, end = len(batch(0)), len(batch(0)) + len(broken)
    assert found == [(0, start), (start, end), (end, end + len(batch(5))), (end + len(batch(5)), len(data))]
    assert sum(sizes) < len(data)


# --- Columns against the reference ------------------------------------------------------------------------------------


def _columns_of(raw: bytes) -> list[tuple[object, ...]] | None:
    """The records of one batch, read as columns; None if it is not plain."""
    count = int.from_bytes(raw[57:61], "big", signed=True)
    columns = read_columns([batch(0)[61:], raw[61:], batch(0)[61:]], [4, count, 4])
    assert list(columns.plain[[0, 2]]) == [True, True]
    if not columns.plain[1]:
        return None
    rows = [row for row in range(len(columns.batch)) if columns.batch[row] == 1]
    keys, values = binary(columns.content, columns.key), binary(columns.content, columns.value)
    names = binary(columns.content, columns.headers.key).to_pylist()
    items = binary(columns.content, columns.headers.value).to_pylist()
    owners = list(columns.headers.record)
    return [
        (
            columns.timestamp_delta[row],
            columns.offset_delta[row],
            keys[row].as_py(),
            values[row].as_py(),
            [(names[at].decode(), items[at]) for at, owner in enumerate(owners) if owner == row],
        )
        for row in rows
    ]


def _reference_of(raw: bytes) -> list[tuple[object, ...]] | None:
    try:
        value = decode("RecordBatch", raw, dialect="kafka")
    except DecodeError:
        return None
    names = ("timestampDelta", "offsetDelta", "key", "value", "headers")
    return [tuple(record[name] for name in names) for record in value["records"]]


def test_columns_agree_with_the_reference() -> None:
    """On mutated batches: what is plain has the reference's records, and what the reference refuses is not plain."""
    rng = random.Random(7)
    plain = refused = 0
    for _ in range(1500):
        raw = bytearray(batch(0, count=3))
        for _ in range(rng.randrange(0, 3)):
            raw[rng.randrange(61, len(raw))] = rng.choice([0, 1, 2, 3, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        if rng.random() < 0.2:
            at = rng.randrange(61, len(raw))
            raw[at:at] = rng.randbytes(rng.randrange(1, 4))
        raw[8:12] = struct.pack(">i", len(raw) - 12)
        ours, theirs = _columns_of(sealed(raw)), _reference_of(sealed(raw))
        assert ours is None or ours == theirs
        plain += ours is not None
        refused += theirs is None
    assert plain > 300
    assert refused > 300


@pytest.mark.parametrize("number", [0, -1, 63, 64, -65, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63)])
def test_long_timestamps(number: int) -> None:
    from support.log_segments import varint

    zigzag = varint(number)
    body = b"\0" + zigzag + b"\0\1\1\0"
    columns = read_columns([varint(len(body)) + body], [1])
    assert list(columns.timestamp_delta) == [number]


def test_clean_segments_of_the_corruption_tests() -> None:
    assert told(entries(clean().data, first=BASES[0], below=BASES[-1] + 4)) == []


def test_batches_that_inflate_are_read_in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is the inflated size: a file of 100 KiB may hold gigabytes."""
    from support.log_segments import varint

    import wireproof.pipeline.audit.logs.batches as module

    body = b"\0\0\0" + varint(-1) + varint(100_000) + bytes(100_000) + b"\0"
    content = deflate(1, varint(len(body)) + body)
    data = b"".join(raw_batch(base, 0, 1, content, 1) for base in range(50))
    monkeypatch.setattr(module, "_BLOCK_BYTES", 200_000)
    blocks = list(module.judge(data, Range(0, len(data), 0)))
    assert [len(block.entries) for block in blocks] == [2] * 25
    assert all(block.columns is not None and len(block.columns.content) < 300_000 for block in blocks)


@pytest.mark.parametrize("magic", [0, 1])
def test_messages_agree_with_the_reference(magic: int) -> None:
    """On mutated messages and wrappers: what the short way accepts, the reference reads alike."""
    rng = random.Random(magic)
    whole = [message(7, magic), message(7, magic, None), *(wrapper(7, magic, codec) for codec in (1, 2, 3))]
    counts = {True: 0, False: 0}
    for _ in range(2000):
        raw = bytearray(rng.choice(whole))
        inner = b"".join(message(rng.choice([0, 1, 5, 2**62]), rng.choice([magic, magic, 1])) for _ in range(3))
        if rng.random() < 0.5:
            raw = bytearray(message(rng.choice([0, 3, 2**63 - 1]), magic, deflate(1, _changed(inner, rng), magic), 1))
        sealed_again = _with_crc(_changed(bytes(raw), rng))
        ours = plain_messages(sealed_again, magic, Rules())
        try:
            (value,) = decode("MessageSet", sealed_again, dialect="kafka", version=magic)
        except (DecodeError, ValueError):
            theirs = None
        else:
            theirs = [(one["offset"], one["key"], one["value"]) for one in value.get("messages", [value])]
        counts[theirs is None] += 1
        assert ours is None or [(one["offset"], one["key"], one["value"]) for one in ours] == theirs
    assert min(counts.values()) > 300


def _changed(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randrange(0, 2)):
        changed[rng.randrange(len(changed))] = rng.choice([0, 1, 2, 0x7F, 0xFF])
    return bytes(changed)


def _with_crc(data: bytes) -> bytes:
    import zlib

    return data[:12] + struct.pack(">I", zlib.crc32(data[16:])) + data[16:]


def test_the_page_names_every_reason() -> None:
    page = ROOT / "docs/how-to/audit-logs.md"
    named = set(re.findall(r"^\| `([a-z-]+)` \|", page.read_text("utf-8"), re.MULTILINE))
    assert named == {str(reason) for reason in LogReason}


@pytest.mark.parametrize("codec", compression_bombs.CODECS)
def test_content_beyond_the_limit_is_not_judged(codec: str) -> None:
    """Kafka reads it, and no text has a limit: it is not malformed."""
    data = b"".join(piece for piece, _ in compression_bombs.pieces(codec, 3 << 20))
    value, trouble = Reading(4).read("RecordBatch", data, 100)
    assert (value is None, trouble) == (False, None)
    (block,) = judge(data, Range(0, len(data), 0), reading=Reading(3))
    assert [(one.verdict, one.trouble and one.trouble.reason) for one in block.entries] == [
        (Verdict.UNREADABLE, "resource-limit")
    ]
    value, trouble = Reading(3).read("RecordBatch", data, 100)
    assert value is None
    assert trouble is not None
    assert (trouble.verdict, trouble.reason, trouble.offset) == (Verdict.UNREADABLE, "resource-limit", 161)
