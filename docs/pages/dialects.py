"""The page docs/reference/coverage-dialects.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import click

from pages.markdown import NOTE, Lines, cell, code, count_or_dash, table
from wireproof import reference
from wireproof.conformance import ledger, vectors
from wireproof.conformance.vectors import Vector, VectorKind

_DIALECTS = """\
The number of vectors of each dialect in each area. They are written by hand. Derived cases (each prefix of a valid
vector, counts that are too large) and cases of `--properties` are not counted here.
"""
_LEDGER = """\
Message ledgers also have a few cases for each version of each message; see [the format](../../vectors/FORMAT.md).
[Another page](coverage-messages.md) shows the coverage of Kafka's ledger for each field.
"""


def page() -> Lines:
    """The counts for each dialect and area, and the vectors of each ruling. Raises ClickException for a gap without a
    reason."""
    all_vectors = list(vectors.load())
    count = Counter((vector.dialect, vector.area) for vector in all_vectors)
    yield from ("# What the vectors hold of each dialect", "", NOTE, "", _DIALECTS)
    rows = [(area, *(count_or_dash(count[name, area]) for name in reference.dialects)) for area in vectors.AREAS]
    totals = Counter(vector.dialect for vector in all_vectors)
    rows.append(("all", *(f"{totals[name]:,}" for name in reference.dialects)))
    yield from table(("area", *map(code, reference.dialects)), rows)
    yield _LEDGER
    yield from table(
        ("ledger", "messages", "cases", "bytes by"),
        [
            (
                code(name),
                f"{len(ledger.names(name)):,}",
                f"{sum(1 for _ in ledger.every_vector(name)):,}",
                _makers(name),
            )
            for name in reference.dialects
            if ledger.names(name)
        ],
    )
    for name in reference.dialects:
        yield from _dialect(name, [vector for vector in all_vectors if vector.dialect == name])


def _makers(dialect: str) -> str:
    """The program that made the bytes of a dialect's ledgers."""
    return "; ".join(sorted({cell(ledger.load(name, dialect).made_by) for name in ledger.names(dialect)}))


def _dialect(name: str, all_vectors: list[Vector]) -> Lines:
    """A dialect's kinds of vectors by area, why areas are empty, and how many vectors rest on each ruling."""
    yield from (f"## {name}", "")
    kinds = [kind for kind in VectorKind if any(vector.kind is kind for vector in all_vectors)]
    count = Counter((vector.area, vector.kind) for vector in all_vectors)
    areas = [area for area in vectors.AREAS if any(vector.area == area for vector in all_vectors)]
    yield from table(
        ("area", *kinds), [(area, *(count_or_dash(count[area, kind]) for kind in kinds)) for area in areas]
    )
    why = reference.dialect_named(name).empty_areas
    _no_gap(f"{name}: areas without vectors", set(vectors.AREAS) - set(areas), why)
    if why:
        yield from (f"- no `{area}`: {cell(why[area])}" for area in vectors.AREAS if area in why)
        yield ""
    rulings = reference.rulings(name).values()
    rest = Counter(ruling for vector in all_vectors for ruling in vector.rulings)
    other = Counter(ruling for vector in all_vectors for also in vector.also for ruling in also.rulings)
    without = {ruling.id for ruling in rulings if not rest[ruling.id]}
    reasons = {ruling.id: ruling.beyond for ruling in rulings if ruling.beyond and ruling.id in without}
    _no_gap(f"{name}: rulings without vectors", without, reasons)
    contested = {ruling.id for ruling in rulings if ruling.contested}
    _no_gap(f"{name}: rulings whose other reading no vector tells", contested - set(other) - set(reasons), {})
    yield from table(
        ("ruling", "vectors that rest on it", "that tell its other reading", "what of it no vector asks, and why"),
        [
            (
                f"[{ruling.id}](../rulings.md#{ruling.id.lower()}){' ‡' if ruling.contested else ''}",
                count_or_dash(rest[ruling.id]),
                count_or_dash(other[ruling.id]) if ruling.contested else "",
                cell(ruling.beyond),
            )
            for ruling in rulings
        ],
    )


def _no_gap(what: str, empty: set[str], why: Mapping[str, str]) -> None:
    """Raises ClickException for empty areas without a reason, and for reasons of areas that are not empty."""
    if empty != set(why):
        raise click.ClickException(f"{what}: {sorted(empty)}; the reasons are for {sorted(why)}")
