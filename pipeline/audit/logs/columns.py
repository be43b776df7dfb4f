"""The records of many batches at once, as columns: where each field begins, and how long it is.

A record of magic 2 is read by a hop over its length, in Python; then all records are read together, field by field,
with numpy. As with the reference's own fast paths, only plain input is read so: minimal varints, lengths that fit. A
batch with anything else is not `plain`, and the reference reads it.

    Record  => length:VARINT attributes:INT8 timestampDelta:VARLONG offsetDelta:VARINT
               keyLength:VARINT key valueLength:VARINT value headersCount:VARINT *Header
    Header  => keyLength:VARINT key valueLength:VARINT value

Source: as `reference.records.record`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: A batch with a record of more headers is left to the reference.
MOST_HEADERS = 64
#: The bytes after the content, so that a read of a field near the end stays inside.
_PAD = bytes(16)
#: The greatest shift of a varint's last byte, by its width.
_LAST = {32: 28, 64: 63}


@dataclass(frozen=True, slots=True)
class Field:
    """Bytes of each record: the offsets at which they begin, and their lengths; −1 is null."""

    at: Ints
    size: Ints


@dataclass(frozen=True, slots=True)
class Headers:
    """All headers, in wire order. `record`: the index of the record that each belongs to."""

    record: Ints
    key: Field
    value: Field


@dataclass(frozen=True, slots=True)
class Columns:
    """The records of the batches that are plain.

    `content`: the contents of all batches, one after another, with some bytes behind them. `begins`: where each batch's
    content begins in it. `plain`: for each batch, whether its records are here. `batch`: for each record the index of
    its batch. `delta_at`: where its offset delta begins.
    """

    content: bytes
    begins: Ints
    plain: Flags
    batch: Ints
    timestamp_delta: Ints
    offset_delta: Ints
    delta_at: Ints
    key: Field
    value: Field
    header_count: Ints
    headers: Headers


def read_columns(contents: Sequence[bytes], counts: Sequence[int]) -> Columns:
    """The records of these batches, each given as its inflated content and its count."""
    content = b"".join((*contents, _PAD))
    sizes = np.fromiter(map(len, contents), np.int64, len(contents))
    begins = np.cumsum(sizes) - sizes
    plain = np.ones(len(contents), np.bool_)
    starts: list[int] = []
    found = np.zeros(len(contents), np.int64)
    for index, count in enumerate(counts):
        before, begin = len(starts), int(begins[index])
        if _hop(content, begin, begin + int(sizes[index]), count, starts):
            found[index] = count
        else:
            plain[index] = False
            del starts[before:]
    batch = np.repeat(np.arange(len(contents)), found)
    return _read_fields(content, begins, begins + sizes, plain, batch, np.array(starts, np.int64))


def _hop(content: bytes, pos: int, end: int, count: int, starts: list[int]) -> bool:
    """Add the beginning of each record. Returns whether exactly as many records fill the content."""
    if count > end - pos:
        return False
    add = starts.append
    for _ in range(count):
        if pos >= end:
            return False
        add(pos)
        low = content[pos]
        pos += 1
        if low > 127:
            byte = content[pos]
            pos += 1
            low += (byte << 7) - 128
            if byte > 127:  # of a record of 8 KiB or more
                low, pos = _rest(content, pos, low)
        if low & 1:
            return False
        pos += low >> 1
    return pos == end


def _rest(content: bytes, pos: int, low: int) -> tuple[int, int]:
    """The rest of a varint after two bytes with the continuation bit, `low`; and the position after it. One of more
    than five bytes is made odd: that is no length."""
    low -= 128 << 7
    for shift in (14, 21, 28):
        byte = content[pos]
        pos += 1
        low |= (byte & 127) << shift
        if byte < 128:
            return low, pos
    return 1, pos


class _Cursor:
    """Reads one field of all records, at a position for each. `good`: which records have been plain so far."""

    def __init__(self, content: npt.NDArray[np.uint8], pos: Ints) -> None:
        self.content = content
        self.pos = pos
        self.good = np.ones(len(pos), np.bool_)

    def byte(self, at: Ints) -> Ints:
        return self.content.take(at, mode="clip").astype(np.int64)

    def unsigned(self, width: int) -> Ints:
        """A varint, without zigzag."""
        number = self.byte(self.pos)
        self.pos = self.pos + 1
        more = np.flatnonzero(number > 127)
        if not len(more):
            return number
        number[more] &= 127
        shift = 7
        while len(more):
            byte = self.byte(self.pos[more])
            self.pos[more] += 1
            if shift == _LAST[width]:  # its last byte holds the bits that are left
                self.good[more] &= byte < (1 << width - shift)
            self.good[more] &= byte != 0
            number[more] |= (byte & 127) << shift
            more = more[byte > 127]
            shift += 7
            if shift > _LAST[width]:
                self.good[more] = False
                break
        return number

    def signed(self, width: int) -> Ints:
        number = self.unsigned(width)
        return (number.view(np.uint64) >> np.uint64(1)).view(np.int64) ^ -(number & 1)

    def octets(self, *, nullable: bool) -> Field:
        """A length and as many bytes."""
        raw = self.unsigned(32)
        null = raw & 1 == 1
        self.good &= ~null | (raw == 1 if nullable else False)
        size = np.where(null, -1, raw >> 1)
        at = self.pos
        self.pos = at + np.maximum(size, 0)
        return Field(at, size)


def _read_fields(content: bytes, begins: Ints, ends: Ints, plain: Flags, batch: Ints, starts: Ints) -> Columns:
    octets = np.frombuffer(content, np.uint8)
    end = np.append(starts[1:], 0)
    last = np.flatnonzero(np.append(batch[1:] != batch[:-1], True)) if len(batch) else np.zeros(0, np.int64)
    end[last[: len(batch)]] = ends[batch[last]]
    reader = _Cursor(octets, starts)
    reader.unsigned(32)
    reader.pos = reader.pos + 1  # attributes
    timestamp_delta = reader.signed(64)
    delta_at = reader.pos
    offset_delta = reader.signed(32)
    key = reader.octets(nullable=True)
    value = reader.octets(nullable=True)
    raw = reader.unsigned(32)
    count = np.where(raw & 1 == 0, raw >> 1, 0)
    reader.good &= (raw & 1 == 0) & (count <= MOST_HEADERS) & (reader.pos <= end)
    headers = _read_headers(reader, np.where(reader.good, count, 0))
    good = reader.good & (reader.pos == end)
    plain = plain.copy()
    plain[batch[~good]] = False
    _check_text(content, batch, plain, good, headers)
    kept = np.flatnonzero(plain[batch])
    there = np.flatnonzero(plain[batch[headers.record]])
    renumbered = np.cumsum(plain[batch]) - 1
    return Columns(
        content,
        begins,
        plain,
        batch[kept],
        timestamp_delta[kept],
        offset_delta[kept],
        delta_at[kept],
        _chosen(key, kept),
        _chosen(value, kept),
        count[kept],
        Headers(renumbered[headers.record[there]], _chosen(headers.key, there), _chosen(headers.value, there)),
    )


def _read_headers(reader: _Cursor, count: Ints) -> Headers:
    """The headers of all records, of which each has `count`; the reader moves behind them."""
    rounds = []
    left = np.flatnonzero(count)
    number = 0
    while len(left):
        inner = _Cursor(reader.content, reader.pos[left])
        key, value = inner.octets(nullable=False), inner.octets(nullable=True)
        reader.pos[left] = inner.pos
        reader.good[left] &= inner.good
        rounds.append((left, key.at, key.size, value.at, value.size))
        number += 1
        left = left[(count[left] > number) & inner.good]
    if not rounds:
        none = np.zeros(0, np.int64)
        return Headers(none, Field(none, none), Field(none, none))
    record, *columns = (np.concatenate(parts) for parts in zip(*rounds, strict=True))
    order = np.argsort(record, kind="stable")
    key_at, key_size, value_at, value_size = (column[order] for column in columns)
    return Headers(record[order], Field(key_at, key_size), Field(value_at, value_size))


def _check_text(content: bytes, batch: Ints, plain: Flags, good: Flags, headers: Headers) -> None:
    """Take batches out of `plain` in which a header's key is not UTF-8."""
    there = np.flatnonzero(good[headers.record] & plain[batch[headers.record]])
    keys = binary(content, _chosen(headers.key, there))
    try:
        keys.cast(pa.string())
    except pa.ArrowInvalid:
        pass
    else:
        return
    for index, key in zip(there, keys.to_pylist(), strict=True):
        try:
            key.decode()
        except UnicodeDecodeError:
            plain[batch[headers.record[index]]] = False


def _chosen(field: Field, rows: Ints) -> Field:
    return Field(field.at[rows], field.size[rows])


def binary(content: bytes, field: Field) -> pa.BinaryArray:
    """The bytes of a field, as an Arrow array with nulls. The field's places increase, without overlaps."""
    count = len(field.at)
    borders = np.empty(2 * count + 1, np.int32)
    borders[0:-1:2] = field.at
    borders[1::2] = field.at + np.maximum(field.size, 0)
    borders[-1] = borders[-2] if count else 0
    buffers = [None, pa.py_buffer(borders), pa.py_buffer(content)]
    between = pa.Array.from_buffers(pa.binary(), 2 * count, buffers)
    return between.take(pa.array(np.arange(0, 2 * count, 2), mask=field.size < 0))
