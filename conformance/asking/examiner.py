"""The core: asks an implementation questions, and has its answers judged.

pytest, properties, `wireproof repro` and your own loop all use an `Examiner`, so they get the same verdicts. It takes
questions from any iterator, and returns a judged question for each.

Questions are asked in blocks, each together with its valid twin. While one block is judged, the implementation already
works on the next ones: as soon as it has answered one, it gets another, which was built meanwhile, until it is some
blocks ahead. So what takes it long, like count bombs, does not hold up what takes pytest long. A slow implementation is
not ahead: its answers are judged every quarter of a second, in the middle of a block, so that each verdict is there
soon. The observations of the
last few thousand cases are kept, because they are the twins of later questions. Nothing else is kept, so memory does
not grow with the number of questions.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import msgspec

from wireproof.conformance import vectors
from wireproof.conformance.asking.blocks import (
    ADDED_PER_POLL,
    BLOCK,
    BLOCKS_AHEAD,
    JUDGED_PER_POLL,
    KEPT_CASES,
    LARGEST_BLOCK,
    LOOKAHEAD,
    SHOWN_WITHIN,
    Block,
    WaitingEntries,
)
from wireproof.conformance.connection import Connection
from wireproof.conformance.evidence.known_deviations import Known
from wireproof.conformance.judging.alternatives import Readings, readings_for, undeclared
from wireproof.conformance.judging.comparison import Comparison
from wireproof.conformance.judging.judge import accepted, end_verdict, judge, steady
from wireproof.conformance.model import (
    DEVIATIONS,
    UNJUDGED,
    Case,
    Description,
    Observation,
    Outcome,
    Status,
    Verdict,
)
from wireproof.conformance.questions.announced_apis import for_peer
from wireproof.conformance.questions.question import Derivation, Question, Questions, offers
from wireproof.conformance.vectors import Vector

NOTHING_KNOWN = Known(None, ())


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its observation, its verdict, and the observation of its twin (None: it has no twin)."""

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


#: Dialect, type and version.
_Form = tuple[str, str | None, int | None]


def _form(case: Case) -> _Form:
    return case.dialect, case.type, case.version


def _decisive(question: Question) -> Case:
    """The case that shows whether a question is offered: its twin, so that the result does not depend on other
    questions."""
    return question.case if question.twin is None else question.twin


class Examiner(AbstractContextManager["Examiner"]):
    """Asks one implementation through a connection, and has the answers judged. It is not safe for several threads."""

    def __init__(
        self, connection: Connection, known: Known = NOTHING_KNOWN, *, description: Description | None = None
    ) -> None:
        """`known`: the known deviations. `description`: used instead of the implementation's own.

        Raises ValueError for a declared reading that does not exist.
        """
        self.connection = connection
        self.known = known
        self.description = connection.description if description is None else description
        self._configured: dict[str, bool] = {}
        self._readings: dict[tuple[str, str | None], Readings] = {}
        self._kept: dict[str, Observation] = {}
        #: The forms that turned out to be offered for recode, but not for decode. One that is offered for neither is
        #: not among them: only something in it may be lacking, like a codec.
        self._recoded: set[_Form] = set()
        self._open: Block | None = None
        #: The cases of the open block, but for the first ones, whose observations are there.
        self._unanswered: list[Case] = []
        #: The number of questions that have been added to blocks.
        self._added = 0
        if any(entry.hangs for entry in known.deviations):
            connection.expect_hangs(known.hangs)
        for dialect in self.description.dialects:
            if dialect in vectors.dialects():
                self._check_readings(dialect)

    def __exit__(self, *_: object) -> None:
        self.close()

    def end(self) -> Verdict | None:
        """Close the connection. A verdict if the implementation ended wrongly after its last answer, else None."""
        observation = self.connection.end()
        return None if observation is None else self._marked(end_verdict(observation))

    def close(self) -> None:
        """Close the connection to the implementation."""
        self.connection.close()

    def readings(self, dialect: str, type_name: str | None = None) -> Readings:
        """The other readings that the implementation declares for a type. Raises ValueError for one that does not
        exist."""
        key = (dialect, type_name)
        if key not in self._readings:
            self._readings[key] = readings_for(dialect, self.description.readings_of(type_name))
        return self._readings[key]

    def _check_readings(self, dialect: str) -> None:
        """Raises ValueError for a declared reading that does not exist."""
        for ruling, declared in self.description.readings.items():
            for name in (declared,) if isinstance(declared, str) else declared.values():
                readings_for(dialect, {ruling: name})

    def judge(self, questions: Iterable[Question]) -> Iterator[Judged]:
        """Each question judged, in order. Raises ImplementationError when the implementation's `configure` fails."""
        for judged in self.judge_entries((question,) for question in questions):
            yield from judged

    def judge_entries(self, entries: Iterable[Questions]) -> Iterator[list[Judged]]:
        """As `judge`, for questions that belong together: all judged questions of an entry at once, in the entries'
        order. Empty for a derivation none of whose sources is offered."""
        waiting = WaitingEntries(entries)
        # The first one is being judged. All but the last one are answered.
        blocks = deque([self._begun(waiting, BLOCK)])
        judged_since = 0
        while blocks[0].entries:
            block = blocks[0]
            for entry in block.entries:
                judged = []
                for at in range(len(entry)):
                    while not self._has_answer(entry[at], block):
                        if self._listened(block):
                            self._go_on(blocks, waiting)
                    judged.append(self._judge(entry[at], block))
                    judged_since += 1
                    if judged_since >= JUDGED_PER_POLL:
                        judged_since = 0
                        if self._answered() and len(blocks) <= BLOCKS_AHEAD:
                            self._go_on(blocks, waiting)
                yield judged
            if len(blocks) == 1:
                self._go_on(blocks, waiting)
            blocks.popleft()

    def _go_on(self, blocks: deque[Block], waiting: WaitingEntries) -> None:
        """Get the rest of the answers to the last block, and begin the next one."""
        self._finish(blocks[-1])
        blocks.append(self._begun(waiting, min(BLOCK * max(1, len(blocks) - 1), LARGEST_BLOCK)))

    # --- Building a block ---

    def _begun(self, waiting: WaitingEntries, size: int) -> Block:
        """The next block, of about this size, which is being asked. At the end it has no entries."""
        block = waiting.built or self._next_block(waiting, size, early=False)
        self._begin(block)
        waiting.built = None
        following = self._next_block(waiting, size, early=True)
        if following.entries:
            waiting.built = following
        return block

    def _next_block(self, waiting: WaitingEntries, size: int, *, early: bool) -> Block:
        """The next entries, with the cases to ask. `early`: while another block is being asked.

        Derived questions can only be made when the observations of their sources are known. If a source is asked in
        this block, or in one that is being asked, the block ends before the derivation. Each block also asks the
        sources of the derivations that follow soon, so that few of them end a block.
        """
        block = Block()
        while max(len(block.cases), len(block.entries)) < size and (entry := waiting.next_entry()) is not None:
            if isinstance(entry, Derivation):
                if (early or block.entries) and not self._knows(entry):
                    waiting.put_back(entry)
                    break
                entry = self._derived(entry)
            if early and any(question.case.dialect not in self._configured for question in entry):
                waiting.put_back(entry)  # to configure it, the block that is being asked would have to end
                break
            block.entries.append([self._add(block, question) for question in entry])
        if block.entries:
            self._add_sources(block, waiting, size + BLOCK)
        return block

    def _add_sources(self, block: Block, waiting: WaitingEntries, limit: int) -> None:
        """Add the sources of the next derivations to the cases of a block, up to this number of cases."""
        for entry in waiting.following(LOOKAHEAD):
            if isinstance(entry, Derivation) and len(block.cases) < limit and not self._knows(entry):
                for source in entry.sources:
                    self._add(block, source)

    def _add(self, block: Block, question: Question) -> Question:
        """The question in the form in which it is asked, with its offered twin. Adds their cases to the block."""
        self._added += 1
        if self._open is not None and self._added % ADDED_PER_POLL == 0:
            self.connection.poll()
        case = question.case
        if _form(case) in self._recoded:
            question = question.as_recode() or question
        lacking = self._lacking(question.vector)
        if lacking:
            block.observations[case.id] = Observation(case, Status.UNSUPPORTED, detail=lacking)
            return dataclasses.replace(question, twin=None)
        if self.description.apis is not None or self.description.connects:
            try:
                question = for_peer(question, self.description)
            except ValueError as error:
                block.observations[case.id] = Observation(case, Status.UNSUPPORTED, detail=str(error))
                return dataclasses.replace(question, twin=None)
        question = question.as_offered(self.description)
        for wanted in (question.case,) if question.twin is None else (question.case, question.twin):
            seen = self._kept.get(wanted.id)
            if seen is not None:
                block.observations[wanted.id] = seen
            elif self._open is not None and wanted.id in self._open.cases:
                block.asked_by = self._open
                block.shared.append(wanted.id)
            else:
                block.cases[wanted.id] = wanted
        return question

    def _lacking(self, vector: Vector) -> str:
        """The reason why a vector that needs settings cannot be asked; empty when it can."""
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
            sources = Block()
            for source in derivation.sources:
                self._add(sources, source)
            self._begin(sources)
            self._finish(sources)
            seen = [sources.observations[source.case.id] for source in derivation.sources]
        else:
            seen = [self._kept[source.case.id] for source in derivation.sources]
        pairs = [*zip(derivation.sources, seen, strict=True)]
        offered = [source for source, one in pairs if one.status is not Status.UNSUPPORTED]
        read = [source for source, one in pairs if one.status is Status.ANSWER]
        return derivation.questions((read or offered)[0]) if offered else ()

    # --- Asking ---

    def _begin(self, block: Block) -> None:
        self._settle()
        block.take_shared()
        if block.cases:
            self._unanswered = [*block.cases.values()]
            self.connection.begin(self._unanswered)
            self._open = block

    def _answered(self) -> bool:
        """Read what has arrived. Whether no question is open: the block is answered, or was finished already."""
        return self._open is None or self.connection.poll()

    def _listened(self, block: Block) -> bool:
        """Wait a moment for answers to a block. Whether it is answered: it can be finished."""
        if self._open is not block or self.connection.repeats:
            return True
        seen = self.connection.answered(SHOWN_WITHIN)
        self._observed(block, seen, self._unanswered[: len(seen)])
        self._unanswered = self._unanswered[len(seen) :]
        return not self._unanswered or self.connection.poll()

    def _has_answer(self, question: Question, block: Block) -> bool:
        """Whether a question of a block can be judged."""
        if self._open is not block:
            return True
        seen = block.observations
        if question.case.id not in seen or (question.twin is not None and question.twin.id not in seen):
            return False
        return self._turned(question, seen) is None

    def _settle(self) -> None:
        """Finish the open block, if there is one."""
        block, self._open = self._open, None
        if block is not None:
            self._observed(block, self.connection.finish(), self._unanswered)

    def _observed(self, block: Block, seen: Sequence[Observation], cases: Sequence[Case]) -> None:
        for case, observation in zip(cases, seen, strict=True):
            block.observations[case.id] = observation
            if not case.derived:
                self._keep(observation)

    def _keep(self, observation: Observation) -> None:
        while len(self._kept) >= KEPT_CASES:
            del self._kept[next(iter(self._kept))]
        self._kept[observation.case.id] = observation

    def _finish(self, block: Block) -> None:
        """Get all observations of a block. Some of its questions may have to be asked again as recode."""
        if self._open is block:
            self._settle()
        again, turned = Block(), []
        for entry in block.entries:
            for index, question in enumerate(entry):
                recoded = self._turned(question, block.observations)
                if recoded is not None:
                    entry[index] = self._add(again, recoded)
                    turned.append(entry[index])
        if again.entries or again.cases or again.observations:
            self._begin(again)
            self._settle()
            block.observations |= again.observations
        for question in turned:
            if block.observations[_decisive(question).id].status is not Status.UNSUPPORTED:
                self._recoded.add(_form(question.case))
        if self.connection.repeats:
            self._repeat(block)

    def _repeat(self, block: Block) -> None:
        """Ask once more what may depend on the moment: first the valid twins that were not accepted, for a refusal
        beside them would not be judged; then the questions that met a deviation. What is known to deviate is left."""
        judged = [self._judge(question, block) for entry in block.entries for question in entry]
        known = {one.case.id for one in judged if one.verdict.known is not None}
        twins = [one.twin for one in judged if one.verdict.outcome is Outcome.SKIP and one.twin is not None]
        twins = [one for one in twins if one.status is not Status.UNSUPPORTED and not accepted(one)]
        self._ask_again(block, [one.case for one in twins if one.case.id not in known])
        judged = [self._judge(question, block) for entry in block.entries for question in entry]
        deviating = [one for one in judged if one.verdict.outcome in DEVIATIONS and one.verdict.known is None]
        self._ask_again(block, [one.case for one in deviating])

    def _ask_again(self, block: Block, cases: Sequence[Case]) -> None:
        """Each case is asked once more, and not a third time."""
        new = {case.id: case for case in cases if case.id not in block.second}
        if new:
            block.second |= zip(new, self.connection.ask_again([*new.values()]), strict=True)

    def _turned(self, question: Question, observations: dict[str, Observation]) -> Question | None:
        """The question as recode, if the implementation turns out not to offer decode."""
        if observations[_decisive(question).id].status is not Status.UNSUPPORTED:
            return None
        recoded = question.as_recode()
        if recoded is None or self._lacking(recoded.vector) or not offers(self.description, recoded):
            return None
        return recoded

    # --- Judging ---

    def _judge(self, question: Question, block: Block) -> Judged:
        observation = block.observations[question.case.id]
        twin = self._twin(question, block)
        verdict = self._verdict(question, observation, twin)
        second = block.second.get(question.case.id)
        if second is not None:
            verdict = steady(verdict, self._verdict(question, second, twin))
        return Judged(question, observation, self._marked(verdict), twin)

    def _twin(self, question: Question, block: Block) -> Observation | None:
        """What there was of a question's twin, the second time if it was accepted then."""
        if question.twin is None:
            return None
        second = block.second.get(question.twin.id)
        return second if second is not None and accepted(second) else block.observations[question.twin.id]

    def _verdict(self, question: Question, observation: Observation, twin: Observation | None) -> Verdict:
        return judge(
            question.vector,
            observation,
            self.readings(question.case.dialect, question.case.type),
            twin,
            self._rebuilds(question.case),
        )

    def _rebuilds(self, case: Case) -> frozenset[str]:
        """The fields that the implementation's writer sets by itself."""
        return frozenset(self.description.rebuilds.get(case.type or "", ()))

    def with_undeclared_reading(self, judged: Judged) -> Judged:
        """A failure, with a note on the reading that would explain it, if there is one. It takes a millisecond or more,
        so it is for failures that are shown."""
        if judged.verdict.outcome is not Outcome.FAIL or judged.verdict.note:
            return judged
        case = judged.case
        comparison = Comparison(judged.vector, case, self._rebuilds(case))
        reading = undeclared(judged.observation, self.description.readings_of(case.type), comparison)
        if reading is None:
            return judged
        note = f"{OTHER_READING}{reading}. Declare it in `readings` if it is meant"
        return dataclasses.replace(judged, verdict=msgspec.structs.replace(judged.verdict, note=note))

    def _marked(self, verdict: Verdict) -> Verdict:
        """The verdict, with the known deviation that it is, if it is one."""
        entry = self.known.find(verdict)
        return verdict if entry is None else msgspec.structs.replace(verdict, known=entry.name)


#: The beginning of the note on a failure that another reading explains; the ruling and the reading's name follow.
OTHER_READING = "exactly so does a contested ruling's other reading, "
#: Outcomes of cases that the implementation was asked.
ASKED = frozenset(Outcome) - UNJUDGED
