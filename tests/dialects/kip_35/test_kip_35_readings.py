"""Whoever takes another reading of a contested ruling fails nothing, without a declaration, and some vector tells this
reading."""

from __future__ import annotations

import pytest

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Outcome
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.questions.positive_control import twin_case
from wireproof.conformance.vectors.configured_reference import configured_reference

#: Longer inputs say no more about a reading.
LONGEST = 10_000
DIALECT = "kip-35-v7"
VECTORS = [vector for vector in vectors.load([DIALECT]) if len(vector.data) < LONGEST]
RULINGS = reference.rulings(DIALECT)


@pytest.mark.parametrize(
    ("ruling", "reading"), [(name, reading) for name, ruling in RULINGS.items() for reading in ruling.others]
)
def test_another_reading_is_contested_and_never_wrong(ruling: str, reading: str) -> None:
    own = configured_reference(DIALECT).under(reference.rules_with(RULINGS.values(), {ruling: reading}))
    wrong: list[tuple[str, str]] = []
    contested: set[str] = set()
    for vector in VECTORS:
        for case in vector.cases():
            twin = twin_case(vector, case)
            verdict = judge(vector, ask(own, case), twin=None if twin is None else ask(own, twin))
            if verdict.outcome is Outcome.FAIL:
                wrong.append((case.id, verdict.detail))
            contested.update(verdict.rulings)
    assert wrong == []
    assert ruling in contested
