"""Which failures are shown on a page of their own: the first of each finding."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.asking import Judged
from conformance.findings import Group, group
from conformance.model import Verdict


class Pages:
    """The findings of one implementation that have been shown on a page. `every`: each failing item has a page."""

    def __init__(self, *, every: bool = False) -> None:
        self._every = every
        self._shown: set[Group | None] = set()

    def divide(self, failed: Sequence[Judged]) -> tuple[list[Judged], list[Verdict]]:
        """Divides an item's failures into those that get a page now, and the verdicts on the others."""
        paged, others = [], []
        here: set[Group | None] = set()
        for judged in failed:
            found = group(judged.verdict)
            if found in here or (found in self._shown and not self._every):
                others.append(judged.verdict)
            else:
                here.add(found)
                paged.append(judged)
        self._shown |= here
        return paged, others
