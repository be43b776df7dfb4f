"""The questions of a run that were not asked, could not be judged, or were judged only in part.

By default a line for each; `-v` lists the types by name, and the share of each area.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.text import Text

from wireproof import reference
from wireproof.conformance.judging.judge import NOT_COMPARED
from wireproof.conformance.model import UNJUDGED, Description, Op, Verdict
from wireproof.conformance.questions import offered_types
from wireproof.conformance.questions.selection import NotAsked
from wireproof.conformance.report.text import safe
from wireproof.conformance.vectors import AREAS

#: An area is mentioned if at least this share of its questions was not asked or not judged.
_LARGE = 0.1
_NOT_OFFERED = "not offered"
#: With -v this many types, dialects and ops are named: those with the most questions.
_NAMED = 20


def unasked_lines(
    name: str, verdicts: Sequence[Verdict], counts: NotAsked, *, verbose: bool, whole: bool
) -> Iterator[Text]:
    """Lines about the questions that an implementation was not asked. `whole`: the run was complete; only then the
    shares of areas are right, and shown."""
    for by_type, why in ((counts.not_offered, "not offered"), (counts.other_schemas, "not as in the vectors' schemas")):
        if by_type.total():
            out = Text.assemble(
                (safe(name), "bold"), f": {_questions(by_type.total())} not asked, without derived ones: "
            )
            yield out.append(_listed(by_type, why) if verbose else f"{_kinds(by_type)} {why}; -v lists them")
    if counts.no_schema:
        count = counts.no_schema.total()
        said = (
            f": {count:,} announced {'version' if count == 1 else 'versions'} not asked, of which there is no schema: "
        )
        yield Text.assemble((safe(name), "bold"), said + _some([*counts.no_schema]), style="yellow")
    if whole:
        for area, said in sorted(unasked(verdicts, counts.by_area, every=verbose).items(), key=_place):
            yield Text(f"{safe(name)}, {safe(area)}: {said}", "yellow")


def leniency_lines(name: str, described: Description, verdicts: Iterable[Verdict]) -> Iterator[Text]:
    """Lines about what an implementation declares in its own favour: fields that are not compared, and exceptions that
    are taken for refusals."""
    passed = [verdict for verdict in verdicts if verdict.note.startswith(NOT_COMPARED)]
    by_fields: dict[str, Counter[str]] = {}
    for verdict in passed:
        by_fields.setdefault(verdict.note.removeprefix(NOT_COMPARED), Counter())[verdict.type or ""] += 1
    for fields, types in by_fields.items():
        count, named = types.total(), ", ".join(sorted(types))
        said = f": {count:,} {'answer' if count == 1 else 'answers'} compared without {fields} of {named}, "
        yield Text.assemble((safe(name), "bold"), said + "which its writer sets", style="yellow")
    if described.rejects:
        listed = ", ".join(map(safe, described.rejects[:_NAMED]))
        more = f" and {len(described.rejects) - _NAMED} more" if len(described.rejects) > _NAMED else ""
        yield Text.assemble((safe(name), "bold"), f": taken for refusals too: {listed}{more}")


def offer_lines(name: str, described: Description, verdicts: Iterable[Verdict], *, whole: bool) -> Iterator[Text]:
    """Lines about what an implementation offers and no question asks: messages and versions of another Kafka and,
    after a `whole` run of all areas, types that no question is about."""
    other = offered_types.of_another_kafka(described)
    if other:
        said = (
            ": offered, but not in the schemas here, and not asked: "
            f"{_some(other)}. With those of its Kafka they are: "
            "`wireproof schema import kafka-clients-VERSION.jar DIR`, then --catalog=DIR"
        )
        yield Text.assemble((safe(name), "bold"), said, style="yellow")
    if whole:
        asked = {verdict.type for verdict in verdicts}
        never = [one for names in (described.types or {}).values() for one in names if one not in asked]
        never = [one for one in never if one.isalnum() and not one.isupper() and one not in {*map(_first, other)}]
        if never:
            yield Text.assemble((safe(name), "bold"), f": offered and never asked: {_some(never)}", style="yellow")


def _first(text: str) -> str:
    return text.partition(" ")[0]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return safe(", ".join(names[:_NAMED])) + more


def unasked(verdicts: Iterable[Verdict], not_offered: Mapping[str, int], *, every: bool) -> dict[str, str]:
    """Area → a line with the share that was not asked or not judged, and why, for areas where this share is large.

    `not_offered`: area → the number of questions, in the offered dialects, that are not offered. `every`: include areas
    whose only reason is that they are not offered.
    """
    totals: Counter[str] = Counter(not_offered)
    reasons: dict[str, Counter[str]] = {
        area: Counter({_NOT_OFFERED: count}) for area, count in not_offered.items() if count
    }
    for verdict in verdicts:
        totals[verdict.area] += 1
        if verdict.outcome in UNJUDGED:
            why = verdict.note or str(verdict.outcome)
            reasons.setdefault(verdict.area, Counter())[why] += 1
    return {
        area: _line(counts, totals[area])
        for area, counts in reasons.items()
        if counts.total() >= _LARGE * totals[area] and (every or counts.keys() - {_NOT_OFFERED})
    }


def _line(reasons: Counter[str], total: int) -> str:
    count = reasons.total()
    percent = min(round(100 * count / total), 99 if count < total else 100)
    why = "; ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
    return f"{percent} % of {total:,} questions were not asked, or not judged: {why}"


def _place(item: tuple[str, str]) -> tuple[int, str]:
    """Sort key: the areas of the vector set in its order, then others."""
    area = item[0]
    return (AREAS.index(area) if area in AREAS else len(AREAS), area)


def _questions(count: int) -> str:
    return f"{count:,} {'question' if count == 1 else 'questions'}"


def _by_type(counts: Mapping[str, int]) -> tuple[Counter[str], dict[str, set[str]]]:
    """Questions by type (or dialect, or op without a type), and the ops of each. All arrays count as one type."""
    totals: Counter[str] = Counter()
    ops: dict[str, set[str]] = {}
    for name, count in counts.items():
        type_name, _, op = name.partition(" ")
        type_name = "arrays" if "<" in type_name else type_name
        totals[type_name] += count
        ops.setdefault(type_name, set()).add(op)
    return +totals, ops


def _kinds(counts: Mapping[str, int]) -> str:
    """The numbers of types, dialects and ops without a type: "61 types and 1 dialect"."""
    names = _by_type(counts)[0].keys()
    dialects = names & set(reference.dialects)
    ops = names & set(Op)
    numbers = ((len(names - dialects - ops), "type"), (len(dialects), "dialect"), (len(ops), "op"))
    said = [f"{number:,} {word}{'' if number == 1 else 's'}" for number, word in numbers if number]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


def _listed(counts: Mapping[str, int], why: str) -> Text:
    """The types, dialects and ops by name, with their numbers of questions; of many, those with the most."""
    totals, ops = _by_type(counts)
    named = sorted(totals, key=lambda name: -totals[name])
    shown = [_type(name, ops[name], totals[name]) for name in sorted(named[:_NAMED])]
    if named[_NAMED:]:
        shown.append(f"and {sum(totals[name] for name in named[_NAMED:]):,} of {len(named) - _NAMED:,} more")
    return Text(f"{why} are ").append(", ".join(shown), "dim")


def _type(name: str, ops: set[str], count: int) -> str:
    """A type with its count, and with its ops if these are not decode, encode and recode."""
    some = "/".join(sorted(ops)) if ops < {"decode", "encode", "recode"} else ""
    return " ".join(part for part in (safe(name), some, f"{count:,}") if part)
