"""The plugin of `--impl`: replaces pytest's collection with the suite, and reports verdicts."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest

from wireproof.conformance import garbage, vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import ImplementationError
from wireproof.conformance.connection.process.start import Starting
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import Description, Outcome, Verdict
from wireproof.conformance.pytest_suite.ahead import Ahead
from wireproof.conformance.pytest_suite.chosen import Chosen, keyword
from wireproof.conformance.pytest_suite.ending import RunEnd
from wireproof.conformance.pytest_suite.items import EntryItem, Root, SuiteItem
from wireproof.conformance.pytest_suite.neighbours import Neighbours, without_timer
from wireproof.conformance.pytest_suite.pages import Pages
from wireproof.conformance.pytest_suite.progress import ItemProgress
from wireproof.conformance.pytest_suite.recording import Recording
from wireproof.conformance.pytest_suite.scopes import scopes
from wireproof.conformance.pytest_suite.settings import Settings, usage_error
from wireproof.conformance.pytest_suite.stopping import Stopping
from wireproof.conformance.pytest_suite.styles import BRIEF, Styles
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.selection import Entry, LeftOut
from wireproof.conformance.report.jsonl import ReportError
from wireproof.conformance.report.text import middle, safe
from wireproof.reference import catalog
from wireproof.reference.errors import SchemaError

#: Attributes of pytest's reports: the verdicts (as JSON from xdist's workers), and whether the failure has a page.
VERDICTS = "wireproof_verdicts"
PAGED = "wireproof_paged"
#: The maximum length of a line at the beginning or end of a run, in characters.
_LINE = 1000


class Suite:
    """The plugin of `--impl`: replaces pytest's collection with the suite, and reports verdicts. Each pytest process
    has one."""

    #: The file that stands for the suite: pytest needs one that exists, and no other plugin collects this one.
    anchor = Path(str(resources.files("wireproof.vectors") / "schema.json")).resolve()

    def __init__(self, settings: Settings, chosen: Chosen, started: Mapping[str, Starting]) -> None:
        self.settings = settings
        self.chosen = chosen
        self._started = dict(started)
        self.examiners: dict[str, Examiner] = {}
        self.ahead: dict[str, Ahead] = {}
        self.not_offered: dict[str, Counter[str]] = {}
        self.lacking: dict[str, Counter[str]] = {}
        self.elsewhere: dict[str, Counter[str]] = {}
        self.descriptions: dict[str, Description] = {}
        self.verdicts: dict[str, list[Verdict]] = {spec: [] for spec in settings.implementations}
        self.deselected = bool(chosen)
        #: The file's path as pytest shows it.
        self.where = str(self.anchor)
        self.lines: list[str] = []
        self.pages = {spec: Pages(every=settings.every_page) for spec in settings.implementations}
        self.others: list[pytest.TestReport] = []
        self.progress = ItemProgress()
        self.stopping = Stopping()
        self.recording: Recording | None = None

    def open(self, spec: str) -> Examiner:
        """The examiner of an implementation. The first call connects to it."""
        if spec not in self.examiners:
            try:
                starting = self._started.pop(spec, None) or Starting(spec, self.settings.connection)
                connection = starting.connection()
                examiner = Examiner(connection, self._known(spec, connection.description))
            except (ImplementationError, known_deviations.KnownError, ValueError) as error:
                raise usage_error(f"--impl={spec}: {error}") from None
            self.examiners[spec] = examiner
            self.ahead[spec] = Ahead(examiner)
            self.descriptions[spec] = examiner.description
        return self.examiners[spec]

    def entries(self, spec: str) -> Iterator[Entry]:
        """The entries of an implementation. Questions that it is not asked are counted."""
        left_out = LeftOut()
        settings = self.settings
        yield from selection.entries(self.open(spec).description, left_out, settings.dialects, settings.areas)
        self.not_offered[spec] = left_out.not_offered
        self.lacking[spec] = left_out.areas
        self.elsewhere[spec] = left_out.elsewhere

    def _known(self, spec: str, description: Description) -> known_deviations.Known:
        if self.settings.known == "none":
            return known_deviations.Known(None, ())
        path = Path(self.settings.known) if self.settings.known else known_beside(spec)
        return known_deviations.load(path, description.version) if path else known_deviations.Known(None, ())

    # --- pytest's hooks ---

    @pytest.hookimpl
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Start every implementation now. One that cannot be started is an error in the command line, and so is a
        report that cannot be written."""
        self.where = os.path.relpath(self.anchor, session.config.rootpath)
        for spec in self.settings.implementations:
            self.open(spec)
        if hasattr(session.config, "workerinput"):  # xdist's controller writes the report, and ends its workers
            return
        self.stopping.begin()
        if self.settings.report is not None and not session.config.option.collectonly:
            try:
                self.recording = Recording(self.settings.report, self.descriptions, self.settings.one_line())
            except ReportError as error:
                raise usage_error(str(error)) from None

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Any:
        with garbage.paused():  # nothing becomes garbage here
            result = yield
        garbage.freeze_and_collect_rarely()
        return result

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:  # xdist's controller has none
            self.progress.plan(item.nodeid for item in session.items)
        planned: dict[str, list[Entry]] = {}
        numbers: dict[str, list[int]] = {}
        # In the order in which they will run: plugins may have changed it.
        for item, number in zip(session.items, scopes(item.nodeid for item in session.items), strict=True):
            if isinstance(item, EntryItem):
                planned.setdefault(item.spec, []).append(item.entry)
                numbers.setdefault(item.spec, []).append(number)
        shared = hasattr(session.config, "workerinput")
        for spec, entries in planned.items():
            self.ahead[spec].plan(entries, numbers[spec] if shared else None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self.progress.plan(ids)

    @pytest.hookimpl
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Root | None:
        if file_path != self.anchor:
            return None
        root: Root = Root.from_parent(parent, path=file_path, nodeid="conformance", suite=self)
        return root

    @pytest.hookimpl
    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.deselected = self.deselected or bool(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        missing = () if hasattr(config, "workerinput") else self.chosen.missing()
        if missing:
            raise usage_error("\n".join(missing))

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Our scopes, unless --dist asks for another scheduling."""
        options = config.known_args_namespace
        if options.dist != "no" or options.distload:
            return None
        from wireproof.conformance.pytest_suite.scheduling import (
            ScopeScheduling,  # late, because xdist may not be installed
        )

        return ScopeScheduling(config, log)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.when == "call" and isinstance(item, SuiteItem):
            verdicts: Any = item.verdicts
            if hasattr(item.config, "workeroutput"):  # an xdist worker can only send plain data
                verdicts = msgspec.json.encode(verdicts).decode()
            setattr(report, VERDICTS, verdicts)
            setattr(report, PAGED, item.paged)
        return report

    @pytest.hookimpl
    def pytest_report_header(self) -> list[str]:
        kit = f"wireproof: vectors {vectors.digest()}; {self.settings.one_line()}"
        other = catalog.current() is not catalog.bundled()
        schemas = [f"message schemas: {catalog.current().made_by}"] if other else []
        lines = [kit, *schemas, f"implementations: {', '.join(self.settings.implementations)}"]
        return [safe(middle(line, _LINE)) for line in lines]

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport | pytest.CollectReport) -> Any:
        if getattr(report, "when", None) != "call" or report.outcome != "passed":
            return None
        verdicts = _verdicts(report)
        if any(verdict.known is not None for verdict in verdicts):
            return "known", "k", ("KNOWN", {"yellow": True})
        if any(verdict.outcome is Outcome.CONTESTED for verdict in verdicts):
            return "contested", "c", ("CONTESTED", {"cyan": True})
        return None

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep an item's verdicts, and write them to the report. Signals wait until this is done."""
        if (report.when != "call" and report.passed) or str(report.outcome) == "rerun":  # of pytest-rerunfailures
            return
        if report.when == "setup" and report.skipped:
            self.progress.pass_over(report.nodeid)
            return
        spec, verdicts = report.nodeid.partition("::")[0], _verdicts(report)
        with self.stopping.held():
            self.verdicts.setdefault(spec, []).extend(verdicts)
            self.progress.done(report.nodeid)
            try:
                self._record(spec, verdicts)
            except ReportError as error:
                self._unwritten(error)
                pytest.exit(str(error), pytest.ExitCode.INTERRUPTED)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        for opened in self.examiners.values():
            opened.close()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:  # an xdist worker: the controller prints the end of the run
            counted = (self.descriptions, self.not_offered, self.lacking, self.elsewhere, self.deselected)
            output[VERDICTS] = msgspec.json.encode(counted).decode()
            return
        self.stopping.end()
        if session.config.option.collectonly:
            return
        try:
            self._write()
        except (ReportError, OSError) as error:
            self._unwritten(error)
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        if session.exitstatus not in (0, 1, 5) or self.progress.cut_off():
            return
        narrowed = self.settings.dialects is not None or self.settings.areas is not None or any(self.elsewhere.values())
        complete = not (narrowed or self.deselected or self.progress.incomplete())
        ended = self._ended()
        problems = (*ended.nothing_asked(), *ended.stale(self._files(), complete=complete))
        self.lines += [safe(middle(line, _LINE)) for line in problems]
        if self.lines and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """xdist calls this when a worker has ended: keep the worker's descriptions of the implementations, its
        counts, and whether it left out items of the suite, as with -k."""
        sent = getattr(node, "workeroutput", {}).get(VERDICTS)
        if sent:
            counted = dict[str, dict[str, int]]
            descriptions, not_offered, lacking, elsewhere, deselected = msgspec.json.decode(
                sent, type=tuple[dict[str, Description], counted, counted, counted, bool]
            )
            self.deselected = self.deselected or deselected
            self.descriptions |= descriptions
            self.not_offered |= {spec: Counter(counts) for spec, counts in not_offered.items()}
            self.lacking |= {spec: Counter(counts) for spec, counts in lacking.items()}
            self.elsewhere |= {spec: Counter(counts) for spec, counts in elsewhere.items()}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int, config: pytest.Config) -> Any:
        """Print the run's numbers and findings before or after pytest's own summary. The most important part comes
        last: the findings, or with -x the failure."""
        failed = terminalreporter.stats.get("failed", [])
        if config.option.verbose <= 0 and config.option.tbstyle not in BRIEF:
            self.others = [report for report in failed if not getattr(report, PAGED, True)]
            failed[:] = [report for report in failed if getattr(report, PAGED, True)]
        shown = not config.option.collectonly and (
            exitstatus != pytest.ExitCode.USAGE_ERROR or any(self.verdicts.values())
        )
        writer = terminalreporter._tw  # noqa: SLF001 (pytest has no public way to its width and colours)
        look = {"width": writer.fullwidth, "color": writer.hasmarkup}
        ended = self._ended()
        numbers = "".join(ended.numbers(**look, verbose=config.option.verbose > 0)) if shown else ""
        # With -x the failure's page comes last, so the numbers come before it.
        stopped = bool(ended.incomplete) and any(getattr(report, PAGED, False) for report in failed)
        if stopped:
            terminalreporter.write(numbers)
        result = yield
        if not shown:
            return result
        if not stopped:
            terminalreporter.write(numbers)
        if not (stopped and len(failed) == 1):  # a single failure's page already says everything
            for text in ended.findings(**look):
                terminalreporter.write(text)
        for line in self.lines:
            terminalreporter.write_line(line, red=True)
        return result

    @pytest.hookimpl(specname="pytest_terminal_summary")
    def pytest_lines_behind_pages(self, terminalreporter: Any) -> None:
        """After the pages pytest prints its own lines: one for each failure, with or without a page."""
        if self.others:
            terminalreporter.stats["failed"] += self.others
            self.others = []

    # --- the end of a run ---

    def _ended(self) -> RunEnd:
        incomplete = self.progress.incomplete()
        return RunEnd(
            {spec: tuple(verdicts) for spec, verdicts in self.verdicts.items()},
            self.descriptions,
            self.not_offered,
            self.lacking,
            self.elsewhere,
            {spec: self.progress.count(spec) for spec in self.verdicts},
            incomplete,
        )

    def _files(self) -> dict[str, known_deviations.Known]:
        """The files of known deviations. One that can no longer be read is left out."""
        files = {}
        for spec, description in self.descriptions.items():
            with contextlib.suppress(known_deviations.KnownError):
                files[spec] = self._known(spec, description)
        return files

    def _record(self, spec: str, verdicts: Sequence[Verdict]) -> None:
        if self.recording is None or spec not in self.descriptions:
            return
        self.recording.verdicts(spec, verdicts)
        if self.progress.ended(spec) and len(self.settings.implementations) > 1:
            self.recording.end(spec)  # so that the next implementation's verdicts are written at once

    def _unwritten(self, error: Exception) -> None:
        self.lines.append(safe(middle(str(error), _LINE)))
        if self.recording is not None:
            self.recording.close()
            self.recording = None

    def _write(self) -> None:
        """Write the end of the report, and the draft of a known-deviations file. Raises ReportError and OSError."""
        if self.recording is not None:
            incomplete = self.progress.incomplete()
            for spec in self.descriptions:
                self.recording.end(spec, incomplete.get(spec))
            self.recording.close()
        if self.settings.write_known is not None:
            _write_text(self.settings.write_known, self._ended().drafts())


def _write_text(path: Path, text: str) -> None:
    """Write a file. The OSError names it, also if it is the disk that is full."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def _verdicts(report: Any) -> list[Verdict]:
    verdicts = getattr(report, VERDICTS, [])
    return msgspec.json.decode(verdicts, type=list[Verdict]) if isinstance(verdicts, str) else verdicts


def install(config: pytest.Config, started: Mapping[str, Starting]) -> None:
    """As `conformance.pytest_suite.install`. `started`: the implementations that have been started."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise pytest.UsageError(f"wireproof runs on Linux and macOS, not on {sys.platform}: it limits child processes")
    try:
        _ = catalog.current().index
    except SchemaError as error:
        raise usage_error(f"the catalogue: {error.detail}") from None
    settings = Settings.of(config)
    chosen = Chosen.of(config, settings)
    suite = Suite(chosen.narrowed(settings), chosen, started)
    config.add_cleanup(garbage.freeze)  # before pytest's own last collection of garbage
    config.add_cleanup(suite.stopping.end)
    if not suite.settings.properties:
        # The plugin's hooks do nothing for these items, but the last one would import all of hypothesis.
        config.pluginmanager.unregister(name="hypothesispytest")
    without_timer(config)
    config.args = [str(suite.anchor)]
    config.option.keyword = keyword(config.option.keyword)
    config.pluginmanager.register(suite, "wireproof-suite")
    config.pluginmanager.register(Styles(), "wireproof-styles")
    config.pluginmanager.register(Neighbours(), "wireproof-neighbours")
