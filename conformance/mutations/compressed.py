"""What is inside of other bytes: compressed content, changed and packed again; sets of records in a message's fields.

Records of a batch are changed in the batch itself, without its codec, and then packed as the codec has it; the messages
of a wrapper, and the sets in fields of messages, are inputs of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from random import Random

from conformance.mutations.layout import Draft, Layout, Piece, layout_of
from conformance.mutations.mutation import Mutation, pick
from reference.records.compression import LZ4, MASK, NONE, ZSTD, CompressionError, deflate, inflate
from reference.rules import Rules

#: Dialect → as what sets of messages are read, and whether their type has the magic as its version.
_SETS: Mapping[str, tuple[str, bool]] = {"kafka": ("MessageSet", True), "kip-82-int-keys": ("MESSAGE_SET", False)}
#: Dialect → as what fields named Records are read.
_RECORDS: Mapping[str, str] = {"kafka": "RecordSet", "kip-82-int-keys": "MESSAGE_SET"}
#: What pieces hold that are not to be changed: a prefix's name, which no mutation of fields looks at.
_OUTSIDE = "crc"
#: The field behind which a batch's records stand.
_BEFORE_RECORDS = ("recordsCount", "firstSequence")


def changing(inside: Mapping[str, Mutation]) -> Mapping[str, Mutation]:
    """The mutations that change what is inside by one of those given."""
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
        name = _RECORDS.get(layout.dialect)
        if index is None or name is None:
            return None
        found = _changed(layout.raw(index), layout.dialect, name, None, random, options)
        return None if found is None else _with(layout, {index: found})

    return {"content-change": content, "records-change": records, "codec-change": _other_codec}


def _changed(
    data: bytes, dialect: str, name: str, version: int | None, random: Random, options: Sequence[Mutation]
) -> bytes | None:
    """An input inside of another one, changed in one thing."""
    inner = layout_of(data, dialect, name, version)
    draft = None if inner is None else random.choice(options)(inner, random, None)
    return None if draft is None else draft.data(mend=True)


def _with(layout: Layout, parts: Mapping[int, bytes]) -> Draft:
    draft = Draft(layout)
    for index, part in parts.items():
        draft.put(index, part)
    return draft


def _before(layout: Layout, index: int, what: str) -> int | None:
    """The last piece before another that holds this."""
    return max((at for at in layout.where(what) if at < index), default=None)


def _is_wrapper(layout: Layout, index: int) -> bool:
    """Whether content is a message's value, which has a length before it."""
    return layout.pieces[index - 1].what == "length"


def _of_wrapper(layout: Layout, index: int, random: Random, options: Sequence[Mutation]) -> Draft | None:
    magic_at, attributes_at = _before(layout, index, "magic"), _before(layout, index, "attributes")
    if magic_at is None or attributes_at is None or layout.dialect not in _SETS:
        return None
    magic = layout.pieces[magic_at].value
    name, versioned = _SETS[layout.dialect]
    content = layout.pieces[index].value
    found = _changed(content, layout.dialect, name, magic if versioned else None, random, options)
    if found is None:
        return None
    return _with(layout, {index: deflate(layout.pieces[attributes_at].value & MASK, found, magic)})


def _of_batch(layout: Layout, index: int, random: Random, options: Sequence[Mutation]) -> Draft | None:
    """A batch's records, changed where they lie open. What changes before them with it, such as their count, does so in
    the batch too."""
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
    """A layout in which there is nothing to be changed but some pieces, and the counts of lists in them."""
    kept = [one.count for one in layout.lists if one.count is not None and first <= one.first <= stop]
    pieces = tuple(
        piece if first <= at < stop or at in kept else Piece(piece.start, piece.end, what=_OUTSIDE)
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
    codec, most = attributes.value & MASK, ZSTD if layout.dialect == "kafka" else LZ4
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
