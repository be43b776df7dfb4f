"""The core: questions are put to an implementation, and what it did is judged.

Everything that asks goes through an `Examiner`: pytest, properties, `wireproof repro`, a loop of one's own. It takes
questions from any iterator and gives a judged question for each, so that a verdict is the same whoever asked.

How it works: questions are taken a block at a time, each with its valid twin. While one block is judged, the
implementation already works on the next. What was seen of the last few thousand cases is kept, since they are the twins
of questions to come; nothing else is, so memory does not grow with the number of questions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from conformance import vectors
from conformance.closing import Closing
from conformance.connection import Connection
from conformance.judge import judge, readings_for
from conformance.known import Known
from conformance.model import Case, Description, Observation, Outcome, Status, Verdict
from conformance.questions import Derivation, Question, offered_twin, offers
from conformance.readings import Readings
from conformance.vectors import Vector

#: About how many questions are asked in one go: enough to keep a child busy, few enough to show progress.
BLOCK = 256
#: How many observations are kept: those of cases that are twins of others, or are asked again.
KEPT = 4096
#: After how many judged questions `poll` is called, so that the next block goes on.
_POLLED = 16

NOTHING_KNOWN = Known(None, ())

#: What is judged together: some questions, or what is derived from one of them.
Entry = Sequence[Question] | Derivation


@dataclass(frozen=True, slots=True)
class Judged:
    """A question and what became of it: the observation, that of its twin (None where it has none), and the verdict."""

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


class _Waiting:
    """Entries in their order, of which the next one can be put back."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = iter(entries)
        self._first: Entry | None = None

    def next_entry(self) -> Entry | None:
        """The next one; None at the end."""
        first, self._first = self._first, None
        return next(self._entries, None) if first is None else first

    def put_back(self, entry: Entry) -> None:
        """It is the next one again."""
        self._first = entry


@dataclass(slots=True)
class _Block:
    """A block of entries: their questions with the twins that this implementation is asked, the cases to ask, and the
    observations by case id."""

    entries: list[list[Question]] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    observations: dict[str, Observation] = field(default_factory=dict)


class Examiner(Closing):
    """Asks one implementation through a connection, and judges. Not for two threads at a time."""

    def __init__(
        self, connection: Connection, known: Known = NOTHING_KNOWN, *, description: Description | None = None
    ) -> None:
        """`known`: the deviations that are known. `description`: used in place of the implementation's own.

        Raises ValueError for a declared reading that does not exist.
        """
        self.connection = connection
        self.known = known
        self.description = connection.description if description is None else description
        self._configured: dict[str, bool] = {}
        self._readings: dict[str, Readings] = {}
        self._kept: dict[str, Observation] = {}
        #: Dialect, type and version of what turned out to be recoded, but not decoded.
        self._recoded: set[tuple[str, str | None, int | None]] = set()
        self._open: _Block | None = None
        for dialect in self.description.dialects:
            if dialect in vectors.dialects():
                self.readings(dialect)

    def close(self) -> None:
        """Let the implementation go."""
        self.connection.close()

    def readings(self, dialect: str) -> Readings:
        """The other readings that the implementation declares. Raises ValueError for one that does not exist."""
        if dialect not in self._readings:
            self._readings[dialect] = readings_for(dialect, self.description.readings)
        return self._readings[dialect]

    def judge(self, questions: Iterable[Question]) -> Iterator[Judged]:
        """Each question judged, in their order. Raises ImplementationError when it fails at taking the settings."""
        for found in self.judge_entries((question,) for question in questions):
            yield from found

    def judge_entries(self, entries: Iterable[Entry]) -> Iterator[list[Judged]]:
        """The same for questions that belong together: all of an entry's, judged, in the entries' order. Empty for a
        derivation none of whose sources is offered."""
        waiting = _Waiting(entries)
        block = self._next_block(waiting)
        self._begin(block)
        judged_since = 0
        while block.entries:
            self._finish(block)
            following = self._next_block(waiting)
            self._begin(following)
            for entry in block.entries:
                found = []
                for question in entry:
                    found.append(self._judge(question, block.observations))
                    judged_since += 1
                    if judged_since >= _POLLED:
                        judged_since = 0
                        self.connection.poll()
                yield found
            block = following

    # --- Putting a block together ---

    def _next_block(self, waiting: _Waiting) -> _Block:
        """The next entries, with the cases that have to be asked.

        What is derived is put together once it is known which source is read: a block ends before it where that is
        asked in the same block.
        """
        block = _Block()
        while len(block.cases) < BLOCK and (entry := waiting.next_entry()) is not None:
            if isinstance(entry, Derivation):
                if block.entries and not self._knows(entry):
                    waiting.put_back(entry)
                    break
                entry = self._derived(entry)
            block.entries.append([self._add(block, question) for question in entry])
        return block

    def _add(self, block: _Block, question: Question) -> Question:
        """A question as it is asked, with the twin that is asked, if any; what has to be asked goes into the block."""
        case = question.case
        if (case.dialect, case.type, case.version) in self._recoded:
            question = question.as_recode() or question
        lacking = self._lacking(question.vector)
        if lacking:
            block.observations[case.id] = Observation(case, Status.UNSUPPORTED, detail=lacking)
            return dataclasses.replace(question, twin=None)
        twin = offered_twin(question, self.description)
        for wanted in (question.case,) if twin is None else (question.case, twin):
            seen = self._kept.get(wanted.id)
            if seen is None:
                block.cases[wanted.id] = wanted
            else:
                block.observations[wanted.id] = seen
        return question if twin is question.twin else dataclasses.replace(question, twin=twin)

    def _lacking(self, vector: Vector) -> str:
        """Why a vector that needs settings cannot be asked; empty when it can."""
        if self._configure(vector.dialect) or not vector.needs:
            return ""
        return f"needs the settings {', '.join(vector.needs)}, and the implementation has no `configure`"

    def _configure(self, dialect: str) -> bool:
        if dialect not in self._configured:
            self._settle()
            self._configured[dialect] = self.connection.configure(dialect, vectors.settings(dialect))
        return self._configured[dialect]

    def _knows(self, derivation: Derivation) -> bool:
        return all(source.case.id in self._kept for source in derivation.sources)

    def _derived(self, derivation: Derivation) -> tuple[Question, ...]:
        """The cases derived from the first source that the implementation reads; nothing when it offers none of the
        sources."""
        if not self._knows(derivation):
            sources = _Block()
            for source in derivation.sources:
                self._add(sources, source)
            self._begin(sources)
            self._finish(sources)
            seen = [sources.observations[source.case.id] for source in derivation.sources]
        else:
            seen = [self._kept[source.case.id] for source in derivation.sources]
        found = [*zip(derivation.sources, seen, strict=True)]
        offered = [source for source, one in found if one.status is not Status.UNSUPPORTED]
        read = [source for source, one in found if one.status is Status.ANSWER]
        return derivation.questions((read or offered)[0]) if offered else ()

    # --- Asking it ---

    def _begin(self, block: _Block) -> None:
        self._settle()
        if block.cases:
            self.connection.begin([*block.cases.values()])
            self._open = block

    def _settle(self) -> None:
        """Hear the block that is still open, if one is, to its end."""
        block, self._open = self._open, None
        if block is not None:
            for case, observation in zip(block.cases.values(), self.connection.finish(), strict=True):
                block.observations[case.id] = observation
                if not case.derived:
                    self._keep(observation)

    def _keep(self, observation: Observation) -> None:
        while len(self._kept) >= KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[observation.case.id] = observation

    def _finish(self, block: _Block) -> None:
        """All that there is to be observed for a block, questions included that have to be asked as recode."""
        if self._open is block:
            self._settle()
        again = _Block()
        for entry in block.entries:
            for index, question in enumerate(entry):
                recoded = self._turned(question, block.observations)
                if recoded is not None:
                    entry[index] = self._add(again, recoded)
        if again.entries or again.cases or again.observations:
            self._begin(again)
            self._settle()
            block.observations |= again.observations

    def _turned(self, question: Question, observations: dict[str, Observation]) -> Question | None:
        """The question asked as recode, for an implementation that turns out not to offer decode. The twin decides
        this, so it does not depend on what was asked before."""
        case = question.case
        decisive = case if question.twin is None else question.twin
        if observations[decisive.id].status is not Status.UNSUPPORTED:
            return None
        recoded = question.as_recode()
        if recoded is None or self._lacking(recoded.vector) or not offers(self.description, recoded):
            return None
        self._recoded.add((case.dialect, case.type, case.version))
        return recoded

    # --- Judging it ---

    def _judge(self, question: Question, observations: dict[str, Observation]) -> Judged:
        observation = observations[question.case.id]
        twin = None if question.twin is None else observations[question.twin.id]
        verdict = judge(
            question.vector,
            observation,
            self.readings(question.case.dialect),
            twin,
            self.description.rebuilds.get(question.case.type or "", ()),
        )
        entry = self.known.find(verdict)
        if entry is not None:
            verdict = msgspec.structs.replace(verdict, known=entry.name)
        return Judged(question, observation, verdict, twin)


#: Outcomes of cases that were put to the implementation and answered in some way.
ASKED = frozenset(Outcome) - {Outcome.SKIP, Outcome.NOT_ASKED}
