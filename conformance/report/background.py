"""What stands behind a verdict: the rulings of a dialect, and the catalogue of bugs that real implementations had."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec

from conformance.model import Observation, Status
from conformance.values import equal
from reference.errors import WireError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.vectors import Vector, Wrong
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


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A bug of the catalogue that this vector meets. `exact`: it gave the very answer that was observed."""

    bug: Bug
    exact: bool


def resemblances(
    vector: Vector, observation: Observation, catalogue: Mapping[str, Bug] | None = None
) -> Sequence[Resemblance]:
    """The bugs that look like this observation, exact ones first."""
    known = bugs() if catalogue is None else catalogue
    found: dict[str, Resemblance] = {}
    for wrong in vector.wrong:
        if wrong.op is not observation.case.op:
            continue
        bug = known.get(wrong.bug) or Bug(wrong.bug, "", "", "")
        exact = _did(wrong, observation)
        if exact or wrong.bug not in found:
            found[wrong.bug] = Resemblance(bug, exact)
    return sorted(found.values(), key=lambda one: not one.exact)


def _did(wrong: Wrong, observation: Observation) -> bool:
    """Is the observation what this buggy implementation did?"""
    status = observation.status
    match wrong.does:
        case "accepts":
            return status is Status.ANSWER
        case "refuses":
            return status is Status.REJECT
        case "crash":
            return status in (Status.CRASH, Status.OOM)
        case "hang":
            return status is Status.HANG
    return status is Status.ANSWER and _same(wrong.answer, observation.answer)


def _same(expected: Any, actual: Any) -> bool:
    try:
        return equal(expected, actual)
    except (WireError, ValueError, TypeError):
        return False
