"""Campaigns: one target for a given time, or all targets in turns. Each target must find its canary first."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wireproof import reference
from wireproof.conformance.model import Description
from wireproof.fuzz.campaign import canaries
from wireproof.fuzz.campaign.dependencies import Ground
from wireproof.fuzz.campaign.finding import FuzzFinding
from wireproof.fuzz.campaign.run import Plan, Run, State
from wireproof.fuzz.campaign.store import Store
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.process.session_start import forms, kind_of
from wireproof.fuzz.process.targets import KINDS

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
    """Plant a bug in a copy of the target, and find it. Raises FuzzError when it is not found."""
    offered = forms(kind_of(plan.target), described, plan.dialect, plan.only)
    planted = replace(
        plan,
        spec=f"{_MODULE}:{plan.target}",
        ground=Ground((), plan.ground.native),
        known=None,
        seconds=PATIENCE,
        runs=BUDGET,
        jobs=1,
        until_found=True,
    )
    bird = replace(
        described,
        name="canary",
        version=None,
        dialects=tuple(reference.dialects),
        ops=frozenset(op for form in offered.values() for op in form.ops),
    )
    with tempfile.TemporaryDirectory(prefix="wireproof-canary-") as folder, Store(Path(folder)) as store:
        state = Run(planted, store, bird, lambda *_: None).go()
    if not state.new:
        raise FuzzError(
            f"the search is blind: a bug that was planted in a copy of the target {plan.target} ({plan.dialect}) was "
            f"not found in {state.executions} executions. Nothing that it would say of {described.name} would count."
        )
    return state


def run(plan: Plan, store: Store, described: Description, watch: Watch) -> State:
    """Run one target until its time is over. Raises FuzzError."""
    canary_found(plan, described)
    return Run(plan, store, described, lambda state, finding: watch(plan, state, finding)).go()


@dataclass(slots=True)
class _Lane:
    """A target with a dialect. `yielded`: the gain of its last turn, per second."""

    plan: Plan
    yielded: float = 0.0
    coverage: int = 0


def lanes(plan: Plan, described: Description) -> Sequence[Plan]:
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
    for one in lanes(plan, described):
        canary_found(one, described)
    return [*turns(plan, store, described, watch)]


def turns(plan: Plan, store: Store, described: Description, watch: Watch) -> Iterator[State]:
    """The turns of all targets: first each of them has a short one, so that what is easily found is found soon, then
    always the one with the highest gain in its last turn. Raises FuzzError."""
    waiting = [_Lane(one) for one in lanes(plan, described)]
    assert plan.seconds is not None
    end = time.monotonic() + plan.seconds
    share = plan.seconds / len(waiting)
    first = min(LEAST, share, max(FIRST, share / 4))
    for lane in waiting:
        yield _turn(lane, replace(lane.plan, seconds=first), store, described, watch)
    turn = max(min(LEAST, share), share / 4)
    while (left := end - time.monotonic()) > 0:
        lane = max(waiting, key=lambda one: one.yielded)
        yield _turn(lane, replace(lane.plan, seconds=min(turn, left)), store, described, watch)


def _turn(lane: _Lane, plan: Plan, store: Store, described: Description, watch: Watch) -> State:
    plan = replace(plan, seed=plan.seed + store.executions)
    state = Run(plan, store, described, lambda state, finding: watch(plan, state, finding)).go()
    gained = max(0, state.coverage - lane.coverage) + _WORTH * len(state.new)
    lane.coverage = max(lane.coverage, state.coverage)
    lane.yielded = gained / max(state.seconds, 1.0)
    return state
