"""Compares the cost of whole runs of the suite, as ratios of runs in the same round.

From the repository's root: `python benchmarks/suite.py [--rounds N] [--only NAME …]`. Each run is a separate process,
all run in turn in each round, and the figures are medians of the rounds. A ratio is given for clock time, which is only
meaningful on an idle machine, and for processor time: of pytest's process alone (the implementation answers in another
process at the same time), and of all processes of a run together.

The empty items of pytest's floor run without this project's time limit of a test, which a user's project need not have:
its timer would take a quarter of their time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from timing import ratio, rounds_of

#: How many items `--impl=reference` has: as many empty ones are pytest's floor.
_WHOLE, _VARINTS = 14_083, 1_058

_ONE = "uvarint-0 and decode"
_RUNS: Mapping[str, tuple[int, Sequence[str]]] = {
    "reference": (0, ["--impl=reference"]),
    "floor": (_WHOLE, []),
    "varints": (0, ["--impl=reference", "--area=varints"]),
    "floor of varints": (_VARINTS, []),
    "one": (0, ["--impl=reference", "-k", _ONE]),
    "empty": (1, []),
    "two workers": (0, ["--impl=reference", "-n", "2"]),
    "floor of two workers": (_WHOLE, ["-n", "2"]),
    "kio": (0, ["--impl=implementations.kio"]),
}
#: Each run against which other, and what it should be at most.
_GOALS = (
    ("reference", "floor", 1.8),
    ("varints", "empty", 1.5),
    ("varints", "floor of varints", 1.5),
    ("one", "empty", None),
    ("two workers", "reference", 1.0),
    ("floor of two workers", "floor", None),
    ("kio", "reference", 1.5),
)
#: Runs pytest, and says on file descriptor 3 how many seconds of processor its own process took.
_PYTEST = """
import os, resource, sys, pytest
code = pytest.main(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_SELF)
os.write(int(sys.argv[1]), str(used.ru_utime + used.ru_stime).encode())
sys.exit(code)
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds of one run: by the clock, processor time of pytest's process, and processor time of all processes."""

    clock: float
    own_time: float
    all: float


def run(name: str) -> Taken:
    """One run. Raises RuntimeError with its output when it does not pass."""
    empty, options = _RUNS[name]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    if empty:
        environment["EMPTY_ITEMS"] = str(empty)
        options = ["-p", "benchmarks.empty_items", "-o", "faulthandler_timeout=0", "vectors/bugs.json", *options]
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as output, os.fdopen(reader, "rb") as status_pipe:
        command = [sys.executable, "-c", _PYTEST, str(writer), "-q", "-p", "no:cacheprovider", *options]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment, pass_fds=[writer])
        os.close(writer)
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"{name}: exit {process.returncode}\n{output.read().decode(errors='replace')[-4000:]}")
        return Taken(clock, float(status_pipe.read()), used.ru_utime + used.ru_stime)


def main(rounds: int, names: Sequence[str]) -> None:
    """Run all of them in every round, and print a line a run and a line a goal."""
    run("one")  # what is compiled at the first run is not measured
    taken: dict[str, list[Taken]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            taken[name].append(run(name))
    for name, found in taken.items():
        clock, own_time, everything = (statistics.median(times) for times in _times(found))
        _print(
            f"{name:20} {clock:6.2f} s on the clock, {own_time:6.2f} s of processor, {everything:6.2f} s with children"
        )
    for name, other, goal in _GOALS:
        if name in taken and other in taken:
            pairs = zip(_times(taken[name]), _times(taken[other]), strict=True)
            clock, own_time, everything = (ratio(times, others) for times, others in pairs)
            wanted = "" if goal is None else f", to be at most {goal}"
            _print(f"{name} / {other}: {clock:.2f} (processor {own_time:.2f}, with children {everything:.2f}){wanted}")


def _times(runs: Sequence[Taken]) -> tuple[list[float], list[float], list[float]]:
    return [one.clock for one in runs], [one.own_time for one in runs], [one.all for one in runs]


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=rounds_of, default=3, help="how often each takes its turn (default: 3)")
    parser.add_argument("--only", choices=[*_RUNS], action="append", help="only these runs (repeatable)")
    return parser.parse_args()


if __name__ == "__main__":
    arguments = _arguments()
    main(arguments.rounds, arguments.only or [*_RUNS])
