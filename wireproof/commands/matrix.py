"""`wireproof matrix`: the suite against every implementation that this machine can build and run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
from rich.console import RenderableType

from wireproof.cli_options import memory_option, patient_timeout_option
from wireproof.clone import registry
from wireproof.clone.matrix_runs import NotRun, Run, Runner
from wireproof.conformance.connection import Options
from wireproof.conformance.model import DEVIATIONS
from wireproof.conformance.report.jsonl import Report, Tally, read_report
from wireproof.conformance.report.summary import KNOWN, summary_table
from wireproof.console import progress, say, show


def _cache() -> Path:
    """Where runs are kept by default."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wireproof" / "matrix"


@click.command(
    epilog="Exit codes: 0 no unknown deviations, 1 an implementation has unknown deviations or an outdated file of "
    "known ones, 2 a usage error; nothing could be run; one that was named could not; or a run broke off."
)
@click.option(
    "--impl",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="The implementation, by its spec or its name in implementations/registry.toml (repeatable).  [default: all]",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keeps the report of each finished run.  [default: wireproof/matrix in the user's cache]",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=2, show_default=True, metavar="N", help="Runs at the same time."
)
@patient_timeout_option
@memory_option
def matrix(specs: tuple[str, ...], folder: Path | None, jobs: int, timeout: float, memory: int) -> None:
    """Run the suite against all implementations of the clone, and show them side by side.

    Builds each implementation, runs `pytest --impl` with it, and keeps its report in DIR, as of `pytest --report`. A
    run whose implementation, limits, vectors and kit are as before is not repeated, so that an interrupted matrix goes
    on where it ended. What cannot be built or run on this machine is named, with the reason.

    \b
    Examples:
        wireproof matrix
        wireproof matrix --impl kio --impl kafka-clients --out runs
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    wanted = registry.chosen(specs)
    folder = _cache() if folder is None else folder
    runs, missing = [], []
    for ended in Runner(folder.absolute(), jobs, Options(timeout=timeout, memory=memory)).run(wanted, _look):
        _tell(ended)
        if isinstance(ended, Run):
            runs.append(ended)
        else:
            missing.append(ended)
    if not runs:
        raise click.UsageError("none of the implementations could be run on this machine")
    order = {one.name: number for number, one in enumerate(wanted)}
    runs.sort(key=lambda run: order[run.implementation.name])
    reports = {run.implementation.name: _read(run) for run in runs}
    for table in tables(reports):
        show(table)
    say(f"reports: {folder}")
    for one in missing:
        say(f"not run: {one.implementation.name}: {one.why}")
    if any(one.broken for one in missing) or (specs and missing):
        sys.exit(2)
    sys.exit(1 if any(run.code or _deviates(reports[run.implementation.name]) for run in runs) else 0)


def _look(line: str) -> None:
    """Show which runs are under way, on a terminal."""
    if sys.stderr.isatty():
        progress(line or " ")


def _tell(ended: Run | NotRun) -> None:
    """A line for each run that ended."""
    if sys.stderr.isatty():
        progress("")
    name = ended.implementation.name
    if isinstance(ended, NotRun):
        say(f"{name}: not run: {ended.why}", err=True)
    else:
        say(f"{name}: {'kept from an earlier run' if ended.kept else 'done'}", err=True)


def _read(run: Run) -> Report:
    """Its report. Raises ReportError."""
    with run.report.open("rb") as file:
        return read_report(file, str(run.report))


def _title(name: str, report: Report) -> str:
    return " ".join(part for part in (name, report.header.implementation.version) if part)


def tables(reports: Mapping[str, Report]) -> Iterator[RenderableType]:
    """The table of codecs and clients, and that of brokers, which are asked in other areas. `reports`: by name."""
    for of_broker in (False, True):
        chosen = {_title(name, one): _shares(one) for name, one in reports.items() if one.of_broker is of_broker}
        if chosen:
            yield summary_table(chosen, head="questions of brokers by area" if of_broker else "questions by area")


def _shares(report: Report) -> Tally:
    return Tally(Counter((line.area, KNOWN if line.known else str(line.outcome)) for line in report.lines))


def _deviates(report: Report) -> bool:
    return any(line.outcome in DEVIATIONS and line.known is None for line in report.lines)
