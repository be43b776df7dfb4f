"""The background of a verdict: the rulings of a dialect, and the catalogue of bugs in real implementations."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from importlib import resources
from typing import Any

import msgspec
from rich.text import Text

from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Observation, Status
from wireproof.conformance.report.hexview import DIM, GOOD
from wireproof.conformance.report.text import safe, wrap
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, Wrong
from wireproof.reference.errors import WireError
from wireproof.reference.rules import Ruling


class Bug(msgspec.Struct, frozen=True):
    """A bug of the catalogue. `ref`: where it was reported or fixed. Other keys of the file are not needed here."""

    id: str
    repo: str
    ref: str
    title: str
    wrong_behaviour: str = ""


class _Catalogue(msgspec.Struct, frozen=True):
    bugs: list[Bug]


@functools.cache
def bugs() -> Mapping[str, Bug]:
    """The catalogue by id; empty when the vector set has none."""
    entry = resources.files("wireproof.vectors") / "bugs.json"
    if not entry.is_file():
        return {}
    content = entry.read_bytes()
    if content.lstrip().startswith(b"["):
        entries = msgspec.json.decode(content, type=list[Bug])
    else:
        entries = msgspec.json.decode(content, type=_Catalogue).bugs
    return {bug.id: bug for bug in entries}


def rulings(dialect: str) -> Mapping[str, Ruling]:
    """The dialect's rulings by id."""
    from wireproof import reference  # imported late: a report without rulings does not need it

    try:
        return reference.rulings(dialect)
    except (NotImplementedError, KeyError):
        return {}


class Likeness(IntEnum):
    """The similarity between a bug of the catalogue and an observation."""

    #: The bug gives another answer to this question, which is wrong in the same way and at the same place.
    SHOWED = 0
    #: The buggy library did the same: accepted, refused, crashed or hung.
    DID_SO = 1
    #: The buggy library gave exactly this answer.
    SAME_ANSWER = 2


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A bug of the catalogue that this vector tests for."""

    bug: Bug
    likeness: Likeness


def resemblances(
    vector: Vector, observation: Observation, catalogue: Mapping[str, Bug] | None = None
) -> Sequence[Resemblance]:
    """The bugs that look like this observation, the most similar first."""
    known = bugs() if catalogue is None else catalogue
    by_bug: dict[str, Resemblance] = {}
    for wrong in vector.wrong:
        if wrong.op is not observation.case.op:
            continue
        bug = known.get(wrong.bug) or Bug(wrong.bug, "", "", "")
        likeness = _likeness(vector, wrong, observation)
        if likeness is None:
            continue
        if wrong.bug not in by_bug or by_bug[wrong.bug].likeness < likeness:
            by_bug[wrong.bug] = Resemblance(bug, likeness)
    return sorted(by_bug.values(), key=lambda one: -one.likeness)


def _likeness(vector: Vector, wrong: Wrong, observation: Observation) -> Likeness | None:
    """How much a bug resembles an observation; None if it does something else, or is wrong elsewhere."""
    did = {
        Status.ANSWER: "accepts",
        Status.REJECT: "refuses",
        Status.CRASH: "crash",
        Status.OOM: "crash",
        Status.HANG: "hang",
    }.get(observation.status)
    if did == wrong.does:
        return Likeness.DID_SO
    if wrong.does != "answers" or observation.status is not Status.ANSWER:
        return None
    if _same(wrong.answer, observation.answer):
        return Likeness.SAME_ANSWER
    one, other = (
        judge(vector, seen) for seen in (msgspec.structs.replace(observation, answer=wrong.answer), observation)
    )
    alike = one.place and (one.kind, one.place) == (other.kind, other.place)
    return Likeness.SHOWED if alike else None


def _same(expected: Any, actual: Any) -> bool:
    try:
        return equal(expected, actual)
    except (WireError, ValueError, TypeError):
        return False


def ruling_text(identifier: str, ruling: Ruling | None, width: int) -> Text:
    """The ruling's id, question, demand and other reading, on lines of `width`; for None only the id."""
    if ruling is None:
        return Text(safe(identifier), "bold")
    mark = " ‡" if ruling.contested else ""
    first, *rest = wrap(safe(ruling.question), width - len(identifier) - len(mark) - 2) or [""]
    out = Text().append(identifier, "bold").append(f"{mark}  {first}")
    for line in rest:
        out.append(f"\n    {line}")
    for title, said, style in (
        ("demanded", ruling.demanded, GOOD),
        ("other reading", ruling.other, "yellow"),
        ("source", ruling.origin, DIM),
        ("the kit alone asks", ruling.kit, DIM),
    ):
        if said:
            first, *rest = wrap(safe(f"{title}: {said}"), width - 4)
            out.append(f"\n  {first}", style)
            for line in rest:
                out.append(f"\n    {line}", style)
    return out
