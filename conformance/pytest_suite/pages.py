"""Chooses the failures that get a page: the first of each finding."""

from __future__ import annotations

from collections.abc import Sequence

from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.judging.findings import Group, group
from wireproof.conformance.model import Verdict


class Pages:
    """The findings of one implementation that already have a page. `every`: each failing item gets a page."""

    def __init__(self, *, every: bool = False) -> None:
        self._every = every
        self._shown: set[Group | None] = set()

    def divide(self, failed: Sequence[Judged]) -> tuple[list[Judged], list[Verdict]]:
        """An item's failures that get a page now, and the verdicts of its other failures."""
        paged, others = [], []
        here: set[Group | None] = set()
        for judged in failed:
            finding = group(judged.verdict)
            if finding in here or (finding in self._shown and not self._every):
                others.append(judged.verdict)
            else:
                here.add(finding)
                paged.append(judged)
        self._shown |= here
        return paged, others
