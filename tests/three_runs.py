"""Asks a broker three times, and compares the verdicts: none may depend on the moment.

    python tests/three_runs.py SPEC [OPTION...]

SPEC and the options are those of `pytest --impl=SPEC`. It ends with exit code 1 if a run fails, or if two runs have
different verdicts on a question. What did not repeat inside of a run is `unsteady`, and so no verdict: it is shown and
counted, and differs from none. Questions that the file of known deviations calls `unsteady` may differ too.
"""

from __future__ import annotations

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
from wireproof.conformance.report.jsonl import Report, read_reports

RUNS = 3


def differences(runs: Sequence[Mapping[str, Outcome]], unsteady: Sequence[KnownDeviation]) -> list[str]:
    """A line for each question whose outcomes differ, or that only some runs asked, but for those of these entries.
    `runs`: id → outcome."""
    lines = []
    for one in dict.fromkeys(identifier for run in runs for identifier in run):
        outcomes = [str(run.get(one, "not there")) for run in runs]
        if len({*outcomes} - {Outcome.UNSTEADY}) > 1 and not any(entry.matches_id(one) for entry in unsteady):
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
    runs = [{line.id: line.outcome for line in report.lines} for report in reports]
    lines = differences(runs, [entry for entry in known if entry.unsteady])
    unsteady = sorted({one for run in runs for one, outcome in run.items() if outcome is Outcome.UNSTEADY})
    last = f"{RUNS} runs of {len(runs[0]):,} verdicts: {len(lines)} differ, {len(unsteady)} unsteady"
    shown = [*lines, *(f"{one}: unsteady" for one in unsteady), last]
    sys.stdout.write("".join(f"{line}\n" for line in shown))
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
