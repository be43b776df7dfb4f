"""How long to wait for an answer. Each hang costs the whole time limit. So after a few hangs of one kind of case, the
kit waits only briefly for other cases of this kind, and then stops asking them.

Cases are of one kind when one bug would probably make all of them hang: in the ledger, the cases of one name
(`unknown-tags`) and op in all messages; elsewhere those of one area, type and op. Derived cases have their own kinds.

A case that the file of known deviations says to hang gets a still shorter wait from the beginning, and its silence is a
hang. If it is only slow, and answers later, the file's expectation stands for once: no run fails by it.

The steps, counted in the order of the cases, never in the order of the answers:

1. Each case has the whole limit, until `HANGS` cases of its kind hung, or `HANGS_IN_ALL` cases of all kinds.
2. From then on its kind is on probation: a case is asked with a brief wait. An answer counts as always. Silence is not
   called a hang, because the limit was not reached: the case counts as not asked.
3. After `SILENT` cases without an answer (or the first one after `SILENT_IN_ALL` of all kinds) the kind is closed: its
   other cases are not asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wireproof.conformance.model import CaseId, Observation, Status

if TYPE_CHECKING:
    from wireproof.conformance.connection.process.endings import Ending
    from wireproof.conformance.model import Case

#: See step 1.
HANGS = 3
HANGS_IN_ALL = 8
#: See step 3.
SILENT = 6
SILENT_IN_ALL = 40

#: A brief wait is this part of the limit, `KNOWN` if the case is known to hang, and at least this many seconds.
BRIEF = 0.1
KNOWN = 0.05
LEAST = 0.25


def brief(limit: float, *, known: bool = False) -> float:
    """The brief wait for a limit, both in seconds. `known`: the case is known to hang."""
    return min(limit, max(limit * (KNOWN if known else BRIEF), LEAST))


@dataclass(frozen=True, slots=True)
class HangGroup:
    """Cases that one bug would probably make hang."""

    where: str
    what: str
    op: str

    def __str__(self) -> str:
        return f"{self.op} of {self.what} in {self.where}"


def kind_of(case: Case) -> HangGroup:
    """The kind of a case, from its id."""
    asked = CaseId.parse(case.id)
    what = asked.ledger_case or case.type or ""
    if asked.mutation:
        what += f"+{asked.mutation.partition(':')[0]}"
    return HangGroup("/".join(asked.path.split("/")[:2]), what, case.op)


class Patience:
    """Counts the cases that hung, or gave no answer within a brief wait."""

    def __init__(self) -> None:
        #: In the blocks before: the number of cases of each kind.
        self._hung: Counter[HangGroup] = Counter()
        self._silent: Counter[HangGroup] = Counter()
        #: In the current block: the index and kind of each case.
        self._hung_now: dict[int, HangGroup] = {}
        self._silent_now: dict[int, HangGroup] = {}

    def hung(self, index: int, case: Case) -> None:
        """The case at this index gave no answer within the whole limit."""
        self._hung_now[index] = kind_of(case)

    def silent(self, index: int, case: Case, ending: Ending) -> Observation:
        """The case at this index gave no answer within a brief wait. Returns its observation."""
        kind = kind_of(case)
        self._silent_now[index] = kind
        hangs = self._count(self._hung, self._hung_now, index, kind)
        why = f"{hangs} of its kind ({kind})" if hangs >= HANGS else f"{HANGS_IN_ALL} cases"
        text = f"after {why} hung, the wait for this one was brief: {ending.detail}{_ALONE}"
        return Observation(case, Status.NOT_ASKED, detail=text)

    def on_probation(self, index: int, case: Case) -> bool:
        """Whether the case at this index gets only a brief wait."""
        if not self._hung and not self._hung_now:
            return False
        kind = kind_of(case)
        return (
            self._count(self._hung, self._hung_now, index, kind) >= HANGS
            or self._count(self._hung, self._hung_now, index) >= HANGS_IN_ALL
        )

    def spares(self, index: int, case: Case) -> Observation | None:
        """The observation of a case whose kind is closed; None for a case to ask."""
        if not self._hung and not self._hung_now:
            return None
        kind = kind_of(case)
        of_kind = self._without_answer(index, kind)
        if of_kind >= SILENT or (of_kind and self._without_answer(index) >= SILENT_IN_ALL):
            text = f"not asked: {of_kind} cases of its kind ({kind}) gave no answer{_ALONE}"
            return Observation(case, Status.NOT_ASKED, detail=text)
        return None

    def was_without_answer(self, index: int, case: Case) -> bool:
        """Whether a case of this kind, before this index, hung or was silent."""
        return self._without_answer(index, kind_of(case)) > 0

    def _without_answer(self, index: int, kind: HangGroup | None = None) -> int:
        return self._count(self._hung, self._hung_now, index, kind) + self._count(
            self._silent, self._silent_now, index, kind
        )

    @staticmethod
    def _count(before: Counter[HangGroup], now: dict[int, HangGroup], index: int, kind: HangGroup | None = None) -> int:
        """The number of cases before this index, of one kind or of all."""
        if kind is None:
            return before.total() + sum(place < index for place in now)
        return before[kind] + sum(place < index and other == kind for place, other in now.items())

    def recount(self) -> frozenset[int]:
        """Begin to count the current block again. Returns the indices of its silent cases."""
        silent = frozenset(self._silent_now)
        self._hung_now.clear()
        self._silent_now.clear()
        return silent

    def was_silent(self, index: int, case: Case) -> None:
        """The case at one of these indices, counted again."""
        self._silent_now[index] = kind_of(case)

    def settle(self) -> None:
        """The current block has ended."""
        self._hung.update(self._hung_now.values())
        self._silent.update(self._silent_now.values())
        self._hung_now.clear()
        self._silent_now.clear()


_ALONE = "\n`wireproof repro` with its id asks it alone, with the whole time limit"
