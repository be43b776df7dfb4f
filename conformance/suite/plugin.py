"""The plugin behind `--impl`: replaces what pytest collects, and reports verdicts."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from _pytest.nodes import Item

from conformance import known, selection, vectors
from conformance.asking import Examiner
from conformance.connection import ImplementationError, open_connection
from conformance.model import Description, Outcome, Tally, Verdict
from conformance.report.failure import repro_command
from conformance.report.jsonl import ReportError, ReportWriter
from conformance.selection import Entry, LeftOut
from conformance.suite.ahead import Ahead
from conformance.suite.ending import Ended
from conformance.suite.items import EntryItem, Root, SuiteItem
from conformance.suite.pages import Pages
from conformance.suite.settings import Settings
from reference import catalog

#: The attributes with which pytest's reports travel: the verdicts, from xdist's workers as JSON; whether the failure
#: has a page of its own.
VERDICTS = "wireproof_verdicts"
PAGED = "wireproof_paged"


class Suite:
    """The plugin behind `--impl`: replaces what is collected, and reports verdicts. One a pytest process."""

    #: The file on which the suite hangs: pytest wants one that exists, and no other plugin collects it.
    anchor = Path(vectors.__file__).parents[2] / "vectors" / "schema.json"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.examiners: dict[str, Examiner] = {}
        self.ahead: dict[str, Ahead] = {}
        self.not_offered: dict[str, Counter[str]] = {}
        self.lacking: dict[str, Counter[str]] = {}
        self.elsewhere: dict[str, Counter[str]] = {}
        self.descriptions: dict[str, Description] = {}
        self.verdicts: dict[str, list[Verdict]] = {spec: [] for spec in settings.implementations}
        self.deselected = False
        self.lines: list[str] = []
        self.pages = {spec: Pages(every=settings.every_page) for spec in settings.implementations}
        self.others: list[pytest.TestReport] = []

    def open(self, spec: str) -> Examiner:
        """Who asks an implementation, which is started when it is first needed."""
        if spec not in self.examiners:
            try:
                connection = open_connection(spec, self.settings.connection)
                found = Examiner(connection, self._known(spec, connection.description))
            except (ImplementationError, known.KnownError, ValueError) as error:
                raise pytest.UsageError(f"--impl={spec}: {error}") from None
            self.examiners[spec] = found
            self.ahead[spec] = Ahead(found)
            self.descriptions[spec] = found.description
        return self.examiners[spec]

    def entries(self, spec: str) -> Iterator[Entry]:
        """What this implementation is asked; what it is not asked is counted."""
        left_out = LeftOut()
        settings = self.settings
        yield from selection.entries(self.open(spec).description, left_out, settings.dialects, settings.areas)
        self.not_offered[spec] = left_out.not_offered
        self.lacking[spec] = left_out.areas
        self.elsewhere[spec] = left_out.elsewhere

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
        root: Root = Root.from_parent(parent, path=file_path, nodeid="conformance", suite=self)
        return root

    @pytest.hookimpl
    def pytest_deselected(self, items: Sequence[Item]) -> None:
        self.deselected = self.deselected or bool(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Item]) -> None:
        chosen: dict[str, list[Entry]] = {}
        for item in items:
            if isinstance(item, EntryItem):
                chosen.setdefault(item.spec, []).append(item.entry)
        for spec, entries in chosen.items():
            self.ahead[spec].plan(entries)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.when == "call" and isinstance(item, SuiteItem):
            verdicts: Any = item.verdicts
            if hasattr(item.config, "workeroutput"):  # what leaves an xdist worker is text
                verdicts = msgspec.json.encode(verdicts).decode()
            setattr(report, VERDICTS, verdicts)
            setattr(report, PAGED, item.paged)
        return report

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
        for opened in self.examiners.values():
            opened.close()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:  # an xdist worker: the controller sums up
            learned = (self.descriptions, self.not_offered, self.lacking, self.elsewhere)
            output[VERDICTS] = msgspec.json.encode(learned).decode()
            return
        if session.config.option.collectonly or session.exitstatus not in (0, 1, 5):
            return
        whole = self.settings.dialects is None and self.settings.areas is None and not any(self.elsewhere.values())
        ended = self._ended()
        self.lines = [
            *ended.nothing_asked(),
            *ended.stale(self._files(), complete=whole and not self.deselected),
        ]
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
        sent = getattr(node, "workeroutput", {}).get(VERDICTS)
        if sent:
            counted = dict[str, dict[str, int]]
            descriptions, not_offered, lacking, elsewhere = msgspec.json.decode(
                sent, type=tuple[dict[str, Description], counted, counted, counted]
            )
            self.descriptions |= descriptions
            self.not_offered |= {spec: Counter(counts) for spec, counts in not_offered.items()}
            self.lacking |= {spec: Counter(counts) for spec, counts in lacking.items()}
            self.elsewhere |= {spec: Counter(counts) for spec, counts in elsewhere.items()}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> Any:
        """Around all that pytest prints at the end: what one came for stands last."""
        failed = terminalreporter.stats.get("failed", [])
        if config.option.verbose <= 0:
            self.others = [report for report in failed if not getattr(report, PAGED, True)]
            failed[:] = [report for report in failed if getattr(report, PAGED, True)]
        found = yield
        if config.option.collectonly:
            return found
        writer = terminalreporter._tw  # noqa: SLF001 (pytest offers no other way to its width and colours)
        for text in self._ended().texts(width=writer.fullwidth, color=writer.hasmarkup):
            terminalreporter.write(text)
        for line in self.lines:
            terminalreporter.write_line(line, red=True)
        return found

    @pytest.hookimpl(specname="pytest_terminal_summary")
    def pytest_lines_behind_pages(self, terminalreporter: Any) -> None:
        """Behind the pages come pytest's lines, one for each that failed, whether it has a page or not."""
        if self.others:
            terminalreporter.stats["failed"] += self.others
            self.others = []

    # --- the end of a run ---

    def _ended(self) -> Ended:
        return Ended(self.verdicts, self.descriptions, self.not_offered, self.lacking, self.elsewhere)

    def _files(self) -> dict[str, known.Known]:
        """The files of known deviations; one that can't be read any more says nothing."""
        files = {}
        for spec, description in self.descriptions.items():
            with contextlib.suppress(known.KnownError):
                files[spec] = self._known(spec, description)
        return files

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
            self.settings.write_known.write_text(self._ended().drafts(), "utf-8")


def _verdicts(report: Any) -> list[Verdict]:
    found = getattr(report, VERDICTS, [])
    return msgspec.json.decode(found, type=list[Verdict]) if isinstance(found, str) else found


def install(config: pytest.Config) -> None:
    """Make this pytest run the suite instead of what it would collect by itself."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise pytest.UsageError(f"wireproof runs on Linux and macOS, not on {sys.platform}: it limits child processes")
    suite = Suite(Settings.of(config))
    config.args = [str(suite.anchor)]
    config.pluginmanager.register(suite, "wireproof-suite")
