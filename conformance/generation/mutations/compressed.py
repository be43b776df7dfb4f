"""Mutations inside of nested bytes: compressed content, and sets of records in a message's fields.

Records of a batch are changed in the uncompressed batch and then compressed again. The messages of a wrapper, and the
sets in fields of messages, are treated as inputs of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from random import Random

from wireproof.conformance.generation.mutations.layout import Draft, Layout, LayoutPiece, Mutation, layout_of, pick
from wireproof.reference import dialect_named
from wireproof.reference.records.compression import MASK, NONE, CompressionError, deflate, inflate
from wireproof.reference.rules import Rules

#: The name for pieces that must not change: no mutation of fields uses a piece with this name.
_OUTSIDE = "crc"
#: The last field before a batch's records.
_BEFORE_RECORDS = ("recordsCount", "firstSequence")


def changing(inside: Mapping[str, Mutation]) -> Mapping[str, Mutation]:
    """Mutations that apply one of these to the nested bytes."""
    options = tuple(inside.values())

    def content(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
        index = pick(random, layout.contents())
        if index is None:
            return None
        if _is_wrapper(layout, index):
            return _of_wrapper(layout, index, random, options)
        return _of_batch(layout, index, random, options)

    def records(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
        index = pick(random, [at for at in layout.where("bytes") if layout.kind(at).endswith("Records")])
        name = dialect_named(layout.dialect).records_field
        if index is None or name is None:
            return None
        content = _changed(layout.raw(index), layout.dialect, name, None, random, options)
        return None if content is None else _with(layout, {index: content})

    return {"content-change": content, "records-change": records, "codec-change": _other_codec}


def _changed(
    data: bytes, dialect: str, name: str, version: int | None, random: Random, options: Sequence[Mutation]
) -> bytes | None:
    """A nested input with one change."""
    inner = layout_of(data, dialect, name, version)
    draft = None if inner is None else random.choice(options)(inner, random, None)
    return None if draft is None else draft.data(mend=True)


def _with(layout: Layout, parts: Mapping[int, bytes]) -> Draft:
    draft = Draft(layout)
    for index, part in parts.items():
        draft.put(index, part)
    return draft


def _before(layout: Layout, index: int, what: str) -> int | None:
    """The last piece with this name before another piece."""
    return max((at for at in layout.where(what) if at < index), default=None)


def _is_wrapper(layout: Layout, index: int) -> bool:
    """Whether content is a message's value, which has a length before it."""
    return layout.pieces[index - 1].what == "length"


def _of_wrapper(layout: Layout, index: int, random: Random, options: Sequence[Mutation]) -> Draft | None:
    magic_at, attributes_at = _before(layout, index, "magic"), _before(layout, index, "attributes")
    dialect = dialect_named(layout.dialect)
    name = dialect.message_set
    if magic_at is None or attributes_at is None or name is None:
        return None
    magic = layout.pieces[magic_at].value
    version = None if dialect.types[name] is None else magic
    changed = _changed(layout.pieces[index].value, layout.dialect, name, version, random, options)
    if changed is None:
        return None
    return _with(layout, {index: deflate(layout.pieces[attributes_at].value & MASK, changed, magic)})


def _of_batch(layout: Layout, index: int, random: Random, options: Sequence[Mutation]) -> Draft | None:
    """A batch's records, changed while uncompressed. Fields before them, such as their count, change in the batch
    too."""
    attributes_at = _before(layout, index, "attributes")
    if attributes_at is None:
        return None
    attributes = layout.pieces[attributes_at]
    plain = _with(layout, {index: layout.pieces[index].value})
    plain.put_number(attributes_at, attributes.value & ~MASK)
    opened = layout_of(plain.data(mend=True), layout.dialect, layout.type, layout.version)
    if opened is None:
        return None
    stop = len(opened.pieces) - (len(layout.pieces) - index - 1)
    draft = random.choice(options)(_only(opened, index, stop), random, None)
    if draft is None:
        return None
    draft.data(mend=True)
    counts = {one.count for one in opened.lists}
    changed = {at: draft.parts[at] for at in draft.changed if at < index and at in counts}
    packed = deflate(attributes.value & MASK, draft.text(range(index, stop)))
    return _with(layout, {**changed, index: packed})


def _only(layout: Layout, first: int, stop: int) -> Layout:
    """A layout in which only some pieces, and the counts of lists in them, can be changed."""
    kept = [one.count for one in layout.lists if one.count is not None and first <= one.first <= stop]
    pieces = tuple(
        piece if first <= at < stop or at in kept else LayoutPiece(piece.start, piece.end, what=_OUTSIDE)
        for at, piece in enumerate(layout.pieces)
    )
    return dataclasses.replace(
        layout,
        pieces=pieces,
        windows=tuple(one for one in layout.windows if first <= one.size < stop),
        checksums=tuple(one for one in layout.checksums if first <= one.at < stop),
        lists=tuple(one for one in layout.lists if first <= one.first <= stop),
        tags=(),
    )


def _other_codec(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    """A batch's records in another codec, or in none."""
    attributes_at = pick(random, layout.where("attributes"))
    if attributes_at is None:
        return None
    before = next((at for at in layout.where(*_BEFORE_RECORDS) if at > attributes_at), None)
    window = next((one for one in layout.windows if one.first <= attributes_at < one.stop), None)
    if before is None or window is None:
        return None
    attributes = layout.pieces[attributes_at]
    codec, most = attributes.value & MASK, dialect_named(layout.dialect).highest_codec
    if codec > most:
        return None
    draft = Draft(layout)
    records = range(before + 1, window.stop)
    content = draft.text(records)
    try:
        plain = inflate(codec, content, Rules()) if codec and content else content
    except CompressionError:
        return None
    chosen = random.choice([one for one in range(NONE, most + 1) if one != codec])
    draft.put_number(attributes_at, attributes.value & ~MASK | chosen)
    packed = deflate(chosen, plain) if chosen else plain
    if records:
        draft.put_range(records, packed)
    else:
        draft.insert(records.start, packed)
    return draft
