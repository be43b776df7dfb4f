"""The layout of an input, and a draft that puts changed parts together again.

The reference reads the input and gives spans. The layout is a row of pieces: the spans, and the bytes between them.
Windows (a size and the bytes that it counts), checksums, lists (elements, perhaps with a count) and tags refer to
pieces. If the input is refused, its layout is known up to the fault; a wrong CRC does not stop the reading.
"""

from __future__ import annotations

import functools
import itertools
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from crc32c import crc32c

from wireproof.conformance.generation.mutations.forms import NumberForm, form_of
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference import dialect_named
from wireproof.reference.cursor import Span
from wireproof.reference.errors import DecodeError, Reason

T = TypeVar("T")

#: Longer inputs have no layout, and only random bytes change: a mutation has to be quick.
LARGEST = 1 << 14
#: The number of cached layouts: a fuzzer changes the same inputs again and again.
_KEPT = 512
#: The number of wrong CRCs that do not stop the reading.
_MOST_CRCS = 4
_SIZES = re.compile(r"(?i).*(size|length)( \+ 1)?")
_CONTENTS = re.compile(r"(gzip|snappy|lz4|zstd) content")
#: Counts with another name than their list.
_COUNTED = {"recordsCount": "records"}
_INDEX = re.compile(r"\[\d+\]")


@dataclass(slots=True)  # not frozen: thousands are made a second, and that would take three times the time
class LayoutPiece:
    """Bytes of an input from `start` up to `end`: their path, what they are, their value, and the form of an integer.
    Bytes without a span have none of these."""

    start: int
    end: int
    path: str = ""
    what: str = ""
    value: Any = None
    form: NumberForm | None = None

    @property
    def bias(self) -> int:
        """The difference between the number on the wire and its meaning: 1 for a compact length or count."""
        return int(self.what.endswith("+ 1"))


@dataclass(frozen=True, slots=True)
class Window:
    """A size: the piece `size` has the number of bytes in the pieces from `first` up to `stop`."""

    size: int
    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class Checksum:
    """The piece `at` has the CRC of the pieces after it up to `stop`."""

    at: int
    stop: int
    algorithm: Callable[[bytes], int]


@dataclass(frozen=True, slots=True)
class Elements:
    """A list: the range of each element's pieces, and the piece with the count, if any. `path`: without indexes, so
    lists with the same path have the same type. `first`: the piece before which a first element is inserted."""

    path: str
    count: int | None
    elements: tuple[range, ...]
    first: int


@dataclass(frozen=True, slots=True)
class Layout:
    """An input, and all that is known of its parts."""

    dialect: str
    type: str
    version: int | None
    data: bytes
    pieces: tuple[LayoutPiece, ...]
    windows: tuple[Window, ...] = ()
    checksums: tuple[Checksum, ...] = ()
    lists: tuple[Elements, ...] = ()
    tags: tuple[Elements, ...] = ()
    error: DecodeError | None = None
    #: The bytes of each piece: made once, because an input is changed many times.
    raws: tuple[bytes, ...] = field(init=False, repr=False, compare=False)
    #: Sizes and CRCs with their pieces, inner ones before those that enclose them.
    enclosing: tuple[tuple[int, Window | Checksum], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        raws = tuple(self.data[piece.start : piece.end] for piece in self.pieces)
        steps = [*((one.size, one) for one in self.windows), *((one.at, one) for one in self.checksums)]
        object.__setattr__(self, "raws", raws)
        object.__setattr__(self, "enclosing", tuple(sorted(steps, key=lambda step: step[0], reverse=True)))

    def raw(self, index: int) -> bytes:
        """A piece's bytes."""
        return self.raws[index]

    def where(self, *whats: str) -> list[int]:
        """The pieces with one of these names (`what`)."""
        return [index for index, piece in enumerate(self.pieces) if piece.what in whats]

    def window_of(self, size: int) -> Window | None:
        """The window with this piece as its size."""
        return next((window for window in self.windows if window.size == size), None)

    def contents(self) -> list[int]:
        """The pieces with compressed content."""
        return [index for index, piece in enumerate(self.pieces) if _CONTENTS.fullmatch(piece.what)]

    def kind(self, index: int) -> str:
        """A piece's path without indexes."""
        return _INDEX.sub("[]", self.pieces[index].path)


class Draft:
    """Changes to a layout: `put` changes a piece, `insert` adds bytes between pieces, `data` puts all together."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.parts = [*layout.raws]
        self.changed: set[int] = set()
        #: Before which piece; of which it shares what encloses it, doubled, so that a place behind one lies between.
        self._inserted: list[tuple[int, int, bytes]] = []

    def put(self, index: int, content: bytes) -> None:
        """Replace a piece's bytes."""
        self.parts[index] = content
        self.changed.add(index)

    def put_number(self, index: int, number: int) -> None:
        """Replace an integer, in its form."""
        form = self.layout.pieces[index].form
        assert form is not None
        self.put(index, form.write(number))

    def put_range(self, taken: range, content: bytes) -> None:
        """Replace the bytes of adjacent pieces."""
        for index in taken:
            self.put(index, b"")
        self.parts[taken.start] = content

    def insert(self, index: int, content: bytes, *, beside: int | None = None) -> None:
        """Insert bytes before a piece. They are in the same windows as the piece `beside`; without it, in those of the
        piece before them, and in the window of which that piece is the size."""
        self._inserted.append((index, 2 * index - 1 if beside is None else 2 * beside, content))

    def text(self, taken: range) -> bytes:
        """The current bytes of these pieces, with inserted ones between them."""
        if not self._inserted:
            return b"".join(self.parts[taken.start : taken.stop])
        among: dict[int, bytes] = {}
        for index, level, content in self._inserted:
            if taken.start <= index <= taken.stop and 2 * taken.start - 1 <= level < max(2 * taken.stop, 1):
                among[index] = among.get(index, b"") + content
        rows = (among.get(index, b"") + self.parts[index] for index in taken)
        return b"".join(rows) + among.get(taken.stop, b"")

    def count(self, elements: Elements, by: int) -> None:
        """Add a number to a list's count, if it has one."""
        if elements.count is not None:
            piece = self.layout.pieces[elements.count]
            self.put_number(elements.count, max(piece.value, piece.bias) + by)  # of null too

    def data(self, *, mend: bool) -> bytes:
        """All bytes together. `mend`: correct each size and each CRC that was not changed itself."""
        if mend:
            self._mend()
        return self.text(range(len(self.parts)))

    def _mend(self) -> None:
        layout = self.layout
        for index, one in layout.enclosing:
            if index in self.changed:
                continue
            if isinstance(one, Checksum):
                number = one.algorithm(self.text(range(index + 1, one.stop)))
                self.parts[index] = number.to_bytes(4, "big")
                continue
            piece = layout.pieces[index]
            assert piece.form is not None
            size = len(self.text(range(one.first, one.stop)))
            if size != piece.value - piece.bias:  # one that is right keeps its bytes, overlong ones too
                self.parts[index] = piece.form.write(size + piece.bias)


#: (an input, a source of random choices, a second input of the same type or None) → the input with one change, before
#: sizes and CRCs are corrected; None where the mutation does not apply.
Mutation = Callable[[Layout, Random, Layout | None], Draft | None]


def pick(random: Random, options: Sequence[T]) -> T | None:
    """One of the options; None if there are none."""
    return random.choice(options) if options else None


def layout_of(data: bytes, dialect: str, type_name: str, version: int | None) -> Layout | None:
    """The layout of an input. None for an unknown type, and for an input that is too long."""
    return None if len(data) > LARGEST else _layout_of(bytes(data), dialect, type_name, version)


@functools.lru_cache(_KEPT)
def _layout_of(data: bytes, dialect: str, type_name: str, version: int | None) -> Layout | None:
    read = data
    for _ in range(_MOST_CRCS + 1):
        try:
            explained = reference_codec().explain(type_name, read, dialect=dialect, version=version)
        except (NotImplementedError, ValueError):
            return None
        layout = _of_spans(explained.spans, read, dialect, type_name, version, explained.error)
        error = explained.error
        wrong = next((one for one in layout.checksums if error and layout.pieces[one.at].start == error.offset), None)
        if error is None or error.reason != Reason.CRC_MISMATCH or wrong is None:
            break
        draft = Draft(layout)
        draft.put(wrong.at, wrong.algorithm(draft.text(range(wrong.at + 1, wrong.stop))).to_bytes(4, "big"))
        read = draft.data(mend=False)
    return Layout(dialect, type_name, version, data, *(getattr(layout, name) for name in _PARTS))


_PARTS = ("pieces", "windows", "checksums", "lists", "tags", "error")


def _of_spans(
    spans: Sequence[Span], data: bytes, dialect: str, type_name: str, version: int | None, error: DecodeError | None
) -> Layout:
    pieces = tuple(_pieces(spans, data, unsigned_lengths=dialect_named(dialect).unsigned_lengths))
    starts = {piece.start: index for index, piece in enumerate(pieces)} | {len(data): len(pieces)}
    windows = tuple(_windows(pieces, starts))
    checksums = tuple(_checksums(pieces, windows, data))
    lists = tuple(_lists(pieces))
    tags = (*_tags(pieces, windows), *_optional_fields(pieces, windows))
    return Layout(dialect, type_name, version, data, pieces, windows, checksums, lists, tags, error)


def _pieces(spans: Sequence[Span], data: bytes, *, unsigned_lengths: bool) -> Iterator[LayoutPiece]:
    """The spans, and the bytes between them, cut where a window ends."""
    ends: list[int] = []
    at = 0
    for span in sorted(spans, key=lambda one: one.start):
        if span.start < at or span.end <= span.start:  # a span in a span
            continue
        if at < span.start:
            yield from _unread(at, span.start, ends)
        raw = data[span.start : span.end]
        form = form_of(raw, span.value, span.what, unsigned_lengths=unsigned_lengths)
        piece = LayoutPiece(span.start, span.end, span.path, span.what, span.value, form)
        if _is_size(piece):
            ends.append(span.end + span.value - piece.bias)
        yield piece
        at = span.end
    if at < len(data):
        yield from _unread(at, len(data), ends)


def _unread(start: int, end: int, ends: Sequence[int]) -> Iterator[LayoutPiece]:
    borders = sorted({start, end, *(border for border in ends if start < border < end)})
    for first, second in itertools.pairwise(borders):
        yield LayoutPiece(first, second)


def _is_size(piece: LayoutPiece) -> bool:
    return _names_size(piece.what) and piece.form is not None and piece.value >= piece.bias


@functools.lru_cache(_KEPT)
def _names_size(what: str) -> bool:
    return _SIZES.fullmatch(what) is not None


def _windows(pieces: Sequence[LayoutPiece], starts: dict[int, int]) -> Iterator[Window]:
    for index, piece in enumerate(pieces):
        if not _is_size(piece):
            continue
        first = index + 1
        if piece.what == "FieldLength":  # a tag stands before what it counts
            first += 1
        begin = pieces[first].start if first < len(pieces) else pieces[-1].end
        stop = starts.get(begin + piece.value - piece.bias)
        if stop is not None and first <= stop and (stop > first or piece.value == piece.bias):
            yield Window(index, first, stop)


def _checksums(pieces: Sequence[LayoutPiece], windows: Sequence[Window], data: bytes) -> Iterator[Checksum]:
    for at, piece in enumerate(pieces):
        if piece.what != "crc":
            continue
        stop = min((one.stop for one in windows if one.first <= at < one.stop), default=None)
        if stop is None:
            continue
        covered = data[piece.end : pieces[stop - 1].end]
        guessed = crc32c if pieces[at - 1].what == "magic" and pieces[at - 2].what.endswith("Epoch") else zlib.crc32
        stored = piece.value & 0xFFFFFFFF
        fitting = (one for one in (guessed, zlib.crc32, crc32c) if one(covered) == stored)
        yield Checksum(at, stop, next(fitting, guessed))


def _lists(pieces: Sequence[LayoutPiece]) -> Iterator[Elements]:
    """Lists by their paths: elements are the pieces with the same index."""
    lists: dict[str, dict[str, list[int]]] = {}
    counts: dict[str, int] = {}
    for index, piece in enumerate(pieces):
        if piece.form is not None and (piece.what.startswith("count") or piece.what.endswith("sCount")):
            head, _, last = piece.path.rpartition(".")
            last = _COUNTED.get(last, last)
            counts[f"{head}.{last}" if head else last] = index
        for bracket in _INDEX.finditer(piece.path) if "[" in piece.path else ():
            element = lists.setdefault(piece.path[: bracket.start()], {})
            element.setdefault(bracket.group(), []).append(index)
    for path, by_index in lists.items():
        elements = tuple(range(held[0], held[-1] + 1) for held in by_index.values())
        yield Elements(_INDEX.sub("[]", path), counts.pop(path, None), elements, elements[0].start)
    for path, index in counts.items():  # empty, or null
        yield Elements(_INDEX.sub("[]", path), index, (), index + 1)


def _tags(pieces: Sequence[LayoutPiece], windows: Sequence[Window]) -> Iterator[Elements]:
    """Tag buffers: each tag with its size and its content."""
    ends = {window.size: window.stop for window in windows}
    for count, piece in enumerate(pieces):
        if piece.what != "tag count":
            continue
        entries: list[range] = []
        at = count + 1
        while len(entries) < piece.value and at + 1 < len(pieces) and pieces[at].what == "tag":
            stop = ends.get(at + 1)
            if stop is None:
                break
            entries.append(range(at, stop))
            at = stop
        yield Elements(_INDEX.sub("[]", piece.path), count, tuple(entries), count + 1)


def _optional_fields(pieces: Sequence[LayoutPiece], windows: Sequence[Window]) -> Iterator[Elements]:
    """The buffers of kip-482-v1: sizes, tags and contents up to a size of 0."""
    ends = {window.size: window.stop for window in windows}
    seen: set[int] = set()
    for first, piece in enumerate(pieces):
        if piece.what != "FieldLength" or first in seen:
            continue
        entries: list[range] = []
        at = first
        while at in ends and pieces[at].what == "FieldLength" and ends[at] - at > 2 and pieces[at + 1].what == "tag":
            entries.append(range(at, ends[at]))
            seen.add(at)
            at = ends[at]
        seen.add(at)
        yield Elements(_INDEX.sub("[]", piece.path), None, tuple(entries), first)
