"""Which cases are not asked any more: those derived of a type after several crashes, and those of a kind that hangs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from conformance.connection.patience import Patience
from conformance.model import Observation, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.connection.endings import Ending
    from conformance.model import Case

#: How many crashes, hangs or exhaustions of memory close a type and version.
LIMIT = 3

_GRAVE = frozenset({Status.CRASH, Status.HANG, Status.OOM})

_Key = tuple[str, str | None, int | None]


def _key(case: Case) -> _Key:
    return case.dialect, case.type, case.version


class Quarantine:
    """Counts crashes by (dialect, type, version), in the order of the cases: not of the answers, which may vary."""

    def __init__(self) -> None:
        self._before: defaultdict[_Key, int] = defaultdict(int)
        self._now: defaultdict[_Key, list[int]] = defaultdict(list)
        self._patience = Patience()
        #: Nothing has crashed or hung so far, and nothing is spared.
        self.calm = True

    def note(self, index: int, observation: Observation) -> None:
        """An observation of the case that stands at `index` among those asked now."""
        if observation.status in _GRAVE:
            self.calm = False
            key = _key(observation.case)
            self._now[key] = sorted({*self._now[key], index})[:LIMIT]
        if observation.status is Status.HANG:
            self._patience.hung(index, observation.case)

    def silent(self, index: int, case: Case, ending: Ending) -> Observation:
        """The case at `index` was waited for briefly, and gave no answer: what is observed of it."""
        return self._patience.silent(index, case, ending)

    def on_probation(self, index: int, case: Case) -> bool:
        """Whether the case at `index` is waited for briefly."""
        return self._patience.on_probation(index, case)

    def spares(self, index: int, case: Case) -> Observation | None:
        """The observation of a case that is not asked any more; None when it is asked."""
        if case.derived:
            key = _key(case)
            crashes = self._before[key] + sum(earlier < index for earlier in self._now[key])
            if crashes >= LIMIT:
                return _not_asked(case)
        return self._patience.spares(index, case)

    def settle(self, observations: Sequence[Observation]) -> list[Observation]:
        """The final observations of all the cases asked now.

        What was asked ahead of the crash or hang that closes its kind is taken back, so that the result does not depend
        on timing.
        """
        if self.calm:
            return list(observations)
        self._now.clear()
        silent = self._patience.recount()
        settled = []
        for index, observation in enumerate(observations):
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
        return settled


def _not_asked(case: Case) -> Observation:
    version = "" if case.version is None else f" version {case.version}"
    what = f"{case.type}{version}" if case.type else "this dialect"
    return Observation(
        case, Status.NOT_ASKED, detail=f"after {LIMIT} crashes or hangs in {what}, what is derived of it is not asked"
    )
