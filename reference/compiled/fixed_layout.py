"""Generates lines that read an array of structures at once, if all of them have the same layout.

That is checked, not guessed: each count, and each number of tags, has the same value at the same offset in every
structure. Then the array is a table with rows of equal width, which the struct module reads.

The check of a short array compares columns: the bytes at one place of all rows, with what they have to be. For many
places one comparison is faster: all bytes are taken as one number, and a mask leaves those of counts.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wireproof.reference.compiled.source import (
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
from wireproof.reference.primitives import Primitive
from wireproof.reference.schema.plan import Array, Node, Struct

#: Reads so many rows of one layout as structures. None: some counts differ.
Rows = Callable[[bytes, int], list[dict[str, Any]] | None]

#: The last byte of -1, the length of several bytes that means null.
_NULL = 255
#: Up to this number, structures are read faster one by one.
_FEW = 3
#: The number of layouts of a structure that get a function, and the number of array elements at which a layout gets
#: none: varied input must not fill the memory with code. Others are read one by one.
_MOST_LAYOUTS, _MOST_ELEMENTS = 64, 64
#: The number of layouts of a structure that are looked for, whether or not any array has them.
_MOST_CANDIDATES = 256
#: Up to this number of bytes, what rows have in common is kept for later arrays of as many rows.
_SHORT_ROWS = 1 << 12
#: From this number of places on, rows are checked with a mask.
_MANY_PLACES = 7


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
    first, counts = [f"{n} > {_FEW}"], []
    place, passed = "p", 0  # a name, and the bytes behind it
    for field in node.plain:
        if is_fixed(field.node):
            passed += _width(letter(field.node))
            continue
        # Of a count of several bytes only the last is looked at here: _Layout has all of them.
        count, compact = source.fresh(), lead_letter(field.node) == "B"
        passed += _width(lead_letter(field.node))
        counts.append(count)
        counted, numbers = f"({count} := d[{_behind(place, passed - 1)}])", _numbers(field.node)
        if numbers:
            least = int(compact and not is_nullable(field.node))
            first.append(f"{least} <= {counted} < {SHORT}")
            behind = source.fresh()
            elements = f"({count} - 1)" if least else f"(({count} or 1) - 1)" if compact else count
            first.append(f"({behind} := {place} + {passed} + {elements} * {_width(numbers)})")
            place, passed = behind, 0
        else:
            empty, null = (1, 0) if compact else (0, _NULL)
            first.append(f"{counted} in {(empty, null) if is_nullable(field.node) else (empty,)}")
    passed += node.flexible
    rows = f"{source.constant(_Layouts(node))}[{', '.join(counts)},]" if counts else source.constant(_rows(node, ()))
    first += [
        f"({width} := {place} + {passed} - p)",
        f"({end} := p + {n} * {width}) <= len(d)",
        f"({target} := {rows}(d[p:{end}], {n})) is not None",
    ]
    with source.block(f"if {' and '.join(first)}:"):
        source.line(f"p = {end}")


def _behind(place: str, passed: int) -> str:
    return f"{place} + {passed}" if passed else place


def _width(letters: str) -> int:
    return struct.calcsize(">" + letters)


def _numbers(node: Node) -> str:
    """The struct letter of the elements, if the node is an array of numbers; else empty."""
    return letter(node.element) if isinstance(node, Array) and is_number(node.element) else ""


class _Layouts(dict[tuple[int, ...], Rows]):
    """Last bytes of a structure's counts → the function that reads its rows. A layout gets its own when an array has
    it."""

    def __init__(self, node: Struct) -> None:
        super().__init__()
        self.node = node
        #: The number of layouts that have functions of their own.
        self.generated = 0

    def __missing__(self, counts: tuple[int, ...]) -> Rows:
        many = sum(count for count in counts if count != _NULL) > _MOST_ELEMENTS
        if many or len(self) >= _MOST_CANDIDATES or self.generated >= _MOST_LAYOUTS:
            return _no_rows
        layout = _Layout.of(self.node, counts)

        def candidate(rows: bytes, n: int) -> list[dict[str, Any]] | None:
            if self.generated >= _MOST_LAYOUTS or not layout.fits(rows, n):
                return None
            self.generated += 1
            self[counts] = reader = _rows(self.node, counts)
            return reader(rows, n)

        self[counts] = candidate
        return candidate


def _no_rows(_data: bytes, _n: int) -> None:
    """Reads nothing."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """The bytes of a row that all rows have in common. `mask`: 255 for each of these bytes, 0 for the others. `places`:
    where these bytes are, the last ones of counts first, in which rows differ most."""

    mask: bytes
    common: bytes
    places: tuple[int, ...]

    @classmethod
    def of(cls, node: Struct, counts: tuple[int, ...]) -> _Layout:
        """The layout of a structure, by the last bytes of its counts."""
        mask, common, left = bytearray(), bytearray(), iter(counts)
        for field in node.plain:
            if is_fixed(field.node):
                passed = _width(letter(field.node))
            else:
                lead, count = lead_letter(field.node), next(left)
                value = struct.pack(f">{lead}", -1 if count == _NULL else count)
                mask += b"\xff" * len(value)
                common += value
                passed = _items(field.node, count) * _width(_numbers(field.node))
            mask += bytes(passed)
            common += bytes(passed)
        if node.flexible:
            mask += b"\xff"
            common += b"\0"
        masked = [place for place, byte in enumerate(mask) if byte]
        places = sorted(masked, key=lambda place: mask[place : place + 2] == b"\xff\xff")
        return cls(bytes(mask), bytes(common), tuple(places))

    def fits(self, rows: bytes, n: int) -> bool:
        """Whether so many rows have the layout. It is quick for those that do not: most do not."""
        for place in self.places:  # noqa: SIM110 (a generator is slower)
            if rows[place :: len(self.mask)].count(self.common[place]) != n:
                return False
        return True

    def check_short(self, source: Source) -> None:
        """Lines that return None if one of `n` `rows` has another layout, for short arrays."""
        if len(self.places) >= _MANY_PLACES:
            source.line(f"mask, common = repeated({source.constant(self.mask)}, {source.constant(self.common)}, n)")
            differs = "number(rows) & mask != common"
        else:
            columns = {place: source.fresh() for place in self.places}
            common = bytes(self.common[place] for place in columns)
            source.line(f"[{', '.join(columns.values())}] = columns({source.constant(common)}, n)")
            differs = " or ".join(f"rows[{place}::{len(self.mask)}] != {column}" for place, column in columns.items())
        with source.block(f"if {differs}:"):
            source.line("return None")

    def differs(self) -> str:
        """Source of whether one of `n` `rows` has another layout, for arrays of any length."""
        return " or ".join(f"rows[{place}::{len(self.mask)}].count({self.common[place]}) != n" for place in self.places)


@functools.lru_cache(256)
def _columns(common: bytes, n: int) -> tuple[bytes, ...]:
    """A column of so many rows for each of the bytes that they have in common."""
    return tuple(bytes([byte]) * n for byte in common)


@functools.lru_cache(256)
def _repeated(mask: bytes, common: bytes, n: int) -> tuple[int, int]:
    """The mask and the common bytes of so many rows, as numbers."""
    return int.from_bytes(mask * n), int.from_bytes(common * n)


def _items(node: Node, count: int) -> int:
    """The number of elements behind the last byte of a count."""
    return 0 if count == _NULL else max(count - (lead_letter(node) == "B"), 0)


def _rows(node: Struct, counts: tuple[int, ...]) -> Rows:
    """A reader of rows with these last bytes of counts."""
    source = Source({"uuid": make_uuid, "columns": _columns, "repeated": _repeated, "number": int.from_bytes})
    left = iter(counts)
    letters = ""
    targets: list[str] = []
    values: dict[str, str] = {}
    for field in node.plain:
        if is_fixed(field.node):
            value = source.fresh()
            targets.append(value)
            values[field.name] = made(field.node, value)
            letters += letter(field.node)
            continue
        lead, count = lead_letter(field.node), next(left)
        items = [source.fresh() for _ in range(_items(field.node, count))]
        targets += items
        null = count == _NULL or (lead == "B" and not count)
        values[field.name] = _value(field.node, items, null=null)
        letters += f"{_width(lead)}x{len(items)}{_numbers(field.node) or 'x'}"
    layout = _Layout.of(node, counts)
    if layout.places:
        with source.block(f"if len(rows) <= {_SHORT_ROWS}:"):
            layout.check_short(source)
        with source.block(f"elif {layout.differs()}:"):
            source.line("return None")
    pairs = ", ".join(
        f"{field.name!r}: {values.get(field.name) or source.literal(field.default)}" for field in node.fields
    )
    row, table = ", ".join(targets), struct.Struct(f">{letters}{'x' * node.flexible}")
    source.line(f"return [{{{pairs}}} for [{row}] in {source.constant(table.iter_unpack)}(rows)]")
    return source.function("def generated(rows, n):")


def _value(node: Node, items: list[str], *, null: bool) -> str:
    """Source for an array of these items, or for another node's empty value."""
    if null:
        return "None"
    if isinstance(node, Array):
        return f"[{', '.join(items)}]"
    assert isinstance(node, Primitive)
    return repr("" if node.name.endswith("STRING") else b"")
