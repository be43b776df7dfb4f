"""Generates lines that read an array of structures at once, if all of them have the same layout.

That is checked, not guessed: each count, and each number of tags, has the same value at the same offset in every
structure. Then the array is a table with rows of equal width, which the struct module reads.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from reference.compiled.source import (
    SHORT,
    Source,
    is_fixed,
    is_nullable,
    is_number,
    lead_letter,
    letter,
    made,
    make_uuid,
)
from reference.plan import Array, Node, Struct
from reference.primitives import Primitive

#: Reads rows of one layout as structures. None: some counts differ.
Rows = Callable[[bytes], list[dict[str, Any]] | None]

#: The last byte of -1, the length of several bytes that means null.
_NULL = 255
#: Up to this number, structures are read faster one by one.
_FEW = 3
#: The number of layouts of a structure that get a function, and the number of array elements at which a layout gets
#: none: varied input must not fill the memory with code. Others are read one by one.
_MOST_LAYOUTS, _MOST_ELEMENTS = 64, 64


def may_be_even(node: Struct) -> bool:
    """Whether all fields of a structure are numbers, arrays of numbers, or nodes that can be empty."""
    return (
        bool(node.plain)
        and node.marker == "none"
        and all(isinstance(field.node, Array | Primitive) for field in node.plain)
    )


def decode_even(source: Source, node: Struct, n: str, target: str) -> None:
    """Lines that read `n` structures into `target` if they have the same layout. Lines for other cases go under an
    `else:`."""
    width, end = source.fresh(), source.fresh()

    def alike(place: str, offset: int, byte: str) -> str:
        return f"d[{place} + {offset} : {end} : {width}].count({byte}) == {n}"

    first, same, counts = [f"{n} > {_FEW}"], [], []
    place, passed = "p", 0  # a name, and the bytes behind it
    for field in node.plain:
        if is_fixed(field.node):
            passed += _width(letter(field.node))
            continue
        # Of a count of several bytes only the last is checked here; _rows checks the others.
        count, compact = source.fresh(), lead_letter(field.node) == "B"
        passed += _width(lead_letter(field.node))
        counts.append(count)
        counted, numbers = f"({count} := d[{place} + {passed - 1}])", _numbers(field.node)
        if numbers:
            least = int(compact and not is_nullable(field.node))
            first.append(f"{least} <= {counted} < {SHORT}")
        else:
            empty, null = (1, 0) if compact else (0, _NULL)
            first.append(f"{counted} in {(empty, null) if is_nullable(field.node) else (empty,)}")
        same.append(alike(place, passed - 1, count))
        if numbers:
            behind = source.fresh()
            elements = f"(({count} or 1) - 1)" if compact else count
            first.append(f"({behind} := {place} + {passed} + {elements} * {_width(numbers)})")
            place, passed = behind, 0
    if node.flexible:
        same.append(alike(place, passed, "0"))
        passed += 1
    first += [f"({width} := {place} + {passed} - p)", f"({end} := p + {n} * {width}) <= len(d)"]
    rows = f"{source.constant(_Layouts(node))}[{', '.join(counts)},]" if counts else source.constant(_rows(node, ()))
    same.append(f"({target} := {rows}(d[p:{end}])) is not None")
    with source.block(f"if {' and '.join(first + same)}:"):
        source.line(f"p = {end}")


def _width(letters: str) -> int:
    return struct.calcsize(">" + letters)


def _numbers(node: Node) -> str:
    """The struct letter of the elements, if the node is an array of numbers; else empty."""
    return letter(node.element) if isinstance(node, Array) and is_number(node.element) else ""


class _Layouts(dict[tuple[int, ...], Rows]):
    """Last bytes of a structure's counts → the function that reads its rows."""

    def __init__(self, node: Struct) -> None:
        super().__init__()
        self.node = node

    def __missing__(self, counts: tuple[int, ...]) -> Rows:
        if len(self) >= _MOST_LAYOUTS or sum(count for count in counts if count != _NULL) > _MOST_ELEMENTS:
            return _no_rows
        self[counts] = rows = _rows(self.node, counts)
        return rows


def _no_rows(_data: bytes) -> None:
    """Reads nothing."""


def _rows(node: Struct, counts: tuple[int, ...]) -> Rows:
    """A reader of rows with these counts. Of counts of several bytes, only the last byte is known to be equal in
    all."""
    source, left = Source({"uuid": make_uuid}), iter(counts)
    letters, others, unsure = "", "", []  # formats of a row: its values; its counts of several bytes
    targets: list[str] = []
    values: dict[str, str] = {}
    for field in node.plain:
        if is_fixed(field.node):
            value = source.fresh()
            targets.append(value)
            values[field.name] = made(field.node, value)
            letters += letter(field.node)
            others += f"{_width(letter(field.node))}x"
            continue
        lead, numbers = lead_letter(field.node), _numbers(field.node)
        count, empty = next(left), int(lead == "B")
        if count == _NULL:
            count = -1
        items = [source.fresh() for _ in range(count - empty)]
        targets += items
        values[field.name] = _value(field.node, items, null=count < empty)
        letters += f"{_width(lead)}x{len(items)}{numbers or 'x'}"
        others += f"{lead if lead != 'B' else 'x'}{len(items) * _width(numbers)}x"
        if lead != "B":
            unsure.append(count)
    end = "x" if node.flexible else ""
    layout = struct.Struct(f">{letters}{end}")
    if unsure:
        counted = source.constant(struct.Struct(f">{others}{end}").iter_unpack)
        with source.block(f"if [*{counted}(rows)].count({tuple(unsure)}) != len(rows) // {layout.size}:"):
            source.line("return None")
    pairs = ", ".join(
        f"{field.name!r}: {values.get(field.name) or source.literal(field.default)}" for field in node.fields
    )
    row = ", ".join(targets)
    source.line(f"return [{{{pairs}}} for [{row}] in {source.constant(layout.iter_unpack)}(rows)]")
    return source.function("def generated(rows):")


def _value(node: Node, items: list[str], *, null: bool) -> str:
    """Source for an array of these items, or for another node's empty value."""
    if null:
        return "None"
    if isinstance(node, Array):
        return f"[{', '.join(items)}]"
    assert isinstance(node, Primitive)
    return repr("" if node.name.endswith("STRING") else b"")
