"""Mutations of varints: more bytes than needed, and bits beyond the width."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from wireproof.conformance.generation.mutations.layout import Draft, Layout, Mutation, pick


def _varints(layout: Layout) -> list[int]:
    return [index for index, piece in enumerate(layout.pieces) if piece.form is not None and piece.form.varint]


def _stretched(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    """Writes the same number in more bytes, up to one more than allowed."""
    index = pick(random, _varints(layout))
    if index is None:
        return None
    raw, form = layout.raw(index), layout.pieces[index].form
    assert form is not None
    size = random.choice(range(len(raw) + 1, max(form.longest, len(raw)) + 2))
    draft = Draft(layout)
    draft.put(index, _in_bytes(raw, size))
    return draft


def _in_bytes(raw: bytes, size: int) -> bytes:
    return bytes([*raw[:-1], raw[-1] | 0x80, *[0x80] * (size - len(raw) - 1), 0])


def _overflowing(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    """Sets bits above the width, in the longest form."""
    index = pick(random, _varints(layout))
    if index is None:
        return None
    raw, form = layout.raw(index), layout.pieces[index].form
    assert form is not None
    longest = raw if len(raw) >= form.longest else _in_bytes(raw, form.longest)
    beyond = 0x7F & ~((1 << form.width - 7 * (form.longest - 1)) - 1)
    bit = random.choice([1 << at for at in range(7) if beyond >> at & 1])
    draft = Draft(layout)
    draft.put(index, longest[:-1] + bytes([longest[-1] | bit]))
    return draft


MUTATIONS: Mapping[str, Mutation] = {"varint-stretch": _stretched, "varint-overflow": _overflowing}
