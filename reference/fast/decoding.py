"""Generates the function that reads a node."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from wireproof.reference.fast.source import (
    SHORT,
    Fault,
    NotPlain,
    Source,
    is_fixed,
    is_nullable,
    is_number,
    lead_letter,
    letter,
    made,
    make_uuid,
)
from wireproof.reference.message import POLICY_ELEMENTS, POLICY_TAGS
from wireproof.reference.primitives import MAX_STRING, Primitive
from wireproof.reference.schema.plan import Array, Node, Struct

Decoder = Callable[[bytes, int], tuple[Any, int]]

# --- What generated source calls --------------------------------------------------------------------------------------


def _uvarint(data: bytes, pos: int, low: int) -> tuple[int, int]:
    """The rest of an unsigned varint after its first byte, `low`, which has the continuation bit. Gives up unless it is
    minimal and fits its width."""
    number = low & 0x7F
    shift = 7
    while True:
        byte = data[pos]
        pos += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > 28:
            raise Fault
    if number >> 32:
        raise Fault
    if not byte:
        raise NotPlain
    return number, pos


class _Tags:
    """The tags of a structure: readers of its known tags, and the tag numbers of its other versions."""

    def __init__(self, node: Struct) -> None:
        self.known = {tag: (field.name, decoder(field.node)) for tag, field in node.tagged.items()}
        self.foreign = node.foreign_tags


def _tags(data: bytes, pos: int, count: int, tags: _Tags, value: dict[str, Any]) -> int:
    """Reads a tag buffer that is not empty into `value`: known fields and `_tags`. Returns the position after it."""
    if count >= 0x80:
        count, pos = _uvarint(data, pos, count)
    if count > len(data) - pos:
        raise Fault
    if count > POLICY_TAGS:
        raise NotPlain
    unknown = []
    previous = -1
    for _ in range(count):
        tag = data[pos]
        pos += 1
        if tag >= 0x80:
            tag, pos = _uvarint(data, pos, tag)
        size = data[pos]
        pos += 1
        if size >= 0x80:
            size, pos = _uvarint(data, pos, size)
        content = data[pos : pos + size]
        pos += size
        if tag <= previous or len(content) != size:
            raise Fault
        previous = tag
        if tag in tags.known:
            name, decode = tags.known[tag]
            value[name], end = decode(content, 0)
            if end != size:
                raise Fault
        elif tag in tags.foreign:
            raise NotPlain
        else:
            unknown.append((tag, content))
    if unknown:
        value["_tags"] = unknown
    return pos


_NAMES = {
    "int16": struct.Struct(">h").unpack_from,
    "int32": struct.Struct(">i").unpack_from,
    "tags": _tags,
    "unpack_from": struct.unpack_from,
    "uuid": make_uuid,
    "uvarint": _uvarint,
}


# --- The generator ----------------------------------------------------------------------------------------------------
# `d` is the data, `p` the position. A slice beyond the end is short, but `p` is not: the next read, or the check at the
# end, finds that.


@dataclass(frozen=True, slots=True)
class _Ahead:
    """Consecutive values of fixed width, read by one struct; the last may be the length of what comes next.

    `letters`: their struct format; `targets`: the names of their variables.
    """

    letters: str = ""
    targets: tuple[str, ...] = ()

    def also(self, letters: str, target: str) -> _Ahead:
        """These values and one more."""
        return _Ahead(self.letters + letters, (*self.targets, target)) if letters else self


_NOTHING = _Ahead()


@functools.cache
def decoder(node: Node) -> Decoder:
    """A function (data, position) → (value, position after it) for a node. It raises one of GIVES_UP."""
    source = Source(_NAMES)
    _decode_alone(source, node, "v")
    source.line("return v, p")
    return source.function("def generated(d, p):")


def _decode_alone(source: Source, node: Node, target: str) -> None:
    """Lines that read a node, with its length, into `target`."""
    lead = source.fresh()
    _decode_ahead(source, _NOTHING.also(lead_letter(node), lead))
    _decode(source, node, target, lead)


def _decode_ahead(source: Source, ahead: _Ahead) -> None:
    if ahead.letters == "B":
        source.line(f"{ahead.targets[0]} = d[p]; p += 1")
    elif ahead.letters:
        layout = struct.Struct(">" + ahead.letters)
        unpack = source.constant(layout.unpack_from)
        source.line(f"{', '.join(ahead.targets)}, = {unpack}(d, p); p += {layout.size}")


def _decode(source: Source, node: Node, target: str, lead: str) -> None:
    """Lines that read a node into `target`. `lead`: the variable with its length, which has been read."""
    match node:
        case Struct(marker="none"):
            _decode_fields(source, node, target)
        case Struct():
            _decode_nullable(source, node, target, lead)
        case Array():
            with _unless_null(source, node, target, lead):
                if is_number(node.element):
                    _decode_numbers(source, node, target, lead)
                else:
                    _decode_array(source, node, target, lead)
        case Primitive() if is_fixed(node):
            _decode_ahead(source, _NOTHING.also(letter(node), target))
            source.line(f"{target} = {made(node, target)}")
        case Primitive():
            _decode_content(source, node, target, lead)
        case _:
            raise TypeError(f"no message has a {type(node).__name__}")


# --- Structures -------------------------------------------------------------------------------------------------------


def _decode_nullable(source: Source, node: Struct, target: str, lead: str) -> None:
    with source.block(f"if {lead} == {255 if node.marker == 'int8' else 0}:"):
        source.line(f"{target} = None")
    if node.marker == "uvarint":
        with source.block(f"elif {lead} >= 128:"):
            source.line("raise NotPlain")  # 0 or 1, in more bytes than it needs, may be legal
    with source.block(f"elif {lead} != 1:"):
        source.line("raise Fault")
    with source.block("else:"):
        _decode_fields(source, node, target)


def _decode_fields(source: Source, node: Struct, target: str) -> None:
    names = {field.name: source.fresh() for field in node.plain}
    tags = source.fresh()
    ahead = _NOTHING
    for field in node.plain:
        name, inner = names[field.name], field.node
        if is_fixed(inner):
            ahead = ahead.also(letter(inner), name)
            continue
        lead = source.fresh()
        _decode_ahead(source, ahead.also(lead_letter(inner), lead))
        _decode(source, inner, name, lead)
        ahead = _NOTHING
    _decode_ahead(source, ahead.also("B", tags) if node.flexible else ahead)
    pairs = ", ".join(
        f"{field.name!r}: {made(field.node, names[field.name]) if field.tag is None else source.literal(field.default)}"
        for field in node.fields
    )
    source.line(f"{target} = {{{pairs}}}")
    if node.flexible:
        with source.block(f"if {tags}:"):
            source.line(f"p = tags(d, p, {tags}, {source.constant(_Tags(node))}, {target})")


# --- Nodes that begin with a length -----------------------------------------------------------------------------------


@contextmanager
def _unless_null(source: Source, node: Node, target: str, lead: str) -> Iterator[None]:
    """The lines inside run for a value that is not null. An impossible length is refused."""
    compact = lead_letter(node) == "B"
    with source.block(f"if {lead} < {int(compact)}:"):
        if not is_nullable(node):
            source.line("raise Fault")
        else:
            if not compact:
                with source.block(f"if {lead} != -1:"):
                    source.line("raise Fault")
            source.line(f"{target} = None")
    with source.block("else:"):
        yield


def _decode_content(source: Source, node: Primitive, target: str, lead: str) -> None:
    """STRING and BYTES in their eight forms."""
    text, compact = node.name.endswith("STRING"), lead_letter(node) == "B"
    with _unless_null(source, node, target, lead):
        if compact:
            with source.block(f"if {lead} >= 128:"):
                source.line(f"{lead}, p = uvarint(d, p, {lead})")
                if text:
                    with source.block(f"if {lead} > {MAX_STRING + 1}:"):
                        source.line("raise Fault")
        end = source.fresh()
        source.line(f"{end} = p + {lead}{' - 1' if compact else ''}")
        source.line(f"{target} = d[p:{end}]{'.decode()' if text else ''}; p = {end}")


@functools.cache
def _ready(item: str, compact: bool) -> tuple[Any, ...]:
    """For each count below SHORT, in its wire form: a function that unpacks that many items, and their total width."""
    layouts = [struct.Struct(f">{count}{item}") for count in range(SHORT - compact)]
    return (*[None] * compact, *[(layout.unpack_from, layout.size) for layout in layouts])


def _decode_numbers(source: Source, node: Array, target: str, lead: str) -> None:
    item = letter(node.element)
    unpack, width = source.fresh(), source.fresh()
    with source.block(f"if {lead} < {SHORT}:"):
        source.line(f"{unpack}, {width} = {source.constant(_ready(item, node.compact))}[{lead}]")
        source.line(f"{target} = [*{unpack}(d, p)]; p += {width}")
    with source.block("else:"):
        _decode_count(source, node, lead)
        source.line(f"{target} = [*unpack_from('>%d{item}' % {lead}, d, p)]")
        source.line(f"p += {lead} * {struct.calcsize('>' + item)}")


def _decode_count(source: Source, node: Array, lead: str) -> None:
    """Lines that turn `lead` into the count, and check it against the limits."""
    if node.compact:
        with source.block(f"if {lead} >= 128:"):
            source.line(f"{lead}, p = uvarint(d, p, {lead})")
        source.line(f"{lead} -= 1")
    with source.block(f"if {lead} > len(d) - p:"):
        source.line("raise Fault")
    with source.block(f"if {lead} > {POLICY_ELEMENTS}:"):
        source.line("raise NotPlain")


def _decode_array(source: Source, node: Array, target: str, lead: str) -> None:
    with source.block(f"if {lead} == {int(node.compact)}:"):
        source.line(f"{target} = []")
    with source.block("else:"):
        _decode_count(source, node, lead)
        _decode_each(source, node.element, lead, target)


def _decode_each(source: Source, node: Node, count: str, target: str) -> None:
    element, append = source.fresh(), source.fresh()
    source.line(f"{target} = []; {append} = {target}.append")
    with source.block(f"for _ in range({count}):"):
        _decode_alone(source, node, element)
        source.line(f"{append}({element})")
