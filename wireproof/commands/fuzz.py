"""`wireproof fuzz`: campaigns, and what to do with what they find."""

from __future__ import annotations

import importlib.util
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.text import Text

from conformance import known
from conformance.connection import Options
from conformance.report.failure import failure_page
from conformance.report.text import middle, safe
from fuzz.errors import FuzzError
from fuzz.found import Found
from fuzz.running import Plan, State
from fuzz.store import Kept, Store, judged, read_finding, read_findings
from wireproof.implementation import MEMORY, SECONDS
from wireproof.output import progress, say, show, width

#: Seconds between two lines of progress, on a terminal and elsewhere.
_ON_TERMINAL, _ELSEWHERE = 1.0, 10.0
#: So many new findings are told on a page each, the others in a line.
_PAGES = 5
_TIME = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)?")
_UNITS = {None: 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Time(click.ParamType[float]):
    """Seconds, as `90s`, `10m`, `1h`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds, more than none."""
        if isinstance(value, float):
            return value
        match = _TIME.fullmatch(value)
        if match is None or not float(match[1]):
            self.fail(f"{value!r} is no time: 90s, 10m or 1h is expected", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


def _options(default_time: str) -> Callable[[_Command], _Command]:
    """The options of a campaign."""

    def decorated(command: _Command) -> _Command:
        for option in reversed(
            (
                click.option(
                    "--impl",
                    "spec",
                    default="reference",
                    show_default=True,
                    metavar="SPEC",
                    help="The implementation: package.module[:attribute], or 'exec:./program --flag'.",
                ),
                click.option(
                    "--time",
                    "seconds",
                    type=_Time(),
                    default=default_time,
                    show_default=True,
                    help="How long it takes.",
                ),
                click.option(
                    "--jobs",
                    type=click.IntRange(1, 64),
                    default=1,
                    show_default=True,
                    metavar="N",
                    help="So many processes look at the same time.",
                ),
                click.option(
                    "--out",
                    type=click.Path(file_okay=False, path_type=Path),
                    default=Path("fuzz-out"),
                    show_default=True,
                    metavar="DIR",
                    help="Where everything is kept; a campaign goes on from what is there.",
                ),
                click.option(
                    "--known",
                    "known_file",
                    metavar="FILE",
                    help="The file of known deviations, or none. Without this the one beside the implementation.",
                ),
                click.option(
                    "--seed",
                    type=click.IntRange(0, 2**31),
                    default=0,
                    show_default=True,
                    metavar="N",
                    help="Where chance begins.",
                ),
                click.option(
                    "--timeout",
                    type=SECONDS,
                    default=5.0,
                    show_default=True,
                    metavar="SECONDS",
                    help="How long one question may take.",
                ),
                click.option(
                    "--memory",
                    type=MEMORY,
                    default=1024,
                    show_default=True,
                    metavar="MIB",
                    help="How much memory a child may take.",
                ),
            )
        ):
            command = option(command)
        return command

    return decorated


@click.group(name="fuzz")
def group() -> None:
    """Look for inputs that no vector holds, and keep what they find."""


@group.command(epilog="Exit codes: 0 nothing new, 1 a new finding, 2 a usage error, or the harness finds nothing.")
@click.argument("target", metavar="TARGET")
@click.option("--dialect", default="kafka", show_default=True, metavar="D", help="The dialect.")
@click.option("--type", "only", metavar="T", help="One type alone, in all its versions.")
@click.option("--runs", type=click.IntRange(min=1), metavar="N", help="It ends after the seeds and N executions more.")
@_options("10m")
def run(target: str, dialect: str, only: str | None, runs: int | None, out: Path, **options: Any) -> None:
    """Fuzz one target.

    TARGET is decode, stability, values, differential, exchange or schema. A Python module is run inside the process
    that fuzzes it, guided by the branches that it takes; a program, or a module over native code, in a child, guided by
    what the kit's own codec does with the same input. Before it begins, a bug planted in a copy of the target has to be
    found.

    \b
    Examples:
        wireproof fuzz run decode --time 60s
        wireproof fuzz run differential --impl=my_codec --time 10m --jobs 2
        wireproof fuzz run differential --type MetadataResponse --impl="exec:./wrapper"
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    from fuzz import campaign
    from fuzz.opening import forms, kind_of

    kind_of(target)
    plan, described = _plan(target=target, dialect=dialect, only=only, runs=runs, **options)
    forms(kind_of(target), described, dialect, only)
    with Store(out) as store:
        watch = _Watch(out)
        try:
            state = campaign.run(plan, store, described, watch)
        finally:
            watch.end()
        _tell(store, [state], watch)
    sys.exit(1 if state.new else 0)


@group.command(
    name="campaign",
    epilog="Exit codes: 0 nothing new, 1 a new finding, 2 a usage error, or the harness finds nothing.",
)
@_options("1h")
def all_targets(out: Path, **options: Any) -> None:
    """Fuzz all targets and dialects that an implementation offers, in turns.

    Time goes to where new branches and new findings come from.

    \b
    Examples:
        wireproof fuzz campaign --impl=my_codec --time 8h --jobs 2 --out fuzz-out
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    from fuzz import campaign

    plan, described = _plan(target="decode", dialect=None, only=None, runs=None, **options)
    with Store(out) as store:
        watch = _Watch(out)
        try:
            states = campaign.campaign(plan, store, described, watch)
        finally:
            watch.end()
        _tell(store, states, watch)
    sys.exit(1 if any(state.new for state in states) else 0)


def _plan(
    *, target: str, dialect: str | None, spec: str, known_file: str | None, timeout: float, memory: int, **more: Any
) -> tuple[Plan, Any]:
    """What is to be done, and what the implementation says of itself. Raises click.UsageError, FuzzError."""
    if importlib.util.find_spec("atheris") is None:
        raise click.UsageError("fuzzing needs atheris, which is not installed: pip install 'wireproof[fuzz]'")
    from fuzz.running import describe
    from fuzz.scouting import scout

    path = None if known_file == "none" else known_file
    if known_file is None:
        beside = known.beside(spec)
        path = None if beside is None else str(beside.resolve())
    described = describe(spec, Options(timeout=timeout, memory=memory), path)
    plan = Plan(
        spec=spec,
        target=target,
        dialect=dialect or described.dialects[0],
        ground=scout(spec),
        known=path,
        timeout=timeout,
        memory=memory,
        **more,
    )
    return plan, described


class _Watch:
    """Progress, while it goes on: a line that is written over on a terminal, elsewhere a line now and then."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._terminal = sys.stderr.isatty()
        self._next = 0.0
        self._open = False
        self.found: list[Found] = []

    def __call__(self, plan: Plan, state: State, found: Found | None) -> None:
        if found is not None:
            self.found.append(found)
            self.end()
            say(f"found {found.name}: {middle(found.id, 200)}", err=True)
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_ON_TERMINAL if self._terminal else _ELSEWHERE)
        a_second = round(state.executions / state.seconds) if state.seconds else 0
        line = (
            f"{plan.target} {plan.dialect}: {state.executions:,} executions, {a_second:,} a second, coverage "
            f"{state.coverage:,}, corpus {state.corpus:,}, {len(state.new)} new findings, "
            f"{state.known.total():,} known, {state.restarts} restarts"
        )
        if self._terminal:
            progress(line)
            self._open = True
        else:
            say(line, err=True)

    def end(self) -> None:
        """Leave the line that is written over."""
        if self._open:
            progress("")
            self._open = False


def _tell(store: Store, states: list[State], watch: _Watch) -> None:
    new = [store.findings[name] for state in states for name in state.new]
    for kept in new[:_PAGES]:
        _page(kept)
    for kept in new[_PAGES:]:
        _line(kept)
    executions = sum(state.executions for state in states)
    known_of = sum(state.known.total() for state in states)
    say(
        f"{executions:,} executions, {len(new)} new findings, {len(store.findings)} in all, "
        f"{known_of:,} known deviations"
    )
    if new:
        say(f"wireproof fuzz findings {watch.out} lists them")


def _page(kept: Kept) -> None:
    """A finding, told as a failure of the suite is."""
    found = judged(kept)
    show(
        failure_page(
            found.vector,
            found.case,
            found.observation,
            found.verdict,
            implementation=" ".join(filter(None, (kept.implementation, kept.version))),
            repro=kept.repro,
            width=width(),
        )
    )


def _line(kept: Kept) -> None:
    out = Text(f"{kept.times:>7,}  ").append(safe(kept.finding.name), "bold")
    out.append(f"\n         {safe(middle(kept.repro, 400))}", "dim")
    show(out)


@group.command(epilog="Exit codes: 0 there are none, 1 there are some, 2 a usage error.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-v", "--verbose", is_flag=True, help="Each on a page of its own.")
def findings(folder: Path, verbose: bool) -> None:
    """List the findings of a campaign, the most frequent first."""
    found = sorted(read_findings(folder), key=lambda kept: -kept.times)
    for kept in found:
        if verbose:
            _page(kept)
        else:
            _line(kept)
    say(f"{len(found)} findings")
    sys.exit(1 if found else 0)


@group.command(epilog="Exit codes: 0 it is written, 2 a usage error.")
@click.argument("finding", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def promote(finding: Path, file: Path) -> None:
    """Draft a vector from a finding.

    FINDING is a file of findings/, FILE the vector file to be made. What the specification says, and where, is for a
    person to find out: until `source` is filled in, and `twin` where it stands, the file is refused.
    """
    from fuzz.promoting import draft

    kept = read_finding(finding)
    text = draft(judged(kept), kept.finding.name)
    try:
        with file.open("x", encoding="utf-8") as made:
            made.write(text)
    except FileExistsError:
        raise click.UsageError(f"{file} is there already: nothing was written") from None
    say(f"{file}: fill in `source`, and `about`; then `wireproof repro` and pytest ask it like any vector")


@group.command(epilog="Exit codes: 0 done, 2 a usage error.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--impl", "spec", default="reference", show_default=True, metavar="SPEC", help="The implementation that it is for."
)
def minimise(folder: Path, spec: str) -> None:
    """Keep the smallest corpus that reaches the same lines."""
    from fuzz.minimising import minimise as smallest
    from fuzz.opening import session_of
    from fuzz.scouting import scout

    if not folder.is_dir():
        raise FuzzError(f"{folder}: there is no such folder")
    ground = scout(spec)
    with Store(folder) as store:
        for place in sorted((folder / "corpus").glob("*/*")):
            corpus = store.corpus(place.parent.name, place.name)
            with session_of(spec, place.parent.name, place.name, outside=ground.outside) as session:
                before, after = smallest(session, corpus, ground.packages)
            say(f"{place.parent.name} {place.name}: {before:,} inputs, {after:,} are needed")
