"""The core: questions are put to an implementation, and what it did is judged.

Everything that asks goes through an `Examiner`: pytest, properties, `wireproof repro`, fuzz campaigns, jobs on a cluster.
It takes questions from any iterator and gives a judged question for each, so that a verdict is the same whoever asked.

How it works: questions are taken a block at a time, each with its valid twin. While one block is judged, the
implementation already works on the next. What was seen of the last few thousand cases is kept, since they are the twins
of questions to come; nothing else is, so memory does not grow with the number of questions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conformance import vectors
from conformance.closing import Closing
from conformance.connection import Connection
from conformance.judge import judge, rules_for
from conformance.known import Known
from conformance.model import Case, Observation, Op, Status, Verdict
from conformance.questions import Derivation, Question, offered_twin
from conformance.readings import Readings
from conformance.vectors import Vector

#: About so many questions are asked in one go: enough to keep a child busy, few enough to show progress.
BLOCK = 256
#: Of so many cases the observation is kept: they are the twins of others, or are asked again.
KEPT = 4096
#: After so many judged questions the connection is looked at, so that the next block goes on.
_POLLED = 16

NOTHING_KNOWN = Known(None, ())

#: What is judged together: some questions, or what is derived from one of them.
Entry = Sequence[Question] | Derivation


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a question: what was observed, of its twin too (None: it has none), and the verdict."""

    question: Question
    observation: Observation
    verdict: Verdict
    twin: Observation | None = None

    @property
    def vector(self) -> Vector:
        return self.question.vector

    @property
    def case(self) -> Case:
        return self.question.case


@dataclass(slots=True)
class _Block:
    """Some entries' questions, the cases that have to be asked for them, and what was observed."""

    entries: list[list[Question]] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    observations: dict[str, Observation] = field(default_factory=dict)
    begun: bool = False


class Examiner(Closing):
    """Asks one implementation through a connection, and judges. Not for two threads at a time."""

    def __init__(self, connection: Connection, known: Known = NOTHING_KNOWN) -> None:
        """`known`: the deviations that are known. Raises ValueError for a declared reading that does not exist."""
        self.connection = connection
        self.known = known
        self.description = connection.description
        self._configured: dict[str, bool] = {}
        self._readings: dict[str, Readings] = {}
        self._kept: dict[str, Observation] = {}
        self._recoded: set[tuple[str, str | None, int | None]] = set()
        self._current: _Block | None = None
        for dialect in self.description.dialects:
            if dialect in vectors.dialects():
                self.readings(dialect)

    def close(self) -> None:
        """Let the implementation go."""
        self.connection.close()

    def readings(self, dialect: str) -> Readings:
        """The other readings that the implementation declares. Raises ValueError for one that does not exist."""
        if dialect not in self._readings:
            self._readings[dialect] = rules_for(dialect, self.description.readings)
        return self._readings[dialect]

    def judge(self, questions: Iterable[Question]) -> Iterator[Judged]:
        """Each question judged, in their order. Raises ImplementationError when it can't take the settings."""
        for found in self.judge_entries((question,) for question in questions):
            yield from found

    def judge_entries(self, entries: Iterable[Entry]) -> Iterator[Sequence[Judged]]:
        """The same for questions that belong together: all of an entry's, judged, in the entries' order."""
        waiting = iter(entries)
        block = self._next_block(waiting)
        self._begin(block)
        while block.entries:
            self._finish(block)
            following = self._next_block(waiting)
            self._begin(following)
            count = 0
            for questions in block.entries:
                judged = []
                for question in questions:
                    judged.append(self._judge(question, block.observations))
                    count += 1
                    if count % _POLLED == 0 and self._current is following:
                        self.connection.poll()
                yield judged
            block = following

    # --- Blocks ---

    def _next_block(self, entries: Iterator[Entry]) -> _Block:
        """The next entries, with the cases to be asked. What is derived from a source is put together once it is known
        whether the source's bytes are read; so a block may end early, before it."""
        block = _Block()
        while len(block.cases) < BLOCK:
            entry = next(entries, None)
            if entry is None:
                break
            if isinstance(entry, Derivation):
                if block.entries: ...
            self._add(block, entry)
        return block
