"""Asks ahead: while pytest runs one item, the implementation already answers the next ones."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Mapping, Sequence

from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.questions.selection import Entry


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
