"""How long to wait for an answer. Each hang costs the whole time limit, so after a few hangs of one kind the rest of
that kind is waited for only briefly, and then not asked at all.

Cases are of one kind when one bug would probably make all of them hang: in the ledger, the cases of one name
(`unknown-tags`) and op in all messages; elsewhere those of one area, type and op. Derived cases have kinds of their
own.

Step by step, in the order of the cases, never of the answers:

1. Each case has the whole limit, until a number of its kind hung, or a number in all.
2. From then on its kind is on probation: a case is asked, and waited for briefly. An answer counts as before. Silence
   is not called a hang, since the limit was not reached: the case counts as not asked.
3. After a number of cases without an answer the rest of the kind is not asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.model import Observation, Status

if TYPE_CHECKING:
    from conformance.connection.endings import Ending
    from conformance.model import Case

#: How many hangs put their kind on probation, and how many in all put every kind there.
HANGS = 3
HANGS_IN_ALL = 8
#: How many cases without an answer close their kind, and how many in all close a kind at its first one.
SILENT = 6
SILENT_IN_ALL = 40

#: A brief wait is this share of the limit, but at least this many seconds.
BRIEF = 0.1
LEAST = 0.25

#: The parts of a ledger id: dialect, area, message, version, name.
_LEDGER_PARTS = 5


def brief(limit: float) -> float:
    """Seconds of a brief wait, of a limit in seconds."""
    return min(limit, max(limit * BRIEF, LEAST))


@dataclass(frozen=True, slots=True)
class HangGroup:
    """Cases that one bug would probably make hang."""

    where: str
    what: str
    op: str

    def __str__(self) -> str:
        return f"{self.op} of {self.what} in {self.where}"


def kind_of(case: Case) -> HangGroup:
    """The kind of a case, by what its id says."""
    path, _, _ = case.id.rpartition("#")
    path, _, mutation = path.partition("+")
    parts = path.split("/")
    what = case.type or ""
    if len(parts) == _LEDGER_PARTS and parts[2] == case.type and parts[0] != "gen":
        what = parts[4]
    if mutation:
        what += f"+{mutation.partition(':')[0]}"
    return HangGroup("/".join(parts[:2]), what, case.op)


class Patience:
    """Counts what hung, or gave no answer while it was waited for briefly."""

    def __init__(self) -> None:
        #: Of the blocks before: by kind, and in all.
        self._hung: Counter[HangGroup] = Counter()
        self._silent: Counter[HangGroup] = Counter()
        #: Of the block that is asked now: places and kinds.
        self._hung_now: dict[int, HangGroup] = {}
        self._silent_now: dict[int, HangGroup] = {}

    def hung(self, index: int, case: Case) -> None:
        """The case at this index had its whole time limit, and gave no answer."""
        self._hung_now[index] = kind_of(case)

    def silent(self, index: int, case: Case, ending: Ending) -> Observation:
        """The case at this index was waited for briefly, and gave no answer. Returns its observation."""
        kind = kind_of(case)
        self._silent_now[index] = kind
        hangs = self._count(self._hung, self._hung_now, index, kind)
        why = f"{hangs} of its kind ({kind})" if hangs >= HANGS else f"{HANGS_IN_ALL} cases"
        text = f"after {why} hung, it was waited for briefly: {ending.detail}{_ALONE}"
        return Observation(case, Status.NOT_ASKED, detail=text)

    def on_probation(self, index: int, case: Case) -> bool:
        """Whether the case at this place is waited for briefly."""
        if not self._hung and not self._hung_now:
            return False
        kind = kind_of(case)
        return (
            self._count(self._hung, self._hung_now, index, kind) >= HANGS
            or self._count(self._hung, self._hung_now, index) >= HANGS_IN_ALL
        )

    def spares(self, index: int, case: Case) -> Observation | None:
        """The observation of a case whose kind is closed."""
        if not self._hung and not self._hung_now:
            return None
        kind = kind_of(case)
        of_kind = self._without_answer(index, kind)
        if of_kind >= SILENT or (of_kind and self._without_answer(index) >= SILENT_IN_ALL):
            text = f"not asked: {of_kind} cases of its kind ({kind}) gave no answer{_ALONE}"
            return Observation(case, Status.NOT_ASKED, detail=text)
        return None

    def _without_answer(self, index: int, kind: HangGroup | None = None) -> int:
        return self._count(self._hung, self._hung_now, index, kind) + self._count(
            self._silent, self._silent_now, index, kind
        )

    @staticmethod
    def _count(before: Counter[HangGroup], now: dict[int, HangGroup], index: int, kind: HangGroup | None = None) -> int:
        """How many there are before this place, of one kind or in all."""
        if kind is None:
            return before.total() + sum(place < index for place in now)
        return before[kind] + sum(place < index and found == kind for place, found in now.items())

    def recount(self) -> frozenset[int]:
        """Count the block that is asked now once more, from its beginning. The places of those that were silent."""
        silent = frozenset(self._silent_now)
        self._hung_now.clear()
        self._silent_now.clear()
        return silent

    def was_silent(self, index: int, case: Case) -> None:
        """Of one of these places."""
        self._silent_now[index] = kind_of(case)

    def settle(self) -> None:
        """The block is over."""
        self._hung.update(self._hung_now.values())
        self._silent.update(self._silent_now.values())
        self._hung_now.clear()
        self._silent_now.clear()


_ALONE = "\n`wireproof repro` with its id asks it alone, and waits as long as it may take"
