"""`wireproof fuzz`: campaigns, and commands for their findings."""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from rich.text import Text

from wireproof.cli_options import memory_option, timeout_option, use_vectors, vectors_option
from wireproof.conformance.asking.process_end import process_end, told
from wireproof.conformance.connection import Options
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.model import Description, Verdict
from wireproof.conformance.report.failure import failure_page, repro_command
from wireproof.conformance.report.text import middle, safe
from wireproof.conformance.writing import write_whole
from wireproof.console import ProgressLine, say, show, width
from wireproof.fuzz.campaign.retest import Retest, retest
from wireproof.fuzz.campaign.run import Plan, State, kept_of
from wireproof.fuzz.campaign.store import Kept, Store, judged, read_finding, read_findings
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.session_start import examiner_of
from wireproof.stopping import interrupt_on_sigterm

#: Characters of a command that is shown. A part of one is of no use.
_LONGEST_COMMAND = 400
#: This number of new findings are shown as pages, the others as lines.
_PAGES = 5
_TIME = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)?")
_UNITS = {None: 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_EXITS = "Exit codes: 0 nothing open or new, 1 a finding is, 2 a usage error, or the planted bug was not found."
_Command = TypeVar("_Command", bound=Callable[..., Any])


def _seconds(text: str) -> float:
    """The seconds of `90s`, `10m` or `1h`, more than 0."""
    match = _TIME.fullmatch(text)
    if match is None or not float(match[1]):
        raise click.BadParameter(f"{text!r} is no time: 90s, 10m or 1h is expected")
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
                    type=_seconds,
                    default=default_time,
                    show_default=True,
                    metavar="TIME",
                    help="How long to fuzz: 90s, 10m, 2h.",
                ),
                click.option(
                    "--jobs",
                    type=click.IntRange(1, 64),
                    default=1,
                    show_default=True,
                    metavar="N",
                    help="The number of fuzzing processes.",
                ),
                click.option(
                    "--out",
                    type=click.Path(file_okay=False, path_type=Path),
                    default=Path("fuzz-out"),
                    show_default=True,
                    metavar="DIR",
                    help="The folder of corpus, findings and log; a campaign continues from it.",
                ),
                click.option(
                    "--known",
                    "known_file",
                    metavar="FILE",
                    help="The file of known deviations, or `none`; by default the one beside the implementation.",
                ),
                click.option(
                    "--seed",
                    type=click.IntRange(0, 2**31),
                    default=0,
                    show_default=True,
                    metavar="N",
                    help="The seed of the random numbers.",
                ),
                click.option(
                    "--only-new", is_flag=True, help="Do not ask about earlier findings again: only new ones fail."
                ),
                vectors_option,
                timeout_option,
                memory_option,
            )
        ):
            command = option(command)
        return command

    return decorated


@click.group(name="fuzz")
def group() -> None:
    """Search for new inputs that show deviations, and keep the findings."""


@group.command(epilog=_EXITS)
@click.argument("target", metavar="TARGET")
@click.argument("given", metavar="[INPUT]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--dialect", default="kafka", show_default=True, metavar="D", help="The dialect.")
@click.option("--type", "only", metavar="T", help="Only this type, in all its versions.")
@click.option("--runs", type=click.IntRange(min=1), metavar="N", help="End after the seeds and N more executions.")
@click.option(
    "--dict",
    "words",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A dictionary in libFuzzer's format, in addition to the kit's own words.",
)
@_options("10m")
def run(
    target: str,
    given: tuple[Path, ...],
    dialect: str,
    only: str | None,
    runs: int | None,
    words: Path | None,
    out: Path,
    only_new: bool,
    **options: Any,
) -> None:
    """Fuzz one target, or ask it about single inputs.

    \b
    TARGET is one of
        decode        all bytes are read or refused, within the limits of time and memory
        stability     reading and writing twice gives the same value and the same bytes
        values        generated values are written and read as they should be
        differential  the codec reads, writes, looks up and converts the same as the kit's own codec
        exchange      a broker's and a client's answers are right
        schema        schemas are refused, or compared, as they should be

    A Python module runs in the fuzzing process, and the branches that it takes guide the search. A program, or a module
    with native code, runs in a child, and the branches of the kit's own codec guide the search. First, a bug planted in
    a copy of the target must be found.

    INPUT is a folder or a file of a fuzzer, as for a program with libFuzzer. The files of folders are first inputs.
    Files are asked once each, and nothing is searched or kept: so a crash is repeated. A file has a first line with the
    type, or with --type the bytes alone, which are then asked in all versions of the type.

    \b
    Examples:
        wireproof fuzz run decode --time 60s
        wireproof fuzz run differential --impl=my_codec --time 10m --jobs 2
        wireproof fuzz run differential --type MetadataResponse --impl="exec:./wrapper"
        wireproof fuzz run decode corpus/ --type MetadataResponse --dict kafka.dict
        wireproof fuzz run decode crash-5ba93c9d --impl=my_codec
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    from wireproof.fuzz.campaign import campaign
    from wireproof.fuzz.corpus.given import dictionary, files_of, inputs
    from wireproof.fuzz.targets.inputs import LONGEST
    from wireproof.fuzz.targets.session_start import forms, kind_of

    kind_of(target)
    plan, described = _plan(target=target, dialect=dialect, only=only, runs=runs, **options)
    offered = forms(kind_of(target), described, dialect, only)
    raw = only is not None or not kind_of(target).typed
    folders = [path for path in given if path.is_dir()]
    if given and not folders:
        _repeat(plan, described, {path: [*inputs(path, offered, raw=raw)] for path in given})
    if len(folders) < len(given):
        raise click.UsageError("give folders, to search from their files, or files, to ask about them: not both")
    first = [data for folder in folders for path in files_of(folder) for data in inputs(path, offered, raw=raw)]
    fitting = tuple(data for data in first if len(data) <= LONGEST)
    if len(fitting) < len(first):
        say(f"{len(first) - len(fitting):,} inputs are left out: they have more than {LONGEST:,} bytes", err=True)
    plan = replace(plan, inputs=fitting, words=b"" if words is None else dictionary(words))
    _fuzz(plan, described, out, only_new, campaign.run)


@group.command(name="campaign", epilog=_EXITS)
@_options("1h")
def all_targets(out: Path, only_new: bool, **options: Any) -> None:
    """Fuzz all targets and dialects that an implementation offers, in turns.

    First each has a short turn; then targets with more new branches and findings get more time.

    \b
    Examples:
        wireproof fuzz campaign --impl=my_codec --time 8h --jobs 2 --out fuzz-out
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    from wireproof.fuzz.campaign import campaign

    plan, described = _plan(target="decode", dialect=None, only=None, runs=None, **options)
    _fuzz(plan, described, out, only_new, campaign.campaign)


def _plan(
    *,
    target: str,
    dialect: str | None,
    spec: str,
    known_file: str | None,
    folders: tuple[Path, ...],
    timeout: float,
    memory: int,
    **more: Any,
) -> tuple[Plan, Description]:
    """The plan and the implementation's description. Raises click.UsageError, FuzzError."""
    if importlib.util.find_spec("atheris") is None:
        raise click.UsageError("fuzzing needs atheris, which is not installed: pip install 'wireproof[fuzz]'")
    from wireproof.fuzz.campaign.dependencies import dependencies_of
    from wireproof.fuzz.campaign.run import describe

    use_vectors(folders)
    path = None if known_file == "none" else known_file
    if known_file is None:
        beside = known_beside(spec)
        path = None if beside is None else str(beside.resolve())
    described = describe(spec, Options(timeout=timeout, memory=memory), path)
    plan = Plan(
        spec=spec,
        target=target,
        dialect=dialect or described.dialects[0],
        dependencies=dependencies_of(spec),
        known=path,
        vectors=tuple(str(folder.resolve()) for folder in folders),
        timeout=timeout,
        memory=memory,
        **more,
    )
    return plan, described


def _fuzz(plan: Plan, described: Description, out: Path, only_new: bool, search: Callable[..., object]) -> NoReturn:
    """Ask again what stands in the folder, search for more, tell of both, and end with the exit code. Ctrl-C
    and SIGTERM end the search, and what it found until then is told. Raises KeyboardInterrupt after that."""
    interrupt_on_sigterm()
    with Store(out) as store:
        store.demand_implementation(described.name, plan.spec)
        asked = Retest() if only_new else retest(plan, store)
        for kept in asked.open:
            say(f"open {kept.finding.name}: {middle(kept.finding.id, 200)}", err=True)
        with examiner_of(plan.spec, Options(timeout=plan.timeout, memory=plan.memory), plan.known) as examiner:
            end = process_end(examiner)
        unasked = len(store.findings) if only_new else 0
        states: list[State] = []
        interrupted: KeyboardInterrupt | None = None
        try:
            with _progress(states) as watch:
                search(plan, store, described, watch)
        except KeyboardInterrupt as signal:
            interrupted = signal
        _tell(store, asked, states, out)
        if unasked:
            say(f"{unasked} earlier findings were not asked again (--only-new)")
        if end is not None:
            say(f"{'open' if end.known is None else f'known as {end.known}'}: {middle(told(end), 400)}")
            say(f"         {middle(repro_command(end.id, plan.spec), 400)}")
    if interrupted is not None:
        raise interrupted
    _leave(asked, states, end)


@contextmanager
def _progress(states: list[State]) -> Iterator[Callable[[Plan, State, FuzzFinding | None], None]]:
    """Shows the state of a run, and each new finding. `states`: gets the state of each run, once."""
    line = ProgressLine(on_terminal=1.0)

    def show_state(plan: Plan, state: State, finding: FuzzFinding | None) -> None:
        if not states or states[-1] is not state:
            states.append(state)
        if finding is not None:
            line.end()
            say(f"found {finding.name}: {middle(finding.id, 200)}", err=True)
        a_second = round(state.executions / state.seconds) if state.seconds else 0
        line(
            f"{plan.target} {plan.dialect}: {state.executions:,} executions, {a_second:,} a second, coverage "
            f"{state.coverage:,}, corpus {state.corpus:,}, {len(state.new)} new findings, "
            f"{state.known.total():,} known, {state.restarts} restarts"
        )

    try:
        yield show_state
    finally:
        line.end()


def _tell(store: Store, asked: Retest, states: list[State], out: Path) -> None:
    """Tell of earlier findings, of new ones, and last of all of what fails the run."""
    for kept in asked.mended:
        say(f"mended, and moved to {out / 'mended'}: {kept.finding.name}")
    for kept in asked.known:
        say(f"known as {kept.known}: {kept.finding.name}")
    for kept in asked.not_offered:
        say(f"not offered any more, so not asked: {kept.finding.name}")
    new = [store.findings[name] for state in states for name in state.new]
    for kept in new[:_PAGES]:
        _page(kept)
    for kept in new[_PAGES:]:
        _line(kept, "new", out)
    for kept in asked.open:
        _line(store.findings[kept.finding.name], "open", out)
    executions = sum(state.executions for state in states)
    known_of = sum(state.known.total() for state in states)
    say(
        f"{executions:,} executions, {len(new)} new findings, {len(asked.open)} open, {len(asked.known)} known, "
        f"{len(asked.mended)} mended, {known_of:,} known deviations"
    )
    if new or asked.open:
        say(f"wireproof fuzz findings {out} lists them")
    _tell_foreign(store)


def _tell_foreign(store: Store) -> None:
    """Tell of what lies in the corpora and is no input of a campaign."""
    if store.foreign:
        first = middle(str(min(store.foreign)), 200)
        say(f"not written by a campaign, and left as it is: {first}, {len(store.foreign)} in all", err=True)


def _leave(asked: Retest, states: list[State], end: Verdict | None) -> NoReturn:
    """End with the exit code of these runs. `end`: the verdict on how the process ends, if it ends wrongly. Raises
    FuzzError if no run reached its first input."""
    idle = sum(not state.executions for state in states)
    if idle == len(states):
        raise FuzzError("nothing was asked: the time was over before the first input. Give it more with --time.")
    if idle:
        say(f"{idle} of {len(states)} turns ended before their first input: give more time with --time", err=True)
    found = any(state.new for state in states) or (end is not None and end.known is None)
    sys.exit(1 if asked.open or found else 0)


def _repeat(plan: Plan, described: Description, given: dict[Path, list[bytes]]) -> NoReturn:
    """Ask about the inputs of each file, tell of them, and end with the exit code."""
    from wireproof.fuzz.campaign.repeat import repeat

    deviating = 0
    for path, raws in given.items():
        findings, known = repeat(plan, raws)
        deviating += bool(findings)
        for finding in findings:
            _page(kept_of(finding, described, plan.spec))
        states = [finding.name for finding in findings] + [f"known as {name}" for name in known]
        say(f"{path}: {', '.join(states) or 'no deviation'}")
    sys.exit(1 if deviating else 0)


def _page(kept: Kept) -> None:
    """Show a finding like a failure of the suite."""
    question = judged(kept)
    show(
        failure_page(
            question.vector,
            question.case,
            question.observation,
            question.verdict,
            implementation=" ".join(filter(None, (kept.implementation, kept.version))),
            repro=kept.repro,
            width=width(),
        )
    )


def _line(kept: Kept, state: str, folder: Path) -> None:
    """Show a finding in the folder of a campaign with the command that repeats it: whole, or where it stands."""
    out = Text(f"{kept.times:>7,}  {state:6} ").append(safe(kept.finding.name), "bold")
    command = kept.repro
    if len(command) > _LONGEST_COMMAND:
        file = folder / ("mended" if state == "mended" else "findings") / f"{kept.finding.name}.json"
        command = f"the command that repeats it ({len(command):,} characters) stands in {file} as repro"
    out.append(f"\n         {safe(command)}", "dim")
    show(out)


@group.command(epilog="Exit codes: 0 none is open, 1 some are, 2 a usage error.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-v", "--verbose", is_flag=True, help="Show each finding as a whole page.")
def findings(folder: Path, verbose: bool) -> None:
    """List the findings of a campaign, the most frequent first, with their state.

    A finding is open, or known: the file of known deviations excused it when it was last asked, or mended: it deviated
    no more then.
    """
    of_state: dict[str, list[Kept]] = {"open": [], "known": [], "mended": read_findings(folder, "mended")}
    for kept in read_findings(folder):
        of_state["open" if kept.known is None else "known"].append(kept)
    for kept, state in sorted(
        ((kept, state) for state, found in of_state.items() for kept in found), key=lambda one: -one[0].times
    ):
        if verbose:
            _page(kept)
        else:
            _line(kept, state, folder)
    say(", ".join(f"{len(found)} {state}" for state, found in of_state.items()))
    sys.exit(1 if of_state["open"] else 0)


@group.command(epilog="Exit codes: 0 it is written, 2 a usage error.")
@click.argument("finding", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def promote(finding: Path, file: Path) -> None:
    """Draft a vector from a finding.

    FINDING is a file in findings/, FILE the new vector file. A person must look up the place in the specification: the
    file is refused until you fill in `source`, and `twin` if it is there.
    """
    from wireproof.fuzz.campaign.draft_vector import draft

    kept = read_finding(finding)
    text = draft(judged(kept), kept.finding.name)
    write_whole(file, text.encode())
    say(f"{file}: fill in `source`, and `about`; then `wireproof repro` and pytest ask it like any vector")


@group.command(epilog="Exit codes: 0 done, 2 a usage error.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--impl", "spec", default="reference", show_default=True, metavar="SPEC", help="The implementation that was fuzzed."
)
def minimise(folder: Path, spec: str) -> None:
    """Keep the smallest corpus that reaches the same lines."""
    from wireproof.fuzz.campaign.dependencies import dependencies_of
    from wireproof.fuzz.corpus.minimise import minimise as smallest
    from wireproof.fuzz.targets.session_start import session_of

    if not folder.is_dir():
        raise FuzzError(f"{folder}: there is no such folder")
    dependencies = dependencies_of(spec)
    with Store(folder) as store:
        for place in sorted((folder / "corpus").glob("*/*")):
            corpus = store.corpus(place.parent.name, place.name)
            with session_of(spec, place.parent.name, place.name, in_child=dependencies.in_child) as session:
                remove = functools.partial(store.remove, place.parent.name, place.name)
                before, after = smallest(session, corpus, dependencies.packages, remove)
            say(f"{place.parent.name} {place.name}: {before:,} inputs, {after:,} are needed")
        _tell_foreign(store)


@group.command(epilog="Exit codes: 0 they are written, 2 a usage error.")
@click.argument("target")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--dialect", metavar="NAME", help="The dialect; by default the first one of the implementation.")
@click.option("--type", "only", metavar="NAME", help="Only this type.")
@click.option(
    "--impl", "spec", default="reference", show_default=True, metavar="SPEC", help="The implementation that is asked."
)
@vectors_option
def seeds(
    target: str, folder: Path, dialect: str | None, only: str | None, spec: str, folders: tuple[Path, ...]
) -> None:
    """Write the inputs with which a campaign begins, one file for each.

    TARGET is a target of `wireproof fuzz run`.

    Fuzzing services need such a folder, as an archive, for each target.
    """
    from wireproof.fuzz.campaign.run import describe
    from wireproof.fuzz.corpus.seeding import seeds as of_target
    from wireproof.fuzz.corpus.seeding import write
    from wireproof.fuzz.targets.session_start import forms, kind_of

    use_vectors(folders)
    kind = kind_of(target)
    described = describe(spec, Options(), None)
    chosen = dialect or described.dialects[0]
    offered = forms(kind, described, chosen, only)
    try:
        count = write(of_target(kind, chosen, offered), folder)
    except OSError as error:
        raise FuzzError(f"{error.filename or folder}: {error.strerror or error}") from None
    say(f"{folder}: {count:,} inputs of the target {target} ({chosen})")
