"""How far a run came: of the items that each implementation was to be asked, those that came to their end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


class Progress:
    """Items planned and done, by implementation spec, which an item's id begins with."""

    def __init__(self) -> None:
        self._planned: Counter[str] = Counter()
        self._done: dict[str, set[str]] = {}
        self._passed_over: dict[str, set[str]] = {}

    def plan(self, ids: Iterable[str]) -> None:
        """These are all the items of the run. Every xdist worker reports the same ones."""
        self._planned = Counter(_spec(one) for one in ids)

    def done(self, identifier: str) -> None:
        """An item came to its end."""
        self._done.setdefault(_spec(identifier), set()).add(identifier)

    def pass_over(self, identifier: str) -> None:
        """An item will not be asked: a mark or a hook of the user's says so."""
        self._passed_over.setdefault(_spec(identifier), set()).add(identifier)

    def ended(self, spec: str) -> bool:
        """Whether all items of an implementation are known, and came to their end or were passed over."""
        met = len(self._done.get(spec, ())) + len(self._passed_over.get(spec, ()))
        return spec in self._planned and met >= self._planned[spec]

    def cut_off(self) -> bool:
        """Whether the run was ended before all items had their turn."""
        return not all(self.ended(spec) for spec in self._planned)

    def count(self, spec: str) -> int:
        """How many items of an implementation came to their end."""
        return len(self._done.get(spec, ()))

    def incomplete(self) -> Mapping[str, tuple[int, int]]:
        """For each implementation that was not asked everything: how many items were asked, and of how many."""
        counts = {spec: (len(self._done.get(spec, ())), planned) for spec, planned in self._planned.items()}
        return {spec: (done, planned) for spec, (done, planned) in counts.items() if done < planned}


def _spec(identifier: str) -> str:
    return identifier.partition("::")[0]
