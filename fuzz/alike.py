"""Deviations that look alike: the first ones are judged, later ones now and then, and all are counted."""

from __future__ import annotations

from collections import Counter

from fuzz.targets import Likeness

#: So many that look alike are judged one after the other, and of later ones one in so many.
FIRST = 3
THEN = 64


class Alike:
    """Says which are judged. A frequent deviation so does not slow the search for a rare one, and a second one that
    looks like it is not hidden for good."""

    def __init__(self) -> None:
        self._seen: Counter[Likeness] = Counter()
        #: Under which name those that look so were last told.
        self._named: dict[Likeness, str] = {}

    def wants(self, likeness: Likeness) -> bool:
        """Count one; whether it is to be judged."""
        self._seen[likeness] += 1
        count = self._seen[likeness]
        return count <= FIRST or count % THEN == 0

    def name(self, likeness: Likeness, name: str | None) -> None:
        """What the judge made of one that looks so: a finding's name; None where it is none."""
        if name is None:
            self._named.pop(likeness, None)
        else:
            self._named[likeness] = name

    def named(self, likeness: Likeness) -> str | None:
        """The finding that those which look so were last told as, if they were."""
        return self._named.get(likeness)
