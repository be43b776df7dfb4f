"""An honest library that takes two other readings at once, and declares none of them, gets no fail."""

from __future__ import annotations

import pytest
from support.judging import judged_by_asking
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import DEVIATIONS

RULINGS = reference.rulings(KAFKA)
#: A library that shows the messages of a wrapper in its place sees them in vectors on what is inside of it, too.
UNPACKED = "R-K-33"
OTHERS = [(ruling.id, name) for ruling in RULINGS.values() for name in ruling.others if ruling.id != UNPACKED]


@pytest.mark.parametrize(("ruling", "name"), OTHERS)
def test_unpacked_wrappers_beside_another_reading(ruling: str, name: str) -> None:
    rules = reference.rules_with(RULINGS.values(), {UNPACKED: "other", ruling: name})
    codec = reference.Reference(rules)
    asked = [one for one in vectors.load([KAFKA]) if one.type == "MessageSet" and len(one.data) < 1 << 16]
    verdicts = [judged_by_asking(codec, one, case)[1] for one in asked for case in one.cases()]
    assert len(verdicts) > 250
    assert [verdict.id for verdict in verdicts if verdict.outcome in DEVIATIONS] == []
