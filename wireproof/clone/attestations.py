"""Asks an implementation the golden vectors and the ledger, and makes its attestation
(`conformance.evidence.attestation`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wireproof.clone import registry
from wireproof.clone.registry import Implementation
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.evidence.attestation import DIALECT, FOLDER, Answer, Attestation, Header, collect
from wireproof.conformance.model import UNJUDGED, Op
from wireproof.conformance.questions import announced_apis, conversations, selection
from wireproof.conformance.questions.question import Derivation, Question
from wireproof.conformance.vectors import Vector, load


def folder() -> Path:
    """The folder of the clone's attestations."""
    return registry.ROOT / "vectors" / FOLDER


def file_of(implementation: Implementation) -> Path:
    """The file of one implementation."""
    return folder() / f"{implementation.name}.jsonl"


def attest(implementation: Implementation, options: Options) -> Attestation:
    """Ask all that it offers, and say where it agrees. Raises ImplementationError if it cannot be asked."""
    with open_connection(implementation.absolute, options) as connection:
        try:
            examiner = Examiner(connection)
        except ValueError as error:  # it declares an unknown reading
            raise ImplementationError(str(error)) from None
        described = examiner.description
        header = Header(
            1,
            implementation.name,
            described.version,
            described.language,
            implementation.group,
            DIALECT,
        )
        broker = described.apis is not None
        return collect(header, _broker_answers(examiner) if broker else _answers(examiner))


def _answers(examiner: Examiner) -> Iterator[tuple[Vector, Op, Answer]]:
    for judged in examiner.judge(_questions(examiner)):
        yield judged.vector, judged.case.op, Answer.of(judged.verdict)


def _broker_answers(examiner: Examiner) -> Iterator[tuple[Vector, Op, Answer]]:
    """A broker is asked what its versions allow: only where a vector's own expectation holds for it does it agree or
    dissent. Then conversations. What is swept over all versions that it announces is no vector."""
    described = examiner.description
    serve = [vector for vector in load([DIALECT]) if Op.SERVE in vector.ops and not vector.folder]
    asked = [one for one in selection.of_vectors(serve, described) if announced_apis.holds(one.case, described)]
    demanded = {vector.path: vector for vector in conversations.every_vector()}
    asked += (one for one in conversations.questions(described.apis or {}) if one.vector.path in demanded)
    for question, judged in zip(asked, examiner.judge(asked), strict=True):
        if judged.verdict.outcome not in UNJUDGED:
            yield demanded.get(question.vector.path, question.vector), judged.case.op, Answer.of(judged.verdict)


def _questions(examiner: Examiner) -> Iterator[Question]:
    """What pytest asks it, without derived cases and users' own vectors."""
    for entry in selection.entries(examiner.description, selection.NotAsked(), [DIALECT]):
        if not isinstance(entry.questions, Derivation):
            yield from (question for question in entry.questions if not question.vector.folder)
