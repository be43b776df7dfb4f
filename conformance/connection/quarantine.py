"""Cases that are not asked any more: derived cases of a type and version after several crashes, and cases of a kind
that hangs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from wireproof.conformance.connection.patience import HangGroup, Patience, kind_of
from wireproof.conformance.model import Observation, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wireproof.conformance.connection.process.endings import Ending
    from wireproof.conformance.model import Case

#: After this many crashes, hangs or memory failures a type and version is closed.
LIMIT = 3

_GRAVE = frozenset({Status.CRASH, Status.HANG, Status.OOM})

_Key = tuple[str, str | None, int | None]


def _key(case: Case) -> _Key:
    return case.dialect, case.type, case.version


class Quarantine:
    """Counts crashes by (dialect, type, version), in the order of the cases; the order of the answers may vary."""

    def __init__(self) -> None:
        self._before: defaultdict[_Key, int] = defaultdict(int)
        self._now: defaultdict[_Key, list[int]] = defaultdict(list)
        self._patience = Patience()
        #: The number of crashes, hangs and memory failures of each kind, as they came.
        self._deaths: Counter[HangGroup] = Counter()
        #: Nothing has crashed or hung so far, so every case is asked.
        self.calm = True

    def note(self, index: int, observation: Observation) -> None:
        """An observation of the case at `index` in the current block."""
        if observation.status in _GRAVE:
            self.calm = False
            self._deaths[kind_of(observation.case)] += 1
        self._count(index, observation)

    def _count(self, index: int, observation: Observation) -> None:
        if observation.status in _GRAVE:
            key = _key(observation.case)
            self._now[key] = sorted({*self._now[key], index})[:LIMIT]
        if observation.status is Status.HANG:
            self._patience.hung(index, observation.case)

    def silent(self, index: int, case: Case, ending: Ending) -> Observation:
        """The case at `index` gave no answer within a brief wait. Returns its observation."""
        return self._patience.silent(index, case, ending)

    def on_probation(self, index: int, case: Case) -> bool:
        """Whether the case at `index` gets only a brief wait."""
        return self._patience.on_probation(index, case)

    def was_without_answer(self, index: int, case: Case) -> bool:
        """Whether an earlier case of this kind gave no answer."""
        return self._patience.was_without_answer(index, case)

    def deadly(self, case: Case) -> bool:
        """Whether cases of this kind have often ended the process. Asked alone, such a case ends it once; beside others
        it has to be found out first, and ends it twice."""
        return self._deaths[kind_of(case)] >= LIMIT

    def spares(self, index: int, case: Case) -> Observation | None:
        """The observation of a case that is not asked any more; None for a case to ask."""
        if case.derived:
            key = _key(case)
            crashes = self._before[key] + sum(earlier < index for earlier in self._now[key])
            if crashes >= LIMIT:
                return _not_asked(case)
        return self._patience.spares(index, case)

    def settle(
        self, results: Sequence[Observation | None], later: Sequence[Observation | None] = (), first: int = 0
    ) -> list[Observation]:
        """The final observations of the next cases of the current block, whose indices begin at `first`. `later`: those
        of the cases behind them, as far as they are there.

        A case may have been asked before the crash or hang that closes its kind was seen. Its observation is then
        replaced, so that the result does not depend on timing.
        """
        observations = [one for one in results if one is not None]
        if self.calm:
            return observations
        self._now.clear()
        silent = self._patience.recount()
        settled = []
        for index, observation in enumerate(observations, first):
            spared = self.spares(index, observation.case)
            if spared is not None:
                settled.append(spared)
                continue
            self._before[_key(observation.case)] += observation.status in _GRAVE
            if observation.status is Status.HANG:
                self._patience.hung(index, observation.case)
            elif index in silent:
                self._patience.was_silent(index, observation.case)
            settled.append(observation)
        self._patience.settle()
        for index, one in enumerate(later, first + len(observations)):
            if one is not None:
                self._count(index, one)
            if index in silent and one is not None:
                self._patience.was_silent(index, one.case)
        return settled


def _not_asked(case: Case) -> Observation:
    version = "" if case.version is None else f" version {case.version}"
    what = f"{case.type}{version}" if case.type else "this dialect"
    return Observation(
        case, Status.NOT_ASKED, detail=f"after {LIMIT} crashes or hangs in {what}, its derived cases are not asked"
    )
