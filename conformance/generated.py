"""Generated cases. The id of one holds its bytes, so the case can be made again from the id alone; what is expected of
it is what the reference codec does.

    gen/<dialect>/<type>/<version or ->/x<hex>[+prefix:n]#<op>

The seed is the case's bytes (for encode: the canonical bytes of its value), so an id says all there is to know.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import msgspec

from conformance.model import Case, Op, Status
from conformance.readings import ask
from conformance.reference_codec import reference_codec
from conformance.vectors import Piece, Reject, Vector, VectorKind
from reference.errors import Reason

_ID = re.compile(
    r"gen/(?P<dialect>[^/]+)/(?P<type>[^/#+]+)/(?P<version>-|-?\d+)/x(?P<seed>(?:[0-9a-f]{2})*)"
    r"(?:\+prefix:(?P<prefix>\d+))?#(?P<op>decode|encode|recode)"
)


def area(dialect: str, type_name: str) -> str:
    """The area of a generated case of this type."""
    return reference_codec().dialect(dialect).area(type_name)


def has_partial_tail(dialect: str, type_name: str, data: bytes) -> bool:
    """Whether valid bytes end with a partial entry, which nothing that is written has: then recode is not asked."""
    entries = reference_codec().dialect(dialect).entries.get(type_name)
    return entries is not None and entries.ends_partially(data)


def _compressed(dialect: str, type_name: str, value: Any) -> bool:
    """Whether any batch or message in it has a codec, which leaves the bytes free."""
    entries = reference_codec().dialect(dialect).entries.get(type_name)
    return entries is not None and entries.compressed(value)


def vector_of(
    op: Op, dialect: str, type_name: str, version: int | None, seed: bytes, prefix: int | None = None
) -> tuple[Vector, Case]:
    """The case of a seed, and a vector that expects of it what the reference does. Raises ValueError when the seed
    makes no such case: encode is only asked of a seed that decodes."""
    where = f"gen/{dialect}/{type_name}/{'-' if version is None else version}"
    mutation = "" if prefix is None else f"+prefix:{prefix}"
    identifier = f"{where}/x{seed.hex()}{mutation}#{op}"
    data = seed if prefix is None else seed[:prefix]
    decoded = ask(reference_codec(), Case(identifier, Op.DECODE, dialect, type_name, version, {"data": data}))
    if decoded.status is Status.UNSUPPORTED:
        raise ValueError(decoded.detail)
    vector = Vector(
        id=f"x{seed.hex()}{mutation}",
        dialect=dialect,
        area=area(dialect, type_name),
        about=f"generated: {'the first ' + str(prefix) + ' of ' if prefix is not None else ''}{len(seed)} bytes",
        kind=VectorKind.INVALID,
        ops=(op,),
        type=type_name,
        version=version,
        pieces=(Piece(data, "as generated"),),
        source="the reference codec",
    )
    if decoded.status is Status.REJECT:
        if op is Op.ENCODE:
            raise ValueError(f"{identifier}: its seed does not decode ({decoded.detail}): nothing to encode")
        reject = Reject(Reason(decoded.reason or Reason.TRUNCATED), decoded.offset)
        vector = msgspec.structs.replace(vector, reject=reject)
    else:
        written = reference_codec().encode(type_name, decoded.answer, dialect=dialect, version=version)
        canonical = () if written == data else (Piece(written, "as the reference writes it"),)
        vector = msgspec.structs.replace(
            vector,
            kind=VectorKind.VALID,
            value=decoded.answer,
            canonical=canonical,
            compare_decoded=_compressed(dialect, type_name, decoded.answer),
        )
    arguments = {"value": decoded.answer} if op is Op.ENCODE else {"data": data}
    return vector, Case(identifier, op, dialect, type_name, version, arguments)


def whole(case: Case) -> Case | None:
    """The case of which this one is a prefix, where the reference reads that; None for a case that is no prefix."""
    match = _ID.fullmatch(case.id)
    if match is None or match["prefix"] is None:
        return None
    return _whole(match["dialect"], match["type"], case.version, bytes.fromhex(match["seed"]), case.op)


@functools.lru_cache(256)
def _whole(dialect: str, type_name: str, version: int | None, seed: bytes, op: Op) -> Case | None:
    vector, case = vector_of(op, dialect, type_name, version, seed)
    return case if vector.kind is VectorKind.VALID else None


def parse(identifier: str) -> tuple[Vector, Case]:
    """The case of a generated id. Raises ValueError."""
    match = _ID.fullmatch(identifier)
    if match is None:
        form = "gen/<dialect>/<type>/<version or ->/x<hex>[+prefix:n]#<op>"
        raise ValueError(f"{identifier!r} is no id of a generated case; {form} is expected")
    version = None if match["version"] == "-" else int(match["version"])
    prefix = None if match["prefix"] is None else int(match["prefix"])
    seed = bytes.fromhex(match["seed"])
    return vector_of(Op(match["op"]), match["dialect"], match["type"], version, seed, prefix)
