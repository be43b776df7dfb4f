"""After repeated crashes in one type and version its derived cases are not asked."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from conformance.model import Observation, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.model import Case

#: So many crashes, hangs or exhaustions of memory close a type and version.
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

    def note(self, index: int, observation: Observation) -> None:
        """An observation of the case that stands at `index` among those asked now."""
        if observation.status in _GRAVE:
            key = _key(observation.case)
            self._now[key] = sorted([*self._now[key], index])[:LIMIT]

    def spares(self, index: int, case: Case) -> Observation | None:
        """The observation of a case that need not be asked any more."""
        if not case.derived:
            return None
        key = _key(case)
        crashes = self._before[key] + sum(earlier < index for earlier in self._now[key])
        return _not_asked(case) if crashes >= LIMIT else None

    def settle(self, observations: Sequence[Observation]) -> list[Observation]:
        """The final observations of all the cases asked now.

        What was asked ahead of a third crash is taken back, so that the result does not depend on timing.
        """
        self._now.clear()
        settled = []
        for observation in observations:
            key = _key(observation.case)
            if observation.case.derived and self._before[key] >= LIMIT:
                settled.append(_not_asked(observation.case))
                continue
            self._before[key] += observation.status in _GRAVE
            settled.append(observation)
        return settled


def _not_asked(case: Case) -> Observation:
    version = "" if case.version is None else f" version {case.version}"
    what = f"{case.type}{version}" if case.type else "this dialect"
    return Observation(
        case, Status.NOT_ASKED, detail=f"after {LIMIT} crashes or hangs in {what}, what is derived of it is not asked"
    )
