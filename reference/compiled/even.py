"""Generates the function that reads an array of structures at once, where all of them are laid out alike.

That they are is seen before: each count, and each number of tags, stands in every structure where it stands in the
first, with the same value. The array is then a table of rows of one width, and the struct module reads its columns.
"""

from __future__ import annotations

import functools
import itertools
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from reference.compiled.source import SHORT, Source, is_fixed, is_number, letter, made
from reference.plan import Array, PlannedField, Struct

#: (data, position, count) → the structures and the position behind them; None where they are not alike.
EvenReader = Callable[[bytes, int, int], tuple[list[dict[str, Any]], int] | None]
#: What each row has in one column: the fields of fixed width together, or an array.
Column = Callable[[bytes], Iterator[Any]]

#: So many layouts of one structure are kept; further ones are made each time.
_KEPT = 256


def is_regular(node: Struct) -> bool:
    """Whether the sizes of its arrays alone say where everything stands in it."""
    return bool(node.plain) and node.marker == "none" and not node.tagged and all(map(_is_regular, node.plain))


def _is_regular(field: PlannedField) -> bool:
    return is_number(field.node.element) if isinstance(field.node, Array) else is_fixed(field.node)


@functools.cache
def even_reader(node: Struct) -> EvenReader:
    """A reader of arrays of this structure, which is a regular one. Raises what NOT_PLAIN has."""
    source = Source({"count_at": struct.Struct(">i").unpack_from})
    counts, checks, end = _decode_first(source, node)
    source.line(f"w = {end} - p; e = p + n * w")
    with source.block(" or ".join(["if e > len(d)", *checks]) + ":"):
        source.line("return None")
    _decode_rows(source, node, counts)
    return source.function("def generated(d, p, n):")


def _decode_first(source: Source, node: Struct) -> tuple[list[str], list[str], str]:
    """Lines that find the counts of the first structure: their names, the conditions under which another structure has
    others, and what the position behind the first is."""
    counts, low, high = [], [], []
    place, passed = "p", 0  # a name, and the bytes since
    for field in node.plain:
        if not isinstance(field.node, Array):
            passed += struct.calcsize(">" + letter(field.node))
            continue
        count, at = source.fresh("n"), source.fresh("p")
        counts.append(count)
        source.line(f"{at} = {place} + {passed}")
        if field.node.compact:
            least = 0 if field.node.nullable else 1
            source.line(f"{count} = d[{at}]")
            low.append(_differs(at, 0, count))
        else:
            least = 0
            source.line(f"{count}, = count_at(d, {at})")
            low.append(_differs(at, 3, count))
            high += [_differs(at, index, "0") for index in range(3)]
        with source.block(f"if not {least} <= {count} < {SHORT}:"):
            source.line("return None")
        place, passed = source.fresh("p"), 0
        source.line(f"{place} = {at} + {_lead(field.node)} + {_taken(field.node, count)}")
    if node.flexible:
        low.append(_differs(place, passed, "0"))
        passed += 1
    return counts, low + high, f"{place} + {passed}"


def _differs(place: str, offset: int, byte: str) -> str:
    """The condition that this byte of the first structure is not `byte` in all `n` of them."""
    return f"d[{place} + {offset} : e : w].count({byte}) != n"


def _lead(node: Array) -> int:
    """The bytes of a count below SHORT."""
    return 1 if node.compact else 4


def _taken(node: Array, count: str) -> str:
    """The bytes of the elements, by the count as it stands on the wire."""
    if node.compact:
        count = f"(({count} or 1) - 1)"  # 0 is null
    return f"{count} * {struct.calcsize('>' + letter(node.element))}"


def _decode_rows(source: Source, node: Struct, counts: list[str]) -> None:
    """Lines that return the structures of rows of `w` bytes."""
    values = {field.name: source.fresh("v") for field in node.plain}
    fixed = [values[field.name] for field in node.plain if is_fixed(field.node)]
    targets = [values[field.name] for field in node.plain if isinstance(field.node, Array)]
    pairs = ", ".join(f"{field.name!r}: {made(field.node, values[field.name])}" for field in node.plain)
    if not counts:
        rows = f"{source.constant(_struct(node, {}).iter_unpack)}(d[p:e])"
        source.line(f"return [{{{pairs}}} for {', '.join(fixed)}, in {rows}], e")
        return
    names = [source.fresh("c") for _ in targets]
    if fixed:
        targets.insert(0, f"({', '.join(fixed)},)")
        names.insert(0, source.fresh("c"))
    source.line(f"{', '.join(names)}, = {source.constant(_Layouts(node))}[{', '.join(counts)},]")
    source.line("rows = d[p:e]")
    columns = ", ".join(f"{name}(rows)" for name in names)
    source.line(f"return [{{{pairs}}} for {', '.join(targets)}, in zip({columns})], e")


class _Layouts(dict[tuple[int, ...], tuple[Column, ...]]):
    """The columns of a structure by its counts as they stand on the wire."""

    def __init__(self, node: Struct) -> None:
        super().__init__()
        self.node = node

    def __missing__(self, counts: tuple[int, ...]) -> tuple[Column, ...]:
        arrays = [field for field in self.node.plain if isinstance(field.node, Array)]
        sizes = {
            field.name: count - field.node.compact
            for field, count in zip(arrays, counts, strict=True)
            if isinstance(field.node, Array)
        }
        columns: list[Column] = []
        if len(arrays) < len(self.node.plain):
            columns.append(_struct(self.node, sizes).iter_unpack)
        columns += [_lists(self.node, sizes, field.name) for field in arrays]
        layout = tuple(columns)
        if len(self) < _KEPT:
            self[counts] = layout
        return layout


def _lists(node: Struct, sizes: Mapping[str, int], name: str) -> Column:
    """The column of an array."""
    if sizes[name] < 0:
        return lambda _rows: itertools.repeat(None)
    unpack = _struct(node, sizes, name).iter_unpack
    return lambda rows: map(list, unpack(rows))


def _struct(node: Struct, sizes: Mapping[str, int], name: str = "") -> struct.Struct:
    """A row, of which this array is read, or the fields of fixed width; all else is skipped."""
    letters = [">"]
    for field in node.plain:
        if not isinstance(field.node, Array):
            own = letter(field.node)
            letters.append(f"{struct.calcsize('>' + own)}x" if name else own)
            continue
        lead, size, own = _lead(field.node), max(0, sizes[field.name]), letter(field.node.element)
        letters.append(f"{lead}x{size}{own}" if field.name == name else f"{lead + size * struct.calcsize('>' + own)}x")
    return struct.Struct("".join(letters) + ("x" if node.flexible else ""))
