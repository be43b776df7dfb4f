"""The verdicts of a run, kept and written into the report file while it goes on. With xdist: in the controller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from wireproof.conformance.model import DEVIATIONS, Description, Outcome, Verdict
from wireproof.conformance.pytest_suite.implementations import Implementations
from wireproof.conformance.pytest_suite.items import KNOWN, VERDICTS
from wireproof.conformance.pytest_suite.options import Settings, asks_nothing, usage_error
from wireproof.conformance.pytest_suite.signals import Signals
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.report.jsonl import ReportError, ReportWriter, Tally


class Progress:
    """Items planned and done, by implementation spec (the beginning of an item's id)."""

    def __init__(self) -> None:
        self._planned: Counter[str] = Counter()
        self._done: dict[str, set[str]] = {}
        self._passed_over: dict[str, set[str]] = {}

    def plan(self, ids: Iterable[str]) -> None:
        """These are all the items of the run. Every xdist worker reports the same ones."""
        self._planned = Counter(_spec(one) for one in ids)

    def done(self, identifier: str) -> None:
        """An item has run."""
        self._done.setdefault(_spec(identifier), set()).add(identifier)

    def pass_over(self, identifier: str) -> None:
        """An item will not run, because of a mark or a hook of the user."""
        self._passed_over.setdefault(_spec(identifier), set()).add(identifier)

    def ended(self, spec: str) -> bool:
        """Whether all items of an implementation are known, and have run or were passed over."""
        met = len(self._done.get(spec, ())) + len(self._passed_over.get(spec, ()))
        return spec in self._planned and met >= self._planned[spec]

    def cut_off(self) -> bool:
        """Whether the run ended before all items had run or were passed over."""
        return not all(self.ended(spec) for spec in self._planned)

    def count(self, spec: str) -> int:
        """The number of items of an implementation that have run."""
        return len(self._done.get(spec, ()))

    def incomplete(self) -> Mapping[str, tuple[int, int]]:
        """For each implementation with items that did not run: the number of items that ran, and of all items."""
        counts = {spec: (len(self._done.get(spec, ())), planned) for spec, planned in self._planned.items()}
        return {spec: (done, planned) for spec, (done, planned) in counts.items() if done < planned}


def _spec(identifier: str) -> str:
    return identifier.partition("::")[0]


class ReportFile:
    """Writes the reports of several implementations into one file, one after the other.

    Verdicts on the first implementation are written at once. Verdicts on another one wait for the end of the run: how
    the first one ends is known only then, and an xdist worker may start the next one while another still runs the last
    items of this one. Each method raises ReportError when the file cannot be written.
    """

    def __init__(self, path: Path, descriptions: Mapping[str, Description], options: str, *, overwrite: bool) -> None:
        """`descriptions`: by implementation spec, in the order of the reports. `overwrite`: as of ReportWriter."""
        self._writer = ReportWriter(path, overwrite=overwrite)
        self._descriptions = descriptions
        self._options = options
        self._open: str | None = None
        self._counts: Counter[tuple[str, str]] = Counter()
        self._waiting: dict[str, list[Verdict]] = {}

    def verdicts(self, spec: str, verdicts: Sequence[Verdict]) -> None:
        """Verdicts on an implementation."""
        if self._open is None:
            self._begin(spec)
        if self._open == spec:
            self._write(spec, verdicts)
        else:
            self._waiting.setdefault(spec, []).extend(verdicts)

    def finish(self, incomplete: Mapping[str, tuple[int, int]]) -> None:
        """Write what waits, and a summary for each implementation. `incomplete`: for those with items that did not run,
        the number of items that ran, and of all items."""
        for spec in sorted(self._descriptions, key=lambda one: one != self._open):
            if self._open != spec:
                self._begin(spec)
            self._writer.summary(Tally(self._counts), incomplete.get(spec))
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def _begin(self, spec: str) -> None:
        self._open = spec
        self._counts = Counter()
        self._writer.implementation(self._descriptions[spec], self._options)
        self._write(spec, self._waiting.pop(spec, ()))

    def _write(self, spec: str, verdicts: Sequence[Verdict]) -> None:
        reached_by = self._descriptions[spec].reached_by
        for verdict in verdicts:
            self._writer.verdict(verdict, repro_command(verdict.id, spec, reached_by))
        self._counts.update((verdict.area, str(verdict.outcome)) for verdict in verdicts)


class Results:
    """A plugin, and the verdicts that it has received."""

    def __init__(self, settings: Settings, implementations: Implementations, signals: Signals) -> None:
        self._settings = settings
        self._implementations = implementations
        self._signals = signals
        self._report: ReportFile | None = None
        self.verdicts: dict[str, list[Verdict]] = {spec: [] for spec in settings.implementations}
        self.progress = Progress()
        #: The outcomes of deviations in items that a mark of the user excuses (xfail), by implementation spec.
        self.excused: dict[str, Counter[str]] = {}
        #: Why the report could not be written.
        self.unwritten: ReportError | None = None

    @pytest.hookimpl
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """A report that cannot be written is an error in the command line."""
        if self._settings.report is None or asks_nothing(session.config):
            return
        described = {spec: one.description for spec, one in self._implementations.by_spec.items()}
        try:
            self._report = ReportFile(
                self._settings.report, described, self._settings.one_line(), overwrite=self._settings.overwrite
            )
        except ReportError as error:
            raise usage_error(str(error)) from None

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:  # xdist's controller has none
            self.progress.plan(item.nodeid for item in session.items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport | pytest.CollectReport) -> Any:
        if getattr(report, KNOWN, False):
            return "known", "k", ("KNOWN", {"yellow": True})
        if getattr(report, "when", None) != "call" or report.outcome != "passed":
            return None
        verdicts: Sequence[Verdict] = getattr(report, VERDICTS, ())
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
        spec, verdicts = _spec(report.nodeid), getattr(report, VERDICTS, ())
        with self._signals.held():
            self.verdicts.setdefault(spec, []).extend(verdicts)
            if hasattr(report, "wasxfail") and not getattr(report, KNOWN, False):
                new = [str(one.outcome) for one in verdicts if one.outcome in DEVIATIONS and one.known is None]
                self.excused.setdefault(spec, Counter()).update(new)
            self.progress.done(report.nodeid)
            try:
                self._write(spec, verdicts)
            except ReportError as error:
                self._give_up(error)
                pytest.exit(str(error), pytest.ExitCode.INTERRUPTED)

    def finish(self) -> None:
        """Take the verdicts on how the implementations ended, and write the end of the report. `unwritten` says why it
        could not be written."""
        try:
            for spec, one in self._implementations.by_spec.items():
                self.verdicts[spec].extend(one.ends)
                if one.ends:
                    self._write(spec, one.ends)
            if self._report is not None:
                self._report.finish(self.progress.incomplete())
        except ReportError as error:
            self._give_up(error)

    def _write(self, spec: str, verdicts: Sequence[Verdict]) -> None:
        if self._report is None or spec not in self._implementations.by_spec:
            return
        self._report.verdicts(spec, verdicts)

    def _give_up(self, error: ReportError) -> None:
        self.unwritten = error
        if self._report is not None:
            self._report.close()
            self._report = None
