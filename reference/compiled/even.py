"""Generates the lines that read an array of structures at once, where all of them are laid out alike.

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

#: What each row has in one column: the fields of fixed width together, or an array.
Column = Callable[[bytes], Iterator[Any]]

#: Up to so many structures cost less one by one than the look at them.
_FEW = 3
#: So many layouts of a structure are kept.
_KEPT = 256


def is_regular(node: Struct) -> bool:
    """Whether the sizes of its arrays alone say where everything stands in it."""
    return bool(node.plain) and node.marker == "none" and not node.tagged and all(map(_is_regular, node.plain))


def _is_regular(field: PlannedField) -> bool:
    return is_number(field.node.element) if isinstance(field.node, Array) else is_fixed(field.node)


def decode_even(source: Source, node: Struct, n: str, target: str) -> None:
    """Lines that put `n` structures into `target` if they are laid out alike; those for others go under an `else:`."""
    width, end = source.fresh("w"), source.fresh("q")
    conditions, counts, behind, alike = _find_counts(source, node, n, width, end)
    conditions = [f"{n} > {_FEW}", *conditions, f"({width} := {behind} - p)", f"({end} := p + {n} * {width}) <= len(d)"]
    with source.block(f"if {' and '.join(conditions + alike)}:"):
        _decode_rows(source, node, counts, f"d[p:{end}]", target)
        source.line(f"p = {end}")


def _find_counts(
    source: Source, node: Struct, n: str, width: str, end: str
) -> tuple[list[str], list[str], str, list[str]]:
    """The conditions under which the first structure has small counts, and which find them; their names; the position
    behind it; the conditions under which the other structures have the same."""

    def is_alike(place: str, offset: int, byte: str) -> str:
        return f"d[{place} + {offset} : {end} : {width}].count({byte}) == {n}"

    found, counts, low, high = [], [], [], []
    place, passed = "p", 0  # a name, and the bytes since
    for field in node.plain:
        if not isinstance(field.node, Array):
            passed += struct.calcsize(">" + letter(field.node))
            continue
        count, behind = source.fresh("n"), source.fresh("p")
        counts.append(count)
        if field.node.compact:
            least = 0 if field.node.nullable else 1
            found.append(f"{least} <= ({count} := d[{place} + {passed}]) < {SHORT}")
            low.append(is_alike(place, passed, count))
        else:
            found.append(f"0 <= ({count} := int32(d, {place} + {passed})[0]) < {SHORT}")
            low.append(is_alike(place, passed + 3, count))
            high += [is_alike(place, passed + index, "0") for index in range(3)]
        found.append(f"({behind} := {place} + {passed + _lead(field.node)} + {_taken(field.node, count)})")
        place, passed = behind, 0
    if node.flexible:
        low.append(is_alike(place, passed, "0"))
        passed += 1
    return found, counts, f"{place} + {passed}", low + high


def _lead(node: Array) -> int:
    """The bytes of a count below SHORT."""
    return 1 if node.compact else 4


def _taken(node: Array, count: str) -> str:
    """The bytes of the elements, by the count as it stands on the wire."""
    if node.compact:
        count = f"(({count} or 1) - 1)" if node.nullable else f"({count} - 1)"
    return f"{count} * {struct.calcsize('>' + letter(node.element))}"


def _decode_rows(source: Source, node: Struct, counts: list[str], rows: str, target: str) -> None:
    values = {field.name: source.fresh("v") for field in node.plain}
    fixed = [values[field.name] for field in node.plain if is_fixed(field.node)]
    pairs = ", ".join(f"{field.name!r}: {_cell(field, values[field.name])}" for field in node.plain)
    if not counts:
        unpack = source.constant(_row(node, {}).iter_unpack)
        source.line(f"{target} = [{{{pairs}}} for {', '.join(fixed)}, in {unpack}({rows})]")
        return
    targets = [values[field.name] for field in node.plain if isinstance(field.node, Array)]
    if fixed:
        targets.insert(0, f"({', '.join(fixed)},)")
    columns = [source.fresh("c") for _ in targets]
    source.line(f"{', '.join(columns)}, = {source.constant(_columns(node))}({', '.join(counts)}); r = {rows}")
    zipped = ", ".join(f"{column}(r)" for column in columns)
    source.line(f"{target} = [{{{pairs}}} for {', '.join(targets)}, in zip({zipped})]")


def _cell(field: PlannedField, value: str) -> str:
    """A field's value, from what its column gives."""
    if not isinstance(field.node, Array):
        return made(field.node, value)
    return f"None if {value} is None else [*{value}]" if field.node.nullable else f"[*{value}]"


def _columns(node: Struct) -> Callable[..., tuple[Column, ...]]:
    """A function: counts as they stand on the wire → the columns of rows that have them."""
    arrays = [(field.name, field.node.compact) for field in node.plain if isinstance(field.node, Array)]

    @functools.lru_cache(_KEPT)
    def columns(*counts: int) -> tuple[Column, ...]:
        sizes = {name: count - compact for (name, compact), count in zip(arrays, counts, strict=True)}
        found: list[Column] = []
        if len(arrays) < len(node.plain):
            found.append(_row(node, sizes).iter_unpack)
        return (*found, *[_array(node, sizes, name) for name, _ in arrays])

    return columns


def _array(node: Struct, sizes: Mapping[str, int], name: str) -> Column:
    """The column of an array."""
    size = sizes[name]
    return _row(node, sizes, name).iter_unpack if size > 0 else lambda _: itertools.repeat(None if size else ())


def _row(node: Struct, sizes: Mapping[str, int], name: str = "") -> struct.Struct:
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
