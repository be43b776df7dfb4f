"""Asks again what earlier campaigns found, before a campaign searches for more.

Findings of `findings/` and of `mended/` are asked, in a child with limits of time and memory, and filed by what they do
now. So a deviation fails every run until it is mended or known, and one that comes back fails again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.connection.base import Options
from wireproof.conformance.model import DEVIATIONS, Outcome
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.questions.question import Question
from wireproof.conformance.report.failure import repro_command
from wireproof.fuzz.campaign.run import Plan
from wireproof.fuzz.campaign.store import Kept, Store
from wireproof.fuzz.targets.session_start import examiner_of


@dataclass(frozen=True, slots=True)
class Retest:
    """What became of the findings.

    `open`: they deviate, or it cannot be seen whether they do. `known`: they deviate, and the file of known deviations
    excuses it. `mended`: they were open or known, and deviate no more. `not_offered`: the implementation does not offer
    the question any more.
    """

    open: list[Kept] = field(default_factory=list)
    known: list[Kept] = field(default_factory=list)
    mended: list[Kept] = field(default_factory=list)
    not_offered: list[Kept] = field(default_factory=list)


def retest(plan: Plan, store: Store) -> Retest:
    """Ask about all findings of a folder again. Raises FuzzError, ImplementationError."""
    done = Retest()
    # What stands in both was being moved when a campaign was ended.
    for name in store.mended.keys() & store.findings.keys():
        store.keep(store.findings[name])
    kept = store.mended | store.findings
    if not kept:
        return done
    judged = _judged(plan, kept)
    for name, one in kept.items():
        verdict = judged[name].verdict if name in judged else None
        outcome = Outcome.NOT_ASKED if verdict is None else verdict.outcome
        if name in store.mended and outcome not in DEVIATIONS:
            continue
        if outcome is Outcome.SKIP:
            done.not_offered.append(one)
        elif outcome in DEVIATIONS or outcome is Outcome.NOT_ASKED:
            known = None if verdict is None else verdict.known
            repro = repro_command(one.finding.id, plan.spec)
            now = msgspec.structs.replace(one, known=known, spec=plan.spec, repro=repro)
            if now != one or name in store.mended:
                store.keep(now)
            (done.open if known is None else done.known).append(now)
        else:
            store.mend(one)
            done.mended.append(one)
    store.log(
        "retest", **{name: [one.finding.name for one in getattr(done, name)] for name in Retest.__dataclass_fields__}
    )
    return done


def _judged(plan: Plan, kept: Mapping[str, Kept]) -> dict[str, Judged]:
    """The answers of today, by name. Those whose question does not exist any more are left out."""
    waiting: dict[str, Question] = {}
    for name, one in kept.items():
        try:
            waiting[name] = find(one.finding.id, similar=False)
        except UnknownId:
            continue
    judged: dict[str, Judged] = {}
    asked = True
    while waiting and asked:
        # After some deaths a child is not asked the rest: that is asked of another one.
        with examiner_of(plan.spec, Options(timeout=plan.timeout, memory=plan.memory), plan.known) as examiner:
            judged |= zip(waiting, examiner.judge(waiting.values()), strict=True)
        left = {
            name: question for name, question in waiting.items() if judged[name].verdict.outcome is Outcome.NOT_ASKED
        }
        asked = len(left) < len(waiting)
        waiting = left
    return judged
