"""Asking ahead: while pytest runs one item, the implementation already answers the next ones."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Mapping, Sequence

from conformance.asking import Examiner, Judged
from conformance.selection import Entry


class Ahead:
    """Entries that will be wanted one after the other, judged in that order by one `Examiner`.

    Who wants another one than the next is answered too: from there on it goes on in the plan's order. Nothing is asked
    ahead beyond a scope: what comes behind it is somebody else's, or is wanted later.
    """

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner
        self._planned: Sequence[Entry] = ()
        self._places: Mapping[str, int] = {}
        self._scopes: Sequence[int] = ()
        self._next = 0
        self._end = 0
        self._judged: Iterator[list[Judged]] = iter(())

    def plan(self, entries: Sequence[Entry], scopes: Sequence[int] | None = None) -> None:
        """Say in which order the entries will be wanted. `scopes`: the number of each one's scope; None: all in one."""
        self._planned = entries
        self._places = {entry.name: place for place, entry in enumerate(entries)}
        self._scopes = [0] * len(entries) if scopes is None else scopes
        self._end = 0
        self._start(0)

    def judged(self, entry: Entry) -> list[Judged]:
        """All questions of an entry, judged. Raises ImplementationError when the settings are not taken."""
        place = self._places.get(entry.name)
        if place is None:
            return next(iter(self._examiner.judge_entries([entry.questions])))
        if place != self._next or place >= self._end:
            self._start(place)
        self._next = place + 1
        return next(self._judged)

    def _start(self, place: int) -> None:
        self._next = place
        self._end = bisect.bisect_right(self._scopes, self._scopes[place]) if self._scopes else 0
        rest = itertools.islice(self._planned, place, self._end)
        self._judged = self._examiner.judge_entries(entry.questions for entry in rest)
