"""Generates the lines that read an array of structures at once, where all of them are laid out alike.

That they are is no guess. Each count, and each number of tags, stands in every structure where it stands in the first,
with the same value: this is looked up first. The array is then a table of rows of one width, for the struct module.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from reference.compiled.source import SHORT, Source, is_fixed, is_number, letter, made, make_uuid
from reference.plan import Array, PlannedField, Struct

#: The structures of rows of one layout; None where their counts turn out to be others.
Rows = Callable[[bytes], list[dict[str, Any]] | None]

#: Up to so many structures cost less one by one than a look at them.
_FEW = 3
#: So many layouts of a structure get a function, and no layout with so many elements in its arrays: input that never
#: repeats must not fill the memory with code. The others are read one by one.
_MOST_LAYOUTS, _MOST_ELEMENTS = 64, 64


def is_regular(node: Struct) -> bool:
    """Whether the sizes of its arrays alone say where everything stands in it."""
    return bool(node.plain) and node.marker == "none" and not node.tagged and all(map(_is_regular, node.plain))


def _is_regular(field: PlannedField) -> bool:
    return is_number(field.node.element) if isinstance(field.node, Array) else is_fixed(field.node)


def decode_even(source: Source, node: Struct, n: str, target: str) -> None:
    """Lines that put `n` structures into `target` if they are laid out alike; those for others go under an `else:`."""
    width, end = source.fresh("w"), source.fresh("q")

    def alike(place: str, offset: int, byte: str) -> str:
        return f"d[{place} + {offset} : {end} : {width}].count({byte}) == {n}"

    first, same, counts = [f"{n} > {_FEW}"], [], []
    place, passed = "p", 0  # a name, and the bytes behind it
    for field in node.plain:
        if not isinstance(field.node, Array):
            passed += _width(letter(field.node))
            continue
        count, behind = source.fresh("n"), source.fresh("p")
        counts.append(count)
        if field.node.compact:
            least, lead, read = 0 if field.node.nullable else 1, 1, f"d[{place} + {passed}]"
            elements = f"(({count} or 1) - 1)"
        else:
            least, lead, read = 0, 4, f"int32(d, {place} + {passed})[0]"
            elements = count
        first.append(f"{least} <= ({count} := {read}) < {SHORT}")
        same.append(alike(place, passed + lead - 1, count))  # of four bytes the last; the others: see _Layouts
        first.append(f"({behind} := {place} + {passed + lead} + {elements} * {_width(letter(field.node.element))})")
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


class _Layouts(dict[tuple[int, ...], Rows]):
    """What reads rows of a structure, by its counts as they stand on the wire."""

    def __init__(self, node: Struct) -> None:
        super().__init__()
        self.node = node

    def __missing__(self, counts: tuple[int, ...]) -> Rows:
        if len(self) >= _MOST_LAYOUTS or sum(counts) > _MOST_ELEMENTS:
            return _no_rows
        self[counts] = rows = _rows(self.node, counts)
        return rows


def _no_rows(_data: bytes) -> None:
    """Reads nothing."""


def _rows(node: Struct, counts: tuple[int, ...]) -> Rows:
    """Reads rows of these counts. Of counts of four bytes only the last is known to be the same in all."""
    source, left = Source({"uuid": make_uuid}), iter(counts)
    letters, only_counts, unsure = [">"], [">"], []
    targets, pairs = [], []
    for field in node.plain:
        if is_fixed(field.node):
            value = source.fresh("v")
            targets.append(value)
            pairs.append(f"{field.name!r}: {made(field.node, value)}")
            letters.append(letter(field.node))
            only_counts.append(f"{_width(letters[-1])}x")
        elif isinstance(field.node, Array):
            count, item = next(left), letter(field.node.element)
            size = count - field.node.compact
            values = [source.fresh("v") for _ in range(size)]
            targets += values
            pairs.append(f"{field.name!r}: {'None' if size < 0 else '[' + ', '.join(values) + ']'}")
            letters.append(f"{'x' if field.node.compact else '4x'}{len(values)}{item}")
            only_counts.append(f"{'x' if field.node.compact else 'i'}{len(values) * _width(item)}x")
            if not field.node.compact:
                unsure.append(count)
    end = "x" if node.flexible else ""
    layout, only = struct.Struct("".join(letters) + end), struct.Struct("".join(only_counts) + end)
    if unsure:
        with source.block(
            f"if [*{source.constant(only.iter_unpack)}(rows)].count({tuple(unsure)}) != len(rows) // {layout.size}:"
        ):
            source.line("return None")
    every = f"for {', '.join(targets)}, in" if targets else "for _ in"
    source.line(f"return [{{{', '.join(pairs)}}} {every} {source.constant(layout.iter_unpack)}(rows)]")
    return source.function("def generated(rows):")
