"""Deviations that look alike: all are counted, but only the first ones and a few later ones are judged."""

from __future__ import annotations

from collections import Counter

from wireproof.fuzz.targets.kinds import Likeness

#: The first `FIRST` answers that look alike are judged, then one in `THEN` if the last one was a deviation, otherwise
#: one in `UNTIL_FOUND`: a fault may look like what another reading does, as when a value is refused without a reason.
FIRST = 3
UNTIL_FOUND = 8
THEN = 64


class Deduplication:
    """Decides which deviations are judged. So a frequent deviation does not slow down the search, and a different
    deviation that looks the same can still be found later."""

    def __init__(self) -> None:
        self._seen: Counter[Likeness] = Counter()
        #: The name of the last judged deviation of each likeness.
        self._named: dict[Likeness, str] = {}

    def should_judge(self, likeness: Likeness) -> bool:
        """Count a deviation. True if it should be judged."""
        self._seen[likeness] += 1
        count = self._seen[likeness]
        return count <= FIRST or count % (THEN if likeness in self._named else UNTIL_FOUND) == 0

    def remember(self, likeness: Likeness, name: str | None) -> None:
        """Remember the finding that a deviation of this likeness belongs to. None: the judge saw no deviation."""
        if name is None:
            self._named.pop(likeness, None)
        else:
            self._named[likeness] = name

    def last_name(self, likeness: Likeness) -> str | None:
        """The last finding of this likeness, if there is one."""
        return self._named.get(likeness)
