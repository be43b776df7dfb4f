"""Generates the function that writes a node."""

from __future__ import annotations

import functools
import itertools
import struct
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wireproof.reference.fast.source import NotPlain, Source, is_nullable, is_number, lead_letter, letter
from wireproof.reference.primitives import MAX_INT32, MAX_STRING, PRIMITIVES, Primitive
from wireproof.reference.schema.plan import Array, Node, PlannedField, Struct

Encoder = Callable[[Any], bytes]

#: Arrays below this size are written by one struct for all their elements.
_SMALL = 16
#: The number of combinations of such sizes whose struct is cached; others are made each time.
_KEPT = 1024

#: Types for which the struct module also accepts other Python types. It accepts a boolean as an integer too: fields and
#: short arrays of integers write it as 0 or 1, where the readable codec refuses it, because a check would nearly double
#: their cost. No question has such a value.
_CHECKED = {"BOOLEAN": "bool", "FLOAT64": "float"}


# --- What generated source calls --------------------------------------------------------------------------------------


def _tagged(out: bytearray, entries: list[tuple[int, bytes]]) -> None:
    """A tag buffer of these tags."""
    _append_uvarint(out, len(entries))
    for tag, content in entries:
        _append_uvarint(out, tag)
        _append_uvarint(out, len(content))
        out += content


def _append_uvarint(out: bytearray, number: int) -> None:
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _prefix(length: int) -> bytes:
    """A compact length of 127 and more."""
    out = bytearray()
    _append_uvarint(out, length + 1)
    return bytes(out)


def _unknown(value: dict[str, Any], fields: int, known: Container[int]) -> list[tuple[int, bytes]]:
    """The `_tags` of a structure that has one key more than it has fields."""
    unknown = value["_tags"]
    if len(value) != fields + 1 or unknown.__class__ is not list:
        raise NotPlain
    previous = -1
    for tag, content in unknown:
        # The last number is one that some can't hold.
        if tag.__class__ is not int or not previous < tag < MAX_INT32 or tag in known or content.__class__ is not bytes:
            raise NotPlain
        previous = tag
    return unknown


_NAMES = {"pack": struct.pack, "prefix": _prefix, "tagged": _tagged, "unknown": _unknown}


# --- Encoding: `o` is the output --------------------------------------------------------------------------------------


@functools.cache
def encoder(node: Node) -> Encoder:
    """A function value → bytes for a node. It raises one of GIVES_UP."""
    source = Source(_NAMES)
    source.line("o = bytearray()")
    _encode(source, node, "v")
    source.line("return bytes(o)")
    return source.function("def generated(v):")


def _encode(source: Source, node: Node, value: str) -> None:
    match node:
        case Struct():
            _encode_struct(source, node, value)
        case Array():
            _encode_array(source, node, value)
        case Primitive():
            _encode_primitive(source, node, value)
        case _:
            raise TypeError(f"no message has a {type(node).__name__}")


def _encode_struct(source: Source, node: Struct, value: str) -> None:
    if node.marker == "none":
        _encode_fields(source, node, value)
        return
    with source.block(f"if {value} is None:"):
        source.line(f"o.append({255 if node.marker == 'int8' else 0})")
    with source.block("else:"):
        source.line("o.append(1)")
        _encode_fields(source, node, value)


def _encode_fields(source: Source, node: Struct, value: str) -> None:
    size, more = len(node.fields), source.fresh()
    with source.block(f"if {value}.__class__ is not dict:"):
        source.line("raise NotPlain")
    if node.flexible:
        known = source.constant(frozenset(node.tagged))
        source.line(f"{more} = unknown({value}, {size}, {known}) if len({value}) != {size} else None")
    else:
        with source.block(f"if len({value}) != {size}:"):
            source.line("raise NotPlain")
    closing = node.flexible and not node.tagged  # an empty tag buffer is one byte 0
    segments = list(_segments(node.plain))
    for index, segment in enumerate(segments):
        named = {source.fresh(): field for field in segment}
        for name, field in named.items():
            source.line(f"{name} = {value}[{field.name!r}]")
        last = closing and index == len(segments) - 1
        if _is_packable(segment[0].node):
            _encode_segment(source, named, closing=last)
        else:
            for name, field in named.items():
                _encode(source, field.node, name)
            if last:
                source.line("o.append(0)")
    if closing:
        if not segments:
            source.line("o.append(0)")
        with source.block(f"if {more}:"):
            source.line(f"o.pop(); tagged(o, {more})")
    if node.tagged:
        _encode_tags(source, node, value, more)


def _segments(fields: Sequence[PlannedField]) -> Iterator[tuple[PlannedField, ...]]:
    """Groups of consecutive packable fields; any other field is a group alone."""
    for packable, group in itertools.groupby(fields, lambda field: _is_packable(field.node)):
        if packable:
            yield tuple(group)
        else:
            yield from ((field,) for field in group)


class _Packers(dict[Any, Callable[..., bytes]]):
    """Sizes of a segment's arrays → its pack function."""

    def __init__(self, segment: Sequence[PlannedField], *, closing: bool) -> None:
        super().__init__()
        self.segment = segment
        self.closing = closing

    def __missing__(self, sizes: tuple[int, ...]) -> Callable[..., bytes]:
        packer = struct.Struct(_letters(self.segment, sizes) + ("x" if self.closing else "")).pack
        if len(self) < _KEPT:
            self[sizes] = packer
        return packer


def _encode_segment(source: Source, named: Mapping[str, PlannedField], *, closing: bool) -> None:
    """Lines that write fixed-width fields and small arrays in one call, and larger arrays one after another. `named`:
    the variables with their values."""
    packers = _Packers([*named.values()], closing=closing)
    sizes, arguments = [], []
    for name, field in named.items():
        if isinstance(field.node, Array):
            with source.block(f"if {name}.__class__ is not list:"):
                source.line("raise NotPlain")
            size = source.fresh()
            source.line(f"{size} = len({name})")
            sizes.append(size)
            arguments += [f"{size} + 1" if field.node.compact else size, f"*{name}"]
        else:
            _check_type(source, field.node, name)
            arguments.append(name)
    if not sizes:
        source.line(f"o += {source.constant(packers[()])}({', '.join(arguments)})")
        return
    with source.block(f"if {' and '.join(f'{size} < {_SMALL}' for size in sizes)}:"):
        source.line(f"o += {source.constant(packers)}[{', '.join(sizes)},]({', '.join(arguments)})")
    with source.block("else:"):
        for name, field in named.items():
            _encode(source, field.node, name)
        if closing:
            source.line("o.append(0)")


def _checked(node: Node) -> str | None:
    """The Python type that the values of a number must have; None if the struct module checks that."""
    assert isinstance(node, Primitive)
    return _CHECKED.get(node.name)


def _check_type(source: Source, node: Node, value: str) -> None:
    """Lines that check the type: the struct module accepts any object as a boolean, and an integer as a float."""
    kind = _checked(node)
    if kind is not None:
        with source.block(f"if {value}.__class__ is not {kind}:"):
            source.line("raise NotPlain")


def _is_packable(node: Node) -> bool:
    """Whether one struct can write it, with its count; the types of an array's elements need no check."""
    match node:
        case Array(element=element, nullable=False):
            return is_number(element) and _checked(element) is None
    return is_number(node)


def _letters(fields: Sequence[PlannedField], sizes: Sequence[int] = ()) -> str:
    """The struct format of packable fields, whose arrays have these sizes."""
    letters, left = [">"], iter(sizes)
    for field in fields:
        match field.node:
            case Array(element=element):
                letters.append(f"{lead_letter(field.node)}{next(left)}{letter(element)}")
            case _:
                letters.append(letter(field.node))
    return "".join(letters)


@functools.cache
def _has_lookalikes(node: Node) -> bool:
    """Whether another value may equal the default: -0.0 equals 0.0, and 0 equals false. An array's is empty or null."""
    match node:
        case Struct():
            return any(_has_lookalikes(field.node) for field in node.fields)
    return isinstance(node, Primitive) and node.name in _CHECKED


def _encode_tags(source: Source, node: Struct, value: str, more: str) -> None:
    entries = source.fresh()
    source.line(f"{entries} = []")
    for tag, field in node.tagged.items():
        differs = "!="
        if field.node is PRIMITIVES["BOOLEAN"]:
            differs = "is not"
        elif _has_lookalikes(field.node):
            source.line("raise NotPlain")
            return
        name = source.fresh()
        source.line(f"{name} = {value}[{field.name!r}]")
        with source.block(f"if {name} {differs} {source.literal(field.default)}:"):
            source.line(f"{entries}.append(({tag}, {source.constant(encoder(field.node))}({name})))")
    with source.block(f"if {more}:"):
        source.line(f"{entries} += {more}; {entries}.sort()")
    source.line(f"tagged(o, {entries})")


def _encode_array(source: Source, node: Array, value: str) -> None:
    with _unless_null(source, node, value):
        with source.block(f"if {value}.__class__ is not list:"):
            source.line("raise NotPlain")
        n = source.fresh()
        source.line(f"{n} = len({value})")
        _encode_length(source, node, n)
        if is_number(node.element):
            kind = _checked(node.element) or "int"
            with source.block(f"if {n} and {{*map(type, {value})}} != {{{kind}}}:"):
                source.line("raise NotPlain")
            source.line(f"o += pack('>%d{letter(node.element)}' % {n}, *{value})")
            return
        element = source.fresh()
        with source.block(f"for {element} in {value}:"):
            _encode(source, node.element, element)


@contextmanager
def _unless_null(source: Source, node: Node, value: str) -> Iterator[None]:
    """The lines inside run for a value that is not null."""
    if not is_nullable(node):
        yield
        return
    lead = lead_letter(node)
    with source.block(f"if {value} is None:"):
        source.line("o.append(0)" if lead == "B" else f"o += {struct.pack(f'>{lead}', -1)!r}")
    with source.block("else:"):
        yield


def _encode_length(source: Source, node: Node, n: str) -> None:
    lead = lead_letter(node)
    if lead != "B":
        source.line(f"o += {source.constant(struct.Struct(f'>{lead}').pack)}({n})")
        return
    with source.block(f"if {n} < 127:"):
        source.line(f"o.append({n} + 1)")
    with source.block("else:"):
        source.line(f"o += prefix({n})")


def _encode_primitive(source: Source, node: Primitive, value: str) -> None:
    if is_number(node):
        _check_type(source, node, value)
        source.line(f"o += {source.constant(struct.Struct(f'>{letter(node)}').pack)}({value})")
    elif node.name == "UUID":
        with source.block(f"if {value}.__class__ is not UUID:"):
            source.line("raise NotPlain")
        source.line(f"o += {value}.bytes")
    else:
        _encode_content(source, node, value)


def _encode_content(source: Source, node: Primitive, value: str) -> None:
    text = node.name.endswith("STRING")
    with _unless_null(source, node, value):
        with source.block(f"if {value}.__class__ is not {'str' if text else 'bytes'}:"):
            source.line("raise NotPlain")
        if text:
            source.line(f"{value} = {value}.encode()")
        n = source.fresh()
        source.line(f"{n} = len({value})")
        if text:
            with source.block(f"if {n} > {MAX_STRING}:"):
                source.line("raise NotPlain")
        _encode_length(source, node, n)
        source.line(f"o += {value}")
