"""Questions for an `Examiner`, and what becomes of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from support.recorder import Recorder
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.evidence.known_deviations import Known
from wireproof.conformance.generation import expectations
from wireproof.conformance.model import Op, Verdict
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Vector, VectorKind


def chosen(area: str = "varints") -> tuple[Vector, ...]:
    return vectors.load(["kafka"], [area])


def of_kind(kind: VectorKind, area: str = "varints") -> tuple[Vector, ...]:
    return tuple(vector for vector in chosen(area) if vector.kind is kind)


def questions_of(connection: Recorder, area: str = "varints") -> list[Question]:
    return [*selection.of_vectors(chosen(area), connection.description)]


def question(vector: Vector, op: Op = Op.DECODE) -> Question:
    return Question.of(vector, vector.case(op))


def judged(connection: Recorder, *questions: Question, known: Known | None = None) -> list[Judged]:
    return [*(Examiner(connection) if known is None else Examiner(connection, known)).judge(questions)]


def verdict(connection: Recorder, asked: Question) -> Verdict:
    (found,) = judged(connection, asked)
    return found.verdict


def numbers() -> Iterator[Question]:
    """Questions without end, each asked once."""
    for number in itertools.count():
        yield Question.of(*expectations.vector_of(Op.DECODE, "kafka", "INT32", None, number.to_bytes(4)))
