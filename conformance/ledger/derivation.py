"""Cases derived from a ledger's when asked, never stored: every proper prefix, every count as great as can be."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.ledger.files import AREA, Ledger
from conformance.ledger.files import vector as stored_vector
from conformance.model import Case, Op
from conformance.own import own
from conformance.vectors import Kind, Piece, Reject, Vector
from reference.errors import Reason


def richest_first(ledger: Ledger) -> dict[int, list[Vector]]:
    """Of every version the cases from which others are derived, the one with most to cut first; none without bytes."""
    found: dict[int, list[Vector]] = {}
    for case in ledger.derive_from:
        for vector in ledger.vectors:
            if vector.version is not None and vector.id.endswith(f"/{case}") and vector.data:
                found.setdefault(vector.version, []).append(vector)
    return found


def prefixes(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """Every proper prefix of a case's bytes: each has to be refused, for every message is as long as it says."""
    data = vector.data
    for length in range(len(data)):
        yield derived(vector, op, f"prefix:{length}", data[:length], Reason.TRUNCATED)


#: How spans name a count, and the greatest count in that form.
_BOMBS = {"count": b"\x7f\xff\xff\xff", "count + 1": b"\xff\xff\xff\xff\x07", "tag count": b"\xff\xff\xff\xff\x07"}


def bombs(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """Each count in a case's bytes made as great as can be: each has to be refused before memory is taken."""
    assert vector.type is not None
    data = vector.data
    for span in own().explain(vector.type, data, dialect=vector.dialect, version=vector.version).spans:
        bomb = _BOMBS.get(span.what)
        if bomb is not None:
            yield derived(
                vector, op, f"bomb:{span.start}", data[: span.start] + bomb + data[span.end :], Reason.TRUNCATED
            )


def derive(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """All cases derived from a ledger case."""
    yield from prefixes(vector, op)
    yield from bombs(vector, op)


def find(identifier: str) -> tuple[Vector, Case] | None:
    """The case of a ledger's id, derived ones too; None when no ledger has it."""
    path, _, op = identifier.rpartition("#")
    stored, _, mutation = path.partition("+")
    dialect, _, rest = stored.partition("/")
    found = stored_vector(rest.removeprefix(f"{AREA}/"), dialect)
    if found is None or found.path != stored or op not in found.ops:
        return None
    if not mutation:
        return found, found.case(Op(op))
    return next((made for made in derive(found, Op(op)) if made[1].id == identifier), None)


def derived(vector: Vector, op: Op, mutation: str, data: bytes, reason: Reason) -> tuple[Vector, Case]:
    """A case derived from a ledger case, which has to be refused."""
    identifier = f"{vector.id}+{mutation}"
    refused = Vector(
        id=identifier,
        dialect=vector.dialect,
        area=vector.area,
        about=f"{vector.about}: {mutation.replace(':', ' ')}",
        kind=Kind.INVALID,
        ops=(op,),
        type=vector.type,
        version=vector.version,
        pieces=(Piece(data, ""),),
        reject=Reject(reason),
        twin=vector.id,
        source=f"this kit: made from the bytes of {vector.id}",
    )
    return refused, refused.case(op)
