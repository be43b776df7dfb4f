"""The implementations under test, asked ahead: while pytest runs one item, they already answer the next ones."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import ImplementationError
from wireproof.conformance.connection.process.start import Starting
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import Description, Verdict
from wireproof.conformance.pytest_suite.failures import Pages
from wireproof.conformance.pytest_suite.options import Settings, usage_error
from wireproof.conformance.questions import offered_types, selection
from wireproof.conformance.questions.selection import Entry, NotAsked

#: The approximate number of questions in a scope: eight blocks. Asking ahead needs large scopes; equal work for all
#: workers needs small ones.
_QUESTIONS = 2048
#: The end of an item's id for the derived cases of a message version, and the usual number of their questions.
_DERIVED, _DERIVED_QUESTIONS = "/derived", 75
#: A part of the ids whose questions take longest, and how many others take as long as one of them. They come last: with
#: scopes of the usual size one worker would have them all, while the others have nothing left to do.
_SLOW, _SLOW_QUESTIONS = f"/{selection.LAST}/", 16


def scopes(ids: Iterable[str]) -> Iterator[int]:
    """The number of each item's scope, from the items' ids. A scope is a group of neighbouring items: one xdist worker
    gets a whole scope and runs its items in order. Items of different implementations never share one.

    xdist's controller knows nothing but ids. It and every worker compute the same scopes, so they are not sent.
    """
    number, questions, before = 0, 0, None
    for one in ids:
        spec = one.partition("::")[0]
        if questions >= _QUESTIONS or spec != before:
            number, questions, before = number + 1, 0, spec
        questions += _DERIVED_QUESTIONS if one.endswith(_DERIVED) else _SLOW_QUESTIONS if _SLOW in one else 1
        yield number


class Ahead:
    """Entries in the order in which pytest will run them. One `Examiner` asks them ahead, and judges them in order.

    Nothing is asked beyond the current scope, because the next scope may run on another worker, or later. An entry that
    comes out of order in the middle of a scope is asked alone, so that it does not wait for a whole block; if the entry
    after it in the plan comes next, asking ahead continues from there.
    """

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner
        self._planned: Sequence[Entry] = ()
        self._places: Mapping[str, int] = {}
        self._scopes: Sequence[int] = ()
        self._next = 0
        self._end = 0
        self._alone: int | None = None
        self._judged: Iterator[list[Judged]] = iter(())

    def plan(self, entries: Sequence[Entry], scopes: Sequence[int] | None = None) -> None:
        """Set the order of the entries. `scopes`: the number of each entry's scope; None: one scope for all."""
        self._planned = entries
        self._places = {entry.name: place for place, entry in enumerate(entries)}
        self._scopes = [0] * len(entries) if scopes is None else scopes
        self._end = 0
        self._start(0)

    def judged(self, entry: Entry) -> list[Judged]:
        """All judged questions of an entry. Raises ImplementationError when `configure` fails."""
        place = self._places.get(entry.name)
        if place is not None and self._goes_on(place):
            self._start(place)
        if place is None or place != self._next:
            self._alone = place
            return next(self._examiner.judge_entries([entry.questions]))
        self._alone = None
        self._next = place + 1
        return next(self._judged)

    def _goes_on(self, place: int) -> bool:
        """Whether asking ahead starts again at this entry."""
        if place == self._next:
            return place >= self._end
        begins = place > 0 and self._scopes[place - 1] != self._scopes[place]
        return begins or (self._alone is not None and place == self._alone + 1)

    def _start(self, place: int) -> None:
        self._next = place
        self._end = bisect.bisect_right(self._scopes, self._scopes[place]) if self._scopes else 0
        rest = itertools.islice(self._planned, place, self._end)
        self._judged = self._examiner.judge_entries(entry.questions for entry in rest)


class Implementation:
    """One implementation under test, in this process."""

    def __init__(self, spec: str, settings: Settings, starting: Starting) -> None:
        """Connect to it. Raises pytest.UsageError."""
        self.spec = spec
        self.settings = settings
        try:
            connection = starting.connection()
            offered_types.check(connection.description)
            self.examiner = Examiner(connection, _known(spec, settings, connection.description))
        except ValueError as error:  # ImplementationError and KnownError are such
            raise usage_error(f"--impl={spec}: {error}") from None
        self.ahead = Ahead(self.examiner)
        self.pages = Pages(every=settings.every_page)
        #: Filled by `entries`. With xdist the workers collect, and tell the controller.
        self.not_asked = NotAsked()
        #: Filled at the end of the run: the verdict on how it ended, if it ended wrongly. With xdist: of each worker's.
        self.ends: list[Verdict] = []

    @property
    def description(self) -> Description:
        return self.examiner.description

    def entries(self) -> Iterator[Entry]:
        """What it is asked. Questions that it is not asked are counted."""
        self.not_asked = NotAsked()
        yield from selection.entries(self.description, self.not_asked, self.settings.dialects, self.settings.areas)


class Implementations:
    """A plugin, and the implementations that it has connected to, by their specs."""

    def __init__(self, settings: Settings, started: Mapping[str, Starting]) -> None:
        self._settings = settings
        self._started = started
        self.by_spec: dict[str, Implementation] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """One that cannot be started is an error in the command line."""
        for spec in self._settings.implementations:
            try:
                starting = self._started.get(spec) or Starting(spec, self._settings.connection)
            except ImplementationError as error:
                raise usage_error(f"--impl={spec}: {error}") from None
            self.by_spec[spec] = Implementation(spec, self._settings, starting)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, None, None]:
        """End them before the others look at the results."""
        for implementation in self.by_spec.values():
            verdict = implementation.examiner.end()
            if verdict is not None:
                implementation.ends.append(verdict)
        return (yield)


def _known(spec: str, settings: Settings, description: Description) -> known_deviations.Known:
    """The known deviations: the file of --known, or the one beside the implementation."""
    if settings.known == "none":
        return known_deviations.Known(None, ())
    path = Path(settings.known) if settings.known else known_beside(spec)
    return known_deviations.load(path, description.version) if path else known_deviations.Known(None, ())
