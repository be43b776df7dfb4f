"""Blocks: questions that are asked together, and the entries that wait to be put into one.

The numbers here are about speed and memory. No verdict depends on them: each question brings its twin, and each
derivation its sources. What a child that crashes or hangs was asked before it may depend on them, as it does on the
number of workers.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from wireproof.conformance.model import Case, Observation
from wireproof.conformance.questions.question import Question, Questions

#: Speed: the approximate number of questions in the first block, enough to keep a child busy, few enough to show
#: progress. While the implementation is ahead, each block is larger than the last one, up to the largest: between two
#: blocks the implementation has nothing to do.
BLOCK, LARGEST_BLOCK = 256, 1024
#: Memory: the maximum number of blocks that wait to be judged.
BLOCKS_AHEAD = 16
#: Speed: the sources of derivations among this many following entries are asked beforehand.
LOOKAHEAD = 512
#: Memory: the number of cases whose observations are kept, because they may be twins of others, or be asked again. A
#: case whose observation is not kept any more is asked once more.
KEPT_CASES = 4096
#: Speed: `poll` is called after this many judged questions, so that the next block goes on.
JUDGED_PER_POLL = 8
#: Seconds within which answers are judged, although the rest of their block is still being asked.
SHOWN_WITHIN = 0.25
#: Speed: while another block is asked, `poll` is also called after this many questions that are added to the next one.
ADDED_PER_POLL = 32


class WaitingEntries:
    """Entries in their order. Those that follow can be looked at before they are taken."""

    def __init__(self, entries: Iterable[Questions]) -> None:
        self._entries = iter(entries)
        self._looked_at: deque[Questions] = deque()
        #: The next block, if it could be built while the last one was asked.
        self.built: Block | None = None

    def next_entry(self) -> Questions | None:
        """The next one; None at the end."""
        return self._looked_at.popleft() if self._looked_at else next(self._entries, None)

    def put_back(self, entry: Questions) -> None:
        """Make this the next entry again."""
        self._looked_at.appendleft(entry)

    def following(self, count: int) -> list[Questions]:
        """The next entries, so many at most."""
        self._looked_at += itertools.islice(self._entries, max(0, count - len(self._looked_at)))
        return [*itertools.islice(self._looked_at, count)]


@dataclass(slots=True)
class Block:
    """A block of entries: their questions, with the twins that this implementation offers; the cases to ask; and the
    observations by case id. `shared`: the ids of cases that another block asks, `asked_by`, which was open when this
    one was built. `second`: by case id, what an implementation did when it was asked once more."""

    entries: list[list[Question]] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    observations: dict[str, Observation] = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)
    asked_by: Block | None = None
    second: dict[str, Observation] = field(default_factory=dict)

    def take_shared(self) -> None:
        """The other block has its observations now: take those of the shared cases."""
        if self.asked_by is not None:
            self.observations |= {one: self.asked_by.observations[one] for one in self.shared}
            self.asked_by = None
