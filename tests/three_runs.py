"""Asks a broker three times, and compares the verdicts: none may depend on the moment.

    python tests/three_runs.py SPEC [OPTION...]

SPEC and the options are those of `pytest --impl=SPEC`. It ends with exit code 1 if a run fails, or if two runs have
different verdicts on a question. An answer that was only late is no verdict: nothing had come when the silence had
lasted, and asked once more the broker answered. It is shown and counted, and differs from none. That is what was seen
of conforming brokers beside other jobs on the same cores. Everything else that did not repeat inside of a run
is `unsteady` here too, and has to be so in all runs. Questions that the file of known deviations calls `unsteady` may
differ.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import KnownDeviation
from wireproof.conformance.files import opened
from wireproof.conformance.model import Outcome
from wireproof.conformance.report.jsonl import Line, Report, read_reports

RUNS = 3
#: An answer that was only late.
LATE = "late"
_NOTHING_CAME = re.compile("first [^\n]*(is missing|nothing came)")


def outcome(line: Line) -> str:
    """The outcome of a question, or `LATE`."""
    late = line.outcome is Outcome.UNSTEADY and _NOTHING_CAME.match(line.detail)
    return LATE if late else str(line.outcome)


def differences(runs: Sequence[Mapping[str, str]], unsteady: Sequence[KnownDeviation]) -> list[str]:
    """A line for each question whose outcomes differ, or that only some runs asked, but for those of these entries.
    `runs`: id → outcome."""
    lines = []
    for one in dict.fromkeys(identifier for run in runs for identifier in run):
        outcomes = [run.get(one, "not there") for run in runs]
        if len({*outcomes} - {LATE}) > 1 and not any(entry.matches_id(one) for entry in unsteady):
            lines.append(f"{one}: {', '.join(outcomes)}")
    return lines


def asked(spec: str, options: Sequence[str], report: Path) -> Report:
    """The report of a run. Ends the program if the run fails."""
    words = [sys.executable, "-m", "pytest", f"--impl={spec}", f"--report={report}", *options]
    status = subprocess.run(words, check=False).returncode
    if status:
        sys.exit(status)
    with opened(report) as file:
        (found,) = read_reports(file, str(report))
    return found


def main(spec: str, *options: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reports = [asked(spec, options, Path(folder) / f"{number}.jsonl") for number in range(RUNS)]
    path = known_beside(spec)
    known = known_deviations.load(path, reports[0].header.implementation.version).deviations if path else ()
    runs = [{line.id: outcome(line) for line in report.lines} for report in reports]
    lines = differences(runs, [entry for entry in known if entry.unsteady])
    late = sorted({one for run in runs for one, found in run.items() if found == LATE})
    last = f"{RUNS} runs of {len(runs[0]):,} verdicts: {len(lines)} differ, {len(late)} late"
    shown = [*lines, *(f"{one}: late" for one in late), last]
    sys.stdout.write("".join(f"{line}\n" for line in shown))
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
