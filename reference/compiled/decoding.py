"""Generates the function that reads a node."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reference.compiled.even import even_reader, is_regular
from reference.compiled.source import FIXED, SHORT, Fault, Odd, Source, is_fixed, is_number, letter, made
from reference.message import POLICY_ELEMENTS, POLICY_TAGS
from reference.plan import Array, Node, PlannedField, Struct
from reference.primitives import MAX_STRING, Primitive

Decoder = Callable[[bytes, int], tuple[Any, int]]

#: Up to so many structures cost less one by one than to see whether they are laid out alike.
_FEW = 3


# --- What generated source calls --------------------------------------------------------------------------------------


def _uvarint(data: bytes, pos: int, low: int) -> tuple[int, int]:
    """The rest of an unsigned varint whose first byte, `low`, said that it goes on; only if minimal and in width."""
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
        raise Odd
    return number, pos


class _Tags:
    """The tags of a structure: readers of those that it knows, and the numbers that only its other versions know."""

    def __init__(self, node: Struct) -> None:
        self.known = {tag: (field.name, decoder(field.node)) for tag, field in node.tagged.items()}
        self.foreign = node.foreign_tags


def _tags(data: bytes, pos: int, count: int, tags: _Tags, value: dict[str, Any]) -> int:
    """A tag buffer that is not empty: known fields and `_tags` go into `value`; the position behind it comes back."""
    if count >= 0x80:
        count, pos = _uvarint(data, pos, count)
    if count > len(data) - pos:
        raise Fault
    if count > POLICY_TAGS:
        raise Odd
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
            raise Odd
        else:
            unknown.append((tag, content))
    if unknown:
        value["_tags"] = unknown
    return pos


_NAMES = {"tags": _tags, "unpack_from": struct.unpack_from, "uvarint": _uvarint}


# --- The generator ----------------------------------------------------------------------------------------------------
# `d` is the data, `p` the position. A slice beyond the end is short, but `p` goes on: the next read or the check at the
# end finds it.


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What stands behind a node and is read along with it: fields of fixed width, and the length of the next node.

    `letters` are their struct format, `targets` the names that take them.
    """

    letters: str = ""
    targets: tuple[str, ...] = ()

    def also(self, letters: str, target: str) -> _Ahead:
        """This, and one more value."""
        return _Ahead(self.letters + letters, (*self.targets, target))


_NOTHING = _Ahead()


@functools.cache
def decoder(node: Node) -> Decoder:
    """A function (data, position) → (value, position behind it) for a node. Raises one of NOT_PLAIN."""
    source = Source(_NAMES)
    lead = source.fresh("n") if _lead(node) else ""
    if lead:
        _decode_ahead(source, _NOTHING.also(_lead(node), lead))
    _decode(source, node, "v", lead, _NOTHING)
    source.line("return v, p")
    return source.function("def generated(d, p):")


def _lead(node: Node) -> str:
    """The letter of the length, count or marker that a node begins with: the first byte of it where it is a varint."""
    match node:
        case Array(compact=compact):
            return "B" if compact else "i"
        case Struct(marker=marker):
            return "" if marker == "none" else "B"
        case Primitive(name=name) if not is_fixed(node):
            return "B" if name.startswith("COMPACT") else "h" if name.endswith("STRING") else "i"
    return ""


def _decode(source: Source, node: Node, target: str, lead: str, ahead: _Ahead) -> None:
    """Lines that put the node's value into `target`, and read what is ahead of it. `lead` names its length."""
    match node:
        case Struct():
            _decode_struct(source, node, target, lead)
            _decode_ahead(source, ahead)
        case Array() if is_number(node.element):
            _decode_numbers(source, node, target, lead, ahead)
        case Array():
            _decode_array(source, node, target, lead)
            _decode_ahead(source, ahead)
        case Primitive() if is_fixed(node):
            _decode_ahead(source, _NOTHING.also(letter(node), target))
            source.line(f"{target} = {made(node, target)}")
            _decode_ahead(source, ahead)
        case Primitive():
            _decode_content(source, node.name, target, lead, ahead)
        case _:
            raise TypeError(f"no message has a {type(node).__name__}")


def _decode_ahead(source: Source, ahead: _Ahead) -> None:
    if ahead.letters == "B":
        source.line(f"{ahead.targets[0]} = d[p]; p += 1")
    elif ahead.letters:
        layout = struct.Struct(">" + ahead.letters)
        unpack = source.constant(layout.unpack_from)
        source.line(f"{', '.join(ahead.targets)}, = {unpack}(d, p); p += {layout.size}")


# --- Structures -------------------------------------------------------------------------------------------------------


def _decode_struct(source: Source, node: Struct, target: str, lead: str) -> None:
    if not lead:
        _decode_fields(source, node, target)
        return
    with source.block(f"if {lead} == {255 if node.marker == 'int8' else 0}:"):
        source.line(f"{target} = None")
    with source.block(f"elif {lead} != 1:"):
        source.line("raise Fault")
    with source.block("else:"):
        _decode_fields(source, node, target)


def _decode_fields(source: Source, node: Struct, target: str) -> None:
    names = {field.name: source.fresh("v") for field in node.plain}
    steps, tags = _steps(source, node, names)
    for field, lead, ahead in steps:
        if field is None:
            _decode_ahead(source, ahead)
        else:
            _decode(source, field.node, names[field.name], lead, ahead)
    pairs = ", ".join(
        f"{field.name!r}: {made(field.node, names[field.name]) if field.tag is None else source.literal(field.default)}"
        for field in node.fields
    )
    source.line(f"{target} = {{{pairs}}}")
    if tags:
        with source.block(f"if {tags}:"):
            source.line(f"p = tags(d, p, {tags}, {source.constant(_Tags(node))}, {target})")


#: A field that is not of fixed width (None: before the first such), the name of its length, what is ahead of it.
_Step = tuple[PlannedField | None, str, _Ahead]


def _steps(source: Source, node: Struct, names: Mapping[str, str]) -> tuple[list[_Step], str]:
    """A structure's plain fields in steps, and the name of its tags' count, if it has one."""
    steps: list[_Step] = []
    field: PlannedField | None = None
    lead, ahead = "", _NOTHING
    for following in node.plain:
        if is_fixed(following.node):
            ahead = ahead.also(letter(following.node), names[following.name])
            continue
        begins = source.fresh("n") if _lead(following.node) else ""
        steps.append((field, lead, ahead.also(_lead(following.node), begins) if begins else ahead))
        field, lead, ahead = following, begins, _NOTHING
    tags = source.fresh("t") if node.flexible else ""
    steps.append((field, lead, ahead.also("B", tags) if tags else ahead))
    return steps, tags


# --- What begins with a length ----------------------------------------------------------------------------------------


class _Ready(dict[int, tuple[Callable[..., tuple[Any, ...]], int]]):
    """By a length below SHORT as it stands on the wire: what unpacks so many items and what is ahead, and the width.

    They are made when first needed, and so no more than SHORT of them.
    """

    def __init__(self, item: str, ahead: str, *, compact: bool) -> None:
        super().__init__()
        self.item, self.ahead, self.offset = item, ahead, int(compact)

    def __missing__(self, length: int) -> tuple[Callable[..., tuple[Any, ...]], int]:
        count = length - self.offset
        if count < 0:
            raise Fault
        layout = struct.Struct(f">{count}{self.item}{self.ahead}")
        self[length] = ready = layout.unpack_from, layout.size
        return ready


_ready = functools.cache(_Ready)


def _is_short(lead: str, *, compact: bool, nullable: bool) -> str:
    """The condition of the quick way: a length of one byte, or as little, and not null. Where nothing is null, a table
    refuses what is too low."""
    return f"{0 if not compact else 1} <= {lead} < {SHORT}" if nullable else f"{lead} < {SHORT}"


def _decode_length(source: Source, lead: str, *, compact: bool, nullable: bool, target: str) -> str:
    """Lines from a length's lead up to where it is known; its name. What it announces stands under an `else:`."""
    n = lead
    if compact:
        n = source.fresh("n")
        with source.block(f"if {lead} >= 128:"):
            source.line(f"{lead}, p = uvarint(d, p, {lead})")
        source.line(f"{n} = {lead} - 1")
    with source.block(f"if {n} < 0:"):
        if nullable:
            with source.block(f"if {n} != -1:"):
                source.line("raise Fault")
            source.line(f"{target} = None")
        else:
            source.line("raise Fault")
    return n


def _decode_numbers(source: Source, node: Array, target: str, lead: str, ahead: _Ahead) -> None:
    """An array of primitives of fixed width."""
    assert isinstance(node.element, Primitive)
    item, width = FIXED[node.element.name]
    ready = source.constant(_ready(item, ahead.letters, compact=node.compact))
    unpack, size = source.fresh("u"), source.fresh("w")
    with source.block(f"if {_is_short(lead, compact=node.compact, nullable=node.nullable)}:"):
        targets = ", ".join([f"*{target}", *ahead.targets])
        source.line(f"{unpack}, {size} = {ready}[{lead}]; {targets}, = {unpack}(d, p); p += {size}")
    with source.block("else:"):
        n = _decode_length(source, lead, compact=node.compact, nullable=node.nullable, target=target)
        with source.block("else:"):
            _check_count(source, n)
            source.line(f"{target} = list(unpack_from('>%d{item}' % {n}, d, p)); p += {n} * {width}")
        _decode_ahead(source, ahead)


def _check_count(source: Source, n: str) -> None:
    with source.block(f"if {n} > len(d) - p:"):
        source.line("raise Fault")
    with source.block(f"if {n} > {POLICY_ELEMENTS}:"):
        source.line("raise Odd")


def _decode_content(source: Source, name: str, target: str, lead: str, ahead: _Ahead) -> None:
    """STRING and BYTES in their eight forms."""
    text, compact, nullable = name.endswith("STRING"), name.startswith("COMPACT"), "NULLABLE" in name
    with source.block(f"if {_is_short(lead, compact=compact, nullable=nullable)}:"):
        ready = source.constant(_ready("s", ahead.letters, compact=compact))
        unpack, size = source.fresh("u"), source.fresh("w")
        targets = ", ".join([target, *ahead.targets])
        source.line(f"{unpack}, {size} = {ready}[{lead}]; {targets}, = {unpack}(d, p); p += {size}")
        if text:
            source.line(f"{target} = {target}.decode()")
    with source.block("else:"):
        n = _decode_length(source, lead, compact=compact, nullable=nullable, target=target)
        with source.block("else:"):
            if text and compact:
                with source.block(f"if {n} > {MAX_STRING}:"):
                    source.line("raise Fault")
            source.line(f"{n} += p")
            source.line(f"{target} = d[p:{n}]{'.decode()' if text else ''}; p = {n}")
        _decode_ahead(source, ahead)


def _decode_array(source: Source, node: Array, target: str, lead: str) -> None:
    n = _decode_length(source, lead, compact=node.compact, nullable=node.nullable, target=target)
    with source.block("else:"):
        _check_count(source, n)
        if isinstance(node.element, Struct) and is_regular(node.element):
            even = source.fresh("q")
            reader = source.constant(even_reader(node.element))
            source.line(f"{even} = {reader}(d, p, {n}) if {n} > {_FEW} else None")
            with source.block(f"if {even} is not None:"):
                source.line(f"{target}, p = {even}")
            with source.block("else:"):
                _decode_each(source, node.element, n, target)
            return
        _decode_each(source, node.element, n, target)


def _decode_each(source: Source, node: Node, n: str, target: str) -> None:
    element, append = source.fresh("e"), source.fresh("a")
    source.line(f"{target} = []")
    source.line(f"{append} = {target}.append")
    lead = source.fresh("n") if _lead(node) else ""
    with source.block(f"for _ in range({n}):"):
        if lead:
            _decode_ahead(source, _NOTHING.also(_lead(node), lead))
        _decode(source, node, element, lead, _NOTHING)
        source.line(f"{append}({element})")
