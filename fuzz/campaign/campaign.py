"""Campaigns: one target for a given time, or all targets in turns. Each target must find its canary first."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wireproof import reference
from wireproof.conformance.generation import further_ops
from wireproof.conformance.model import Description, Op
from wireproof.fuzz.campaign import canaries
from wireproof.fuzz.campaign.dependencies import Dependencies
from wireproof.fuzz.campaign.run import Plan, Run, State
from wireproof.fuzz.campaign.store import Store
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.inputs import Forms
from wireproof.fuzz.targets.kinds import KINDS
from wireproof.fuzz.targets.session_start import forms, kind_of

#: The limits for finding a canary: executions after the seeds, and seconds.
BUDGET = 20_000
PATIENCE = 120.0
#: The minimum of seconds for a turn, if the time is enough to give each target one such turn; for first turns too.
LEAST, FIRST = 10.0, 1.0
#: The order of first turns: before the others the targets that find most, which compare all answers with the
#: reference's.
_ORDER = ("differential", "exchange", "schema", "values", "decode", "stability")
#: A new finding counts as much as this number of new branches.
_WORTH = 50
_MODULE = canaries.__name__

Watch = Callable[[Plan, State, FuzzFinding | None], None]


def canary_found(plan: Plan, described: Description) -> State:
    """Plant a bug in a copy of the target, and find it; another one in each of the further ops, if they are asked.
    Raises FuzzError when it is not found."""
    offered = forms(kind_of(plan.target), described, plan.dialect, plan.only)
    for op in sorted(further_ops.OPS):
        of_op = [form for form in offered.values() if op in form.ops and Op.DECODE in form.ops]
        if of_op:
            only = [form for form in of_op if form.type == of_op[0].type]
            _found(replace(plan, only=of_op[0].type), described, {form.head: form for form in only}, str(op))
    return _found(plan, described, offered, plan.target)


def _found(plan: Plan, described: Description, offered: Forms, canary: str) -> State:
    planted = replace(
        plan,
        spec=f"{_MODULE}:{canary}",
        dependencies=Dependencies((), plan.dependencies.native),
        known=None,
        inputs=(),
        words=b"",
        seconds=PATIENCE,
        runs=BUDGET,
        jobs=1,
        until_found=True,
    )
    copy = replace(
        described,
        name="canary",
        version=None,
        dialects=tuple(reference.dialects),
        ops=frozenset(op for form in offered.values() for op in form.ops),
    )
    with tempfile.TemporaryDirectory(prefix="wireproof-canary-") as folder, Store(Path(folder)) as store:
        state = Run(planted, store, copy, lambda *_: None).go()
    if not state.new:
        raise FuzzError(
            f"the search is blind: a bug that was planted in {canary} of a copy of the target {plan.target} "
            f"({plan.dialect}) was "
            f"not found in {state.executions} executions. Nothing that it would say of {described.name} would count."
        )
    return state


def run(plan: Plan, store: Store, described: Description, watch: Watch) -> State:
    """Run one target until its time is over. Raises FuzzError."""
    canary_found(plan, described)
    return Run(plan, store, described, lambda state, finding: watch(plan, state, finding)).go()


@dataclass(slots=True)
class _Scheduled:
    """A target with a dialect. `gain`: of its last turn, per second."""

    plan: Plan
    gain: float = 0.0
    coverage: int = 0


def plans(plan: Plan, described: Description) -> Sequence[Plan]:
    """All targets and dialects that an implementation offers, in the order of their first turns. Raises FuzzError if
    there are none."""
    plans = sorted(_offered(plan, described), key=lambda one: _ORDER.index(one.target))
    if not plans:
        raise FuzzError(f"{described.name} offers nothing that a target asks")
    return plans


def _offered(plan: Plan, described: Description) -> Iterator[Plan]:
    for dialect in described.dialects:
        for target in KINDS:
            try:
                forms(kind_of(target), described, dialect, None)
            except FuzzError:
                continue
            yield replace(plan, target=target, dialect=dialect)


def campaign(plan: Plan, store: Store, described: Description, watch: Watch) -> list[State]:
    """Run all targets in turns, after each has found its canary. Raises FuzzError."""
    for one in plans(plan, described):
        canary_found(one, described)
    return [*turns(plan, store, described, watch)]


def turns(plan: Plan, store: Store, described: Description, watch: Watch) -> Iterator[State]:
    """The turns of all targets: first each of them has a short one, so that what is easily found is found soon, then
    always the one with the highest gain in its last turn. Raises FuzzError."""
    waiting = [_Scheduled(one) for one in plans(plan, described)]
    assert plan.seconds is not None
    end = time.monotonic() + plan.seconds
    share = plan.seconds / len(waiting)
    first = min(LEAST, share, max(FIRST, share / 4))
    for one in waiting:
        yield _turn(one, replace(one.plan, seconds=first), store, described, watch)
    turn = max(min(LEAST, share), share / 4)
    while (left := end - time.monotonic()) > 0:
        one = max(waiting, key=lambda each: each.gain)
        yield _turn(one, replace(one.plan, seconds=min(turn, left)), store, described, watch)


def _turn(one: _Scheduled, plan: Plan, store: Store, described: Description, watch: Watch) -> State:
    plan = replace(plan, seed=plan.seed + store.executions)
    state = Run(plan, store, described, lambda state, finding: watch(plan, state, finding)).go()
    gained = max(0, state.coverage - one.coverage) + _WORTH * len(state.new)
    one.coverage = max(one.coverage, state.coverage)
    one.gain = gained / max(state.seconds, 1.0)
    return state
