"""What a run prints, and what makes it fail at its end."""

from __future__ import annotations

import contextlib
import datetime
import functools
import shlex
from collections import Counter
from collections.abc import Collection as Ids
from collections.abc import Iterator
from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import ASKED, OTHER_READING
from wireproof.conformance.asking.process_end import told
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import Effect, Outcome
from wireproof.conformance.pytest_suite.failures import BRIEF, ENCODING
from wireproof.conformance.pytest_suite.implementations import Implementations
from wireproof.conformance.pytest_suite.items import PAGED, Collection
from wireproof.conformance.pytest_suite.options import Settings, asks_nothing
from wireproof.conformance.pytest_suite.results import Results
from wireproof.conformance.pytest_suite.signals import Signals
from wireproof.conformance.report.summary import new_findings, numbers
from wireproof.conformance.report.text import encodable, middle, safe
from wireproof.conformance.vectors.conversations import MOST_DROPPED, MOST_HELD
from wireproof.conformance.writing import write_whole
from wireproof.reference import catalog

#: The maximum length of a line at the beginning or end of a run, in characters.
_LINE = 1000


class Output:
    """A plugin: the header, the end of the run, and its exit code."""

    def __init__(
        self,
        settings: Settings,
        implementations: Implementations,
        collection: Collection,
        results: Results,
        signals: Signals,
    ) -> None:
        self._settings = settings
        self._implementations = implementations
        self._collection = collection
        self._results = results
        self._signals = signals
        #: The last lines: problems of the run.
        self._lines: list[str] = []
        #: Failures without a page, while pytest prints pages.
        self._without_page: list[pytest.TestReport] = []

    @pytest.hookimpl
    def pytest_report_header(self) -> list[str]:
        kit = f"wireproof: vectors {vectors.digest()}; {self._settings.one_line()}"
        other = catalog.current() is not catalog.bundled()
        schemas = [f"message schemas: {catalog.current().made_by}"] if other else []
        lines = [kit, *schemas, f"implementations: {', '.join(self._settings.implementations)}"]
        lines += [
            f"{spec}: {_sent(one.description.effects, self._settings.connection.load)}"
            for spec, one in self._implementations.by_spec.items()
            if one.description.apis is not None
        ]
        return [_line(line) for line in lines]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what the run leaves behind, and decide whether it fails. From here on a signal ends it at once."""
        self._signals.end()
        if asks_nothing(session.config):
            return
        self._results.finish()
        problems = list(self._unwritten())
        if problems:
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        problems += [*self._ends()]
        if session.exitstatus in (0, 1, 5) and not self._results.progress.cut_off():
            problems += [*self._nothing_asked(), *self._own_vectors_not_asked(), *self._stale()]
        elif session.exitstatus == pytest.ExitCode.OK and not session.config.option.setuponly:
            # somebody called `pytest.exit` with it; --setup-plan sets `setuponly`, too
            problems.append("the run was ended before all items had run: that is no success")
        self._lines = [_line(line) for line in problems]
        if self._lines and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int, config: pytest.Config) -> Any:
        """Print the run's numbers and findings before or after pytest's own summary. The most important part comes
        last: the findings, or with -x the failure."""
        failed = terminalreporter.stats.get("failed", [])
        if config.option.verbose <= 0 and config.option.tbstyle not in BRIEF:
            self._without_page = [report for report in failed if not getattr(report, PAGED, True)]
            failed[:] = [report for report in failed if getattr(report, PAGED, True)]
        verdicts = self._results.verdicts
        if asks_nothing(config) or (exitstatus == pytest.ExitCode.USAGE_ERROR and not any(verdicts.values())):
            return (yield)
        writer = terminalreporter._tw  # noqa: SLF001 (pytest has no public way to its width and colours)
        look = {"width": writer.fullwidth, "color": writer.hasmarkup}
        described = {spec: one.description for spec, one in self._implementations.by_spec.items()}
        incomplete = self._results.progress.incomplete()
        told = "".join(
            numbers(
                verdicts,
                described,
                {spec: one.not_asked for spec, one in self._implementations.by_spec.items()},
                items={spec: self._results.progress.count(spec) for spec in verdicts},
                incomplete=incomplete,
                verbose=config.option.verbose > 0,
                whole=not (self._settings.dialects or self._settings.areas or terminalreporter.stats.get("deselected")),
                **look,
            )
        )
        # With -x the failure's page comes last, so the numbers come before it.
        stopped = bool(incomplete) and any(getattr(report, PAGED, False) for report in failed)
        if stopped:
            terminalreporter.write(encodable(told, ENCODING))
        with _known_among_expected(terminalreporter.stats):
            result = yield
        if not stopped:
            terminalreporter.write(encodable(told, ENCODING))
        if not (stopped and len(failed) == 1):  # a single failure's page already says everything
            simplest = {spec: one.pages.ids for spec, one in self._implementations.by_spec.items()}
            for text in new_findings(verdicts, described, simplest, **look):
                terminalreporter.write(encodable(text, ENCODING))
        for line in (*self._other_readings(), *self._excuses(), *self._not_measured(config)):
            terminalreporter.write_line(encodable(_line(line), ENCODING), yellow=True)
        for line in self._lines:
            terminalreporter.write_line(encodable(line, ENCODING), red=True)
        return result

    @pytest.hookimpl(specname="pytest_terminal_summary")
    def pytest_lines_behind_pages(self, terminalreporter: Any) -> None:
        """After the pages pytest prints its own lines: one for each failure, with or without a page."""
        if self._without_page:
            terminalreporter.stats["failed"] += self._without_page
            self._without_page = []

    def _unwritten(self) -> Iterator[str]:
        """What could not be written; the draft of a file of known deviations is written here."""
        if self._results.unwritten is not None:
            yield str(self._results.unwritten)
        if self._settings.write_known is not None:
            try:
                content = self._drafts().encode("utf-8", "backslashreplace")
                write_whole(self._settings.write_known, content, overwrite=self._settings.overwrite)
            except OSError as error:
                error.filename = error.filename or str(self._settings.write_known)  # not there if the disk is full
                yield str(error)

    def _drafts(self) -> str:
        """Drafts of files of known deviations, one after the other, for deviations that no file names yet."""
        return "\n".join(
            known_deviations.draft([verdict for verdict in verdicts if verdict.known is None], spec)
            for spec, verdicts in self._results.verdicts.items()
        )

    def _other_readings(self) -> Iterator[str]:
        """Lines that name the rulings of which an implementation takes another reading that it does not declare, and
        give the command that finds the names to declare, if there are names."""
        named = {one.id for dialect in reference.dialects for one in reference.rulings(dialect).values() if one.others}
        for spec, one in self._implementations.by_spec.items():
            verdicts = self._results.verdicts.get(spec, ())
            taken = Counter(
                ruling
                for verdict in verdicts
                if verdict.outcome is Outcome.CONTESTED
                for ruling in verdict.rulings
                if ruling not in one.description.readings
            )
            taken.update(
                verdict.note.removeprefix(OTHER_READING).partition(":")[0]
                for verdict in verdicts
                if verdict.note.startswith(OTHER_READING)
            )
            if taken:
                command = f"wireproof readings --impl={shlex.quote(spec)}"
                yield (
                    f"{spec}: other readings of contested rulings that it does not declare: {_counted(taken)}. "
                    f"Which to declare: {'none has a name' if named.isdisjoint(taken) else command}"
                )

    def _excuses(self) -> Iterator[str]:
        """Lines that tell what a plugin or conftest.py took out of the run, and how many deviations did not fail it, by
        their outcome."""
        if self._collection.removed:
            count = f"{self._collection.removed:,} items of the suite"
            yield f"{count} were not asked: a plugin or conftest.py removed them"
        for spec, verdicts in self._results.verdicts.items():
            known = Counter(str(verdict.outcome) for verdict in verdicts if verdict.known is not None)
            if known:
                yield f"{spec}: known deviations: {_counted(known)}"
            if excused := self._results.excused.get(spec):
                yield f"{spec}: excused by xfail marks of yours, in no file of known deviations: {_counted(excused)}"

    def _not_measured(self, config: pytest.Config) -> Iterator[str]:
        """A line for pytest-cov's users."""
        if config.getoption("cov_source", None) and not self._settings.connection.in_process:
            yield (
                "--cov: the implementation runs in a process of its own, where coverage measures nothing; --in-process "
                "runs a module in pytest's"
            )

    def _ends(self) -> Iterator[str]:
        """A line for each implementation whose process ended wrongly after its last answer."""
        for spec, one in self._implementations.by_spec.items():
            for verdict in one.ends:
                if verdict.known is None:
                    yield f"{spec}: {told(verdict)}"

    def _nothing_asked(self) -> Iterator[str]:
        """A line for each implementation that was asked nothing. Such a run proves nothing, so it fails."""
        for spec, verdicts in self._results.verdicts.items():
            if not any(verdict.outcome in ASKED for verdict in verdicts):
                yield f"{spec}: nothing was asked, or everything was skipped: such a run proves nothing, so it fails"

    def _own_vectors_not_asked(self) -> Iterator[str]:
        """A line for each folder of the user's own vectors of which an implementation was asked none, unless the
        command line leaves out a part."""
        narrowed = self._settings.dialects is not None or self._settings.areas is not None
        if narrowed or self._collection.deselected:
            return
        for spec, verdicts in self._results.verdicts.items():
            asked = {verdict.id.partition("/")[0] for verdict in verdicts if verdict.outcome in ASKED}
            for one in vectors.added():
                if one.name not in asked:
                    why = "it offers none of their types and ops"
                    yield f"{spec}: none of the vectors in {one.folder} was asked: {why}"

    def _stale(self) -> Iterator[str]:
        """Entries of the files of known deviations that are no longer true; they fail the run. Some can be told only
        after a run that asked all that the implementations offer."""
        narrowed = self._settings.dialects is not None or self._settings.areas is not None
        complete = not (narrowed or self._collection.deselected or self._results.progress.incomplete())
        complete = complete and not any(one.not_asked.other_schemas for one in self._implementations.by_spec.values())
        today = datetime.datetime.now(tz=datetime.UTC).date()
        for spec, implementation in self._implementations.by_spec.items():
            verdicts = self._results.verdicts.get(spec, ())
            yield from implementation.examiner.known.stale(verdicts, _every_id, complete=complete, today=today)


@contextlib.contextmanager
def _known_among_expected(stats: dict[str, list[Any]]) -> Iterator[None]:
    """In pytest's list of expected failures (-rx, -rA) known deviations stand with the others. The counts on the last
    line are apart."""
    expected = stats.get("xfailed")
    if known := stats.get("known"):
        stats["xfailed"] = [*(expected or ()), *known]
    yield
    stats.pop("xfailed", None)
    if expected is not None:
        stats["xfailed"] = expected


def _sent(effects: frozenset[Effect], load: int) -> str:
    """What a broker may be sent, and the clients beside the questions, in a line."""
    if Effect.CLUSTER in effects:
        said = "a broker of the kit's own, which is sent everything"
    elif Effect.WRITE in effects:
        said = "a broker, which is also sent what creates or changes something there"
    else:
        said = "a broker, which is sent only what changes nothing (more with --allow-writes)"
    if Effect.LOAD in effects:
        said += f", and faults, with up to {MOST_HELD} clients at a time and {MOST_DROPPED:,} one after another"
    return f"{said}; {load} clients misbehave beside the questions" if load else said


def _counted(words: Counter[str]) -> str:
    """The most frequent first: "103 fail, 2 hang"."""
    return ", ".join(f"{count:,} {word}" for word, count in words.most_common())


def _line(text: str) -> str:
    return safe(middle(text, _LINE))


@functools.cache
def _every_id() -> Ids[str]:
    """The ids of all cases, without derived and generated ones."""
    return {case.id for vector in (*vectors.load(), *ledger.every_vector()) for case in vector.cases()}
