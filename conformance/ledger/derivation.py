"""Derives further cases from those of the ledger, which are not stored: every proper prefix of their bytes, and every
count set to its maximum."""

from __future__ import annotations

from collections.abc import Iterator

from wireproof.conformance.ledger.files import AREA, Ledger
from wireproof.conformance.ledger.files import vector as stored_vector
from wireproof.conformance.model import Case, CaseId, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors import Piece, Reject, Vector, VectorKind
from wireproof.reference.errors import Reason

_TRUNCATED = Reject(Reason.TRUNCATED)


def richest_first(ledger: Ledger) -> dict[int, list[Vector]]:
    """Version → its cases from which others are derived, the one with the most content first; none without bytes."""
    by_richness: dict[int, list[Vector]] = {}
    for case in ledger.derive_from:
        for vector in ledger.vectors:
            if vector.version is not None and vector.id.endswith(f"/{case}") and vector.data:
                by_richness.setdefault(vector.version, []).append(vector)
    return by_richness


def prefixes(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """Every proper prefix of a case's bytes. Each has to be refused, because a message's content determines its
    length."""
    data, case = vector.data, _Derivation(vector, op)
    for length in range(len(data)):
        yield case(f"prefix:{length}", data[:length], _TRUNCATED)


#: The name of a count in spans → the bytes of the greatest count.
_BOMBS = {"count": b"\x7f\xff\xff\xff", "count + 1": b"\xff\xff\xff\xff\x07", "tag count": b"\xff\xff\xff\xff\x07"}


def bombs(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """Each count in a case's bytes set to its maximum: each has to be refused before memory is allocated."""
    assert vector.type is not None
    data, case = vector.data, _Derivation(vector, op)
    for span in reference_codec().explain(vector.type, data, dialect=vector.dialect, version=vector.version).spans:
        bomb = _BOMBS.get(span.what)
        if bomb is not None:
            yield case(f"bomb:{span.start}", data[: span.start] + bomb + data[span.end :], _TRUNCATED)


def derive(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """All cases derived from a ledger case."""
    yield from prefixes(vector, op)
    yield from bombs(vector, op)


def find(identifier: str) -> tuple[Vector, Case] | None:
    """The case of a ledger's id, derived ones too; None when no ledger has it."""
    stored, mutation, op = CaseId.parse(identifier)
    dialect, _, rest = stored.partition("/")
    source = stored_vector(rest.removeprefix(f"{AREA}/"), dialect)
    if source is None or source.path != stored or op not in source.ops:
        return None
    if not mutation:
        return source, source.case(Op(op))
    return next((one for one in derive(source, Op(op)) if one[1].id == identifier), None)


def derived(vector: Vector, op: Op, mutation: str, data: bytes, reason: Reason) -> tuple[Vector, Case]:
    """A case derived from a ledger case, which has to be refused."""
    return _Derivation(vector, op)(mutation, data, Reject(reason))


class _Derivation:
    """Derives cases from a ledger case. Their common parts are computed once, because there are many cases."""

    def __init__(self, vector: Vector, op: Op) -> None:
        self._vector = vector
        self._op = op
        self._ops = (op,)
        self._path = vector.path
        self._asked = f"#{op.value}"
        self._source = f"this kit: made from the bytes of {vector.id}"

    def __call__(self, mutation: str, data: bytes, reject: Reject) -> tuple[Vector, Case]:
        vector, op = self._vector, self._op
        refused = Vector(
            id=f"{vector.id}+{mutation}",
            dialect=vector.dialect,
            area=vector.area,
            about=f"{vector.about}: {mutation.replace(':', ' ')}",
            kind=VectorKind.INVALID,
            ops=self._ops,
            type=vector.type,
            version=vector.version,
            pieces=(Piece(data, ""),),
            reject=reject,
            twin=vector.id,
            source=self._source,
        )
        identifier = f"{self._path}+{mutation}{self._asked}"
        return refused, Case(identifier, op, vector.dialect, vector.type, vector.version, {"data": data})
