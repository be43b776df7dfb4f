"""The fuzzing that every change has to pass: each target on each dialect against the reference, always the same.

    python tests/fuzz_smoke.py [EXECUTIONS]

So many executions each (2,500) beside the seeds, two at a time. `differential` is asked of the readable codec, which
is the other implementation that the reference has of its messages. Any finding is shown, and ends it with exit code 1.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from wireproof.conformance.connection import Options
from wireproof.fuzz.campaign import campaign
from wireproof.fuzz.campaign.dependencies import dependencies_of
from wireproof.fuzz.campaign.run import Plan, Run, State, describe
from wireproof.fuzz.campaign.store import Store

EXECUTIONS = 2_500
#: What is drawn takes a hundred times as long as what is read.
DRAWN = 20
#: Seconds that an input may take: more than on a quiet machine, so that a busy one makes no difference.
PATIENCE = 60.0
#: Who stands for the reference in a target.
SPECS = {"differential": "wireproof.reference.fast:reference"}


def plans(executions: int) -> Iterator[Plan]:
    """One for each target and dialect, the long ones first."""
    plan = Plan("reference", "decode", "kafka", dependencies_of("reference"))
    for one in campaign.plans(plan, describe("reference", Options(), None)):
        runs = max(1, executions // DRAWN) if one.target == "values" else executions
        yield replace(one, spec=SPECS.get(one.target, one.spec), runs=runs, timeout=PATIENCE)


def smoke(plan: Plan) -> tuple[Plan, State, list[str]]:
    """One of them: how far it came, and the repro lines of what it found."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        state = Run(plan, store, describe(plan.spec, Options(), None), lambda *_: None).go()
        return plan, state, [kept.repro for kept in store.findings.values()]


def main(executions: int) -> int:
    """All of them."""
    began = time.monotonic()
    bad = 0
    with ThreadPoolExecutor(2) as pool:
        for plan, state, found in pool.map(smoke, plans(executions)):
            bad += len(found) + state.restarts
            line = f"{plan.target:<13}{plan.dialect:<20}{state.executions:>8,}  {state.seconds:5.1f} s"
            sys.stdout.write(f"{line}  {state.restarts} restarts  {len(found)} findings\n")
            sys.stdout.writelines(f"    {repro}\n" for repro in found)
            sys.stdout.flush()
    sys.stdout.write(f"{time.monotonic() - began:.0f} s\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else EXECUTIONS))
