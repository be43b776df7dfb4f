"""`wireproof pipeline`: jobs on Spark."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
from rich import box
from rich.table import Table
from rich.text import Text

from wireproof.cli_options import memory_option, open_examiner, overwrite_option, timeout_option
from wireproof.commands.pipeline_audit import audit
from wireproof.commands.pipeline_corpus import corpus
from wireproof.conformance.asking.process_end import process_end, told
from wireproof.conformance.connection import ImplementationError, Options
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import Known, KnownError
from wireproof.conformance.model import Verdict
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.report.text import middle, safe
from wireproof.console import say, show, width
from wireproof.spark import master_option, need_spark, spark_and_progress, user_errors

if TYPE_CHECKING:
    from wireproof.pipeline.reports import Findings
    from wireproof.pipeline.store import Run, Store

#: The number of findings that are shown.
_SHOWN = 20
_COUNT = re.compile(r"([0-9]{1,13})(?:e([0-9]{1,2}))?")
_MOST = 10**12
_Command = TypeVar("_Command", bound=Callable[..., Any])

out_option = click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the tables. A job goes on where an earlier one in this folder ended.",
)
_known_option = click.option(
    "--known/--no-known",
    "use_known",
    default=True,
    help="Use the files of known deviations beside the implementations.",
)


def _count(text: str) -> int:
    """The number of `200000` or `1e8` cases, from 1 to 10¹²."""
    match = _COUNT.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no number of cases: 200000 or 1e8 is expected")
    number: int = int(match[1]) * 10 ** int(match[2] or 0)
    if not 0 < number <= _MOST:
        raise click.BadParameter(f"{text} cases: from 1 to 10¹² can be made")
    return number


@click.group(name="pipeline")
def group() -> None:
    """Jobs on Spark: millions of generated cases, and logs and captures in bulk."""


def _generated(command: _Command) -> _Command:
    """The options that choose the cases."""
    for option in reversed(
        (
            click.option(
                "--cases", type=_count, default="200000", show_default=True, metavar="N", help="How many cases."
            ),
            click.option(
                "--seed",
                type=click.IntRange(0, 2**31),
                default=0,
                show_default=True,
                metavar="N",
                help="Another seed makes other cases.",
            ),
            click.option("--dialect", "dialects", multiple=True, metavar="D", help="Only this dialect (repeatable)."),
            click.option("--type", "types", multiple=True, metavar="T", help="Only this type (repeatable)."),
            out_option,
            master_option,
        )
    ):
        command = option(command)
    return command


@group.command(epilog="Exit codes: 0 nothing new, 1 a new finding, 2 a usage error, 3 rows were lost.")
@click.option(
    "--impl",
    "specs",
    multiple=True,
    required=True,
    metavar="SPEC",
    help="An implementation: package.module[:attribute], or 'exec:./program --flag' (repeatable).",
)
@_generated
@click.option("--fresh", is_flag=True, help="Ask everything again.")
@_known_option
@timeout_option
@memory_option
def run(
    specs: tuple[str, ...],
    cases: int,
    seed: int,
    dialects: tuple[str, ...],
    types: tuple[str, ...],
    out: Path,
    master: str,
    fresh: bool,
    use_known: bool,
    timeout: float,
    memory: int,
) -> None:
    """Make cases, ask implementations, and report.

    Each case is decided by the seed and its number, so any machine makes the same ones. Verdicts are kept in --out: a
    second run asks only what is new.

    \b
    Examples:
        wireproof pipeline run --cases 200000 --impl my_codec --out runs
        wireproof pipeline run --cases 1e8 --impl "exec:./wrapper" --out runs --master spark://HOST:7077
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    with _job(out, master) as (start, store):
        from wireproof.pipeline.reports import made_before
        from wireproof.pipeline.run import Plan, finished
        from wireproof.pipeline.run import run as do

        options = Options(timeout=timeout, memory=memory)
        implementations = tuple(_identity(spec, options) for spec in dict.fromkeys(specs))
        deviations = {one.spec: _known(one.spec, one.version) for one in implementations} if use_known else {}
        spoken = dialects or tuple(dict.fromkeys(d for one in implementations for d in one.dialects))
        plan = Plan(_cases(seed, spoken, types), cases, implementations, timeout, memory, fresh)
        ends = [_end(one.spec, options, deviations.get(one.spec)) for one in implementations]
        before = finished(store, plan)
        found = None if before is None else made_before(store, before, deviations)
        if before is not None and found is not None:
            _say_end("nothing has changed since", found, before, out)
            _leave(found, ends)
        with start() as (spark, told):
            done = do(spark, store, plan, told)
            found = _report(spark, store, done.run, deviations, None)
    _say_end(f"{done.asked:,} verdicts asked, {done.kept:,} from earlier runs", found, done.run, out)
    _leave(found, ends)


def _end(spec: str, options: Options, known: Known | None) -> tuple[str, Verdict] | None:
    """How the process of an implementation ends, on this machine: the verdict if it ends wrongly and that is not known.
    Workers keep theirs for all their tasks."""
    with open_examiner(spec, options) as examiner:
        verdict = process_end(examiner)
    return None if verdict is None or (known is not None and known.find(verdict)) else (spec, verdict)


def _leave(found: Findings, ends: Sequence[tuple[str, Verdict] | None]) -> NoReturn:
    """Tell which processes end wrongly, and end with the exit code of a run."""
    wrong = [one for one in ends if one is not None]
    for spec, verdict in wrong:
        say(f"{spec}: {middle(told(verdict), 400)}")
        say(f"    {repro_command(verdict.id, spec)}")
    sys.exit(1 if found.new or wrong else 0)


@group.command()
@_generated
def generate(cases: int, seed: int, dialects: tuple[str, ...], types: tuple[str, ...], out: Path, master: str) -> None:
    """Make the table of cases, and ask nobody."""
    with _job(out, master) as (start, store):
        from wireproof.pipeline.run import Plan
        from wireproof.pipeline.run import run as do

        plan = Plan(_cases(seed, dialects or None, types), cases)
        with start() as (spark, told):
            done = do(spark, store, plan, told)
    say(f"{done.run.cases:,} cases are in {out / 'cases'}, in {len(done.run.case_groups)} groups.")


@group.command(epilog="Exit codes: 0 nothing new, 1 a new finding, 2 a usage error.")
@out_option
@master_option
@click.option("--run", "number", type=click.IntRange(min=1), metavar="N", help="Which run; by default the last.")
@click.option(
    "--since", type=click.IntRange(min=1), metavar="N", help="The run to compare with; by default the one before."
)
@click.option(
    "--jsonl",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the verdicts as JSON lines, as `pytest --report` does.",
)
@overwrite_option
@_known_option
def report(
    out: Path,
    master: str,
    number: int | None,
    since: int | None,
    jsonl: Path | None,
    overwrite: bool,
    use_known: bool,
) -> None:
    """Show what a run found, and what changed since an earlier one."""
    if not out.is_dir():
        raise click.UsageError(f"--out {out}: there is no such folder")
    with _job(out, master) as (start, store):
        from wireproof.pipeline.reports import write_json_lines

        done = _run_of(store, number)
        before = _earlier(store, done, since)
        deviations = {one.spec: _known(one.spec, one.version) for one in done.implementations} if use_known else {}
        with start() as (spark, _):
            found = _report(spark, store, done, deviations, before)
            if jsonl is not None:
                write_json_lines(spark, store, done, deviations, jsonl, overwrite=overwrite)
    if before is not None:
        for row in found.changes:
            say(f"{row['implementation']}: {row['count']:,} {row['change']} since run {before.number}")
    _say_end(f"{sum(row['count'] for row in found.summary):,} verdicts", found, done, out)
    sys.exit(1 if found.new else 0)


@group.command(epilog="Exit codes: 0 nothing new, 1 a new finding, 2 a usage error.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the buckets as a Parquet file.",
)
@overwrite_option
def triage(paths: tuple[Path, ...], out: Path | None, overwrite: bool) -> None:
    """Put findings from several places together, one bucket for each cause.

    PATH is the output folder of `wireproof pipeline run`, the folder of a fuzz campaign, or a file of `pytest
    --report`. Of a folder with several runs, the last one of each implementation counts.
    """
    need_spark()
    from wireproof.pipeline.errors import PipelineError
    from wireproof.pipeline.triage import triage as do
    from wireproof.pipeline.triage import write

    try:
        buckets = do(paths)
        if out is not None:
            write(buckets, out, overwrite=overwrite)
    except PipelineError as error:
        raise click.UsageError(str(error)) from None
    for bucket in buckets:
        since = "" if bucket.first_seen_ms is None else f", since {bucket.first_seen_ms:%Y-%m-%d %H:%M}"
        known_too = "known: " if bucket.known else ""
        say(f"{known_too}{bucket.count:,} × {middle(bucket.summary, 200)}")
        say(f"    {', '.join(sorted(bucket.implementations))}{since}")
        say(f"    wireproof repro {bucket.smallest_id}")
    new = sum(1 for bucket in buckets if not bucket.known)
    say(f"{len(buckets)} buckets, {new} new, from {len(paths)} sources")
    sys.exit(1 if new else 0)


group.add_command(audit)
group.add_command(corpus)


# --- What the commands share ------------------------------------------------------------------------------------------


@contextmanager
def _job(out: Path, master: str) -> Iterator[tuple[Callable[[], Any], Store]]:
    """The output folder, and a function that starts Spark. Errors of users become click's."""
    need_spark()
    from wireproof.pipeline.store import Store

    kept = f"What was done is kept in {out}: the same command goes on from there."
    with user_errors(kept), Store(out) as store:
        yield functools.partial(spark_and_progress, master, out / "spark.log"), store


def _identity(spec: str, options: Options) -> Any:
    from wireproof.pipeline.identity import identify

    try:
        return identify(spec, options)
    except ImplementationError as error:
        raise click.UsageError(f"--impl: {error}") from None


def _cases(seed: int, dialects: tuple[str, ...] | None, types: tuple[str, ...]) -> Any:
    from wireproof.conformance.generation.generated_cases import GeneratedCases

    try:
        return GeneratedCases(seed, dialects, types or None)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _known(spec: str, version: str | None) -> Known:
    path = known_beside(spec)
    try:
        return Known(None, ()) if path is None else known_deviations.load(path, version)
    except KnownError as error:
        raise click.UsageError(str(error)) from None


def _run_of(store: Store, number: int | None) -> Run:
    if not store.runs:
        raise click.UsageError(f"--out {store.folder}: no run has ended there; `wireproof pipeline run` makes one")
    if number is None:
        return store.runs[-1]
    if number > len(store.runs):
        raise click.UsageError(f"--run {number}: there are runs 1 to {len(store.runs)}")
    return store.runs[number - 1]


def _earlier(store: Store, done: Run, since: int | None) -> Run | None:
    if since is not None and since >= done.number:
        raise click.UsageError(f"--since {since}: it has to be a run before run {done.number}")
    number = done.number - 1 if since is None else since
    return store.runs[number - 1] if number else None


def _report(spark: Any, store: Store, done: Run, deviations: dict[str, Known], before: Run | None) -> Findings:
    from wireproof.pipeline import run as running
    from wireproof.pipeline.reports import report as make

    earlier = None if before is None else running.verdicts(spark, store, before)
    return make(spark, store, done, deviations, earlier)


def _say_end(counted: str, found: Findings, done: Run, out: Path) -> None:
    """The end of a run: its numbers, its findings, and where everything is. `counted`: how many verdicts it has."""
    show(_numbers(found))
    ordered = sorted(found.findings, key=lambda row: (row["known"] is not None, -row["count"]))
    for row in [row for row in ordered if row["known"] is None][:_SHOWN]:
        say(f"{row['implementation']}: {row['count']:,} × {middle(row['summary'], 200)}")
        say(f"    {repro_command(row['smallest_id'], row['spec'])}")
    if found.new > _SHOWN:
        say(f"… and {found.new - _SHOWN} more in {out / 'reports' / str(done.number) / 'findings'}")
    if found.errors:
        say(f"{found.errors:,} rows could not be asked: {out / 'reports' / str(done.number) / 'errors'}")
    say(
        f"run {done.number}: {done.cases:,} cases, {counted}; "
        f"{found.new} new findings, {len(found.findings) - found.new} known. Tables: {out}"
    )


def _numbers(found: Findings) -> Table:
    """Implementation × dialect × area × verdict."""
    verdicts = sorted({row["verdict"] for row in found.summary})
    table = Table(box=box.SIMPLE_HEAD, width=min(width(), 120))
    for heading in ("implementation", "dialect", "area"):
        table.add_column(heading)
    for verdict in verdicts:
        table.add_column(verdict, justify="right")
    lines: dict[tuple[str, str, str, str], dict[str, int]] = {}
    for row in found.summary:
        counts = lines.setdefault((row["implementation"], row["spec"], row["dialect"], row["area"]), {})
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + row["count"]
    for (name, _, *place), counts in sorted(lines.items()):
        table.add_row(*(Text(safe(part)) for part in (name, *place)), *(f"{counts.get(one, 0):,}" for one in verdicts))
    return table
