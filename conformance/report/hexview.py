"""An annotated hex dump: rows of offset, hex, label and value, with faults marked at their offset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from wireproof.conformance.report.text import brief, middle, safe, wrap
from wireproof.reference.cursor import MOST_SPANS, Span

if TYPE_CHECKING:
    from wireproof.conformance.vectors import Piece  # its package costs more than `wireproof explain` needs

#: Bytes on one line. A piece of more lines than this is cut in the middle.
PER_LINE = 8
_LINES_OF_PIECE = 3
#: The widths of the columns for the offset and the hex digits, and of the space between columns.
_OFFSET = 6
_HEX = PER_LINE * 3 - 1
_GAP = 2
_LEFT = _OFFSET + _GAP + _HEX + _GAP
#: The width of the column of values.
_VALUE_COLUMN = 12

#: The styles of all reports.
FAULT = "bold red"
GOOD = "green"
BAD = "red"
DIM = "dim"
LABEL = "cyan"
VALUE = "bold"


@dataclass(frozen=True, slots=True)
class Row:
    """Bytes from `offset` on, with their label, their kind (`what`) and their value. A row without an offset is a
    heading. `depth`: the indentation; `path`: the full name, for layouts without indentation. `column`: the width of
    the label's column, if value and kind have columns too; 0: they follow the label.
    """

    offset: int | None
    data: bytes
    label: str
    what: str = ""
    value: str = ""
    depth: int = 0
    path: str = ""
    column: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """A note on the byte at `offset`, which may be the first one after the end."""

    offset: int
    text: str
    style: str = FAULT


def piece_rows(pieces: Iterable[Piece]) -> list[Row]:
    """A vector's pieces as rows."""
    rows: list[Row] = []
    offset = 0
    for piece in pieces:
        rows.append(Row(offset, piece.data, piece.label))
        offset += len(piece.data)
    return rows


_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")


def steps(path: str) -> list[str]:
    """`ApiKeys[2].MinVersion` → `["ApiKeys", "[2]", "MinVersion"]`."""
    return _STEP.findall(path)


def span_rows(spans: Sequence[Span], data: bytes) -> list[Row]:
    """A decoder's spans as rows: fields stand under the field that contains them. Bytes between spans get a row too."""
    rows: list[Row] = []
    above: list[str] = []
    before: str | None = None
    parents = _parents(spans)
    position = 0
    for span in spans:
        if span.start > position:
            rows.append(Row(position, data[position : span.start], "(not named)"))
        path = steps(span.path)
        tags = path[-1:] == ["_tags"]  # the parts of a tag buffer need no heading
        # A field whose parts have their own paths is a heading above them; its own spans stand under the heading.
        heads = path if span.path in parents and not tags else path[:-1]
        fresh = range(_common(heads, above), len(heads))
        rows += [Row(None, b"", safe(heads[depth]), depth=depth) for depth in fresh]
        above = heads
        named = bool(path) and not tags and len(heads) < len(path) and span.path != before
        depth = len(heads) + (span.path == before and not tags and len(heads) < len(path))
        rows.append(
            Row(
                offset=span.start,
                data=data[span.start : span.end],
                label=safe(path[-1]) if named else "",
                what=safe(span.what),
                value=brief(span.value, 60),
                depth=depth,
                path=safe(span.path),
            )
        )
        before = span.path
        position = max(position, span.end)
    return rows


def rest_label(spans: Sequence[Span]) -> str:
    """The name for bytes after the last span."""
    if len(spans) >= MOST_SPANS:
        return f"(after the first {MOST_SPANS} fields)"
    return "(not read)" if spans else ""


def _parents(spans: Iterable[Span]) -> set[str]:
    """Paths that have spans below them."""
    parents: set[str] = set()
    for path in {span.path for span in spans}:
        parts = steps(path)
        for length in range(1, len(parts)):
            parents.add(join(parts[:length]))
    return parents


def join(parts: Sequence[str]) -> str:
    """The inverse of `steps`."""
    text = ""
    for part in parts:
        text += part if part.startswith("[") or not text else f".{part}"
    return text


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def hex_dump(rows: Sequence[Row], *, width: int, marks: Sequence[Mark] = (), limit: int | None = None) -> Text:
    """Rows as lines, with each mark under its byte.

    `limit`: the maximum number of rows; those around the marks, or else the first ones, are kept.
    """
    out = Text()
    kept, pending = _kept(rows, marks, limit), sorted(marks, key=lambda mark: mark.offset)
    end = max((row.offset + len(row.data) for row in rows if row.offset is not None), default=0)
    skipped = 0
    for index, row in enumerate(rows):
        if index not in kept:
            skipped += 1
            continue
        _append_gap(out, skipped)
        skipped = 0
        mine = [mark for mark in pending if _within(mark, row)]
        pending = [mark for mark in pending if mark not in mine]
        _append_row(out, row, mine, width)
    _append_gap(out, skipped)
    for mark in pending:
        _append_line(out, min(mark.offset, end), "", Text("(the input ends here)", DIM))
        _append_mark(out, 0, mark, width)
    out.rstrip()
    return out


def _within(mark: Mark, row: Row) -> bool:
    return row.offset is not None and row.offset <= mark.offset < row.offset + len(row.data)


def _kept(rows: Sequence[Row], marks: Sequence[Mark], limit: int | None) -> set[int]:
    """The rows to show when there are too many."""
    if limit is None or len(rows) <= limit:
        return set(range(len(rows)))
    centre = next((index for index, row in enumerate(rows) for mark in marks if _within(mark, row)), None)
    if centre is None:
        centre = len(rows) - 1 if marks else 0
    first = max(0, min(centre - (limit - 2) // 2, len(rows) - (limit - 2)))
    return {0, 1, *range(first, first + limit - 2)}


def _append_gap(out: Text, skipped: int) -> None:
    if skipped:
        out.append(f"{'':>{_OFFSET + _GAP}}… {skipped} {'row' if skipped == 1 else 'rows'} not shown …\n", DIM)


def _append_row(out: Text, row: Row, marks: Sequence[Mark], width: int) -> None:
    label = _columns(row, width) if row.column else _label(row, width)
    if row.offset is None:
        for line in label if row.column else [_heading(row)]:
            _append_line(out, None, "", line)
        return
    chunks = chunked(row.data, {mark.offset - row.offset for mark in marks})
    for number, (start, chunk) in enumerate(chunks):
        beside = label[number] if number < len(label) else Text()
        if chunk is None:
            _append_line(out, None, f"… {start} bytes …", beside)
            continue
        _append_line(out, row.offset + start, chunk.hex(" "), beside)
        for mark in marks:
            within = mark.offset - row.offset - start
            if 0 <= within < max(len(chunk), 1):
                _append_mark(out, within, mark, width)
    for beside in label[len(chunks) :]:
        _append_line(out, None, "", beside)


def _heading(row: Row) -> Text:
    out = Text("  " * row.depth).append(row.label, LABEL)
    return out.append(f"  {row.what}", DIM) if row.what else out


def _columns(row: Row, width: int) -> list[Text]:
    """Label, value and kind, each in its column; a value that does not fit goes below."""
    indent = "  " * row.depth
    room = max(width - _LEFT - len(indent), 20)
    lines = [Text(f"{indent}{row.label:<{row.column}}")]
    free = room - max(len(row.label), row.column) - _GAP
    if len(row.value) <= free:
        spare = free - (_GAP + len(row.what) if row.what else 0)
        padded = f"{row.value:<{min(_VALUE_COLUMN, max(spare, 0))}}"
        lines[0].append(" " * _GAP).append(padded, VALUE)
        free -= len(padded)
    else:
        below = wrap(middle(row.value, 4 * room), room - _GAP)
        lines += [Text(indent + " " * _GAP).append(line, VALUE) for line in below]
        free = room - _GAP - len(below[-1])
    if row.what and _GAP + len(row.what) > free:
        lines.append(Text(indent))
    if row.what:
        lines[-1].append(" " * _GAP).append(row.what, DIM)
    return lines


def _label(row: Row, width: int) -> list[Text]:
    """Label, kind and value in the right column, wrapped."""
    indent = "  " * row.depth
    room = max(width - _LEFT - len(indent), 20)
    lines = [Text(indent + line) for line in wrap(safe(row.label), room)] or [Text(indent)]
    for text, style in ((row.what, DIM), (middle(row.value, room), VALUE)):
        if not text:
            continue
        filled = len(lines[-1].plain) - len(indent)
        if filled and filled + 2 + len(text) > room:
            lines.append(Text(indent))
            filled = 0
        lines[-1].append("  " if filled else "").append(text, style)
    return lines if any(line.plain.strip() for line in lines) else []


def chunked(data: bytes, focus: Iterable[int] = (), per_line: int = PER_LINE) -> list[tuple[int, bytes | None]]:
    """Data in lines: (start, bytes), or (count, None) for `count` bytes that are left out.

    Long data keeps its first line, its last line and the lines with a byte of `focus`.
    """
    starts = range(0, max(len(data), 1), per_line)
    if len(starts) <= _LINES_OF_PIECE:
        return [(start, data[start : start + per_line]) for start in starts]
    wanted = {0, len(starts) - 1, *(min(at // per_line, len(starts) - 1) for at in focus)}
    lines: list[tuple[int, bytes | None]] = []
    before = -1
    for number in sorted(wanted):
        if number - before > 1:
            lines.append(((number - before - 1) * per_line, None))
        lines.append((starts[number], data[starts[number] : starts[number] + per_line]))
        before = number
    return lines


def _append_line(out: Text, offset: int | None, digits: str, beside: Text) -> None:
    out.append(f"{'' if offset is None else offset:>{_OFFSET}}", DIM).append(" " * _GAP)
    out.append(f"{digits:<{_HEX}}" if beside.plain else digits)
    if beside.plain:
        out.append(" " * _GAP).append_text(beside)
    out.append("\n")


def _append_mark(out: Text, within: int, mark: Mark, width: int) -> None:
    """Carets under the byte, with the text beside them, continued on the next lines."""
    indent = _OFFSET + _GAP + within * 3
    first, *rest = wrap(safe(mark.text), width - indent - 3) or [""]
    out.append(" " * indent).append(f"^^ {first}\n", mark.style)
    for line in rest:
        out.append(" " * (indent + 3)).append(f"{line}\n", mark.style)
