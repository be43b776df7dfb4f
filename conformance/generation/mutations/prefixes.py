"""Mutations of lengths, counts and sizes: null for empty and empty for null, off by one, negative, huge."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from wireproof.conformance.generation.mutations.layout import Draft, Layout, Mutation, pick

_LENGTHS = ("length", "length + 1", "key length", "header length", "message length")
_COUNTS = ("count", "count + 1", "tag count", "headersCount", "recordsCount")
_SIZES = ("tag size", "size", "batchLength", "frame size", "set size", "length of all headers", "FieldLength")
#: Lengths, counts, sizes and CRCs.
PREFIXES = frozenset({*_LENGTHS, *_COUNTS, *_SIZES, "crc"})
_NULLABLE = ("length", "length + 1", "count", "count + 1")


def _null_for_empty(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    """Makes a null value empty, and another value null or empty."""
    index = pick(random, layout.where(*_NULLABLE))
    if index is None:
        return None
    piece = layout.pieces[index]
    null, empty = (0, 1) if piece.bias else (-1, 0)
    if piece.value == null:
        wanted = empty
    elif piece.value == empty:
        wanted = null
    else:
        wanted = random.choice((null, empty))
    draft = Draft(layout)
    content = _content(layout, index)
    if content:
        draft.put_range(content, b"")
    draft.put_number(index, wanted)
    return draft


def _content(layout: Layout, index: int) -> range:
    """The pieces that a length or a count belongs to."""
    window = layout.window_of(index)
    if window is not None:
        return range(window.first, window.stop)
    for one in layout.lists:
        if one.count == index and one.elements:
            return range(index + 1, one.elements[-1].stop)
    return range(0)


def _off(layout: Layout, random: Random, names: tuple[str, ...]) -> Draft | None:
    """Changes a length, count or size by little or by much, up or down."""
    index = pick(random, [at for at in layout.where(*names) if layout.pieces[at].form is not None])
    if index is None:
        return None
    piece = layout.pieces[index]
    form = piece.form
    assert form is not None
    left = layout.pieces[-1].end - piece.end + piece.bias
    near = (piece.value + 1, piece.value - 1, piece.value + 2, left, left + 1)
    far = (-1, -2, form.low, 0, 127, 128, 2**15 - 1, 2**15, 2**24, 2**31 - 1, 2**31, form.high)
    options = [one for one in (*near, *far) if form.low <= one <= form.high and one != piece.value]
    draft = Draft(layout)
    draft.put_number(index, random.choice(options))
    return draft


MUTATIONS: Mapping[str, Mutation] = {
    "null-empty": _null_for_empty,
    "length-change": lambda layout, random, _: _off(layout, random, _LENGTHS),
    "count-change": lambda layout, random, _: _off(layout, random, _COUNTS),
    "size-change": lambda layout, random, _: _off(layout, random, _SIZES),
}
