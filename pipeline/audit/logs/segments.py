"""The batches of a log segment: where each begins and ends, found by hopping from header to header.

    segment => *entry                      ; batches of magic 2, messages and wrappers of magic 0 and 1
    entry   => offset:INT64 length:INT32 … ; `length` counts the bytes after it; the magic is byte 16 in every format

A position has a *head* if an entry may begin there: a magic of 0 to 2, an offset of at least 0, a length of at least
the format's least, and the whole entry inside of the file. Heads are checked from their first 17 bytes, before anything
of the length's size is read.

Where a hop ends at a position without a head, something is wrong there, or with a length that led there: that of the
entry before, and of those before that, up to one whose CRC is right. From the first byte in doubt on, the next position
is searched that has a head and the right CRC: there the hopping goes on. The bytes before it are one piece with a
`trouble`.

An entry inside of another one's bytes (a record whose value is a batch) is found only where the outer one is broken.
Source: the Kafka protocol guide, Record Batch and Old Message Format.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from crc32c import crc32c

from wireproof.pipeline.audit.findings import LogReason, Trouble, Verdict, failed
from wireproof.reference.errors import Reason
from wireproof.reference.records import batch, message_set
from wireproof.reference.records.compression import ZSTD

_HEAD = struct.Struct(">qiib")
# From partitionLeaderEpoch on, without the magic, the CRC and the timestamps.
_USUAL = struct.Struct(">i5xhi16xqhii")
#: The offset of `length`, its end, and the least size of a head.
LENGTH_AT, LENGTH_END, HEAD_SIZE = 8, 12, _HEAD.size
#: Magic → the least length of an entry.
_LEAST = {0: message_set.FIELD_ENDS[0][-1], 1: message_set.FIELD_ENDS[1][-1], 2: batch.FIELD_ENDS[-1]}
#: The bytes searched at once.
_STEP = 1 << 20
#: The search for the next entry stops after this many bytes of CRCs, so that a file made to look like heads everywhere
#: cannot take hours.
_CRC_BUDGET = 4 << 30
#: So many zeros at the end of an entry mean that its end was never written.
_UNWRITTEN = 8


class Bytes(Protocol):
    """The content of a file, read by slices: bytes, an mmap, or a remote file."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """The bytes from `start` up to `end`: one entry, to be judged, if there is no `trouble` yet."""

    start: int
    end: int
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """A part of a file that is judged on its own: from one entry's beginning to another's. `lead`: the beginning of an
    entry before it, from which on entries are read for their offsets alone."""

    start: int
    end: int
    lead: int


def pieces(data: Bytes, start: int, stop: int) -> Iterator[Piece]:
    """The pieces from `start` to `stop`, both the beginning of a good entry or the file's end. They join without
    gaps."""
    held: list[int] = []  # the last entries, whose lengths are not known to be right yet
    pos = start
    while pos < stop or pos > stop:  # beyond it only by a wrong length, which leads back
        end = _end_of(data, pos)
        if end:
            held.append(pos)
            pos = end
            if len(held) > _HELD:
                yield Piece(held.pop(0), held[0])
            continue
        doubtful = pos
        while held and not is_whole(data, held[-1], doubtful):
            doubtful = held.pop()
        yield from _joined(held, doubtful)
        held.clear()
        for piece in _around(data, doubtful):
            yield piece
            pos = piece.end
    yield from _joined(held, pos)


#: So many entries may follow a wrong length until it is noticed.
_HELD = 8


def _joined(starts: list[int], end: int) -> Iterator[Piece]:
    return map(Piece, starts, [*starts[1:], end])


def ranges(data: Bytes, size: int) -> list[Range]:
    """The file in ranges of at least `size` bytes (the last one may be smaller), each from one entry to another."""
    starts, leads = [0], [0]
    recent = [0] * _LEAD
    for piece in pieces(data, 0, len(data)):
        far = piece.trouble is None and piece.start - starts[-1] >= size
        if far and is_whole(data, piece.start, piece.end):
            starts.append(piece.start)
            leads.append(recent[0])
        if piece.trouble is None:
            recent = [*recent[1:], piece.start]
    return [Range(*one) for one in zip(starts, [*starts[1:], len(data)], leads, strict=True)]


#: A range is read with so many pieces before it.
_LEAD = 4


def _end_of(data: Bytes, pos: int) -> int:
    """The end of the entry whose head is here; 0 if there is none."""
    head = data[pos : pos + HEAD_SIZE]
    if len(head) < HEAD_SIZE:
        return 0
    offset, length, _, magic = _HEAD.unpack(head)
    if not 0 <= magic <= batch.MAGIC or length < _LEAST[magic] or offset < 0:
        return 0
    end: int = pos + LENGTH_END + length
    return end if end <= len(data) else 0


def is_whole(data: Bytes, start: int, end: int) -> bool:
    """Whether the CRC of the entry in these bytes is right, whatever its length says."""
    head = data[start : start + HEAD_SIZE]
    if len(head) < HEAD_SIZE or not 0 <= head[16] <= batch.MAGIC or end - start - LENGTH_END < _LEAST[head[16]]:
        return False
    entry = memoryview(data[start:end])
    if head[16] == batch.MAGIC:
        return bool(crc32c(entry[21:]) == int.from_bytes(entry[17:21], "big"))
    return zlib.crc32(entry[16:]) == int.from_bytes(entry[12:16], "big")


def _around(data: Bytes, start: int) -> list[Piece]:
    """The pieces from `start`, the first byte in doubt, to the next good entry. There is no head at `start`, or an
    entry whose CRC is wrong."""
    led = start + LENGTH_END + _length(data, start)
    found = _next_entry(data, start + 1)
    if found is None:
        return _to_the_end(data, start)
    if found == led:
        # Its length is right: its magic, its offset or its content is wrong, as its judge will say.
        return [Piece(start, found)]
    if is_whole(data, start, found):
        return [Piece(start, found, _wrong_length(data, start, found))]
    if _end_of(data, start) and led < found:
        # It is wrong, but ends where its length says; what follows it is a matter of its own.
        return [Piece(start, led), *_around(data, led)]
    return [Piece(start, found, _no_batch(data, start, found))]


def _to_the_end(data: Bytes, start: int) -> list[Piece]:
    """The same where no good entry follows."""
    end = len(data)
    written = _written(data, start)
    if start == written:
        detail = f"{end - start} bytes to the end of the file are 0, as in space that is allocated before it is used"
        return [Piece(start, end, _torn(start, detail))]
    if is_whole(data, start, end):
        return [Piece(start, end, _wrong_length(data, start, end))]
    led = _end_of(data, start)
    if led and led - written < _UNWRITTEN:
        return [Piece(start, led), *([] if led == end else _to_the_end(data, led))]
    head = data[start : start + HEAD_SIZE]
    if len(head) < HEAD_SIZE:
        return [Piece(start, end, _torn(start, f"{len(head)} bytes of a batch's header, {HEAD_SIZE} are needed"))]
    offset, length, _, magic = _HEAD.unpack(head)
    if 0 <= magic <= batch.MAGIC and length >= _LEAST[magic] and offset >= 0:
        there = min(written, end) - start - LENGTH_END
        return [Piece(start, end, _torn(start, f"a batch of length {length}, of which {there} bytes were written"))]
    if end == start + LENGTH_END + length:
        return [Piece(start, end)]
    return [Piece(start, end, _no_batch(data, start, end))]


def _length(data: Bytes, start: int) -> int:
    return int.from_bytes(data[start + LENGTH_AT : start + LENGTH_END], "big", signed=True)


def _wrong_length(data: Bytes, start: int, end: int) -> Trouble:
    detail = (
        f"length {_length(data, start)}; the CRC is right for {end - start - LENGTH_END} bytes, up to "
        f"{'the end of the file' if end == len(data) else 'the next batch'}"
    )
    return failed(Reason.LENGTH_MISMATCH, start + LENGTH_AT, detail)


def _no_batch(data: Bytes, start: int, end: int) -> Trouble:
    followed = "no batch follows" if end == len(data) else "then a batch begins"
    what = "bytes 0" if _first_set(data, start, end) is None else "bytes that are no batch"
    return failed(LogReason.NOT_A_BATCH, start, f"{end - start} {what}; {followed}")


def _torn(start: int, detail: str) -> Trouble:
    return Trouble(Verdict.TORN, Reason.TRUNCATED, start, detail)


def _first_set(data: Bytes, start: int, end: int) -> int | None:
    """The first byte that isn't 0."""
    for at in range(start, end, _STEP):
        block = data[at : min(at + _STEP, end)]
        if block.count(0) != len(block):
            return at + len(block) - len(block.lstrip(b"\0"))
    return None


def _written(data: Bytes, start: int) -> int:
    """The end of the bytes from `start` on without the zeros at the end of the file."""
    end = len(data)
    while end > start:
        at = max(start, end - _STEP)
        block = data[at:end].rstrip(b"\0")
        if block:
            return at + len(block)
        end = at
    return start


def _next_entry(data: Bytes, start: int) -> int | None:
    """The next position with a head and the right CRC."""
    budget = _CRC_BUDGET
    for at in range(start, len(data) - HEAD_SIZE, _STEP):
        for candidate in _heads(data, at):
            end = _end_of(data, candidate)
            if not end or not _is_usual(data, candidate, end):
                continue
            budget -= end - candidate
            if is_whole(data, candidate, end):
                return candidate
            if budget < 0:
                return None
    return None


def _is_usual(data: Bytes, start: int, end: int) -> bool:
    """Whether an entry's fields are as Kafka writes them. In random bytes one position of seven hundred has a head, and
    a length of hundreds of megabytes; this leaves next to none of them, before any CRC."""
    magic, attributes = data[start + 16 : start + 18]
    if magic == batch.MAGIC:
        epoch, attributes, last, producer, producer_epoch, sequence, count = _USUAL.unpack(
            data[start + LENGTH_END : start + LENGTH_END + _USUAL.size]
        )
        lowest = min(epoch, producer, producer_epoch, sequence)
        return bool(lowest >= -1) and 0 <= attributes < 1 << 7 and attributes & 7 <= ZSTD and 0 <= count <= last + 1
    key_at = start + (26 if magic else 18)
    key = int.from_bytes(data[key_at : key_at + 4], "big", signed=True)
    value_at = key_at + 4 + max(key, 0)
    if key < -1 or value_at + 4 > end or attributes >= 1 << 4:
        return False
    value = int.from_bytes(data[value_at : value_at + 4], "big", signed=True)
    return value >= -1 and value_at + 4 + max(value, 0) == end


def _heads(data: Bytes, at: int) -> list[int]:
    """The positions of the next step that may have a head, by their magic and the first bytes of offset and length."""
    block = np.frombuffer(data[at : at + _STEP + HEAD_SIZE], np.uint8)
    count = min(_STEP, len(block) - HEAD_SIZE + 1)
    if count <= 0:
        return []
    low = block[10 : 10 + count].astype(np.uint16) << 8 | block[11 : 11 + count]
    possible = (block[16 : 16 + count] <= batch.MAGIC) & (block[:count] < 0x80) & (block[8 : 8 + count] < 0x80)
    possible &= (low >= _LEAST[0]) | (block[8 : 8 + count] != 0) | (block[9 : 9 + count] != 0)
    return [at + int(one) for one in np.flatnonzero(possible)]
