"""One implementation under test: what it is asked, what it did, what follows; shared by pytest and the commands."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance import other_catalog, vectors
from conformance.closing import Closing
from conformance.connection import Connection
from conformance.judge import judge, rules_for
from conformance.known import Known
from conformance.model import Case, Observation, Op, Outcome, Status, Verdict
from conformance.readings import Readings
from conformance.twins import twin_of
from conformance.vectors import Kind, Vector
from reference.errors import Reason

#: Cases asked ahead in one go: enough to keep a child busy, few enough to show progress.
BLOCK = 256


@dataclass(frozen=True, slots=True)
class Question:
    """A case with the vector that says what is expected of it."""

    vector: Vector
    case: Case


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a question: what was expected, what was observed, and the verdict."""

    vector: Vector
    observation: Observation
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Selection:
    """What an implementation is asked; `not_offered` counts the cases that it is not, by what it does not offer
    (a dialect, a type and op, an op), `elsewhere` those that do not hold under the catalogue in force, by their type.
    """

    questions: tuple[Question, ...]
    not_offered: Counter[str] = field(default_factory=Counter)
    elsewhere: Counter[str] = field(default_factory=Counter)


class Session(Closing):
    """Asks a connection, remembers what was observed, and judges. Each case is asked at most once."""

    def __init__(self, connection: Connection, known: Known) -> None:
        self.connection = connection
        self.known = known
        self.description = connection.description
        self._observations: dict[str, Observation] = {}
        self._configured: dict[str, bool] = {}
        self._readings: dict[str, Readings] = {}
        self._ahead: dict[str, Question] = {}

    def close(self) -> None:
        """Let the implementation go."""
        self.connection.close()

    def select(self, chosen: Iterable[Vector]) -> Selection:
        """The questions of these vectors that the implementation offers to answer."""
        questions: list[Question] = []
        not_offered: Counter[str] = Counter()
        elsewhere: Counter[str] = Counter()
        for vector in chosen:
            for op in self._ops(vector):
                case = vector.case(op)
                name = self._lacked(case)
                if not _holds(vector, op):
                    elsewhere[name] += 1
                elif self._offers(vector, case):
                    questions.append(Question(vector, case))
                else:
                    not_offered[name] += 1
        return Selection(tuple(questions), not_offered, elsewhere)

    def _lacked(self, case: Case) -> str:
        """What it does not offer if not this case: the dialect, else a type and op, or an op without a type."""
        if case.dialect not in self.description.dialects:
            return case.dialect
        return f"{case.type} {case.op}" if case.type else case.op

    def _ops(self, vector: Vector) -> tuple[Op, ...]:
        """An invalid vector is asked once: decode, or recode where only that is offered."""
        if vector.kind is Kind.INVALID and Op.DECODE in vector.ops and self._offers(vector, vector.case(Op.DECODE)):
            return (Op.DECODE,)
        return vector.ops

    def _offers(self, vector: Vector, case: Case) -> bool:
        if vector.reject is not None and vector.reject.reason is Reason.UNSUPPORTED_VERSION:
            # The version is the question: whether it lies in the offered range does not matter.
            case = dataclasses.replace(case, version=None)
        return self.description.offers(case)

    def readings(self, dialect: str) -> Readings:
        """The other readings that the implementation declares. Raises ValueError for one that does not exist."""
        if dialect not in self._readings:
            self._readings[dialect] = rules_for(dialect, self.description.readings)
        return self._readings[dialect]

    def prepare(self, questions: Sequence[Question]) -> None:
        """Say in which order verdicts will be wanted, so that cases can be asked ahead, a block at a time."""
        self._ahead = {question.case.id: question for question in questions}

    def verdict(self, question: Question) -> Verdict:
        """The verdict on one case; known when the known-deviations file says so."""
        return self.judged(question).verdict

    def judged(self, question: Question) -> Judged:
        """The verdict on one case, with the observation that it rests on."""
        case = question.case
        lacking = self._lacking(question.vector)
        if lacking:
            return self._judge(question, Observation(case, Status.UNSUPPORTED, detail=lacking))
        if case.id not in self._observations:
            self._ask_block(question)
        return self._judge(question, self._observations[case.id])

    def observation(self, case: Case) -> Observation:
        """What the implementation did with a case that was asked."""
        return self._observations[case.id]

    def put(self, questions: Sequence[Question]) -> list[Judged]:
        """Ask and judge questions of no file (properties, derived ones), without remembering them.

        The twin of a derived one is what `verdict` asked before: without that, its refusal counts as it is.
        """
        for dialect in {question.case.dialect for question in questions}:
            self._configure(dialect)
        observations = self.connection.ask([question.case for question in questions])
        return [
            self._judge(question, observation) for question, observation in zip(questions, observations, strict=True)
        ]

    def _judge(self, question: Question, observation: Observation) -> Judged:
        twin = self._twin(question.vector, question.case.op)
        rebuilds = self.description.rebuilds.get(question.case.type or "", ())
        verdict = judge(
            question.vector,
            observation,
            self.readings(question.case.dialect),
            None if twin is None else self._observations.get(twin.id),
            rebuilds,
        )
        entry = self.known.find(verdict)
        found = dataclasses.replace(verdict, known=entry.name) if entry else verdict
        return Judged(question.vector, observation, found)

    @staticmethod
    def _twin(vector: Vector, op: Op) -> Case | None:
        """The case whose acceptance makes a refusal count."""
        twin = twin_of(vector)
        return twin.case(op) if twin is not None and op in twin.ops else None

    def _lacking(self, vector: Vector) -> str:
        """Why a vector that needs settings can't be asked; empty when it can."""
        if not vector.needs or self._configure(vector.dialect):
            return ""
        return f"needs the settings {', '.join(vector.needs)}, and the implementation has no `configure`"

    def _configure(self, dialect: str) -> bool:
        if dialect not in self._configured:
            self._configured[dialect] = self.connection.configure(dialect, vectors.settings(dialect))
        return self._configured[dialect]

    def _ask_block(self, first: Question) -> None:
        """Ask this question and, with it, the next ones that will be wanted, and the twins that they need."""
        self._configure(first.case.dialect)
        wanted: dict[str, Case] = {}
        for question in self._next(first):
            wanted[question.case.id] = question.case
            twin = self._twin(question.vector, question.case.op)
            if twin is not None and self.description.offers(twin):
                wanted[twin.id] = twin
        cases = [case for identifier, case in wanted.items() if identifier not in self._observations]
        for case, observation in zip(cases, self.connection.ask(cases), strict=True):
            self._observations[case.id] = observation
            self._ahead.pop(case.id, None)

    def _next(self, first: Question) -> Iterable[Question]:
        yield first
        for question in itertools.islice(self._ahead.values(), BLOCK):
            if question.case.dialect == first.case.dialect and not self._lacking(question.vector):
                yield question


def _holds(vector: Vector, op: Op) -> bool:
    """Whether a question, and the twin that it rests on, hold under the catalogue in force."""
    twin = twin_of(vector)
    return other_catalog.holds(vector, op) and (twin is None or other_catalog.holds(twin, op))


#: Outcomes of cases that were put to the implementation and answered in some way.
ASKED = frozenset(Outcome) - {Outcome.SKIP, Outcome.NOT_ASKED}
