"""Judges the batches of a range of a segment.

Whether an entry is right is the reference's decision. What is plain passes by shorter ways, which accept only what the
reference accepts (`pipeline.audit.logs.columns`); everything else is read by the reference, whose error is the verdict.
Added are the rules that follow from a log: offset deltas increase inside a batch, offsets from batch to batch
(`pipeline.audit.logs.order`), and control records have a key and a value of their type.
"""

from __future__ import annotations

import functools
import itertools
import struct
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from crc32c import crc32c

from wireproof.pipeline.audit.findings import LogReason, Trouble, Verdict, failed
from wireproof.pipeline.audit.logs.columns import Columns, Field, read_columns
from wireproof.pipeline.audit.logs.messages import plain_messages
from wireproof.pipeline.audit.logs.order import LAST_DELTA_AT, Order
from wireproof.pipeline.audit.logs.segments import Bytes, Piece, Range, pieces
from wireproof.pipeline.audit.reading import USUAL, Reading
from wireproof.reference import DecodeError, Rules, catalog
from wireproof.reference.dialects.kafka import CatalogMessages
from wireproof.reference.records import batch as batch_format
from wireproof.reference.records import message_set
from wireproof.reference.records.compression import MASK, NAMES, CompressionError, inflate
from wireproof.reference.records.control import CONTROL, read_control
from wireproof.reference.rules import DEMANDED

# baseOffset length partitionLeaderEpoch magic crc attributes lastOffsetDelta baseTimestamp maxTimestamp producerId
# producerEpoch baseSequence recordsCount
_HEADER = struct.Struct(">qiibIhiqqqhii")
_CRC_END = 21
#: Inflated bytes and batches that are read together.
_BLOCK_BYTES, _BLOCK_BATCHES = 4 << 20, 20_000


@dataclass(slots=True)
class Entry:
    """A batch, a message or a wrapper, or bytes that are none of them (`magic` is None). Fields that a format does not
    have are None. `last_offset`: of its last record."""

    start: int
    end: int
    magic: int | None = None
    base_offset: int | None = None
    last_offset: int | None = None
    leader_epoch: int | None = None
    attributes: int | None = None
    base_timestamp: int | None = None
    max_timestamp: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    base_sequence: int | None = None
    count: int | None = None
    trouble: Trouble | None = None

    @property
    def verdict(self) -> Verdict:
        return Verdict.PASS if self.trouble is None else self.trouble.verdict

    @property
    def unread(self) -> bool:
        """Whether its records are not known."""
        return self.trouble is not None and self.trouble.unread


@dataclass(slots=True)
class Block:
    """Some entries that follow one another. `columns`: the records of those that are plain, for each of whose batches
    `owners` has the index of its entry. `others`: index of the entry → its records, as the reference's values with
    `offset` and `timestamp` added."""

    entries: list[Entry] = field(default_factory=list)
    columns: Columns | None = None
    owners: list[int] = field(default_factory=list)
    others: dict[int, list[dict[str, Any]]] = field(default_factory=dict)


def judge(
    data: Bytes, part: Range, first: int = 0, below: int | None = None, reading: Reading = USUAL
) -> Iterator[Block]:
    """The entries of this range, judged. `first`: the offset in the file's name; `below`: that in the next one's."""
    reader = _Reader(data, reading)
    order = Order(first if part.lead == 0 else 0, below)
    for block in reader.blocks(pieces(data, part.lead, part.start)):
        for entry in block.entries:
            if not entry.unread:
                order.add(entry)
    waiting: deque[Block] = deque()
    for block in reader.blocks(pieces(data, part.start, part.end)):
        for entry in block.entries:
            if not entry.unread:
                order.add(entry)
        waiting.append(block)
        undecided = order.undecided_from
        while waiting and (undecided is None or waiting[0].entries[-1].start < undecided):
            yield waiting.popleft()
    _look_ahead(reader, data, part.end, order)
    order.end()
    yield from waiting


def _look_ahead(reader: _Reader, data: Bytes, end: int, order: Order) -> None:
    """Tell the order of the next good entry after the range, which decides about the last one in it."""
    for piece in itertools.islice(pieces(data, end, len(data)), _AHEAD):
        for block in reader.blocks([piece]):
            if not block.entries[0].unread:
                order.add(block.entries[0])
                return


#: So many pieces after a range are looked at.
_AHEAD = 4


class _Reader:
    """Reads the entries of a file in blocks."""

    def __init__(self, data: Bytes, reading: Reading) -> None:
        self._data = data
        self._reading = reading

    def blocks(self, found: Iterable[Piece]) -> Iterator[Block]:
        """Blocks of bounded size: what a batch inflates to counts, so that none needs much more memory than one."""
        block, contents, counts, size = Block(), list[bytes](), list[int](), 0
        for piece in found:
            content = self._add(block, piece)
            if content is not None:
                contents.append(content)
                counts.append(block.entries[-1].count or 0)
                size += len(content)
            if size >= _BLOCK_BYTES or len(block.entries) >= _BLOCK_BATCHES:
                self._read_together(block, contents, counts)
                yield block
                block, contents, counts, size = Block(), [], [], 0
        if block.entries:
            self._read_together(block, contents, counts)
            yield block

    def _add(self, block: Block, piece: Piece) -> bytes | None:
        """Add the entry of a piece. Returns its inflated records if they can be read together with others'."""
        if piece.trouble is not None:
            block.entries.append(self._with_header(piece))
            return None
        raw = self._data[piece.start : piece.end]
        entry, content = _plain_batch(raw, piece, self._reading.rules)
        block.entries.append(entry)
        number = len(block.entries) - 1
        if content is not None:
            block.owners.append(number)
            return content
        messages = plain_messages(raw, entry.magic, self._reading.rules) if entry.magic in message_set.MAGICS else None
        if messages is None:
            self._judge_odd(block, number, raw)
        else:
            _count_messages(entry, messages)
            block.others[number] = messages
        return None

    def _read_together(self, block: Block, contents: list[bytes], counts: list[int]) -> None:
        if not contents:
            return
        columns = read_columns(contents, counts)
        block.columns = columns
        for index in np.flatnonzero(~columns.plain):
            number = block.owners[int(index)]
            entry = block.entries[number]
            self._judge_odd(block, number, self._data[entry.start : entry.end])
        _check_deltas(block, columns)
        _check_control(block, columns)

    def _judge_odd(self, block: Block, number: int, raw: bytes) -> None:
        """Have the reference read an entry."""
        entry = block.entries[number]
        values, entry.trouble = self._reading.read("RecordSet", raw, entry.start)
        if values is None:
            return
        (value,) = values
        is_batch = value["magic"] == batch_format.MAGIC
        records = _batch_records(value) if is_batch else _message_records(entry, value)
        entry.trouble = _in_order(entry, value) or _controls(entry, value) or entry.trouble
        if not entry.unread:
            block.others[number] = records

    def _with_header(self, piece: Piece) -> Entry:
        """An entry for bytes in which something is wrong; with its header where its length alone is."""
        entry = Entry(piece.start, piece.end)
        if piece.trouble is not None and piece.trouble.reason == "length-mismatch":
            entry, _ = _plain_batch(self._data[piece.start : piece.start + _HEADER.size], piece, self._reading.rules)
        entry.trouble = piece.trouble
        return entry


def _plain_batch(raw: bytes, piece: Piece, rules: Rules) -> tuple[Entry, bytes | None]:
    """The entry with its header, and its inflated records; None where the reference has to read it."""
    if len(raw) < _HEADER.size or raw[16] != batch_format.MAGIC:
        return _message(raw, piece), None
    (
        base,
        _,
        epoch,
        magic,
        crc,
        attributes,
        last,
        base_time,
        max_time,
        producer,
        producer_epoch,
        sequence,
        count,
    ) = _HEADER.unpack_from(raw)
    entry = Entry(
        piece.start,
        piece.end,
        magic,
        base,
        base + last,
        epoch,
        attributes,
        base_time,
        max_time,
        producer,
        producer_epoch,
        sequence,
        count,
    )
    codec = attributes & MASK
    if codec >= len(NAMES) or count < 0 or crc32c(memoryview(raw)[_CRC_END:]) != crc:
        return entry, None
    content = raw[_HEADER.size :]
    if codec and content:
        try:
            return entry, inflate(codec, content, rules)
        except CompressionError:
            return entry, None
    return entry, content


def _message(raw: bytes, piece: Piece) -> Entry:
    """A message of magic 0 or 1, or of a magic that does not exist."""
    magic = int.from_bytes(raw[16:17], "big", signed=True)
    offset = int.from_bytes(raw[:8], "big", signed=True)
    entry = Entry(piece.start, piece.end, magic, offset, offset)
    if magic in (0, 1):
        entry.attributes = int.from_bytes(raw[17:18], "big", signed=True)
        if magic:
            entry.base_timestamp = entry.max_timestamp = int.from_bytes(raw[18:26], "big", signed=True)
    return entry


# --- Rules of a log ---------------------------------------------------------------------------------------------------


def _check_deltas(block: Block, columns: Columns) -> None:
    """Offset deltas increase, from 0 at the least to lastOffsetDelta at the most."""
    lasts = [_last_delta(block.entries[number]) for number in block.owners]
    for number, last in zip(block.owners, lasts, strict=True):
        if last < 0:
            entry = block.entries[number]
            entry.trouble = entry.trouble or _negative_last(entry)
    delta, owner = columns.offset_delta, columns.batch
    if not len(delta):
        return
    wrong = (delta < 0) | (delta > np.array(lasts)[owner])
    wrong[1:] |= (owner[1:] == owner[:-1]) & (delta[1:] <= delta[:-1])
    for row in np.flatnonzero(wrong):
        index = int(owner[row])
        entry = block.entries[block.owners[index]]
        if entry.trouble is None:
            inside = 0 if (entry.attributes or 0) & MASK else int(columns.delta_at[row] - columns.begins[index])
            first = int(np.searchsorted(owner, index))
            entry.trouble = _wrong_delta(entry, int(row) - first, int(delta[row]), inside)


def _last_delta(entry: Entry) -> int:
    return (entry.last_offset or 0) - (entry.base_offset or 0)


def _negative_last(entry: Entry) -> Trouble:
    return failed(LogReason.OFFSET_DELTA, entry.start + LAST_DELTA_AT, f"lastOffsetDelta {_last_delta(entry)}")


def _wrong_delta(entry: Entry, number: int, delta: int, inside: int) -> Trouble:
    detail = (
        f"records[{number}].offsetDelta {delta}; it has to be above that of the record before, and at most "
        f"lastOffsetDelta {_last_delta(entry)}"
    )
    return failed(LogReason.OFFSET_DELTA, entry.start + _HEADER.size + inside, detail)


def _in_order(entry: Entry, value: Mapping[str, Any]) -> Trouble | None:
    """The same for a batch that the reference read; it has no offsets of single records."""
    if value["magic"] != batch_format.MAGIC:
        return None
    if value["lastOffsetDelta"] < 0:
        return _negative_last(entry)
    before = -1
    for number, record in enumerate(value["records"]):
        delta = record["offsetDelta"]
        if not before < delta <= value["lastOffsetDelta"]:
            return _wrong_delta(entry, number, delta, 0)
        before = delta
    return None


def _check_control(block: Block, columns: Columns) -> None:
    """The keys and values of control records."""
    for index, number in enumerate(block.owners):
        entry = block.entries[number]
        if not (entry.attributes or 0) & CONTROL or entry.trouble is not None or not columns.plain[index]:
            continue
        compressed = (entry.attributes or 0) & MASK
        for row in range(*np.searchsorted(columns.batch, (index, index + 1))):
            places = {"key": columns.key, "value": columns.value}
            record = {name: _octets(columns.content, one.at[row], one.size[row]) for name, one in places.items()}
            fault = _control_fault(record)
            if fault is not None and entry.trouble is None:
                where = 0 if compressed else _begin(places[fault[0]], row) - int(columns.begins[index])
                detail = f"{fault[0]} of a control record: {fault[1]}"
                entry.trouble = failed(LogReason.CONTROL_RECORD, entry.start + _HEADER.size + where, detail)


def _begin(place: Field, row: int) -> int:
    """Where the bytes begin; of null its length."""
    return int(place.at[row]) - int(place.size[row] < 0)


def _octets(content: bytes, at: Any, size: Any) -> bytes | None:
    return None if size < 0 else content[int(at) : int(at + size)]


def _controls(entry: Entry, value: Mapping[str, Any]) -> Trouble | None:
    """The same for a batch that the reference read."""
    if value["magic"] != batch_format.MAGIC or not value["attributes"] & CONTROL:
        return None
    for record in value["records"]:
        fault = _control_fault(record)
        if fault is not None:
            detail = f"{fault[0]} of a control record: {fault[1]}"
            return failed(LogReason.CONTROL_RECORD, entry.start + _HEADER.size, detail)
    return None


def _control_fault(record: Mapping[str, Any]) -> tuple[str, str] | None:
    """The field at fault, "key" or "value", and what is wrong with it; None if nothing is."""
    try:
        control = read_control(record, _messages(), DEMANDED)
    except DecodeError as error:
        return "key" if error.path == "key" else "value", error.detail
    return ("key", f"version {control.version}") if control.version < 0 else None


@functools.cache
def _messages() -> CatalogMessages:
    return CatalogMessages(catalog.current())


# --- Records of entries that the reference read -----------------------------------------------------------------------


def _batch_records(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **record,
            "offset": value["baseOffset"] + record["offsetDelta"],
            "timestamp": value["baseTimestamp"] + record["timestampDelta"],
        }
        for record in value["records"]
    ]


def _message_records(entry: Entry, value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of a wrapper, or the message itself."""
    messages = value.get("messages", [value])
    _count_messages(entry, messages)
    return [{**message, "timestamp": message.get("timestamp"), "headers": []} for message in messages]


def _count_messages(entry: Entry, messages: Sequence[Mapping[str, Any]]) -> None:
    """Set the entry's count and first offset. A wrapper that no broker stored may have no offset of its own."""
    entry.count = len(messages)
    if messages[-1]["offset"] == entry.last_offset:
        entry.base_offset = messages[0]["offset"]
