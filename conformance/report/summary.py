"""A run in numbers: for each implementation and area the number of questions that passed, failed and so on; the
questions that were not asked; and several implementations compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wireproof.conformance.judging.clusters import Group as Finding
from wireproof.conformance.judging.clusters import clusters, group
from wireproof.conformance.model import UNJUDGED, Description, Outcome, Verdict
from wireproof.conformance.questions.selection import NotAsked
from wireproof.conformance.report.failure import titled_name
from wireproof.conformance.report.findings import findings_text
from wireproof.conformance.report.jsonl import Tally
from wireproof.conformance.report.text import safe, to_string
from wireproof.conformance.report.unasked import leniency_lines, offer_lines, unasked_lines
from wireproof.conformance.vectors import AREAS

#: The category of a deviation that a known-deviations file names.
KNOWN = "known"

#: All categories, in the order of the columns, with heading and style. A skip never looks like a pass.
_SHARES: Mapping[str, tuple[str, str]] = {
    Outcome.PASS: ("pass", "green"),
    Outcome.SKIP: ("skip", "yellow"),
    Outcome.CONTESTED: ("contested", "yellow"),
    KNOWN: ("known", "magenta"),
    Outcome.FAIL: ("fail", "bold red"),
    Outcome.CRASH: ("crash", "bold red"),
    Outcome.HANG: ("hang", "bold red"),
    Outcome.OOM: ("oom", "bold red"),
    Outcome.VIOLATION: ("violation", "bold red"),
    Outcome.NOT_ASKED: ("not asked", "yellow"),
    Outcome.UNSTEADY: ("unsteady", "bold yellow"),
}
_ALWAYS = (Outcome.PASS, Outcome.SKIP, Outcome.FAIL)
_NOTHING = ("·", "dim")


def share(verdict: Verdict) -> str:
    """The category in which a verdict is counted: its outcome, or `known` where a known-deviations file names it."""
    return KNOWN if verdict.known else str(verdict.outcome)


def shares(verdicts: Iterable[Verdict]) -> Tally:
    """Verdicts counted by area and category."""
    total: dict[tuple[str, str], int] = {}
    for verdict in verdicts:
        place = (verdict.area, share(verdict))
        total[place] = total.get(place, 0) + 1
    return Tally(total)


def numbers(
    verdicts: Mapping[str, Sequence[Verdict]],
    descriptions: Mapping[str, Description],
    not_asked: Mapping[str, NotAsked],
    *,
    width: int,
    color: bool,
    items: Mapping[str, int] | None = None,
    incomplete: Mapping[str, tuple[int, int]] | None = None,
    verbose: bool = False,
    whole: bool = False,
) -> Iterator[str]:
    """A run in numbers, as texts for a terminal: the table, the questions that were not asked and, for several
    implementations, their comparison. All mappings are by implementation spec.

    `items`: the number of pytest's items that ran; the table counts questions, and an item may have several.
    `verbose`: list the types and areas that were not asked, instead of one line. `whole`: nothing was deselected.
    """
    names = _names(verdicts, descriptions)
    table = summary_table(
        {names[spec]: shares(judged) for spec, judged in verdicts.items()},
        {names[spec]: counts for spec, counts in (incomplete or {}).items()},
    )
    yield "\n" + to_string(table, width=width, color=color).rstrip("\n") + "\n"
    lines = [
        line
        for spec, judged in verdicts.items()
        for line in (
            *_items(names[spec], len(judged), (items or {}).get(spec)),
            *(leniency_lines(names[spec], descriptions[spec], judged) if spec in descriptions else ()),
            *(
                offer_lines(names[spec], descriptions[spec], judged, whole=whole and spec not in (incomplete or {}))
                if spec in descriptions
                else ()
            ),
            *unasked_lines(
                names[spec],
                judged,
                not_asked.get(spec, NotAsked()),
                verbose=verbose,
                whole=spec not in (incomplete or {}),
            ),
        )
    ]
    if lines:
        yield "\n" + to_string(Group(*lines), width=width, color=color)
    if len(verdicts) > 1:
        compared = matrix({names[spec]: judged for spec, judged in verdicts.items()})
        yield to_string(compared, width=width, color=color) + "\n"


def new_findings(
    verdicts: Mapping[str, Sequence[Verdict]],
    descriptions: Mapping[str, Description],
    simplest: Mapping[str, Mapping[Finding, str]],
    *,
    width: int,
    color: bool,
) -> Iterator[str]:
    """The findings that no known-deviations file names, a text for each implementation that has any. `simplest`: spec →
    finding → the id of its simplest case."""
    names = _names(verdicts, descriptions)
    for spec, judged in verdicts.items():
        new = clusters(verdict for verdict in judged if verdict.known is None)
        if new:
            reached_by = descriptions[spec].reached_by if spec in descriptions else ()
            text = findings_text(names[spec], spec, new, simplest.get(spec, {}), width=width, reached_by=reached_by)
            yield "\n" + to_string(text, width=width, color=color)


def _items(name: str, questions: int, items: int | None) -> Iterator[Text]:
    """The number of questions, and of pytest's items for them, where the two differ."""
    if items is not None and items != questions:
        yield Text(f"{safe(name)}: {questions:,} questions in {items:,} of pytest's items")


def _names(specs: Iterable[str], descriptions: Mapping[str, Description]) -> dict[str, str]:
    """Each implementation's name: its own, or its spec where its own is unknown or not unique."""
    titles = {spec: titled_name(descriptions[spec]) if spec in descriptions else spec for spec in specs}
    again = {title for title in titles.values() if list(titles.values()).count(title) > 1}
    return {spec: f"{title} ({spec})" if title in again and title != spec else title for spec, title in titles.items()}


def summary_table(
    results: Mapping[str, Tally],
    incomplete: Mapping[str, tuple[int, int]] | None = None,
    head: str = "questions by area",
) -> RenderableType:
    """The table of a run: a row for each area of an implementation, a column for each category. Empty columns are left
    out. `head`: of the first column.

    `incomplete`: implementation → the number of items that were asked, and of all items, if the run ended early. Then
    there are no percentages.
    """
    seen = {name for tally in results.values() for _, name in tally.counts}
    columns = [name for name in _SHARES if name in _ALWAYS or name in seen]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    widest = max((len(area) for tally in results.values() for area, _ in tally.counts), default=0)
    table.add_column(head, overflow="fold", min_width=widest + 2)
    for name in columns:
        table.add_column(_SHARES[name][0], justify="right", no_wrap=True)
    table.add_column("total", justify="right", no_wrap=True)
    ended = incomplete or {}
    for implementation, tally in results.items():
        _add_rows(table, implementation, tally, columns, percent=implementation not in ended)
    return Group(table, *[_incomplete(name, *counts) for name, counts in ended.items()])


def _incomplete(implementation: str, asked: int, planned: int) -> Text:
    return Text.assemble(
        "\n", (safe(implementation), "bold"), " ", (f"incomplete: {asked:,} of {planned:,} items asked", "red")
    )


def _add_rows(table: Table, implementation: str, tally: Tally, columns: Sequence[str], *, percent: bool) -> None:
    areas = tally.areas()
    table.add_row(Text(safe(implementation), "bold"))
    for area in sorted(areas, key=_place):
        counts = areas[area]
        table.add_row(_area(area, counts), *_cells(counts, columns), f"{sum(counts.values()):,}")
    total = {column: sum(counts.get(column, 0) for counts in areas.values()) for column in columns}
    count = sum(total.values())
    table.add_row(
        Text("  all", "bold"), *_cells(total, columns), Text(f"{count:,}", "bold"), end_section=not (count and percent)
    )
    if count and percent:
        of_all = [Text(_percent(total[column], count), "dim") for column in columns]
        table.add_row("", *of_all, "", end_section=True)


def _place(area: str) -> tuple[int, str]:
    """Sort key: the areas of the vector set in its order, then others."""
    return (AREAS.index(area) if area in AREAS else len(AREAS), area)


def _area(area: str, counts: Mapping[str, int]) -> Text:
    """The name of an area, in colour if nothing was judged in it."""
    judged = sum(count for name, count in counts.items() if name not in UNJUDGED)
    return Text(f"  {safe(area)}", "" if judged else "yellow")


def _cells(counts: Mapping[str, int], columns: Sequence[str]) -> list[Text]:
    return [Text(f"{counts[name]:,}", _SHARES[name][1]) if counts.get(name) else Text(*_NOTHING) for name in columns]


def _percent(count: int, total: int) -> str:
    """A rounded percentage; only nothing is shown as 0 % (empty), and only all as 100 %."""
    if count in (0, total):
        return "" if count == 0 else "100 %"
    share_of = 100 * count / total
    return "<1 %" if share_of < 1 else ">99 %" if share_of > 99 else f"{share_of:.0f} %"


# --- Several implementations --------------------------------------------------------------------------------------


def matrix(results: Mapping[str, Sequence[Verdict]], *, limit: int = 40) -> RenderableType:
    """A table of areas and implementations, and below it the differences between implementations, the most frequent
    first, with about `limit` questions that show them."""
    tallies = {name: shares(verdicts).areas() for name, verdicts in results.items()}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("area", no_wrap=True)
    for name in tallies:
        table.add_column(Text(safe(name)), overflow="fold")
    for area in sorted({area for areas in tallies.values() for area in areas}, key=_place):
        table.add_row(safe(area), *(_matrix_cell(areas.get(area, {})) for areas in tallies.values()), end_section=True)
    return Group(table, _differences(results, limit))


def _matrix_cell(counts: Mapping[str, int]) -> Text:
    present = [(name, counts[name]) for name in _SHARES if counts.get(name)]
    if not present:
        return Text("not offered", "dim")
    width = max(len(str(count)) for _, count in present)
    return Text("\n").join(Text(f"{count:>{width}} {_SHARES[name][0]}", _SHARES[name][1]) for name, count in present)


def _differences(results: Mapping[str, Sequence[Verdict]], limit: int) -> Text:
    by_id: dict[str, dict[str, Verdict]] = {}
    for name, verdicts in results.items():
        for verdict in verdicts:
            by_id.setdefault(verdict.id, {})[name] = verdict
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for identifier, by_implementation in by_id.items():
        if _differ(by_implementation.values()):
            groups.setdefault(tuple(_said(by_implementation.get(name)) for name in results), []).append(identifier)
    total = sum(len(ids) for ids in groups.values())
    if not total:
        return Text(_alike(results))
    out = Text(f"\nThey differ on {total} {'question' if total == 1 else 'questions'}:\n", "bold")
    listed = max(limit // len(groups), 2)
    for said, ids in sorted(groups.items(), key=lambda group: -len(group[1])):
        out.append("\n")
        for name, (word, style) in zip(results, said, strict=True):
            out.append(f"  {safe(name)}: ", "dim").append(word, style)
        out.append(f"  ({len(ids)})", "dim")
        for identifier in ids[:listed]:
            out.append(f"\n      {safe(identifier)}")
        if len(ids) > listed:
            out.append(f"\n      … and {len(ids) - listed} more (--report lists them all)", "dim")
    return out


def _alike(results: Mapping[str, Sequence[Verdict]]) -> str:
    """A line for implementations that do not differ on the questions that all of them were asked."""
    asked = {name: {one.id for one in verdicts if _was_judged(one)} for name, verdicts in results.items()}
    shared = set.intersection(*asked.values()) if asked else set()
    if all(ids == shared for ids in asked.values()):
        return "\nThere is no question on which they differ."
    alone = ", ".join(f"{safe(name)} {len(ids - shared):,}" for name, ids in asked.items() if ids != shared)
    count = f"{len(shared):,} {'question' if len(shared) == 1 else 'questions'}"
    return f"\nThey do not differ on the {count} that all of them were asked and judged on. Beyond these: {alone}."


def _was_judged(verdict: Verdict) -> bool:
    """Whether a verdict says something about the implementation."""
    return verdict.outcome not in UNJUDGED


def _differ(verdicts: Iterable[Verdict]) -> bool:
    """Whether at least two of them were judged, with different results."""
    judged = [one for one in verdicts if _was_judged(one)]
    return len({(one.outcome, one.kind) for one in judged}) > 1


def _said(verdict: Verdict | None) -> tuple[str, str]:
    """A verdict in a few words (its finding, if it has one), and its style."""
    if verdict is None:
        return "not offered", "dim"
    name = safe(str(group(verdict) or verdict.outcome))
    return f"{name} (known)" if verdict.known else name, _SHARES[share(verdict)][1]
