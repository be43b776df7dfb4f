"""Generates the function that reads a node."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from reference.compiled.source import FIXED, SMALL, Fault, Odd, Source, is_fixed, is_packable, letters
from reference.message import POLICY_ELEMENTS, POLICY_TAGS
from reference.plan import Array, Node, PlannedField, Struct
from reference.primitives import MAX_STRING, Primitive

Decoder = Callable[[bytes, int], tuple[Any, int]]

#: So many layouts of one structure are learnt: input that never repeats must not fill the memory with code.
_MOST_LAYOUTS = 64


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


def _never(_data: bytes, _pos: int) -> None:
    """Reads nothing: no layout is known yet."""


_NAMES = {"never": _never, "tags": _tags, "unpack_from": struct.unpack_from, "uvarint": _uvarint}


# --- The generator ----------------------------------------------------------------------------------------------------


def _runs(fields: Sequence[PlannedField]) -> Iterator[tuple[PlannedField, ...]]:
    """Neighbouring fields of fixed width together; every other field alone."""
    run: list[PlannedField] = []
    for field in fields:
        if isinstance(field.node, Primitive) and field.node.name in FIXED:
            run.append(field)
            continue
        if run:
            yield tuple(run)
            run = []
        yield (field,)
    if run:
        yield tuple(run)


# --- Decoding: `d` is the data, `p` the position ----------------------------------------------------------------------
# A slice beyond the end is short, but `p` goes on: the next read or the check at the end finds it.


@functools.cache
def decoder(node: Node) -> Decoder:
    """A function (data, position) → (value, position behind it) for a node. Raises one of NOT_PLAIN."""
    source = Source(_NAMES)
    _decode(source, node, "v")
    source.line("return v, p")
    return source.function("def generated(d, p):")


def _decode(source: Source, node: Node, target: str, lead: str = "", follow: str = "") -> None:
    """Lines that put the node's value into `target`.

    `lead` names where the node's first byte is already, for one that begins with a length or marker of one byte;
    `follow` is where the byte behind the node is to go. To take that byte along costs nothing, to fetch it does.
    """
    match node:
        case Struct():
            _decode_struct(source, node, target, lead)
        case Array():
            _decode_array(source, node, target, lead)
        case Primitive():
            _decode_primitive(source, node.name, target, lead)
        case _:
            raise TypeError(f"no message has a {type(node).__name__}")
    if follow:
        source.line(f"{follow} = d[p]; p += 1")


def _begins_with_byte(node: Node | None) -> bool:
    """Whether a lone first byte says what follows; None stands for a tag buffer."""
    match node:
        case None:
            return True
        case Array(compact=compact):
            return compact
        case Struct(marker=marker):
            return marker != "none"
        case Primitive(name=name):
            return name.startswith("COMPACT")
    return False


def _decode_struct(source: Source, node: Struct, target: str, lead: str) -> None:
    if node.marker == "none":
        _decode_fields(source, node, target)
        return
    marker = lead or source.fresh("m")
    if not lead:
        source.line(f"{marker} = d[p]; p += 1")
    with source.block(f"if {marker} == {255 if node.marker == 'int8' else 0}:"):
        source.line(f"{target} = None")
    with source.block(f"elif {marker} != 1:"):
        source.line("raise Fault")
    with source.block("else:"):
        _decode_fields(source, node, target)


def _decode_fields(source: Source, node: Struct, target: str) -> None:
    names = {field.name: source.fresh("v") for field in node.plain}
    runs = list(_runs(node.plain))
    firsts: list[Node | None] = [run[0].node for run in runs[1:]]
    if node.flexible:
        firsts.append(None)
    lead = ""
    for index, run in enumerate(runs):
        follow = source.fresh("b") if index < len(firsts) and _begins_with_byte(firsts[index]) else ""
        targets = [names[field.name] for field in run]
        if is_fixed(run[0].node):
            _decode_run(source, run, targets, follow)
        else:
            _decode(source, run[0].node, targets[0], lead, follow)
        lead = follow
    if node.flexible and not lead:
        lead = source.fresh("b")
        source.line(f"{lead} = d[p]; p += 1")
    values = (names[field.name] if field.tag is None else source.literal(field.default) for field in node.fields)
    pairs = ", ".join(f"{field.name!r}: {value}" for field, value in zip(node.fields, values, strict=True))
    source.line(f"{target} = {{{pairs}}}")
    if node.flexible:
        with source.block(f"if {lead}:"):
            source.line(f"p = tags(d, p, {lead}, {source.constant(_Tags(node))}, {target})")


def _decode_run(source: Source, run: Sequence[PlannedField], targets: Sequence[str], follow: str) -> None:
    layout = struct.Struct(letters(run) + ("B" if follow else ""))
    unpack = source.constant(layout.unpack_from)
    source.line(f"{', '.join([*targets, *([follow] if follow else [])])}, = {unpack}(d, p); p += {layout.size}")


def _decode_length(source: Source, *, compact: bool, width: str, nullable: bool, target: str, lead: str) -> str:
    """Lines up to where the length or count is known; its name. What it announces stands under an `else:`."""
    n = source.fresh("n")
    if compact:
        if not lead:
            lead = source.fresh("b")
            source.line(f"{lead} = d[p]; p += 1")
        with source.block(f"if {lead} >= 128:"):
            source.line(f"{lead}, p = uvarint(d, p, {lead})")
        source.line(f"{n} = {lead} - 1")
    else:
        layout = struct.Struct(width)
        source.line(f"{n}, = {source.constant(layout.unpack_from)}(d, p); p += {layout.size}")
    with source.block(f"if {n} < 0:"):
        if nullable:
            with source.block(f"if {n} != -1:"):
                source.line("raise Fault")
            source.line(f"{target} = None")
        else:
            source.line("raise Fault")
    return n


def _decode_array(source: Source, node: Array, target: str, lead: str) -> None:
    n = _decode_length(source, compact=node.compact, width=">i", nullable=node.nullable, target=target, lead=lead)
    with source.block("else:"):
        with source.block(f"if {n} > len(d) - p:"):
            source.line("raise Fault")
        with source.block(f"if {n} > {POLICY_ELEMENTS}:"):
            source.line("raise Odd")
        if isinstance(node.element, Primitive) and node.element.name in FIXED:
            letter, width = FIXED[node.element.name]
            source.line(f"{target} = list(unpack_from('>%d{letter}' % {n}, d, p)); p += {n} * {width}")
            return
        source.line(f"{target} = []")
        element, append = source.fresh("e"), source.fresh("a")
        source.line(f"{append} = {target}.append")
        if isinstance(node.element, Struct) and _is_regular(node.element):
            if any(isinstance(field.node, Array) for field in node.element.plain):
                _decode_regular(source, node.element, n, element, append)
                return
            with _unless_even(source, node.element, n, target):
                _decode_each(source, node.element, n, element, append)
            return
        _decode_each(source, node.element, n, element, append)


def _decode_each(source: Source, node: Node, n: str, element: str, append: str) -> None:
    with source.block(f"for _ in range({n}):"):
        _decode(source, node, element)
        source.line(f"{append}({element})")


@contextmanager
def _unless_even(source: Source, node: Struct, n: str, target: str) -> Iterator[None]:
    """Structures of one width, none of which has tags, are read at once; the lines inside are for the others."""
    if not node.plain:
        yield
        return
    names = {field.name: source.fresh("v") for field in node.plain}
    layout = struct.Struct(letters(node.plain) + ("x" if node.flexible else ""))
    width, end = layout.size, source.fresh("q")
    source.line(f"{end} = p + {n} * {width}")
    # Of what is cut off there are fewer than `n` tag counts.
    even = f"d[p + {width - 1}:{end}:{width}].count(0) == {n}" if node.flexible else f"{end} <= len(d)"
    with source.block(f"if {even}:"):
        value = ", ".join(f"{name!r}: {variable}" for name, variable in names.items())
        elements = f"{source.constant(layout.iter_unpack)}(d[p:{end}])"
        source.line(f"{target} = [{{{value}}} for {', '.join(names.values())}, in {elements}]; p = {end}")
    with source.block("else:"):
        yield


def _is_regular(node: Struct) -> bool:
    """Whether the sizes of its arrays alone say where everything stands in it."""
    return node.marker == "none" and not node.tagged and all(is_packable(field.node) for field in node.plain)


def _decode_regular(source: Source, node: Struct, n: str, element: str, append: str) -> None:
    """Neighbours are mostly laid out alike: as long as they are, one call reads an element."""
    layouts = source.constant(_Layouts(node).of)
    guess, width = source.fresh("g"), source.fresh("w")
    source.first.append(f"    {guess} = never; {width} = 0")  # before all loops: what one array taught helps the next
    with source.block(f"for _ in range({n}):"):
        source.line(f"{element} = {guess}(d, p) if p + {width} <= len(d) else None")
        with source.block(f"if {element} is None:"):
            _decode(source, node, element)
            source.line(f"{guess}, {width} = {layouts}({element})")
        with source.block("else:"):
            source.line(f"p += {width}")
        source.line(f"{append}({element})")


Reading = Callable[[bytes, int], dict[str, Any] | None]


class _Layouts:
    """Readings of a regular structure, one for each combination of its arrays' sizes that has been met."""

    def __init__(self, node: Struct) -> None:
        self.node = node
        self.arrays = [field.name for field in node.plain if isinstance(field.node, Array)]
        self.known: dict[tuple[int, ...], tuple[Reading, int]] = {}

    def of(self, value: dict[str, Any]) -> tuple[Reading, int]:
        """The reading of elements laid out as this one, and their width: it gives None for any other element."""
        sizes = tuple([len(value[name]) for name in self.arrays])
        found = self.known.get(sizes)
        if found is None:
            if max(sizes, default=0) >= SMALL or len(self.known) >= _MOST_LAYOUTS:
                return _never, 0
            found = self.known[sizes] = self._reading(sizes)
        return found

    def _reading(self, sizes: tuple[int, ...]) -> tuple[Reading, int]:
        source, left = Source(_NAMES), iter(sizes)
        targets, checks, values = [], [], []
        for field in self.node.plain:
            name = source.fresh("v")
            targets.append(name)
            if isinstance(field.node, Array):
                size = next(left)
                elements = [source.fresh("v") for _ in range(size)]
                checks.append(f"{name} != {size + 1 if field.node.compact else size}")
                targets += elements
                values.append(f"{field.name!r}: [{', '.join(elements)}]")
            else:
                values.append(f"{field.name!r}: {name}")
        if self.node.flexible:
            targets.append("t")
            checks.append("t")
        layout = struct.Struct(letters(self.node.plain, sizes) + ("B" if self.node.flexible else ""))
        source.line(f"{', '.join(targets)}, = {source.constant(layout.unpack_from)}(d, p)")
        if checks:
            with source.block(f"if {' or '.join(checks)}:"):
                source.line("return None")
        source.line(f"return {{{', '.join(values)}}}")
        return source.function("def generated(d, p):"), layout.size


def _decode_primitive(source: Source, name: str, target: str, lead: str) -> None:
    if name in FIXED:
        layout = struct.Struct(">" + FIXED[name][0])
        source.line(f"{target}, = {source.constant(layout.unpack_from)}(d, p); p += {layout.size}")
    elif name == "UUID":
        source.line(f"{target} = UUID(bytes=d[p : p + 16]); p += 16")
    else:
        _decode_content(source, name, target, lead)


def _decode_content(source: Source, name: str, target: str, lead: str) -> None:
    """STRING and BYTES in their eight forms."""
    text, compact = name.endswith("STRING"), name.startswith("COMPACT")
    width = ">h" if text else ">i"
    n = _decode_length(source, compact=compact, width=width, nullable="NULLABLE" in name, target=target, lead=lead)
    with source.block("else:"):
        if text and compact:
            with source.block(f"if {n} > {MAX_STRING}:"):
                source.line("raise Fault")
        source.line(f"{n} += p")
        source.line(f"{target} = d[p:{n}]{'.decode()' if text else ''}; p = {n}")
