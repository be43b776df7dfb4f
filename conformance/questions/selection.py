"""Selects the questions for an implementation: those of the chosen dialects and areas that it offers.

All drivers take their entries from here: pytest makes an item of each, a plain loop passes them to an `Examiner`.
Questions that are not asked are counted by the missing type or op, so that each run can report them.

The limits of resources come late: an implementation works on them for seconds, while the kit judges the cases of
messages, which take the kit longer than the implementation. The faults come last: a broker may not recover from them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from wireproof.conformance import ledger, vectors
from wireproof.conformance.ledger import Ledger
from wireproof.conformance.model import FAULTS, RELAY, Description, Op
from wireproof.conformance.questions import catalog_filter, conversations, relays, scripts, sweep
from wireproof.conformance.questions.positive_control import twin_of
from wireproof.conformance.questions.question import Derivation, Question, Questions, offers_vector
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.conformance.vectors import scripts as of_clients

#: The area whose entries come last, but for faults.
LAST = "resource-limits"


@dataclass(slots=True)
class Entry:
    """Questions that belong together, with a name: for a question of a vector its id, for a case of the ledger its
    path, for derived questions of a message-version `<dialect>/messages/<Name>/<version>/derived`."""

    name: str
    make: Callable[[], Questions]
    _made: Questions | None = field(default=None, init=False)

    @property
    def questions(self) -> Questions:
        """The questions. They are made when they are first needed: a pytest with `-k` has all entries, and asks few."""
        if self._made is None:
            self._made = self.make()
        return self._made


@dataclass(slots=True)
class NotAsked:
    """Counts of the cases that an implementation is not asked. `not_offered`: by the missing dialect, type and op, or
    op. `by_area`: those of offered dialects among them, by area. `other_schemas`: cases that are not valid with the
    current catalogue, by type and op. `no_schema`: versions that a broker announces and no catalogue of the kit has."""

    not_offered: Counter[str] = field(default_factory=Counter)
    by_area: Counter[str] = field(default_factory=Counter)
    other_schemas: Counter[str] = field(default_factory=Counter)
    no_schema: Counter[str] = field(default_factory=Counter)


def entries(
    described: Description,
    not_asked: NotAsked,
    dialects: Collection[str] | None = None,
    areas: Collection[str] | None = None,
) -> Iterator[Entry]:
    """All entries for an implementation in these dialects and areas (None: all), in a fixed order. Cases that it is not
    asked are added to `not_asked`."""
    if described.connects:
        yield from _of_client(dialects, areas)
        return
    if described.is_proxy:
        yield from _of_proxy(described, dialects, areas)
        return
    chosen = vectors.load(dialects, areas)
    yield from _entries_of((vector for vector in chosen if vector.area != LAST), described, not_asked)
    if areas is None or ledger.AREA in areas:
        for dialect in vectors.dialects() if dialects is None else dialects:
            for name in ledger.names(dialect):
                yield from _of_ledger(ledger.load(name, dialect), described, not_asked)
    of_broker, faults = _of_broker(described, not_asked, dialects, areas)
    yield from of_broker
    yield from _entries_of((vector for vector in chosen if vector.area == LAST), described, not_asked)
    yield from faults


def _of_client(dialects: Collection[str] | None, areas: Collection[str] | None) -> Iterator[Entry]:
    """The scripts, which are all that a client is asked that runs."""
    if (dialects is None or of_clients.DIALECT in dialects) and (areas is None or of_clients.AREA in areas):
        for question in scripts.questions():
            yield Entry(question.case.id, partial(_one, question))


def _of_proxy(
    described: Description, dialects: Collection[str] | None, areas: Collection[str] | None
) -> Iterator[Entry]:
    """What passes through a proxy. It is asked nothing else: the broker is the kit's own, behind it."""
    if (dialects is None or sweep.DIALECT in dialects) and (areas is None or RELAY in areas):
        for question in relays.questions(described.apis or {}):
            yield Entry(question.case.id, partial(_one, question))


def _of_broker(
    described: Description,
    not_asked: NotAsked,
    dialects: Collection[str] | None,
    areas: Collection[str] | None,
) -> tuple[list[Entry], list[Entry]]:
    """Those that only a broker which runs is asked, and the faults among them."""
    found: tuple[list[Entry], list[Entry]] = [], []
    if described.apis is None:
        return found
    for dialect in described.dialects:
        if dialects is not None and dialect not in dialects:
            continue
        asked = conversations.questions(described.apis, dialect)
        if dialect == sweep.DIALECT:
            not_asked.no_schema.update(sweep.without_schema(described.apis))
            asked = itertools.chain(sweep.questions(described.apis), asked) if described.apis else iter(())
        for question in asked:
            if areas is None or question.vector.area in areas:
                found[question.vector.area == FAULTS].append(Entry(question.case.id, partial(_one, question)))
    return found


def _one(question: Question) -> tuple[Question, ...]:
    return (question,)


def _entries_of(chosen: Iterable[Vector], described: Description, not_asked: NotAsked) -> Iterator[Entry]:
    for vector, op in _offered(chosen, described, not_asked):
        yield Entry(f"{vector.path}#{op.value}", partial(_questions, vector, (op,)))


def of_vectors(
    chosen: Iterable[Vector], described: Description, not_asked: NotAsked | None = None
) -> Iterator[Question]:
    """The questions of these vectors that the implementation offers."""
    for vector, op in _offered(chosen, described, NotAsked() if not_asked is None else not_asked):
        yield from _questions(vector, (op,))


def _questions(vector: Vector, ops: Iterable[Op]) -> tuple[Question, ...]:
    return tuple(Question.of(vector, vector.case(op)) for op in ops)


def _offered(chosen: Iterable[Vector], described: Description, not_asked: NotAsked) -> Iterator[tuple[Vector, Op]]:
    """The ops of these vectors that the implementation offers."""
    bundled = catalog_filter.is_bundled()
    for vector in chosen:
        for op in _ops(vector, described):
            if not bundled and not _holds(vector, op):
                not_asked.other_schemas[_lacked(vector, op, described)] += 1
            elif offers_vector(described, vector, op):
                yield vector, op
            else:
                not_asked.not_offered[_lacked(vector, op, described)] += 1
                if vector.dialect in described.dialects:
                    not_asked.by_area[vector.area] += 1


def _of_ledger(message_ledger: Ledger, described: Description, not_asked: NotAsked) -> Iterator[Entry]:
    asked: dict[str, list[Op]] = {}
    for vector, op in _offered(message_ledger.vectors, described, not_asked):
        asked.setdefault(vector.id, []).append(op)
    for vector in message_ledger.vectors:
        if vector.id in asked:
            yield Entry(vector.path, partial(_questions, vector, asked[vector.id]))
    if not asked:
        return
    for version, vectors_ in ledger.richest_first(message_ledger).items():
        sources = [(vector, op) for vector in vectors_ for op in asked.get(vector.id, ()) if op is not Op.ENCODE]
        if sources:
            dialect = sources[0][0].dialect
            name = f"{dialect}/{ledger.AREA}/{message_ledger.message}/{version}/derived"
            yield Entry(name, partial(_derivation, sources))


def _derivation(sources: Iterable[tuple[Vector, Op]]) -> Derivation:
    return Derivation(tuple(question for vector, op in sources for question in _questions(vector, (op,))))


def _lacked(vector: Vector, op: Op, described: Description) -> str:
    """The missing part that makes the case impossible: the dialect, else the type and op, or an op without a type."""
    if vector.dialect not in described.dialects:
        return vector.dialect
    return f"{vector.type} {op}" if vector.type else op


def _ops(vector: Vector, described: Description) -> tuple[Op, ...]:
    """The ops of a vector. An invalid vector is asked once: with decode, or with recode if only that is offered."""
    if vector.kind is not VectorKind.INVALID or Op.DECODE not in vector.ops:
        return vector.ops
    offered = (op for op in (Op.DECODE, Op.RECODE) if op in vector.ops)
    return (next((op for op in offered if offers_vector(described, vector, op)), Op.DECODE),)


def _holds(vector: Vector, op: Op) -> bool:
    """Whether a question, and its twin, are still right with the current catalogue."""
    twin = twin_of(vector)
    return catalog_filter.holds(vector, op) and (twin is None or catalog_filter.holds(twin, op))
