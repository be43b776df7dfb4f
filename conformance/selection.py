"""Which questions an implementation is asked: those of the chosen dialects and areas that it offers to answer.

Every driver takes its entries from here: pytest makes an item of each, a plain loop gives them to an `Examiner`. What
is not asked is counted by the type or op that is not offered, so that every run can say what it left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from conformance import ledger, other_catalog, vectors
from conformance.ledger import Ledger
from conformance.model import Case, Description, Op
from conformance.questions import Derivation, Question, offers
from conformance.twins import twin_of
from conformance.vectors import Vector, VectorKind


@dataclass(frozen=True, slots=True)
class Entry:
    """Questions that belong together, and how they are called: a vector's by each one's id, a ledger case's by its
    path, what is derived of a message-version by `<dialect>/messages/<Name>/<version>/derived`."""

    name: str
    questions: tuple[Question, ...] | Derivation


@dataclass(slots=True)
class LeftOut:
    """Cases that are not asked, counted. `not_offered`: by what the implementation does not offer (a dialect, a type
    and op, an op); `areas`: of these, those of dialects that it offers, by their area; `elsewhere`: those that do not
    hold under the catalogue in force, by their type."""

    not_offered: Counter[str] = field(default_factory=Counter)
    areas: Counter[str] = field(default_factory=Counter)
    elsewhere: Counter[str] = field(default_factory=Counter)


def entries(
    described: Description,
    left_out: LeftOut,
    dialects: Collection[str] | None = None,
    areas: Collection[str] | None = None,
) -> Iterator[Entry]:
    """All that an implementation is asked of these dialects and areas (None: all), in a fixed order; what it is not
    asked is added to `left_out`."""
    for question in of_vectors(vectors.load(dialects, areas), described, left_out):
        yield Entry(question.case.id, (question,))
    if areas is None or ledger.AREA in areas:
        for dialect in vectors.dialects() if dialects is None else dialects:
            for name in ledger.names(dialect):
                yield from _of_ledger(ledger.load(name, dialect), described, left_out)


def of_vectors(chosen: Iterable[Vector], described: Description, left_out: LeftOut | None = None) -> Iterator[Question]:
    """The questions of these vectors that the implementation offers to answer."""
    counted = LeftOut() if left_out is None else left_out
    for vector in chosen:
        for op in _ops(vector, described):
            case = vector.case(op)
            if not _holds(vector, op):
                counted.elsewhere[_lacked(case, described)] += 1
            elif offers(described, Question(vector, case)):
                yield Question.of(vector, case)
            else:
                counted.not_offered[_lacked(case, described)] += 1
                if case.dialect in described.dialects:
                    counted.areas[vector.area] += 1


def _of_ledger(message_ledger: Ledger, described: Description, left_out: LeftOut) -> Iterator[Entry]:
    offered: dict[str, tuple[Question, ...]] = {}
    for vector in message_ledger.vectors:
        questions = tuple(of_vectors([vector], described, left_out))
        if questions:
            offered[vector.id] = questions
            yield Entry(vector.path, questions)
    for version, vectors_ in ledger.richest_first(message_ledger).items():
        sources = tuple(
            question
            for vector in vectors_
            for question in offered.get(vector.id, ())
            if question.case.op is not Op.ENCODE
        )
        if sources:
            yield Entry(
                f"{sources[0].case.dialect}/{ledger.AREA}/{message_ledger.message}/{version}/derived",
                Derivation(sources),
            )


def _lacked(case: Case, described: Description) -> str:
    """What it does not offer if not this case: the dialect, else a type and op, or an op without a type."""
    if case.dialect not in described.dialects:
        return case.dialect
    return f"{case.type} {case.op}" if case.type else case.op


def _ops(vector: Vector, described: Description) -> tuple[Op, ...]:
    """An invalid vector is asked once: decode, or recode where only that is offered."""
    if vector.kind is not VectorKind.INVALID or Op.DECODE not in vector.ops:
        return vector.ops
    offered = (op for op in (Op.DECODE, Op.RECODE) if op in vector.ops)
    return (next((op for op in offered if offers(described, Question(vector, vector.case(op)))), Op.DECODE),)


def _holds(vector: Vector, op: Op) -> bool:
    """Whether a question, and the twin that it rests on, hold under the catalogue in force."""
    twin = twin_of(vector)
    return other_catalog.holds(vector, op) and (twin is None or other_catalog.holds(twin, op))
