"""The items that pytest collects with `--impl`: one for each entry of the selection, and with `--properties` one for
each property."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from _pytest._code.code import ExceptionInfo, TerminalRepr
from _pytest._io import TerminalWriter

from wireproof.conformance.asking.examiner import ASKED, Judged
from wireproof.conformance.connection import ImplementationError
from wireproof.conformance.connection.protocol.transcript import TranscriptError
from wireproof.conformance.model import DEVIATIONS, Description, Outcome, Verdict
from wireproof.conformance.pytest_suite.styles import Styled
from wireproof.conformance.questions.selection import Entry
from wireproof.conformance.report.failure import render_failure, repro_command
from wireproof.conformance.report.text import middle, paragraph, safe
from wireproof.reference.errors import SchemaError

if TYPE_CHECKING:
    from wireproof.conformance.properties.properties import Property
    from wireproof.conformance.pytest_suite.plugin import Suite

#: The maximum length of a skip reason, in characters.
_REASON = 300


class ItemFailure(Exception):  # noqa: N818 (a result that pytest shows, not an error of ours)
    """An item failed. `failed`: its judged questions that fail the run."""

    def __init__(self, failed: Sequence[Judged]) -> None:
        super().__init__(failed[0].verdict.detail)
        self.failed = failed


class Failure(TerminalRepr):
    """An item's failure as text, in colour if the terminal has colours: a page for each of `paged`, a line for each of
    the `others`."""

    def __init__(self, paged: Sequence[Judged], others: Sequence[Verdict], described: Description, spec: str) -> None:
        self.paged = paged
        self.others = others
        self.described = described
        self.spec = spec

    def toterminal(self, tw: TerminalWriter) -> None:
        for judged in self.paged:
            text = render_failure(
                judged.vector,
                judged.case,
                judged.observation,
                judged.verdict,
                implementation=self.described,
                repro=repro_command(judged.case.id, self.spec),
                width=tw.fullwidth,
                color=tw.hasmarkup,
            )
            tw.write(text)
        if self.paged and self.others:
            tw.write(f"and {len(self.others)} more here:\n")
        for verdict in self.others:
            tw.write(f"    {verdict.id}: {verdict.outcome}{f' ({verdict.kind})' if verdict.kind else ''}\n")


def fails(verdict: Verdict, *, strict: bool) -> bool:
    """Whether a verdict fails the run; with `strict`, other readings fail it too."""
    if verdict.outcome is Outcome.CONTESTED:
        return strict
    return verdict.outcome in DEVIATIONS and verdict.known is None


class SuiteItem(pytest.Item):
    """An item that ends in verdicts on one implementation."""

    def __init__(self, *, suite: Suite, spec: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.suite = suite
        self.spec = spec
        self.verdicts: list[Verdict] = []
        #: Whether its failure has a page; further failures of the same finding have only a line.
        self.paged = True

    def ask(self) -> Sequence[Judged]:
        """Its questions, judged."""
        raise NotImplementedError

    def runtest(self) -> None:
        """Pass, skip or fail, as the worst verdict says. The plugin attaches the verdicts to pytest's report."""
        try:
            judged = self.ask()
        except TranscriptError as error:
            pytest.exit(str(error), pytest.ExitCode.INTERRUPTED)
        except ImplementationError as error:
            self.leave(f"--impl={self.spec}: {error}")
        self.verdicts = [one.verdict for one in judged]
        strict = self.suite.settings.contested == "fail"
        failed = [one for one in judged if fails(one.verdict, strict=strict)]
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

    @functools.cached_property
    def location(self) -> tuple[str, int | None, str]:
        """The value that pytest would compute from `reportinfo` for each item."""
        return self.suite.where, None, self.nodeid

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """With a line number: pytest needs one for an item that a mark skips."""
        return self.path, 0, self.nodeid

    def repr_failure(self, excinfo: ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ItemFailure):
            failed = excinfo.value.failed
            paged, others = self.suite.pages[self.spec].divide(failed)
            self.paged = bool(paged)
            page = Failure(paged, others, self.suite.descriptions[self.spec], self.spec)
            verdict = failed[0].verdict
            return Styled(page, verdict, self.nodeid, repro_command(verdict.id, self.spec), self.config.option.tbstyle)
        return super().repr_failure(excinfo, style)


class EntryItem(SuiteItem):
    """A vector and op, a case of the ledger with all its ops, or the derived cases of a message version."""

    def __init__(self, *, entry: Entry, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.entry = entry

    def ask(self) -> Sequence[Judged]:
        return self.suite.ahead[self.spec].judged(self.entry)


class PropertyItem(SuiteItem):
    """One property of one type, over generated cases, until the first deviation."""

    def __init__(self, *, check: Property, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def ask(self) -> Sequence[Judged]:
        from wireproof.conformance.properties import properties  # loaded late, as in `Implementation`

        return [properties.run(self.check, self.suite.open(self.spec), self.suite.settings.properties)]


class Implementation(pytest.Collector):
    """All items of one implementation."""

    def __init__(self, *, suite: Suite, spec: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.suite = suite
        self.spec = spec

    def collect(self) -> Iterator[pytest.Item]:
        try:
            yield from self.suite.chosen.among(self.spec, self._items())
        except SchemaError as error:  # a catalogue's schemas are read when they are first needed
            pytest.exit(paragraph(f"the catalogue: {error}"), pytest.ExitCode.USAGE_ERROR)

    def _items(self) -> Iterator[pytest.Item]:
        for entry in self.suite.entries(self.spec):
            yield self._item(EntryItem, entry.name, entry=entry)
        settings = self.suite.settings
        if settings.properties:
            from wireproof.conformance.properties import properties  # hypothesis loads slowly

            described = self.suite.descriptions[self.spec]
            for check in properties.offered(described, settings.dialects, settings.areas):
                yield self._item(PropertyItem, check.id, check=check)

    def _item(self, kind: type[SuiteItem], name: str, **of_kind: Any) -> pytest.Item:
        item: pytest.Item = kind.from_parent(
            self, name=name, nodeid=f"{self.nodeid}::{name}", suite=self.suite, spec=self.spec, **of_kind
        )
        return item


class Root(pytest.File):
    """The suite's node in pytest's collection tree."""

    def __init__(self, *, suite: Suite, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.suite = suite

    def collect(self) -> Iterator[Implementation]:
        for spec in self.suite.settings.implementations:
            yield Implementation.from_parent(self, name=spec, nodeid=spec, spec=spec, suite=self.suite)
