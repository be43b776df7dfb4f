"""The background of a verdict: the rulings of a dialect, and the catalogue of bugs in real implementations."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from importlib import resources
from typing import Any

import msgspec

from conformance.model import Observation, Status
from conformance.values import equal
from conformance.vectors import Vector, Wrong
from reference.errors import WireError
from reference.rules import Ruling


class Bug(msgspec.Struct, frozen=True):
    """A bug of the catalogue. `ref` is where it was reported or mended; other keys of the file are not needed here."""

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
    entry = resources.files("vectors") / "bugs.json"
    if not entry.is_file():
        return {}
    content = entry.read_bytes()
    if content.lstrip().startswith(b"["):
        found = msgspec.json.decode(content, type=list[Bug])
    else:
        found = msgspec.json.decode(content, type=_Catalogue).bugs
    return {bug.id: bug for bug in found}


def rulings(dialect: str) -> Mapping[str, Ruling]:
    """The dialect's rulings by id."""
    import reference  # here, because it costs what a plain report does not need

    try:
        return reference.rulings(dialect)
    except (NotImplementedError, KeyError):
        return {}


class Likeness(IntEnum):
    """How similar a bug of the catalogue is to what was observed."""

    #: It showed on this vector and op, in another way.
    SHOWED = 0
    #: It did the same: accepted, refused, crashed, hung.
    DID_SO = 1
    #: It gave the very same answer.
    SAME_ANSWER = 2


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A bug of the catalogue that this vector tests for."""

    bug: Bug
    likeness: Likeness


def resemblances(
    vector: Vector, observation: Observation, catalogue: Mapping[str, Bug] | None = None
) -> Sequence[Resemblance]:
    """The bugs that look like this observation, the nearest first."""
    known = bugs() if catalogue is None else catalogue
    found: dict[str, Resemblance] = {}
    for wrong in vector.wrong:
        if wrong.op is not observation.case.op:
            continue
        bug = known.get(wrong.bug) or Bug(wrong.bug, "", "", "")
        likeness = _likeness(wrong, observation)
        if wrong.bug not in found or found[wrong.bug].likeness < likeness:
            found[wrong.bug] = Resemblance(bug, likeness)
    return sorted(found.values(), key=lambda one: -one.likeness)


def _likeness(wrong: Wrong, observation: Observation) -> Likeness:
    did = {
        Status.ANSWER: "accepts",
        Status.REJECT: "refuses",
        Status.CRASH: "crash",
        Status.OOM: "crash",
        Status.HANG: "hang",
    }.get(observation.status)
    if did == wrong.does:
        return Likeness.DID_SO
    answered = wrong.does == "answers" and observation.status is Status.ANSWER
    return Likeness.SAME_ANSWER if answered and _same(wrong.answer, observation.answer) else Likeness.SHOWED


def _same(expected: Any, actual: Any) -> bool:
    try:
        return equal(expected, actual)
    except (WireError, ValueError, TypeError):
        return False
