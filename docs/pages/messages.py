"""The page docs/reference/coverage-messages.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pages.coverage import REASONS, FieldCoverage, FieldState, Gap, coverage, everything
from pages.markdown import NOTE, Lines, code, table
from wireproof.reference import catalog

_COVERAGE = """\
This page shows the coverage of each message of the catalogue by the values of all ledger cases and handwritten vectors,
for each field and version. A field's cell shows the versions in which

- **default**: a value of it equals its default;
- **set**: one is neither its default nor null;
- **null**: one is null;
- **tagged**: one is sent in a tag buffer, because it is not the default;
- **boundary**: for a number or UUID, the smallest and the largest value of its type both occur; for text, bytes or an
  array, one is empty, or its compact length takes two bytes; for an array, also one with a single element.

✓ without versions means all versions with the field. A letter means that no version is covered, for this reason:
"""
_LETTERS = {
    Gap.NOT_NULLABLE: "N",
    Gap.NOT_TAGGED: "T",
    Gap.NO_BOUNDARY: "B",
    Gap.ABSENT: "D",
    Gap.HIDDEN: "H",
    Gap.NOT_COVERED: "**not covered**",
}


def page() -> Lines:
    """Message × version × field × state: whether the vectors cover it, or the reason why not."""
    messages = coverage(everything())
    yield from ("# What the vectors hold of each message", "", NOTE, "", _COVERAGE)
    reasons = [gap for gap in _LETTERS if gap in REASONS]
    yield from table(("letter", "reason"), [(_LETTERS[gap], gap) for gap in reasons])
    yield from ("A cell is a field in a version of its message.", "")
    gaps: list[Gap | None] = [None, *reasons, Gap.NO_FIELD, Gap.NOT_COVERED]
    count = Counter(
        (state, gap)
        for message in messages
        for row in message.rows
        for state, cell in row.cells.items()
        for gap in cell.values()
    )
    head = ("cells", "covered", *(_LETTERS[gap] for gap in reasons), Gap.NO_FIELD, Gap.NOT_COVERED, "total")
    totals = [[count[state, gap] for gap in gaps] for state in FieldState]
    names = [f"**{state}**" for state in FieldState]
    rows = [*zip(names, totals, strict=True), ("all", [sum(column) for column in zip(*totals, strict=True)])]
    yield from table(head, [(name, *(f"{n:,}" for n in (*numbers, sum(numbers)))) for name, numbers in rows])
    keys = {f"{api}{kind}": key for key, api in catalog.current().apis.items() for kind in ("Request", "Response")}
    for message in sorted(messages, key=lambda message: (keys.get(message.name, 2**15), message.name)):
        key = f", api {keys[message.name]}" if message.name in keys else ""
        yield from (f"## {message.name} {_ranges(message.versions)}{key}", "")
        if message.rows:
            yield from table(("field", "type", "versions", *FieldState), map(_coverage_row, message.rows))
        else:
            yield from ("It has no fields.", "")


def _coverage_row(row: FieldCoverage) -> tuple[str, ...]:
    cells = (_coverage_cell(row, row.cells[state]) for state in FieldState)
    return code(row.path), code(row.type), _ranges(row.versions), *cells


def _coverage_cell(row: FieldCoverage, cell: Mapping[int, Gap | None]) -> str:
    by_gap: dict[Gap | None, list[int]] = {}
    for version in row.versions:
        by_gap.setdefault(cell[version], []).append(version)
    marks = [("✓" if gap is None else _LETTERS[gap], versions) for gap, versions in by_gap.items()]
    return marks[0][0] if len(marks) == 1 else ", ".join(f"{mark} {_ranges(versions)}" for mark, versions in marks)


def _ranges(versions: Iterable[int]) -> str:
    """Ascending versions as 0–3, 5."""
    spans: list[list[int]] = []
    for version in versions:
        if spans and version == spans[-1][1] + 1:
            spans[-1][1] = version
        else:
            spans.append([version, version])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in spans)
