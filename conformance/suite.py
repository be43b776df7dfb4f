"""What pytest collects for `--impl`: one item a vector and op, and, when asked for, one a property and type.

`wireproof.pytest_plugin` registers the options and hands over to this module.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from _pytest._code.code import ExceptionInfo, TerminalRepr
from _pytest._io import TerminalWriter
from _pytest.nodes import Item

from conformance import known, ledger, vectors
from conformance.connection import ImplementationError, Options, open_connection
from conformance.model import DEVIATIONS, Description, Op, Outcome, Status, Tally, Verdict
from conformance.report.failure import render_failure, repro_command
from conformance.report.jsonl import ReportError, ReportWriter
from conformance.report.summary import print_summary
from conformance.session import ASKED, Judged, Question, Session
from reference import catalog

if TYPE_CHECKING:
    from conformance.properties import Property

#: The user property under which a verdict travels with pytest's reports, from xdist's workers too.
PROPERTY = "wireproof"


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """The command line's options, once they are known to be sensible."""

    implementations: tuple[str, ...]
    dialects: tuple[str, ...] | None
    areas: tuple[str, ...] | None
    known: str | None
    write_known: Path | None
    contested: str
    properties: int
    report: Path | None
    connection: Options

    @classmethod
    def of(cls, config: pytest.Config) -> Settings:
        """Raises pytest.UsageError with what is wrong and what there is."""
        option = config.getoption
        return cls(
            implementations=tuple(dict.fromkeys(option("--impl"))),
            dialects=_among(option("--dialect"), vectors.dialects(), "dialect"),
            areas=_among(option("--area"), vectors.AREAS, "area"),
            known=option("--known"),
            write_known=_path(option("--write-known")),
            contested=option("--contested"),
            properties=option("--properties") or 0,
            report=_path(option("--report")),
            connection=_connection(config),
        )

    def wants(self, dialect: str, area: str) -> bool:
        """Whether this area of this dialect is to be asked."""
        return (self.dialects is None or dialect in self.dialects) and (self.areas is None or area in self.areas)

    def one_line(self) -> str:
        """The options in force, for the header and the report."""
        parts = {
            "dialects": ",".join(self.dialects or ("all",)),
            "areas": ",".join(self.areas or ("all",)),
            "contested": self.contested,
            "properties": self.properties or "off",
            "timeout": f"{self.connection.timeout:g} s",
            "memory": f"{self.connection.memory} MiB",
        }
        where = " in-process" if self.connection.in_process else ""
        return " ".join(f"{key}={value}" for key, value in parts.items()) + where


def _among(chosen: Sequence[str] | None, there: Sequence[str], what: str) -> tuple[str, ...] | None:
    if not chosen:
        return None
    for name in chosen:
        if name not in there:
            raise pytest.UsageError(f"--{what}: there is no {what} {name!r}; there are {', '.join(there)}")
    return tuple(dict.fromkeys(chosen))


def _path(text: str | None) -> Path | None:
    """A file to be written, in a folder that is there: better to say so before the run than after it."""
    if text is None:
        return None
    path = Path(text).absolute()
    if not path.parent.is_dir() or path.is_dir():
        raise pytest.UsageError(f"{path} can't be written: {'it is a folder' if path.is_dir() else 'no such folder'}")
    return path


def _connection(config: pytest.Config) -> Options:
    timeout = config.getoption("timeout")
    try:
        return Options(
            timeout=Options.timeout if timeout is None else float(timeout),
            memory=config.getoption("--memory"),
            in_process=config.getoption("--in-process"),
            transcript=_path(config.getoption("--transcript")),
        )
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


class Deviation(Exception):  # noqa: N818 (it is what pytest shows, not an error of ours)
    """An observation that departs from what is demanded."""

    def __init__(self, judged: Judged, others: Sequence[Verdict]) -> None:
        super().__init__(judged.verdict.detail)
        self.judged = judged
        self.others = others


class Failure(TerminalRepr):
    """A failure as text, in colour where the terminal has it."""

    def __init__(self, deviation: Deviation, described: Description, spec: str) -> None:
        self.deviation = deviation
        self.described = described
        self.spec = spec

    def toterminal(self, tw: TerminalWriter) -> None:
        judged, others = self.deviation.judged, self.deviation.others
        case = judged.observation.case
        text = render_failure(
            judged.vector,
            case,
            judged.observation,
            judged.verdict,
            implementation=self.described,
            repro=repro_command(case.id, self.spec),
            width=tw.fullwidth,
            color=tw.hasmarkup,
        )
        tw.write(text)
        if others:
            tw.write(f"and {len(others)} more here:\n")
        for verdict in others:
            tw.write(f"    {verdict.id}: {verdict.verdict}{f' ({verdict.kind})' if verdict.kind else ''}\n")


class _Asking(pytest.Item):
    """An item that ends in verdicts on one implementation."""

    def __init__(self, *, session_of: Session, spec: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.session_of = session_of
        self.spec = spec

    def conclude(self, *judged: Judged) -> None:
        """Attach the verdicts to the report, and end as the worst of them says."""
        verdicts = [one.verdict for one in judged]
        self.user_properties.append((PROPERTY, msgspec.json.encode(verdicts).decode()))
        strict = self.config.stash[SUITE].settings.contested == "fail"
        failed = [one for one in judged if _fails(one.verdict, strict=strict)]
        if failed:
            raise Deviation(failed[0], [one.verdict for one in failed[1:]])
        if not any(verdict.verdict in ASKED for verdict in verdicts):
            pytest.skip(f"{verdicts[0].verdict}: {verdicts[0].detail}")

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, None, self.nodeid

    def repr_failure(self, excinfo: ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Deviation):
            return Failure(excinfo.value, self.session_of.description, self.spec)
        return super().repr_failure(excinfo, style)


def _fails(verdict: Verdict, *, strict: bool) -> bool:
    """Whether a verdict fails the run; `strict`: other readings do so too."""
    if verdict.verdict is Outcome.CONTESTED:
        return strict
    return verdict.verdict in DEVIATIONS and verdict.known is None


class VectorItem(_Asking):
    """One vector and op, put to one implementation."""

    def __init__(self, *, question: Question, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.question = question

    def runtest(self) -> None:
        self.conclude(self.session_of.judged(self.question))


class LedgerItem(_Asking):
    """One ledger case, with every op."""

    def __init__(self, *, questions: Sequence[Question], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.questions = questions

    def runtest(self) -> None:
        self.conclude(*map(self.session_of.judged, self.questions))


class DerivedItem(_Asking):
    """What is derived of a message-version: from the first of these questions whose bytes are read."""

    def __init__(self, *, questions: Sequence[Question], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.questions = questions

    def runtest(self) -> None:
        source = next((question for question in self.questions if self._is_read(question)), self.questions[0])
        self.conclude(*self.session_of.put([Question(*made) for made in ledger.derive(source.vector, source.case.op)]))

    def _is_read(self, question: Question) -> bool:
        return self.session_of.judged(question).observation.status is Status.ANSWER


class PropertyItem(_Asking):
    """One property of one type, over generated cases, until the first deviation."""

    def __init__(self, *, check: Property, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        from conformance import properties  # as where they are collected

        examples = self.config.stash[SUITE].settings.properties
        self.conclude(properties.run(self.check, self.session_of, examples))


class Implementation(pytest.Collector):
    """All items of one implementation."""

    def __init__(self, *, spec: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.spec = spec

    def collect(self) -> Iterator[pytest.Item]:
        suite = self.config.stash[SUITE]
        session = suite.open(self.spec)
        selection = session.select(vectors.load(suite.settings.dialects, suite.settings.areas))
        suite.not_offered[self.spec] = selection.not_offered
        suite.elsewhere[self.spec] = selection.elsewhere
        for question in selection.questions:
            yield VectorItem.from_parent(
                self,
                name=question.case.id,
                nodeid=f"{self.nodeid}::{question.case.id}",
                question=question,
                session_of=session,
                spec=self.spec,
            )
        yield from self._ledger(suite, session)
        if suite.settings.properties:
            from conformance import properties  # hypothesis takes its time to load

            for check in properties.offered(session.description, suite.settings.dialects, suite.settings.areas):
                yield PropertyItem.from_parent(
                    self,
                    name=check.id,
                    nodeid=f"{self.nodeid}::{check.id}",
                    check=check,
                    session_of=session,
                    spec=self.spec,
                )

    def _ledger(self, suite: Suite, session: Session) -> Iterator[pytest.Item]:
        wanted = (dialect for dialect in vectors.dialects() if suite.settings.wants(dialect, ledger.AREA))
        for found in (ledger.load(name, dialect) for dialect in wanted for name in ledger.names(dialect)):
            offered: dict[str, tuple[Question, ...]] = {}
            for vector in found.vectors:
                selection = session.select([vector])
                suite.not_offered[self.spec] += selection.not_offered
                suite.elsewhere[self.spec] += selection.elsewhere
                if selection.questions:
                    offered[vector.id] = selection.questions
                    yield self._item(LedgerItem, vector.path, session, selection.questions)
            for version, sources in ledger.richest_first(found).items():
                asked = (offered.get(vector.id, ()) for vector in sources)
                reading = [*filter(None, map(_reading, asked))]
                if reading:
                    name = f"{reading[0].case.dialect}/{ledger.AREA}/{found.message}/{version}/derived"
                    yield self._item(DerivedItem, name, session, reading)

    def _item(
        self, kind: type[LedgerItem | DerivedItem], name: str, session: Session, questions: Sequence[Question]
    ) -> _Asking:
        item: _Asking = kind.from_parent(
            self, name=name, nodeid=f"{self.nodeid}::{name}", questions=questions, session_of=session, spec=self.spec
        )
        return item


def _reading(questions: Iterable[Question]) -> Question | None:
    """The question whose answer shows whether a case's bytes are read."""
    return next((question for question in questions if question.case.op is not Op.ENCODE), None)


class Root(pytest.File):
    """Where the suite hangs in pytest's tree."""

    def collect(self) -> Iterator[Implementation]:
        for spec in self.config.stash[SUITE].settings.implementations:
            yield Implementation.from_parent(self, name=spec, nodeid=spec, spec=spec)


class Suite:
    """The plugin behind `--impl`: replaces what is collected, and reports verdicts. One a pytest process."""

    #: The file on which the suite hangs: pytest wants one that exists, and no other plugin collects it.
    anchor = Path(vectors.__file__).parents[2] / "vectors" / "schema.json"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions: dict[str, Session] = {}
        self.not_offered: dict[str, Counter[str]] = {}
        self.elsewhere: dict[str, Counter[str]] = {}
        self.descriptions: dict[str, Description] = {}
        self.verdicts: dict[str, list[Verdict]] = {spec: [] for spec in settings.implementations}
        self.deselected = False
        self.lines: list[str] = []

    def open(self, spec: str) -> Session:
        """The session of an implementation, started when it is first needed."""
        if spec not in self.sessions:
            try:
                connection = open_connection(spec, self.settings.connection)
                self.sessions[spec] = Session(connection, self._known(spec, connection.description))
                for dialect in connection.description.dialects:
                    if dialect in vectors.dialects():
                        self.sessions[spec].readings(dialect)
            except (ImplementationError, known.KnownError, ValueError) as error:
                raise pytest.UsageError(f"--impl={spec}: {error}") from None
            self.descriptions[spec] = connection.description
        return self.sessions[spec]

    def _known(self, spec: str, description: Description) -> known.Known:
        if self.settings.known == "none":
            return known.Known(None, ())
        path = Path(self.settings.known) if self.settings.known else known.beside(spec)
        return known.load(path, description.version) if path else known.Known(None, ())

    # --- pytest's hooks ---

    @pytest.hookimpl
    def pytest_sessionstart(self) -> None:
        """Reach every implementation now: one that can't be reached is a matter of the command line."""
        for spec in self.settings.implementations:
            self.open(spec)

    @pytest.hookimpl
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Root | None:
        if file_path != self.anchor:
            return None
        root: Root = Root.from_parent(parent, path=file_path, nodeid="conformance")
        return root

    @pytest.hookimpl
    def pytest_deselected(self, items: Sequence[Item]) -> None:
        self.deselected = self.deselected or bool(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Item]) -> None:
        chosen: dict[str, list[Question]] = {}
        for item in items:
            if isinstance(item, VectorItem):
                chosen.setdefault(item.spec, []).append(item.question)
            elif isinstance(item, LedgerItem):
                chosen.setdefault(item.spec, []).extend(item.questions)
        for spec, questions in chosen.items():
            self.sessions[spec].prepare(questions)

    @pytest.hookimpl
    def pytest_report_header(self) -> list[str]:
        kit = f"wireproof: vectors {vectors.digest()}; {self.settings.one_line()}"
        other = catalog.current() is not catalog.bundled()
        schemas = [f"message schemas: {catalog.current().made_by}"] if other else []
        return [kit, *schemas, f"implementations: {', '.join(self.settings.implementations)}"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport | pytest.CollectReport) -> Any:
        if getattr(report, "when", None) != "call" or report.outcome != "passed":
            return None
        verdicts = _verdicts(report)
        if any(verdict.known is not None for verdict in verdicts):
            return "known", "k", ("KNOWN", {"yellow": True})
        if any(verdict.verdict is Outcome.CONTESTED for verdict in verdicts):
            return "contested", "c", ("CONTESTED", {"cyan": True})
        return None

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.verdicts.setdefault(report.nodeid.partition("::")[0], []).extend(_verdicts(report))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        for opened in self.sessions.values():
            opened.close()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:  # an xdist worker: the controller sums up
            output[PROPERTY] = msgspec.json.encode((self.descriptions, self.not_offered, self.elsewhere)).decode()
            return
        if session.config.option.collectonly or session.exitstatus not in (0, 1, 5):
            return
        self.lines = [*self._nothing_asked(), *self._stale()]
        if self.lines and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        try:
            self._write()
        except (ReportError, OSError) as error:
            self.lines.append(f"the report could not be written: {error}")
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """xdist's: a worker ended; take over what it learned of the implementations."""
        sent = getattr(node, "workeroutput", {}).get(PROPERTY)
        if sent:
            descriptions, not_offered, elsewhere = msgspec.json.decode(
                sent, type=tuple[dict[str, Description], dict[str, dict[str, int]], dict[str, dict[str, int]]]
            )
            self.descriptions |= descriptions
            self.not_offered |= {spec: Counter(counts) for spec, counts in not_offered.items()}
            self.elsewhere |= {spec: Counter(counts) for spec, counts in elsewhere.items()}

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if config.option.collectonly:
            return
        writer = terminalreporter._tw  # noqa: SLF001 (pytest offers no other way to its width and colours)
        for text in print_summary(
            {spec: tuple(found) for spec, found in self.verdicts.items()},
            self.descriptions,
            self.not_offered,
            self.elsewhere,
            width=writer.fullwidth,
            color=writer.hasmarkup,
        ):
            terminalreporter.write(text)
        for line in self.lines:
            terminalreporter.write_line(line, red=True)

    # --- the end of a run ---

    def _nothing_asked(self) -> Iterable[str]:
        for spec, found in self.verdicts.items():
            if not any(verdict.verdict in ASKED for verdict in found):
                yield f"{spec}: nothing was asked, or everything was skipped: such a run says nothing, so it fails"

    def _stale(self) -> Iterable[str]:
        today = datetime.datetime.now(tz=datetime.UTC).date()
        whole = self.settings.dialects is None and self.settings.areas is None and not any(self.elsewhere.values())
        complete = not self.deselected and whole
        for spec, found in self.verdicts.items():
            description = self.descriptions.get(spec)
            if description is None:
                continue
            try:
                entries = self._known(spec, description)
            except known.KnownError:
                continue
            yield from entries.stale(found, _every_id, complete=complete, today=today)

    def _write(self) -> None:
        if self.settings.report is not None:
            with ReportWriter(self.settings.report) as writer:
                for spec, found in self.verdicts.items():
                    if spec in self.descriptions:
                        writer.implementation(self.descriptions[spec], self.settings.one_line())
                        for verdict in found:
                            writer.verdict(verdict, repro_command(verdict.id, spec))
                        writer.summary(Tally.of(*found))
        if self.settings.write_known is not None:
            drafts = [
                known.draft([verdict for verdict in found if verdict.known is None], spec)
                for spec, found in self.verdicts.items()
            ]
            self.settings.write_known.write_text("\n".join(drafts), "utf-8")


@functools.cache
def _every_id() -> Sequence[str]:
    """The ids of all cases there are, but for those that are derived or generated."""
    return [case.id for vector in (*vectors.load(), *ledger.every_vector()) for case in vector.cases()]


SUITE: pytest.StashKey[Suite] = pytest.StashKey()


def _verdicts(report: pytest.TestReport | pytest.CollectReport) -> list[Verdict]:
    for name, document in getattr(report, "user_properties", ()):
        if name == PROPERTY and isinstance(document, str):
            return msgspec.json.decode(document, type=list[Verdict])
    return []


def install(config: pytest.Config) -> None:
    """Make this pytest run the suite instead of what it would collect by itself."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise pytest.UsageError(f"wireproof runs on Linux and macOS, not on {sys.platform}: it limits child processes")
    suite = Suite(Settings.of(config))
    config.stash[SUITE] = suite
    config.args = [str(suite.anchor)]
    config.pluginmanager.register(suite, "wireproof-suite")
