"""What fuzzing finds, and how fast: `python benchmarks/campaigns.py speed`, and `… miniatures [NAME…]`.

speed       executions a second of each target on the reference, of some types, in process and in a child
miniatures  seconds and executions to the first finding of each deliberately wrong implementation of the tests, with
            libFuzzer's own mutations alone and with those that know the structure

Only on a quiet machine do the figures say anything.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance.connection import Options
from conformance.model import Description
from fuzz import campaign
from fuzz.running import Plan, Run, State, describe
from fuzz.scouting import Ground, scout
from fuzz.store import Store

TESTS = Path(__file__).resolve().parents[1] / "tests"
#: Seconds that a miniature may stay unfound, and for which speed is measured.
FOUND_WITHIN = 60.0
MEASURED = 15.0
#: What speed is measured of: target, type, whether in a child.
SPEEDS = (
    ("differential", "VARINT", False),
    ("differential", "STRING", False),
    ("differential", "MetadataResponse", False),
    ("differential", "RecordBatch", False),
    ("differential", None, False),
    ("decode", None, False),
    ("stability", None, False),
    ("values", "MetadataResponse", False),
    ("exchange", None, False),
    ("schema", None, False),
    ("differential", "VARINT", True),
    ("differential", "MetadataResponse", True),
    ("differential", "RecordBatch", True),
)


def ran(plan: Plan, described: Description) -> State:
    """A run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        return Run(plan, store, described, lambda *_: None).go()


def speed() -> Iterator[str]:
    """A line for each of `SPEEDS`."""
    described = describe("reference", Options(), None)
    for target, only, child in SPEEDS:
        ground = Ground((), ("native",) if child else ())
        plan = Plan("reference", target, "kafka", ground, only=only, seconds=MEASURED)
        state = ran(plan, described)
        where = "in a child" if child else "in process"
        yield f"{target:<13}{only or 'all':<18}{where:<11}{state.executions / state.seconds:>9,.0f} a second"


def miniatures(names: Iterable[str]) -> Iterator[str]:
    """A line for each miniature and kind of mutation."""
    for name in names:
        module = importlib.import_module(f"miniatures.{name}")
        spec = module.__name__
        if getattr(module, "PROGRAM", False):
            spec = f"exec:{sys.executable} -m {spec}"
        described = describe(spec, Options(), None)
        plan = Plan(spec, "decode", "kafka", scout(spec), seconds=FOUND_WITHIN, until_found=True, timeout=2.0)
        for structured in (False, True):
            yield f"{name:<44}{'ours' if structured else 'default':<9}{_first(plan, described, structured)}"


def _first(plan: Plan, described: Description, structured: bool) -> str:
    """When a miniature was found first, in any target."""
    spent, executions = 0.0, 0
    # What compares with the reference finds most.
    offered = sorted(campaign.lanes(plan, described), key=lambda one: one.target not in ("differential", "exchange"))
    for lane in offered:
        state = ran(replace(lane, seconds=max(5.0, FOUND_WITHIN / len(offered)), structured=structured), described)
        spent += state.seconds
        executions += state.executions
        if state.new:
            return f"{spent:6.1f} s {executions:>9,} executions, by {lane.target} ({lane.dialect})"
    return f"not found in {spent:.0f} s, {executions:,} executions"


def main(words: list[str]) -> int:
    """Print the lines of one table."""
    sys.path.insert(0, str(TESTS))
    os.chdir(TESTS)
    match words:
        case ["speed"]:
            lines = speed()
        case ["miniatures", *names]:
            everyone = sorted(module.name for module in pkgutil.iter_modules([str(TESTS / "miniatures")]))
            lines = miniatures(names or everyone)
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    for line in lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
