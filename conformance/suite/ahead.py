"""Asking ahead: while pytest runs one item, the implementation already answers the next ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from conformance.asking import Examiner, Judged
from conformance.selection import Entry


class Ahead:
    """Entries that will be wanted one after the other, judged in that order by one `Examiner`.

    An entry out of turn is asked alone: who wants one of them again, or wants them in an order of his own, does not pay
    for a block that nobody waits for. From the second entry on that follows another one, the plan goes on from there.
    """

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner
        self._planned: Sequence[Entry] = ()
        self._places: Mapping[str, int] = {}
        self._next = 0
        self._alone: int | None = None
        self._judged: Iterator[list[Judged]] = iter(())

    def plan(self, entries: Sequence[Entry]) -> None:
        """Say in which order the entries will be wanted."""
        self._planned = entries
        self._places = {entry.name: place for place, entry in enumerate(entries)}
        self._start(0)

    def judged(self, entry: Entry) -> list[Judged]:
        """All questions of an entry, judged. Raises ImplementationError when the settings are not taken."""
        place = self._places.get(entry.name)
        if place is not None and place != self._next and self._alone is not None and place == self._alone + 1:
            self._start(place)
        if place is None or place != self._next:
            self._alone = place
            return next(self._examiner.judge_entries([entry.questions]))
        self._alone = None
        self._next = place + 1
        return next(self._judged)

    def _start(self, place: int) -> None:
        self._next = place
        rest = itertools.islice(self._planned, place, None)
        self._judged = self._examiner.judge_entries(entry.questions for entry in rest)
