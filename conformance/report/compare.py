"""Two byte strings side by side, piece by piece, with a mark and a name for the first difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from wireproof.conformance.report.hexview import BAD, DIM, FAULT, GOOD, PER_LINE, Row, chunked
from wireproof.conformance.report.text import safe, wrap

_OFFSET = 6
_GAP = 2
#: From this width on a line has as many bytes as in a dump; a narrower one has half of them.
_WIDE = 80
#: The number of equal rows shown before the first different one, and of rows after it.
_BEFORE, _AFTER = 4, 8


@dataclass(frozen=True, slots=True)
class PiecePair:
    """One piece on both sides. `left_offset`, `right_offset`: the beginning of the piece on that side."""

    label: str
    left_offset: int
    left: bytes
    right_offset: int
    right: bytes

    @property
    def same(self) -> bool:
        """Whether both sides have the same bytes."""
        return self.left == self.right


def first_difference(left: bytes, right: bytes) -> int | None:
    """The index of the first different byte; if one is the beginning of the other, its length; None if they are
    equal."""
    if left == right:
        return None
    faced = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in faced if one != other), _least(left, right))


def _least(left: bytes, right: bytes) -> int:
    return min(len(left), len(right))


def pairs(left: bytes, right: bytes, rows: Sequence[Row]) -> list[PiecePair]:
    """Both sides, divided like the pieces of the left one.

    The longest common beginning and the longest common end are matched first. Between them bytes are matched in order;
    extra bytes of one side go to the last piece there, or into a row of their own between two pieces.
    """
    head = first_difference(left, right)
    if head is None:
        head = len(left)
    tail = 0
    while tail < _least(left, right) - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    bounds = _bounds(rows, len(left))
    if len(bounds) == 1 and head < len(left):
        return [PiecePair(bounds[0][2], 0, left, 0, right)]
    shift = len(right) - len(left)
    result: list[PiecePair] = []
    done = 0
    for start, end, label in bounds:
        begin = _moved(start, head, len(left) - tail, shift, len(right) - tail, opening=True)
        stop = _moved(end, head, len(left) - tail, shift, len(right) - tail, opening=False)
        if begin > done:
            result.append(PiecePair("(nothing belongs here)", start, b"", done, right[done:begin]))
        result.append(PiecePair(label, start, left[start:end], begin, right[begin:stop]))
        done = stop
    if done < len(right):
        result.append(PiecePair("(nothing belongs here)", len(left), b"", done, right[done:]))
    return result


def _bounds(rows: Sequence[Row], length: int) -> list[tuple[int, int, str]]:
    bounds = [(row.offset, row.offset + len(row.data), row.label) for row in rows if row.offset is not None]
    covered = bounds[-1][1] if bounds else 0
    if covered < length:
        bounds.append((covered, length, ""))
    return bounds


def _moved(at: int, head: int, tail_start: int, shift: int, right_tail: int, *, opening: bool) -> int:
    """The offset on the right of a piece's begin (`opening`) or end on the left."""
    if at < head:
        return at
    if at > tail_start or (at == tail_start and (opening or at > head)):
        return at + shift
    return min(at, right_tail)


def side_by_side(
    left: bytes, right: bytes, rows: Sequence[Row], *, width: int, titles: tuple[str, str] = ("expected", "actual")
) -> Text:
    """The comparison as lines, with carets under the first different byte. `rows` name the pieces of the left side."""
    table = pairs(left, right, rows)
    columns = _Columns(width)
    columns.titles(titles)
    first = next((index for index, pair in enumerate(table) if not pair.same), len(table))
    start = max(0, first - _BEFORE)
    if first - start < first:
        columns.note(f"… {start} pieces alike, bytes 0 to {table[start].left_offset - 1} …")
    for index, pair in enumerate(table[start : first + _AFTER + 1], start):
        columns.pair(pair, caret=index == first)
    rest = table[first + _AFTER + 1 :]
    if rest:
        columns.note(f"… {len(rest)} pieces {'alike' if all(pair.same for pair in rest) else 'more'} …")
    columns.out.rstrip()
    return columns.out


class _Columns:
    """Lays out offset, left, right and label."""

    def __init__(self, width: int) -> None:
        self.out = Text()
        self.bytes = PER_LINE if width >= _WIDE else PER_LINE // 2
        self.hex = 3 * self.bytes - 1
        self.label = max(width - _OFFSET - 3 * _GAP - 2 * self.hex, 12)

    def titles(self, titles: tuple[str, str]) -> None:
        left, right = titles
        self.out.append(f"{'byte':>{_OFFSET}}{'':{_GAP}}{left:<{self.hex}}{'':{_GAP}}{right}\n", DIM)

    def note(self, text: str) -> None:
        self.out.append(f"{'':{_OFFSET + _GAP}}{text}\n", DIM)

    def pair(self, pair: PiecePair, *, caret: bool) -> None:
        """A piece; with `caret`, there is one under its first different byte."""
        at = first_difference(pair.left, pair.right)
        longest = pair.left if len(pair.left) >= len(pair.right) else pair.right
        labels = wrap(safe(pair.label), self.label)
        lines = chunked(longest, () if at is None else (at,), self.bytes)
        for number, (start, chunk) in enumerate(lines):
            beside = labels[number] if number < len(labels) else ""
            if chunk is None:
                self._line("", Text(f"… {start} bytes …", DIM), Text(), beside)
                continue
            left, right = (side[start : start + self.bytes] for side in (pair.left, pair.right))
            offset = f"{pair.left_offset + start}" if number == 0 or start < len(pair.left) else ""
            self._line(offset, _digits(left, right, GOOD), _digits(right, left, BAD), beside)
            if caret and at is not None and start <= at < start + self.bytes:
                within = " " * (3 * (at - start)) + "^^"
                self.out.append(f"{'':{_OFFSET + _GAP}}{within:<{self.hex}}{'':{_GAP}}{within}\n", FAULT)
        for beside in labels[len(lines) :]:
            self._line("", Text(), Text(), beside)

    def _line(self, offset: str, left: Text, right: Text, label: str) -> None:
        line = Text().append(f"{offset:>{_OFFSET}}", DIM).append(" " * _GAP)
        line.append_text(left).append(" " * (self.hex - left.cell_len + _GAP)).append_text(right)
        if label:
            line.append(" " * (self.hex - right.cell_len + _GAP)).append(label)
        line.rstrip()
        self.out.append_text(line).append("\n")


def _digits(mine: bytes, other: bytes, style: str) -> Text:
    """One line of one side: different bytes in colour, `--` where only the other side has a byte."""
    text = Text()
    for at in range(max(len(mine), len(other))):
        here = mine[at] if at < len(mine) else None
        there = other[at] if at < len(other) else None
        digits = "--" if here is None else f"{here:02x}"
        text.append(digits, "" if here == there else style).append(" ")
    text.rstrip()
    return text


def name_difference(left: bytes, right: bytes, rows: Sequence[Row]) -> str:
    """The first difference in words, with the name of its piece."""
    at = first_difference(left, right)
    if at is None:
        return "no difference"
    if at >= len(left):
        return f"byte {at}, after the last expected one: {_many(len(right) - at)} too many, {_few(right[at:])}"
    place = f"byte {at}"
    pair = next(pair for pair in pairs(left, right, rows) if not pair.same)
    if pair.label and pair.left:
        place += f', in "{pair.label}"'
        if len(pair.left) > 1 and at < pair.left_offset + len(pair.left):
            place += f" (byte {at - pair.left_offset + 1} of {len(pair.left)})"
    if at >= len(right):
        return f"{place}: the actual bytes end there, {_many(len(left) - at)} short"
    return f"{place}: expected {left[at]:02x}, got {right[at]:02x}"


def _few(data: bytes) -> str:
    return data[:8].hex(" ") + (" …" if len(data) > 8 else "")


def _many(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"
