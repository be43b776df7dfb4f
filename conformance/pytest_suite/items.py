"""The items that pytest collects with `--impl`: one for each entry of the selection, and with `--properties` one for
each property."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from _pytest._code.code import ExceptionInfo

from wireproof.conformance import garbage
from wireproof.conformance.asking.examiner import ASKED, Judged
from wireproof.conformance.connection import ImplementationError
from wireproof.conformance.connection.protocol.transcript import TranscriptError
from wireproof.conformance.model import DEVIATIONS, Outcome, Verdict
from wireproof.conformance.pytest_suite.failures import Failure
from wireproof.conformance.pytest_suite.implementations import Implementation, Implementations, scopes
from wireproof.conformance.pytest_suite.options import usage_error
from wireproof.conformance.pytest_suite.selection import Chosen
from wireproof.conformance.questions.selection import Entry
from wireproof.conformance.report.text import middle, paragraph, safe
from wireproof.conformance.vectors.places import place
from wireproof.reference.errors import SchemaError

if TYPE_CHECKING:
    from wireproof.conformance.properties.properties import Property

#: The folder that pytest collects: the suite's vectors.
FOLDER = Path(str(resources.files("wireproof.vectors"))).resolve()
#: The attributes of pytest's reports: the verdicts, whether the failure has a page …
VERDICTS = "wireproof_verdicts"
PAGED = "wireproof_paged"
#: … and whether nothing in it fails, but something is a known deviation.
KNOWN = "wireproof_known"
#: The maximum length of a skip reason, in characters.
_REASON = 300


class ItemFailure(Exception):  # noqa: N818 (a result that pytest shows, not an error of ours)
    """An item failed. `failed`: its judged questions that fail the run."""

    def __init__(self, failed: Sequence[Judged]) -> None:
        super().__init__(failed[0].verdict.detail)
        self.failed = failed


def fails(verdict: Verdict, strict: frozenset[Outcome]) -> bool:
    """Whether a verdict fails the run: a deviation that is not known, or one of the outcomes in `strict`."""
    return verdict.outcome in strict or (verdict.outcome in DEVIATIONS and verdict.known is None)


class SuiteItem(pytest.Item):
    """An item that ends in verdicts on one implementation."""

    def __init__(self, *, implementation: Implementation, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.implementation = implementation
        self.verdicts: list[Verdict] = []
        #: Whether its failure has a page; further failures of the same finding have only a line.
        self.paged = True

    def ask(self) -> Sequence[Judged]:
        """Its questions, judged."""
        raise NotImplementedError

    def runtest(self) -> None:
        """Pass, skip or fail, as the worst verdict says."""
        try:
            judged = self.ask()
        except TranscriptError as error:
            pytest.exit(str(error), pytest.ExitCode.INTERRUPTED)
        except ImplementationError as error:
            self.leave(f"--impl={self.implementation.spec}: {error}")
        self.verdicts = [one.verdict for one in judged]
        contested = [one for one in self.verdicts if one.outcome is Outcome.CONTESTED]
        rulings = sorted({ruling for one in contested for ruling in one.rulings})
        if contested:
            self.user_properties.append((str(Outcome.CONTESTED), ", ".join(rulings)))
        strict = self.implementation.settings.strict
        failed = [one for one in judged if fails(one.verdict, strict)]
        if failed:
            raise ItemFailure(failed)
        if not judged:
            pytest.skip("nothing to ask: the implementation offers none of the cases from which these are derived")
        if not any(verdict.outcome in ASKED for verdict in self.verdicts):
            pytest.skip(f"{self.verdicts[0].outcome}: {safe(middle(self.verdicts[0].detail, _REASON))}")

    def leave(self, text: str) -> NoReturn:
        """End the whole run with this text: nothing more can be asked."""
        message = paragraph(text)
        if hasattr(self.config, "workeroutput"):  # an xdist worker that exits without `shouldstop` is an error of xdist
            self.session.shouldstop = message
        pytest.exit(message, pytest.ExitCode.USAGE_ERROR)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The file and line of the vector: JUnit's pages (xunit1) lead there."""
        return *place(self.name), self.nodeid

    def repr_failure(self, excinfo: ExceptionInfo[BaseException], style: Any = None) -> Any:
        if not isinstance(excinfo.value, ItemFailure):
            return super().repr_failure(excinfo, style)
        failed = excinfo.value.failed
        paged, others = self.implementation.pages.divide(failed)
        paged = [*map(self.implementation.examiner.with_undeclared_reading, paged)]
        noted = {one.verdict.id: one.verdict for one in paged}
        self.verdicts = [noted.get(verdict.id, verdict) for verdict in self.verdicts]
        self.paged = bool(paged)
        return Failure(
            paged,
            others,
            first=failed[0].verdict,
            location=self.location,
            described=self.implementation.description,
            spec=self.implementation.spec,
            style=self.config.getoption("tbstyle", "auto"),
            simplest=self._simplest,
        )

    def _simplest(self, judged: Judged) -> Judged:
        """The simplest failure of the same finding, with a note on an undeclared reading."""
        simplest = self.implementation.pages.simplest(judged)
        if simplest.verdict.id == judged.verdict.id:
            return judged
        return self.implementation.examiner.with_undeclared_reading(simplest)


class EntryItem(SuiteItem):
    """A vector and op, a case of the ledger with all its ops, or the derived cases of a message version."""

    def __init__(self, *, entry: Entry, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.entry = entry

    def ask(self) -> Sequence[Judged]:
        return self.implementation.ahead.judged(self.entry)


class PropertyItem(SuiteItem):
    """One property of one type, over generated cases, until the first deviation."""

    def __init__(self, *, check: Property, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def ask(self) -> Sequence[Judged]:
        from wireproof.conformance.properties import properties  # loaded late, as in `ImplementationNode`

        return [properties.run(self.check, self.implementation.examiner, self.implementation.settings.properties)]


class ImplementationNode(pytest.Collector):
    """All items of one implementation."""

    def __init__(self, *, implementation: Implementation, chosen: Chosen, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.implementation = implementation
        self.chosen = chosen

    def collect(self) -> Iterator[pytest.Item]:
        try:
            yield from self.chosen.among(self.implementation.spec, self._items())
        except SchemaError as error:  # a catalogue's schemas are read when they are first needed
            pytest.exit(paragraph(f"the catalogue: {error}"), pytest.ExitCode.USAGE_ERROR)

    def _items(self) -> Iterator[pytest.Item]:
        for entry in self.implementation.entries():
            yield self._item(EntryItem, entry.name, entry=entry)
        settings = self.implementation.settings
        if settings.properties:
            from wireproof.conformance.properties import properties  # hypothesis loads slowly

            for check in properties.offered(self.implementation.description, settings.dialects, settings.areas):
                yield self._item(PropertyItem, check.id, check=check)

    def _item(self, kind: type[SuiteItem], name: str, **of_kind: Any) -> pytest.Item:
        item: pytest.Item = kind.from_parent(
            self, name=name, nodeid=f"{self.nodeid}::{name}", implementation=self.implementation, **of_kind
        )
        return item


class Root(pytest.Directory):
    """The suite's node in pytest's collection tree."""

    def __init__(self, *, implementations: Implementations, chosen: Chosen, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.implementations = implementations
        self.chosen = chosen

    def collect(self) -> Iterator[ImplementationNode]:
        for spec, implementation in self.implementations.by_spec.items():
            yield ImplementationNode.from_parent(
                self, name=spec, nodeid=spec, implementation=implementation, chosen=self.chosen
            )


class Collection:
    """A plugin: pytest collects the suite, and its reports have the items' verdicts."""

    def __init__(self, implementations: Implementations, chosen: Chosen) -> None:
        self._implementations = implementations
        self._chosen = chosen
        #: Whether some items of the suite will not run: because of ids as arguments, -k, --lf and the like.
        self.deselected = bool(chosen)
        #: How many items were taken out of the list without pytest's hook for that: pytest itself does not count them.
        self.removed = 0
        self._left = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Any:
        with garbage.paused():  # nothing becomes garbage here
            result = yield
        garbage.freeze_and_collect_rarely()
        return result

    @pytest.hookimpl
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> Root | None:
        if path != FOLDER:
            return None
        root: Root = Root.from_parent(
            parent, path=path, nodeid="conformance", implementations=self._implementations, chosen=self._chosen
        )
        return root

    @pytest.hookimpl
    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._left += isinstance(item, SuiteItem)

    @pytest.hookimpl
    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.deselected = self.deselected or bool(items)
        self._left -= sum(isinstance(item, SuiteItem) for item in items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        missing = () if hasattr(config, "workerinput") else self._chosen.missing()
        if missing:
            raise usage_error("\n".join(missing))

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Plan the questions in the order in which the items will run: plugins may have changed it."""
        self.removed = max(0, self._left - sum(isinstance(item, SuiteItem) for item in session.items))
        self.deselected = self.deselected or self.removed > 0
        shared = hasattr(session.config, "workerinput")
        numbers = scopes(item.nodeid for item in session.items) if shared else itertools.repeat(0)
        planned: dict[Implementation, tuple[list[Entry], list[int]]] = {}
        for item, number in zip(session.items, numbers, strict=False):
            if isinstance(item, EntryItem):
                entries, entry_scopes = planned.setdefault(item.implementation, ([], []))
                entries.append(item.entry)
                entry_scopes.append(number)
        for implementation, (entries, entry_scopes) in planned.items():
            implementation.ahead.plan(entries, entry_scopes)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.when == "call" and isinstance(item, SuiteItem):
            setattr(report, VERDICTS, item.verdicts)
            setattr(report, PAGED, item.paged)
            known = {one.known: None for one in item.verdicts if one.known is not None}
            setattr(report, KNOWN, bool(known) and report.passed and not hasattr(report, "wasxfail"))
            if getattr(report, KNOWN):  # to other plugins it is what pytest calls an expected failure
                report.outcome = "skipped"
                report.wasxfail = f"known: {', '.join(known)}"
        return report

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item) -> bool | None:
        """A hook of pytest-timeout: the suite's items get no timer. An item may wait for a whole block of questions,
        and each question has its own limit, --case-timeout."""
        return True if isinstance(item, SuiteItem) else None
