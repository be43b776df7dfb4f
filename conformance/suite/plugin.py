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
from conformance.report.text import middle, safe
from conformance.selection import Entry, LeftOut
from conformance.suite.ahead import Ahead
from conformance.suite.ending import Ended
from conformance.suite.items import EntryItem, Root, SuiteItem
from conformance.suite.settings import Settings, usage_error
from reference import catalog
from reference.errors import SchemaError

#: The attribute under which verdicts travel with pytest's reports; from xdist's workers as JSON.
VERDICTS = "wireproof_verdicts"
#: So many characters of a line at a run's beginning or end are shown.
_LINE = 1000


class Suite:
    """The plugin behind `--impl`: replaces what is collected, and reports verdicts. One a pytest process."""

    #: The file on which the suite hangs: pytest wants one that exists, and no other plugin collects it.
    anchor = Path(vectors.__file__).parents[2] / "vectors" / "schema.json"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.examiners: dict[str, Examiner] = {}
        self.ahead: dict[str, Ahead] = {}
        self.not_offered: dict[str, Counter[str]] = {}
        self.elsewhere: dict[str, Counter[str]] = {}
        self.descriptions: dict[str, Description] = {}
        self.verdicts: dict[str, list[Verdict]] = {spec: [] for spec in settings.implementations}
        self.deselected = False
        self.lines: list[str] = []

    def open(self, spec: str) -> Examiner:
        """Who asks an implementation, which is started when it is first needed."""
        if spec not in self.examiners:
            try:
                connection = open_connection(spec, self.settings.connection)
                found = Examiner(connection, self._known(spec, connection.description))
            except (ImplementationError, known.KnownError, ValueError) as error:
                raise usage_error(f"--impl={spec}: {error}") from None
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
            output[VERDICTS] = msgspec.json.encode((self.descriptions, self.not_offered, self.elsewhere)).decode()
            return
        if session.config.option.collectonly or session.exitstatus not in (0, 1, 5):
            return
        whole = self.settings.dialects is None and self.settings.areas is None and not any(self.elsewhere.values())
        ended = self._ended()
        told = (*ended.nothing_asked(), *ended.stale(self._files(), complete=whole and not self.deselected))
        self.lines = [safe(middle(line, _LINE)) for line in told]
        if self.lines and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        try:
            self._write()
        except (ReportError, OSError) as error:
            self.lines.append(safe(middle(f"the report could not be written: {error}", _LINE)))
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """xdist's: a worker ended; take over what it learned of the implementations."""
        sent = getattr(node, "workeroutput", {}).get(VERDICTS)
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
        for text in self._ended().texts(width=writer.fullwidth, color=writer.hasmarkup):
            terminalreporter.write(text)
        for line in self.lines:
            terminalreporter.write_line(line, red=True)

    # --- the end of a run ---

    def _ended(self) -> Ended:
        return Ended(self.verdicts, self.descriptions, self.not_offered, self.elsewhere)

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
    try:
        _ = catalog.current().index
    except SchemaError as error:
        raise usage_error(f"the catalogue: {error.detail}") from None
    suite = Suite(Settings.of(config))
    config.args = [str(suite.anchor)]
    config.pluginmanager.register(suite, "wireproof-suite")
