"""Asks about single inputs, such as the crash file of a fuzzing service. Nothing is searched or kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from wireproof.fuzz.campaign.run import Plan
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.session_start import open_session


class _Findings:
    """Keeps each finding with its smallest input."""

    def __init__(self) -> None:
        self.of_name: dict[str, FuzzFinding] = {}

    def found(self, finding: FuzzFinding) -> None:
        self.of_name[finding.name] = finding

    def novel(self, raw: bytes, shown: Any) -> None:
        pass


def repeat(plan: Plan, raws: Iterable[bytes]) -> tuple[list[FuzzFinding], Counter[str]]:
    """The findings of these inputs, and how often entries of the file of known deviations excused one. They are asked
    in a child, so that one which ends it or holds it up is a finding. Raises FuzzError, ImplementationError."""
    found = _Findings()
    session = open_session(
        plan.spec,
        plan.target,
        plan.dialect,
        found,
        only=plan.only,
        known=plan.known,
        in_child=True,
        timeout=plan.timeout,
        memory=plan.memory,
    )
    try:
        for raw in raws:
            session.execute(raw)
        session.finish()
    finally:
        session.examiner.close()
    return [*found.of_name.values()], session.counts.known
