"""The fast codec: Python source generated from a plan, compiled once a message and version.

It reads and writes what is plain alone: minimal varints, tags in order that fill their size, every key there. On the
rest it gives up, and `message.py`, which knows every rule and names every fault, does the work again. When it gave up
on a fault that `message.py` then does not find, that is an internal error, never a pass.

It takes true for 1: wrong Python types are never asked, and looking at each integer's would cost a third of its speed.

Only source that this module builds from a validated plan is executed: names are literals through repr, everything else
is fixed text and numbers.
"""

from __future__ import annotations

import functools
import itertools
import struct
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from reference.message import POLICY_ELEMENTS, POLICY_TAGS
from reference.plan import Array, Node, PlannedField, Struct
from reference.primitives import MAX_STRING, PRIMITIVES, Primitive

Decoder = Callable[[bytes, int], tuple[Any, int]]
Encoder = Callable[[Any], bytes]

#: Primitives of a fixed width: their letter in the struct module, and their width in bytes.
_FIXED = {
    "BOOLEAN": ("?", 1),
    "INT8": ("b", 1),
    "INT16": ("h", 2),
    "INT32": ("i", 4),
    "INT64": ("q", 8),
    "UINT16": ("H", 2),
    "UINT32": ("I", 4),
    "FLOAT64": ("d", 8),
}
#: Where the struct module takes other types too.
_CHECKED = {"BOOLEAN": "bool", "FLOAT64": "float"}
#: Arrays below this size take the quick way: one struct for all their elements.
_SMALL = 16
#: So many layouts of one structure are learnt: input that never repeats must not fill the memory with code.
_MOST_LAYOUTS = 64


class Odd(Exception):  # noqa: N818 (no error: a matter for the readable codec)
    """Legal or not, this is more than the plain form: `message.py` decides."""


class Fault(Exception):  # noqa: N818 (the error is `message.py`'s to make)
    """This is refused under the demanded readings: `message.py` says why, and where."""


#: What generated source raises when it meets bytes or values that are not plain.
NOT_PLAIN = (Odd, Fault, IndexError, KeyError, AttributeError, TypeError, ValueError, OverflowError, struct.error)


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


# --- The generator ----------------------------------------------------------------------------------------------------


class _Source:
    """Lines of one generated function, and the names that it may use."""

    def __init__(self) -> None:
        self.first: list[str] = []
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "Fault": Fault,
            "never": _never,
            "Odd": Odd,
            "uvarint": _uvarint,
            "tags": _tags,
            "tagged": _tagged,
            "prefix": _prefix,
            "UUID": uuid.UUID,
            "unpack_from": struct.unpack_from,
            "pack": struct.pack,
        }
        self._depth = 1
        self._made = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The lines inside stand under `head`."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self, prefix: str) -> str:
        """A name that nothing else has."""
        self._made += 1
        return f"{prefix}{self._made}"

    def constant(self, value: Any) -> str:
        """A name for a value that source can't hold."""
        name = self.fresh("K")
        self.names[name] = value
        return name

    def function(self, head: str) -> Callable[..., Any]:
        """The function, compiled."""
        source = "\n".join([head, *self.first, *self.lines]) + "\n"
        # The source is this module's own text, numbers and reprs of a validated schema's names.
        exec(compile(source, "<generated from a plan>", "exec"), self.names)  # noqa: S102
        made: Callable[..., Any] = self.names["generated"]
        return made

    def literal(self, value: Any) -> str:
        """Source for a fresh copy of a default."""
        match value:
            case None | bool() | int() | str() | bytes():
                return repr(value)
            case list():
                return "[" + ", ".join(self.literal(item) for item in value) + "]"
            case dict():
                return "{" + ", ".join(f"{key!r}: {self.literal(item)}" for key, item in value.items()) + "}"
        return self.constant(value)


def _runs(fields: Sequence[PlannedField]) -> Iterator[tuple[PlannedField, ...]]:
    """Neighbouring fields of fixed width together; every other field alone."""
    run: list[PlannedField] = []
    for field in fields:
        if isinstance(field.node, Primitive) and field.node.name in _FIXED:
            run.append(field)
            continue
        if run:
            yield tuple(run)
            run = []
        yield (field,)
    if run:
        yield tuple(run)


def _letters(fields: Sequence[PlannedField], sizes: Sequence[int] = ()) -> str:
    """The struct format of packable fields, whose arrays have these sizes."""
    letters, left = [">"], iter(sizes)
    for field in fields:
        match field.node:
            case Array(element=Primitive(name=name), compact=compact):
                letters.append(f"{'B' if compact else 'i'}{next(left)}{_FIXED[name][0]}")
            case Primitive(name=name):
                letters.append(_FIXED[name][0])
    return "".join(letters)


def _is_fixed(node: Node) -> bool:
    return isinstance(node, Primitive) and node.name in _FIXED


def _is_packable(node: Node) -> bool:
    """Whether one struct can hold it, its count included."""
    match node:
        case Array(element=element, nullable=False):
            return _is_fixed(element)
    return _is_fixed(node)


# --- Decoding: `d` is the data, `p` the position ----------------------------------------------------------------------
# A slice beyond the end is short, but `p` goes on: the next read or the check at the end finds it.


@functools.cache
def decoder(node: Node) -> Decoder:
    """A function (data, position) → (value, position behind it) for a node. Raises one of NOT_PLAIN."""
    source = _Source()
    _decode(source, node, "v")
    source.line("return v, p")
    return source.function("def generated(d, p):")


def _decode(source: _Source, node: Node, target: str, lead: str = "", follow: str = "") -> None:
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


def _decode_struct(source: _Source, node: Struct, target: str, lead: str) -> None:
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


def _decode_fields(source: _Source, node: Struct, target: str) -> None:
    names = {field.name: source.fresh("v") for field in node.plain}
    runs = list(_runs(node.plain))
    firsts: list[Node | None] = [run[0].node for run in runs[1:]]
    if node.flexible:
        firsts.append(None)
    lead = ""
    for index, run in enumerate(runs):
        follow = source.fresh("b") if index < len(firsts) and _begins_with_byte(firsts[index]) else ""
        targets = [names[field.name] for field in run]
        if _is_fixed(run[0].node):
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


def _decode_run(source: _Source, run: Sequence[PlannedField], targets: Sequence[str], follow: str) -> None:
    layout = struct.Struct(_letters(run) + ("B" if follow else ""))
    unpack = source.constant(layout.unpack_from)
    source.line(f"{', '.join([*targets, *([follow] if follow else [])])}, = {unpack}(d, p); p += {layout.size}")


def _decode_length(source: _Source, *, compact: bool, width: str, nullable: bool, target: str, lead: str) -> str:
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


def _decode_array(source: _Source, node: Array, target: str, lead: str) -> None:
    n = _decode_length(source, compact=node.compact, width=">i", nullable=node.nullable, target=target, lead=lead)
    with source.block("else:"):
        with source.block(f"if {n} > len(d) - p:"):
            source.line("raise Fault")
        with source.block(f"if {n} > {POLICY_ELEMENTS}:"):
            source.line("raise Odd")
        if isinstance(node.element, Primitive) and node.element.name in _FIXED:
            letter, width = _FIXED[node.element.name]
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


def _decode_each(source: _Source, node: Node, n: str, element: str, append: str) -> None:
    with source.block(f"for _ in range({n}):"):
        _decode(source, node, element)
        source.line(f"{append}({element})")


@contextmanager
def _unless_even(source: _Source, node: Struct, n: str, target: str) -> Iterator[None]:
    """Structures of one width, none of which has tags, are read at once; the lines inside are for the others."""
    if not node.plain:
        yield
        return
    names = {field.name: source.fresh("v") for field in node.plain}
    layout = struct.Struct(_letters(node.plain) + ("x" if node.flexible else ""))
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
    return node.marker == "none" and not node.tagged and all(_is_packable(field.node) for field in node.plain)


def _decode_regular(source: _Source, node: Struct, n: str, element: str, append: str) -> None:
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


def _never(_data: bytes, _pos: int) -> None:
    """Reads nothing: no layout is known yet."""


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
            if max(sizes, default=0) >= _SMALL or len(self.known) >= _MOST_LAYOUTS:
                return _never, 0
            found = self.known[sizes] = self._reading(sizes)
        return found

    def _reading(self, sizes: tuple[int, ...]) -> tuple[Reading, int]:
        source, left = _Source(), iter(sizes)
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
        layout = struct.Struct(_letters(self.node.plain, sizes) + ("B" if self.node.flexible else ""))
        source.line(f"{', '.join(targets)}, = {source.constant(layout.unpack_from)}(d, p)")
        if checks:
            with source.block(f"if {' or '.join(checks)}:"):
                source.line("return None")
        source.line(f"return {{{', '.join(values)}}}")
        return source.function("def generated(d, p):"), layout.size


def _decode_primitive(source: _Source, name: str, target: str, lead: str) -> None:
    if name in _FIXED:
        layout = struct.Struct(">" + _FIXED[name][0])
        source.line(f"{target}, = {source.constant(layout.unpack_from)}(d, p); p += {layout.size}")
    elif name == "UUID":
        source.line(f"{target} = UUID(bytes=d[p : p + 16]); p += 16")
    else:
        _decode_content(source, name, target, lead)


def _decode_content(source: _Source, name: str, target: str, lead: str) -> None:
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


# --- Encoding: `o` is the output --------------------------------------------------------------------------------------


@functools.cache
def encoder(node: Node) -> Encoder:
    """A function value → bytes for a node. Raises one of NOT_PLAIN."""
    source = _Source()
    source.line("o = bytearray()")
    _encode(source, node, "v")
    source.line("return bytes(o)")
    return source.function("def generated(v):")


def _encode(source: _Source, node: Node, value: str) -> None:
    match node:
        case Struct():
            _encode_struct(source, node, value)
        case Array():
            _encode_array(source, node, value)
        case Primitive():
            _encode_primitive(source, node.name, value)
        case _:
            raise TypeError(f"no message has a {type(node).__name__}")


def _encode_struct(source: _Source, node: Struct, value: str) -> None:
    if node.marker == "none":
        _encode_fields(source, node, value)
        return
    with source.block(f"if {value} is None:"):
        source.line(f"o.append({255 if node.marker == 'int8' else 0})")
    with source.block("else:"):
        source.line("o.append(1)")
        _encode_fields(source, node, value)


def _encode_fields(source: _Source, node: Struct, value: str) -> None:
    with source.block(f"if {value}.__class__ is not dict or len({value}) != {len(node.fields)}:"):
        source.line("raise Odd")
    closing = node.flexible and not node.tagged  # an empty tag buffer is one byte 0
    segments = list(_segments(node.plain))
    for index, segment in enumerate(segments):
        names = [source.fresh("v") for _ in segment]
        for name, field in zip(names, segment, strict=True):
            source.line(f"{name} = {value}[{field.name!r}]")
        last = closing and index == len(segments) - 1
        if _is_packable(segment[0].node):
            _encode_segment(source, segment, names, closing=last)
        else:
            _encode(source, segment[0].node, names[0])
            if last:
                source.line("o.append(0)")
    if closing and not segments:
        source.line("o.append(0)")
    if node.tagged:
        _encode_tags(source, node, value)


def _segments(fields: Sequence[PlannedField]) -> Iterator[tuple[PlannedField, ...]]:
    """Neighbouring packable fields together; every other field alone."""
    for packable, group in itertools.groupby(fields, lambda field: _is_packable(field.node)):
        if packable:
            yield tuple(group)
        else:
            yield from ((field,) for field in group)


class _Packers(dict[Any, Callable[..., bytes]]):
    """The pack function of a segment by the sizes of its arrays."""

    def __init__(self, segment: Sequence[PlannedField], *, closing: bool) -> None:
        super().__init__()
        self.segment = segment
        self.closing = closing

    def __missing__(self, sizes: tuple[int, ...]) -> Callable[..., bytes]:
        packer = struct.Struct(_letters(self.segment, sizes) + ("x" if self.closing else "")).pack
        self[sizes] = packer
        return packer


def _encode_segment(source: _Source, segment: Sequence[PlannedField], names: Sequence[str], *, closing: bool) -> None:
    """Fixed-width fields and arrays of them in one call; arrays that are not small one after another."""
    packers = _Packers(segment, closing=closing)
    sizes, arguments = [], []
    for name, field in zip(names, segment, strict=True):
        if isinstance(field.node, Array):
            with source.block(f"if {name}.__class__ is not list:"):
                source.line("raise Odd")
            size = source.fresh("n")
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
        for name, field in zip(names, segment, strict=True):
            _encode(source, field.node, name)
        if closing:
            source.line("o.append(0)")


def _check_type(source: _Source, node: Node, value: str) -> None:
    """The struct module takes any object for a boolean, and an integer for a float; the protocol does not."""
    kind = _CHECKED.get(node.name) if isinstance(node, Primitive) else None
    if kind is not None:
        with source.block(f"if {value}.__class__ is not {kind}:"):
            source.line("raise Odd")


@functools.cache
def _has_float(node: Node) -> bool:
    """Whether a FLOAT64 stands anywhere inside."""
    match node:
        case Struct():
            return any(_has_float(field.node) for field in node.fields)
        case Array():
            return _has_float(node.element)
    return isinstance(node, Primitive) and node.name == "FLOAT64"


def _encode_tags(source: _Source, node: Struct, value: str) -> None:
    found = source.fresh("t")
    source.line(f"{found} = []")
    for tag, field in node.tagged.items():
        if _has_float(field.node):  # whether it is at its default is a matter of bits: -0.0 equals 0.0, and nan nothing
            source.line("raise Odd")
            return
        name = source.fresh("v")
        source.line(f"{name} = {value}[{field.name!r}]")
        with source.block(f"if {name} != {source.literal(field.default)}:"):
            source.line(f"{found}.append(({tag}, {source.constant(encoder(field.node))}({name})))")
    source.line(f"tagged(o, {found})")


def _encode_array(source: _Source, node: Array, value: str) -> None:
    with _unless_null(source, value, nullable=node.nullable, compact=node.compact, null="b'\\xff\\xff\\xff\\xff'"):
        with source.block(f"if {value}.__class__ is not list:"):
            source.line("raise Odd")
        n = source.fresh("n")
        source.line(f"{n} = len({value})")
        _encode_length(source, n, compact=node.compact, width=">i")
        if isinstance(node.element, Primitive) and node.element.name in _FIXED:
            kind = _CHECKED.get(node.element.name)
            if kind is not None:
                with source.block(f"if {n} and {{*map(type, {value})}} != {{{kind}}}:"):
                    source.line("raise Odd")
            source.line(f"o += pack('>%d{_FIXED[node.element.name][0]}' % {n}, *{value})")
            return
        element = source.fresh("e")
        with source.block(f"for {element} in {value}:"):
            _encode(source, node.element, element)


@contextmanager
def _unless_null(source: _Source, value: str, *, nullable: bool, compact: bool, null: str) -> Iterator[None]:
    """The lines inside are for a value that is not null."""
    if not nullable:
        yield
        return
    with source.block(f"if {value} is None:"):
        source.line("o.append(0)" if compact else f"o += {null}")
    with source.block("else:"):
        yield


def _encode_length(source: _Source, n: str, *, compact: bool, width: str) -> None:
    if not compact:
        source.line(f"o += {source.constant(struct.Struct(width).pack)}({n})")
        return
    with source.block(f"if {n} < 127:"):
        source.line(f"o.append({n} + 1)")
    with source.block("else:"):
        source.line(f"o += prefix({n})")


def _encode_primitive(source: _Source, name: str, value: str) -> None:
    if name in _FIXED:
        _check_type(source, PRIMITIVES[name], value)
        source.line(f"o += {source.constant(struct.Struct('>' + _FIXED[name][0]).pack)}({value})")
    elif name == "UUID":
        with source.block(f"if {value}.__class__ is not UUID:"):
            source.line("raise Odd")
        source.line(f"o += {value}.bytes")
    else:
        _encode_content(source, name, value)


def _encode_content(source: _Source, name: str, value: str) -> None:
    text, compact = name.endswith("STRING"), name.startswith("COMPACT")
    null = "b'\\xff\\xff'" if text else "b'\\xff\\xff\\xff\\xff'"
    with _unless_null(source, value, nullable="NULLABLE" in name, compact=compact, null=null):
        with source.block(f"if {value}.__class__ is not {'str' if text else 'bytes'}:"):
            source.line("raise Odd")
        raw = source.fresh("s") if text else value
        if text:
            source.line(f"{raw} = {value}.encode()")
        n = source.fresh("n")
        source.line(f"{n} = len({raw})")
        if text:
            with source.block(f"if {n} > {MAX_STRING}:"):
                source.line("raise Odd")
        _encode_length(source, n, compact=compact, width=">h" if text else ">i")
        source.line(f"o += {raw}")
