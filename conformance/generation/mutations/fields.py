"""Mutations of fields: boundary numbers, other text and bytes, invalid text, flipped bits, fields of another input, and
input that is cut or extended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from wireproof.conformance.generation import edge_values
from wireproof.conformance.generation.mutations.layout import Draft, Layout, Mutation, pick
from wireproof.conformance.generation.mutations.prefixes import PREFIXES

_TEXT = ("text",)
_BYTES = ("bytes", "payload", "unknown tag's data", "unknown field's value")
#: Invalid UTF-8: a lone continuation byte, a cut character, an overlong one, a surrogate, one beyond the last.
_NO_TEXT = tuple(map(bytes.fromhex, ("80", "c3", "c080", "eda080", "f4908080")))


def _number(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    """Changes a number that is no count or length."""
    pieces = layout.pieces
    plain = [at for at, piece in enumerate(pieces) if piece.form is not None and piece.what not in PREFIXES]
    index = pick(random, plain)
    if index is None:
        return None
    piece = pieces[index]
    form = piece.form
    assert form is not None
    near = (piece.value + 1, piece.value - 1)
    options = [one for one in (*near, *edge_values.integers(form.low, form.high)) if form.low <= one <= form.high]
    draft = Draft(layout)
    draft.put_number(index, random.choice(options))
    return draft


def _content(layout: Layout, random: Random, whats: tuple[str, ...], make: Callable[[], bytes]) -> Draft | None:
    index = pick(random, layout.where(*whats))
    if index is None:
        return None
    draft = Draft(layout)
    draft.put(index, make())
    return draft


def _text(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    return _content(layout, random, _TEXT, lambda: random.choice(edge_values.TEXTS).encode())


def _no_text(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    return _content(layout, random, _TEXT, lambda: random.choice(_NO_TEXT))


def _octets(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    return _content(layout, random, _BYTES, lambda: random.choice(edge_values.OCTETS))


def _bit(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    """Flips a bit of a field."""
    index = pick(random, [at for at, piece in enumerate(layout.pieces) if piece.what not in PREFIXES])
    if index is None:
        return None
    raw = layout.raw(index)
    bit = random.choice(range(8 * len(raw)))
    draft = Draft(layout)
    draft.put(index, (int.from_bytes(raw, "big") ^ 1 << bit).to_bytes(len(raw), "big"))
    return draft


def _splice(layout: Layout, random: Random, other: Layout | None) -> Draft | None:
    """Replaces a field by that of another input with the same path."""
    if other is None:
        return None
    theirs: dict[tuple[str, str], list[int]] = {}
    for index, piece in enumerate(other.pieces):
        if piece.what not in PREFIXES:
            theirs.setdefault((other.kind(index), piece.what), []).append(index)
    ours = [index for index, piece in enumerate(layout.pieces) if (layout.kind(index), piece.what) in theirs]
    chosen = pick(random, ours)
    if chosen is None:
        return None
    draft = Draft(layout)
    draft.put(chosen, other.raw(random.choice(theirs[layout.kind(chosen), layout.pieces[chosen].what])))
    return draft


def _cut(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    """Cuts the input off after a field."""
    if len(layout.pieces) < 2:
        return None
    first = random.choice(range(1, len(layout.pieces)))
    draft = Draft(layout)
    draft.put_range(range(first, len(layout.pieces)), b"")
    return draft


def _more(layout: Layout, random: Random, _: Layout | None) -> Draft:
    """Adds bytes at the end, outside of all sizes."""
    draft = Draft(layout)
    draft.insert(len(layout.pieces), random.choice((b"\0", b"\xff", b"\0\0\0\0")), beside=0)
    return draft


MUTATIONS: Mapping[str, Mutation] = {
    "number-change": _number,
    "text-change": _text,
    "text-invalid": _no_text,
    "bytes-change": _octets,
    "bit-flip": _bit,
    "field-splice": _splice,
    "cut": _cut,
    "trailing-bytes": _more,
}
