"""Mutations of tags: reordered, doubled, removed; unknown tags added, and tags of this version or of others."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from random import Random

from wireproof.conformance.generation import random_values
from wireproof.conformance.generation.mutations import elements
from wireproof.conformance.generation.mutations.forms import NumberForm
from wireproof.conformance.generation.mutations.layout import Draft, Elements, Layout, Mutation, pick
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors.leb128 import leb128
from wireproof.reference import codec
from wireproof.reference.codec import NodeCodec
from wireproof.reference.errors import WireError
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Array, Node, PlannedField, Struct

#: Numbers of unknown tags: small ones, and the borders of varints and of signed integers.
_NUMBERS = (0, 1, 127, 128, 9999, 16383, 16384, 2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1)
_SHORT_NUMBERS = (0, 1, 9999, 2**15 - 1, 2**15, 2**16 - 1)
_SIGNED_VARINT = NumberForm(32, signed=True, varint=True)


def _insert(layout: Layout, buffer: Elements, tag: int, content: bytes) -> Draft:
    """Inserts a tag before the first greater one."""
    draft = Draft(layout)
    draft.count(buffer, 1)
    content = _entry(buffer, tag, content)
    greater = (entry for entry in buffer.elements if _tag_of(layout, buffer, entry) > tag)
    place = next(greater, None)
    if place is None:
        elements.append(draft, buffer, content)
    else:
        draft.insert(place.start, content, beside=place.start)
    return draft


def _tag_of(layout: Layout, buffer: Elements, entry: range) -> int:
    value: int = layout.pieces[entry.start + (buffer.count is None)].value
    return value


def _entry(buffer: Elements, tag: int, content: bytes) -> bytes:
    if buffer.count is None:  # kip-482-v1's
        return _SIGNED_VARINT.write(len(content)) + (tag & 0xFFFF).to_bytes(2, "big") + content
    return leb128(tag) + leb128(len(content)) + content


def _unknown(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    buffer = pick(random, layout.tags)
    if buffer is None:
        return None
    tag = random.choice(_SHORT_NUMBERS if buffer.count is None else _NUMBERS)
    return _insert(layout, buffer, tag, random.randbytes(random.choice((1, 0, 2, 7))))


def _of_plan(layout: Layout, random: Random, *, foreign: bool) -> Draft | None:
    """Adds a tag of this version that the input lacks, with a random value; `foreign`: a tag of other versions."""
    absent = []
    for buffer in layout.tags:
        known, others = _known(layout.dialect, layout.type, layout.version, _struct_path(buffer.path))
        there = {_tag_of(layout, buffer, entry) for entry in buffer.elements}
        fields = (others if foreign else known).values()
        absent += [(buffer, field) for field in fields if field.tag not in there]
    chosen = pick(random, absent)
    if chosen is None:
        return None
    buffer, field = chosen
    assert field.tag is not None
    try:
        content = codec.encode(NodeCodec(field.node), random_values.of_node(field.node, random), Rules())
    except WireError:
        return None
    return _insert(layout, buffer, field.tag, content)


def _struct_path(path: str) -> tuple[str, ...]:
    names = path.replace("[]", "").split(".")
    return tuple(name for name in names if name and name != "_tags")


_Fields = Mapping[int, PlannedField]


@functools.lru_cache(1024)
def _known(dialect: str, type_name: str, version: int | None, path: tuple[str, ...]) -> tuple[_Fields, _Fields]:
    """The tagged fields of the structure at a path: those of this version, and those of other versions only."""
    here = _tagged(dialect, type_name, version, path)
    span = reference_codec().dialect(dialect).types.get(type_name)
    others: dict[int, PlannedField] = {}
    for one in () if span is None else range(span[0], span[1] + 1):
        others = {**_tagged(dialect, type_name, one, path), **others}
    return here, {tag: field for tag, field in others.items() if tag not in here}


def _tagged(dialect: str, type_name: str, version: int | None, path: tuple[str, ...]) -> _Fields:
    try:
        codec = reference_codec().dialect(dialect).codec(type_name, version)
    except (NotImplementedError, WireError):
        return {}
    node: Node | None = codec.node if isinstance(codec, NodeCodec) else None
    for name in path:
        node = _inside(node)
        fields = node.fields if isinstance(node, Struct) else ()
        node = next((field.node for field in fields if field.name == name), None)
    node = _inside(node)
    return node.tagged if isinstance(node, Struct) else {}


def _inside(node: Node | None) -> Node | None:
    """The node of an array's elements."""
    while isinstance(node, Array):
        node = node.element
    return node


def _splice(layout: Layout, random: Random, other: Layout | None) -> Draft | None:
    return None if other is None else elements.spliced(layout, layout.tags, other, other.tags, random)


MUTATIONS: Mapping[str, Mutation] = {
    "tags-reorder": lambda layout, random, _: elements.reordered(layout, layout.tags, random),
    "tag-duplicate": lambda layout, random, _: elements.duplicated(layout, layout.tags, random),
    "tag-drop": lambda layout, random, _: elements.dropped(layout, layout.tags, random),
    "tag-splice": _splice,
    "tag-unknown": _unknown,
    "tag-known": lambda layout, random, _: _of_plan(layout, random, foreign=False),
    "tag-foreign": lambda layout, random, _: _of_plan(layout, random, foreign=True),
}
