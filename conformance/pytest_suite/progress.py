"""The progress of a run: the items planned for each implementation, and those that have run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


class ItemProgress:
    """Items planned and done, by implementation spec (the beginning of an item's id)."""

    def __init__(self) -> None:
        self._planned: Counter[str] = Counter()
        self._done: dict[str, set[str]] = {}
        self._passed_over: dict[str, set[str]] = {}

    def plan(self, ids: Iterable[str]) -> None:
        """These are all the items of the run. Every xdist worker reports the same ones."""
        self._planned = Counter(_spec(one) for one in ids)

    def done(self, identifier: str) -> None:
        """An item has run."""
        self._done.setdefault(_spec(identifier), set()).add(identifier)

    def pass_over(self, identifier: str) -> None:
        """An item will not run, because of a mark or a hook of the user."""
        self._passed_over.setdefault(_spec(identifier), set()).add(identifier)

    def ended(self, spec: str) -> bool:
        """Whether all items of an implementation are known, and have run or were passed over."""
        met = len(self._done.get(spec, ())) + len(self._passed_over.get(spec, ()))
        return spec in self._planned and met >= self._planned[spec]

    def cut_off(self) -> bool:
        """Whether the run ended before all items had run or were passed over."""
        return not all(self.ended(spec) for spec in self._planned)

    def count(self, spec: str) -> int:
        """The number of items of an implementation that have run."""
        return len(self._done.get(spec, ()))

    def incomplete(self) -> Mapping[str, tuple[int, int]]:
        """For each implementation with items that did not run: the number of items that ran, and of all items."""
        counts = {spec: (len(self._done.get(spec, ())), planned) for spec, planned in self._planned.items()}
        return {spec: (done, planned) for spec, (done, planned) in counts.items() if done < planned}


def _spec(identifier: str) -> str:
    return identifier.partition("::")[0]
