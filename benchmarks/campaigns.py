"""Measures fuzzing: `python benchmarks/campaigns.py speed`, `reach`, `miniatures [NAME…]`, `mutants`.

speed [ROUNDS [WORD…]]
                executions per second of targets on the reference, in process and in a child, by the clock and by
                processor time, without the time to start; then the medians of the rounds. With words only those lines
                that have one of them
reach SECONDS   with libFuzzer's own mutations alone, and with those that know the structure: the share of inputs that
                get past a batch's CRC, the share of accepted MetadataResponses, and the lines of the reference that the
                inputs of all types reach
miniatures [NAME…]
                seconds and executions to the first finding of each deliberately wrong implementation of the tests: with
                libFuzzer's own mutations, with ours, and with hypothesis's values without coverage; then those that no
                campaign finds, with the reason
mutants [WORD…] the same, with ours, for each mutant of the reference's codec that `codec_mutants` makes

Figures by the clock are only meaningful on an idle machine; the load is printed with them. With speeds also how long
the machine took for a plain loop before and after: a shared one is not equally fast from one minute to the next.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import pkgutil
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import CodeType
from unittest import mock

import codec_mutants

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.model import DEVIATIONS, Description
from wireproof.conformance.questions import selection
from wireproof.fuzz.campaign import campaign
from wireproof.fuzz.campaign.dependencies import Dependencies, dependencies_of
from wireproof.fuzz.campaign.run import Plan, Run, State, describe
from wireproof.fuzz.campaign.store import Store
from wireproof.fuzz.corpus import minimise, seeding
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.kinds import Likeness
from wireproof.fuzz.targets.session_start import forms, kind_of, open_session, session_of

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
#: Seconds in which everything planted has to be found.
FOUND_WITHIN = 60.0
#: Executions of which the speed is measured, after so many that are not. With fewer, the time to start, which is not
#: the same twice, decides more of the figure.
FIRST, MEASURED = 2_000, 100_000
#: What speed is measured of, with mutations that know the structure: target, type, whether in a child.
SPEEDS = (
    ("differential", "VARINT", False),
    ("differential", "STRING", False),
    ("differential", "MetadataResponse", False),
    ("differential", "RecordBatch", False),
    ("differential", None, False),
    ("decode", None, False),
    ("stability", None, False),
    ("exchange", None, False),
    ("schema", None, False),
    ("differential", "VARINT", True),
    ("differential", "MetadataResponse", True),
    ("differential", "RecordBatch", True),
)
#: How many mutants of each dialect are tried, if it has so many.
MUTANTS = 16
#: Targets that mutants are put to, one after another.
MUTANT_TARGETS = ("differential", "stability", "values")
#: More bytes than the vectors have that tell mutants from the reference.
LONGEST = 1 << 16
#: Miniatures that no campaign finds, by the reason.
UNREACHED: Mapping[str, tuple[str, ...]] = {
    "campaigns do not look up what tags and ProtocolVersions are for; vectors do": (
        "kip_35_selects_what_is_removed",
        "kip_35_takes_the_first_endpoint",
    ),
    "generated conversations leave open what an answer holds; vectors demand it": (
        "wire_format_sorts_offsets_by_partition",
        "wire_format_sorts_offsets_by_topic",
        "wire_format_sorts_offsets_by_topic_down",
        "wire_format_waits_for_those_in_sync",
    ),
}
#: What makes inputs, as a table names it.
MAKERS = ("default mutator", "ours", "hypothesis")


def ran(plan: Plan, described: Description) -> State:
    """A run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        return Run(plan, store, described, lambda *_: None).go()


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


# --- Speed ------------------------------------------------------------------------------------------------------------


def speed(rounds: int, words: Sequence[str]) -> Iterator[str]:
    """A line for each of `SPEEDS`; for all types also with libFuzzer's own mutations alone, with and without seeds.
    They take turns in each round; of several rounds the medians follow."""
    described = describe("reference", Options(), None)
    figures: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, plan, seeded in _speeds():
            if words and not any(word in name for word in words):
                continue
            without = mock.patch.object(seeding, "seeds", return_value=())
            before = _loop()
            with contextlib.nullcontext() if seeded else without:
                second, processor = _speed(plan, described)
            figures.setdefault(name, []).append(second)
            host = f"load {os.getloadavg()[0]:.1f}, loop {before:.0f} and {_loop():.0f} ms"
            yield f"{name}{second:>9,.0f} a second, {processor:>9,.0f} by processor time  ({host})"
    if rounds > 1:
        yield f"\nThe medians of {rounds} rounds, the least and the most:"
        for name, found in figures.items():
            yield f"{name}{statistics.median(found):>9,.0f} a second  ({min(found):,.0f} to {max(found):,.0f})"


def _speeds() -> Iterator[tuple[str, Plan, bool]]:
    """What speed is measured of: a name, the plan of a run, and whether it begins with seeds."""
    for target, only, child in SPEEDS:
        plan = Plan("reference", target, "kafka", Dependencies((), ("native",) if child else ()), only=only)
        yield f"{target:<13}{only or 'all':<18}{'in a child' if child else 'in process':<11}", plan, True
    for target in ("differential", "decode"):
        plan = Plan("reference", target, "kafka", Dependencies((), ()), structured=False)
        yield f"{target:<13}{'all':<18}{'any bytes':<11}", plan, True
        yield f"{target:<13}{'all':<18}{'no seeds':<11}", plan, False


def _loop() -> float:
    """Milliseconds of a plain loop: the speed of this machine at this moment."""
    start = time.perf_counter()
    for _ in range(4_000_000):
        pass
    return (time.perf_counter() - start) * 1000


def _speed(plan: Plan, described: Description) -> tuple[float, float]:
    """Executions per second, by the clock and by processor time."""
    short, long = (_spent(replace(plan, runs=runs), described) for runs in (FIRST, FIRST + MEASURED))
    executions, seconds, processor = (after - before for before, after in zip(short, long, strict=True))
    return executions / seconds, executions / processor


def _spent(plan: Plan, described: Description) -> tuple[float, float, float]:
    """Executions, seconds, and seconds of processor time. A child's own child is not in it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    state = ran(plan, described)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return state.executions, state.seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# --- Reach ------------------------------------------------------------------------------------------------------------


def reach(seconds: float) -> Iterator[str]:
    """Each figure with both mutators, and how many times the one the other is."""
    os.environ["PYTHONPATH"] = str(HERE)
    for only, index, what in (("RecordBatch", 2, "past the CRC"), ("MetadataResponse", 1, "accepted")):
        shares = [_share(only, index, seconds, structured=structured) for structured in (False, True)]
        ratio = f"{shares[1] / shares[0]:.1f} times" if shares[0] else "none before"
        yield f"{only:<18}{what:<14}{shares[0]:6.1%} → {shares[1]:6.1%}  {ratio}  ({_load()})"
    lines = [_lines(seconds, structured=structured) for structured in (False, True)]
    yield f"{'all types':<18}{'lines reached':<14}{lines[0]:>6,} → {lines[1]:>6,}  ({_load()})"


def _share(only: str, index: int, seconds: float, *, structured: bool) -> float:
    """The share of inputs, after the seeds, of which `counting` counts this."""
    with tempfile.TemporaryDirectory() as folder:
        counted = Path(folder) / "counts"
        kind = kind_of("decode")
        described = describe("reference", Options(), None)
        offered = forms(kind, described, "kafka", only)
        skipped = len({*seeding.seeds(kind, "kafka", offered)})
        os.environ |= {"COUNTING": str(counted), "SKIPPED": str(skipped)}
        plan = Plan(
            "counting", "decode", "kafka", Dependencies((), ()), only=only, seconds=seconds, structured=structured
        )
        ran(plan, described)
        counts = [int(word) for word in counted.read_text().split()]
    return counts[index] / counts[0]


def _lines(seconds: float, *, structured: bool) -> int:
    """The lines of the reference that the inputs of a run reach, its seeds included."""
    described = describe("reference", Options(), None)
    plan = Plan("reference", "decode", "kafka", Dependencies((), ()), seconds=seconds, structured=structured)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        Run(plan, store, described, lambda *_: None).go()
        raws = [entry.read_bytes() for entry in store.corpus("decode", "kafka").iterdir()]
    with session_of("reference", "decode", "kafka", in_child=False) as session:
        seeds = seeding.seeds(session.kind, "kafka", session.forms)
        codes: dict[int, CodeType] = {}  # it keeps them, so that no id is given twice
        reached: minimise.Reached = set()
        for raw in itertools.chain(seeds, raws):
            reached |= minimise.reached(session, raw, frozenset({"wireproof.reference"}), codes)
        return len({(step[0], step[-1]) for step in reached if step[0] in codes})


# --- What is found ----------------------------------------------------------------------------------------------------


def miniatures(names: Sequence[str]) -> Iterator[str]:
    """A row of a table for each miniature; without names for all, and a table of those that are not found."""
    unreached = {name: why for why, those in UNREACHED.items() for name in those}
    yield f"| miniature | {' | '.join(MAKERS)} |"
    yield "|---|---|---|---|"
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(_miniature, names or [name for name in _all_miniatures() if name not in unreached])
    if not names:
        yield "\n| miniature | why no campaign finds it |"
        yield "|---|---|"
        yield from (f"| `{name}` | {unreached[name]} |" for name in sorted(unreached))


def _miniature(name: str) -> str:
    module = importlib.import_module(f"miniatures.{name}")
    spec = module.__name__
    if getattr(module, "PROGRAM", False):
        spec = f"exec:{sys.executable} -m {spec}"
    described = describe(spec, Options(), None)
    plan = Plan(spec, "decode", "kafka", dependencies_of(spec), until_found=True, timeout=1.0)
    cells = [_first(replace(plan, structured=structured), described) for structured in (False, True)]
    return f"| `{name}` | {' | '.join([*cells, _by_hypothesis(spec, described)])} |"


def _first(plan: Plan, described: Description) -> str:
    """When a campaign of a minute made its first finding."""
    began, executions = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        for state in campaign.turns(replace(plan, seconds=FOUND_WITHIN), store, described, lambda *_: None):
            executions += state.executions
            if state.new:
                return _found(time.monotonic() - began, executions)
    return _unfound(executions)


def _found(seconds: float, executions: int) -> str:
    return f"{seconds:.0f} s, {executions:,}"


def _unfound(executions: int) -> str:
    return f"not in {executions:,}"


class _Heard:
    """A listener that knows whether anything was found."""

    def __init__(self) -> None:
        self.found_any = False

    def found(self, _finding: FuzzFinding) -> None:
        """Something was found."""
        self.found_any = True

    def novel(self, raw: bytes, shown: Likeness) -> None:
        """Nothing is kept."""


def _by_hypothesis(spec: str, described: Description) -> str:
    """The same with values that hypothesis draws from random bytes, in a child."""
    began, executions = time.monotonic(), 0
    drawn = random.Random(0)  # noqa: S311 (no secret hangs on it)
    for dialect in described.dialects:
        heard = _Heard()
        try:
            session = open_session(spec, "values", dialect, heard, in_child=True, timeout=1.0)
        except FuzzError:
            continue
        offered = [*session.forms.values()]
        end = time.monotonic() + FOUND_WITHIN / len(described.dialects)
        with session.examiner:
            while time.monotonic() < end:
                for _ in range(50):
                    session.execute(drawn.choice(offered).input(drawn.randbytes(1 << drawn.randrange(11))))
                executions += 50
                session.finish()
                if heard.found_any:
                    return _found(time.monotonic() - began, executions)
    return _unfound(executions) if executions else "draws nothing"


def of_mutants(words: list[str]) -> Iterator[str]:
    """A row of a table for each mutant that some vector can tell from the reference; others may be no faults at all.
    With words only those whose name has one of them."""
    yield "| mutant | found after |"
    yield "|---|---|"
    described = describe("reference", Options(), None)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        os.environ["PYTHONPATH"] = folder
        chosen: list[tuple[str, codec_mutants.Mutant]] = []
        for dialect in codec_mutants.MODULES:
            visible = itertools.islice(_visible_mutants(dialect, Path(folder)), MUTANTS)
            chosen += (one for one in visible if not words or any(word in one[1].name for word in words))
        yield from pool.map(lambda one: _mutant(one[0], one[1], described), chosen)


def _visible_mutants(dialect: str, folder: Path) -> Iterator[tuple[str, codec_mutants.Mutant]]:
    """Mutants with the names of their packages."""
    asked = [one for one in vectors.load([dialect]) if one.type is not None and len(one.data) < LONGEST]
    for number, mutant in enumerate(codec_mutants.mutants(dialect)):
        package = f"mutant_{dialect.replace('-', '_')}_{number}"
        mutant.write(folder, package)
        try:
            with Examiner(open_connection(package, Options(timeout=2.0))) as examiner:
                found = examiner.judge(selection.of_vectors(asked, examiner.description))
                visible = any(judged.verdict.outcome in DEVIATIONS for judged in found)
        except ImplementationError:  # it ends when it is imported
            continue
        if visible:
            yield package, mutant


def _mutant(package: str, mutant: codec_mutants.Mutant, described: Description) -> str:
    dependencies = Dependencies((package,), ())
    plan = Plan(package, "differential", mutant.dialect, dependencies, until_found=True)
    found = next((cell for cell in _of_targets(plan, described) if cell), "**not found**")
    return f"| `{mutant.name}` | {found} |"


def _of_targets(plan: Plan, described: Description) -> Iterator[str]:
    for target in MUTANT_TARGETS:
        state = ran(replace(plan, target=target, seconds=FOUND_WITHIN / len(MUTANT_TARGETS)), described)
        yield f"{_found(state.seconds, state.executions)}, {target}" if state.new else ""


def main(words: list[str]) -> int:
    """Print the lines of one table."""
    sys.path.insert(0, str(TESTS))
    tables: dict[str, Callable[[list[str]], Iterator[str]]] = {
        "speed": lambda given: speed(int(given[0]) if given else 1, given[1:]),
        "reach": lambda given: reach(float(given[0]) if given else 300.0),
        "miniatures": miniatures,
        "mutants": of_mutants,
    }
    if not words or words[0] not in tables:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    os.chdir(TESTS)
    for line in tables[words[0]](words[1:]):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 0


def _all_miniatures() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules([str(TESTS / "miniatures")]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
