"""The vectors against the judge: the reference passes each one exactly, each recorded bug fails, and each other reading
of a ruling is recognised."""

from __future__ import annotations

from collections import Counter

import pytest
from support.judging import judged, judged_by_asking

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.model import DEVIATIONS, Observation, Outcome, Status
from wireproof.conformance.vectors import Vector, VectorFile, VectorKind, Wrong
from wireproof.conformance.vectors.configured_reference import configured_reference

FILES = vectors.files()
VECTORS = vectors.load()
WRONG = [(vector, entry) for vector in VECTORS for entry in vector.wrong]
#: "Some value came back": none that any vector expects, or that any other reading gives.
SOMETHING = {"decode": "some value", "encode": b"some bytes", "recode": b"some bytes", "lookup": ["some value"]}


def _file(file: VectorFile) -> str:
    return f"{file.dialect}/{file.area}"


def observed(vector: Vector, wrong: Wrong) -> Observation:
    """What the buggy library did."""
    case = vector.case(wrong.op)
    match wrong.does:
        case "answers":
            return Observation(case, Status.ANSWER, wrong.answer)
        case "accepts":
            return Observation(case, Status.ANSWER, SOMETHING[wrong.op])
        case "refuses":
            return Observation(case, Status.REJECT)
        case "crash":
            return Observation(case, Status.CRASH)
        case "hang":
            return Observation(case, Status.HANG)
    raise AssertionError(f"{vector.path}: {wrong.does!r} is nothing that a library does")


@pytest.mark.parametrize(
    ("vector", "wrong"), [pytest.param(*pair, id=f"{pair[0].path}-{pair[1].bug}") for pair in WRONG]
)
def test_a_recorded_bug_fails(vector: Vector, wrong: Wrong) -> None:
    verdict = judged(vector, observed(vector, wrong))
    assert verdict.outcome in DEVIATIONS, f"{wrong.bug}: {verdict.outcome} under {verdict.rulings}"


def test_there_are_recorded_bugs_of_every_kind() -> None:
    assert len({wrong.bug for _, wrong in WRONG}) >= 50
    assert {wrong.does for _, wrong in WRONG} >= {"answers", "refuses", "crash"}


@pytest.mark.parametrize("file", FILES, ids=_file)
def test_the_reference_passes_exactly(file: VectorFile) -> None:
    """Reasons and offsets too: for everybody else a difference there is a note."""
    own = configured_reference(file.dialect)
    assert file.vectors
    for vector in file.vectors:
        for op in vector.ops:
            seen, verdict = judged_by_asking(own, vector, vector.case(op))
            assert (verdict.outcome, verdict.note) == (Outcome.PASS, ""), verdict
            if vector.reject is not None:
                assert (seen.reason, seen.offset) == (vector.reject.reason, vector.reject.offset), verdict


def _also(vector: Vector) -> tuple[str, ...]:
    return tuple(ruling for entry in vector.also for ruling in entry.rulings)


READINGS = [
    (dialect, ruling.id, reading)
    for dialect in reference.dialects
    for ruling in reference.rulings(dialect).values()
    for reading in ruling.others
]
INCIDENTAL = {one.id for dialect in reference.dialects for one in reference.rulings(dialect).values() if one.incidental}
#: The vectors do not say of each layout that they refuse it, for that would excuse every other refusal.
LAYOUTS = {
    (dialect, one.id) for dialect in reference.dialects for one in reference.rulings(dialect).values() if one.layout
}
#: Long inputs are only read where their length matters.
LONG = 10_000


@pytest.mark.parametrize("ruling", sorted(LAYOUTS), ids="-".join)
def test_a_layout_that_is_not_declared_fails(ruling: tuple[str, str]) -> None:
    dialect, identifier = ruling
    rulings = reference.rulings(dialect)
    for name in rulings[identifier].others:
        other = configured_reference(dialect).under(reference.rules_with(rulings.values(), {identifier: name}))
        asked = [v for v in VECTORS if v.dialect == dialect and v.kind is VectorKind.VALID and len(v.data) < LONG]
        verdicts = (judged_by_asking(other, v, v.case(op))[1] for v in asked for op in v.ops)
        if any(verdict.outcome in DEVIATIONS for verdict in verdicts):
            return
    pytest.fail("no reading of it has to be declared")


@pytest.mark.parametrize("reading", READINGS, ids="-".join)
def test_another_reading_is_contested_and_nothing_else(reading: tuple[str, str, str]) -> None:
    dialect, ruling, name = reading
    rules = reference.rules_with(reference.rulings(dialect).values(), {ruling: name})
    other = configured_reference(dialect).under(rules)
    chosen = [v for v in VECTORS if v.dialect == dialect and (len(v.data) < LONG or ruling in v.rulings)]
    declared = readings_for(dialect, {ruling: name}) if (dialect, ruling) in LAYOUTS else None
    found = [
        (vector, *judged_by_asking(other, vector, vector.case(op), declared))
        for vector in chosen
        for op in (vector.ops[:1] if vector.kind is VectorKind.INVALID else vector.ops)
    ]
    verdicts = [verdict for _, _, verdict in found]
    met = Counter(verdict.outcome for verdict in verdicts)
    assert [(v.id, v.outcome, v.detail) for v in verdicts if v.outcome in DEVIATIONS] == []
    # Where two readings do the same, the entry that stands first names the ruling: then this one's stands there too.
    # Of incidental rulings, which no vector has to list, two may do the same as well.
    # A declared reading, which can hardly read, refuses what another ruling lets be refused: that entry is met first.
    strangers = [
        verdict.id
        for vector, seen, verdict in found
        if not INCIDENTAL.issuperset(verdict.rulings) and ruling not in verdict.rulings + _also(vector)
        if not (declared and seen.status is Status.REJECT)
    ]
    assert strangers == []
    assert met[Outcome.CONTESTED], "no vector shows this reading"
    # What is skipped says nothing: a negative whose twin this reading refuses.
    read = met[Outcome.PASS] + (met[Outcome.CONTESTED] if declared else 0)
    assert read > len(verdicts) / 2
