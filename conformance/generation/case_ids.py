"""Generated cases. Their ids contain their bytes, so a case can be generated again from its id alone. The expected
answer is that of the reference codec.

    gen/<dialect>/<type>/<version or ->/x<hex>[+prefix:<n>]#<decode, encode or recode>
    gen/<dialect>/<type>/<version or ->/v<hex>#encode
    gen/<dialect>/<type>/<version or ->/x<hex>#<lookup or convert>
    gen/<dialect>/-/-/x<hex>#<consume, produce, serve, interpret, negotiate or evolve>

The hex is the case's seed, which contains all its arguments (`conformance.generation.arguments`). For encode, x<hex>
are bytes, and the value to encode is the one that they mean; v<hex> is the value itself, in JSON, and need not be a
valid one."""

from __future__ import annotations

import functools
import re

from wireproof.conformance.generation import expectations
from wireproof.conformance.generation.arguments import arguments_of
from wireproof.conformance.model import Case, Op
from wireproof.conformance.vectors import Vector, VectorKind

#: The form of these ids in messages.
FORM = "gen/<dialect>/<type or ->/<version or ->/x<hex>[+prefix:n]#<op>"
_ID = re.compile(
    r"gen/(?P<dialect>[^/]+)/(?P<type>[^/#+]+)/(?P<version>-|-?[0-9]{1,9})/"
    r"(?P<form>[xv])(?P<seed>(?:[0-9a-f]{2})*)(?:\+prefix:(?P<prefix>[0-9]{1,9}))?#(?P<op>[a-z]+)"
)
#: The maximum length of a wrong id in a message, in characters.
_SHOWN = 200
#: Ops whose seed is the bytes of a type.
_OF_BYTES = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE})


def whole(case: Case) -> Case | None:
    """The case of which this one is a prefix, if the reference accepts that; None for a case that is not a prefix."""
    match = _ID.fullmatch(case.id)
    if match is None or match["prefix"] is None or case.op not in _OF_BYTES:
        return None
    return _whole(match["dialect"], match["type"], case.version, bytes.fromhex(match["seed"]), case.op)


@functools.lru_cache(256)
def _whole(dialect: str, type_name: str, version: int | None, seed: bytes, op: Op) -> Case | None:
    vector, case = expectations.vector_of(op, dialect, type_name, version, seed)
    return case if vector.kind is VectorKind.VALID else None


def parse(identifier: str) -> tuple[Vector, Case]:
    """The case of a generated id. Raises ValueError."""
    match = _ID.fullmatch(identifier)
    if match is None or match["op"] not in tuple(Op):
        raise _no_id(identifier)
    op, dialect = Op(match["op"]), match["dialect"]
    version = None if match["version"] == "-" else int(match["version"])
    prefix = None if match["prefix"] is None else int(match["prefix"])
    seed = bytes.fromhex(match["seed"])
    if match["form"] == "x" and op in _OF_BYTES:
        return expectations.vector_of(op, dialect, match["type"], version, seed, prefix)
    if prefix is not None or (match["form"] == "v" and op is not Op.ENCODE):
        raise _no_id(identifier)
    type_name = None if match["type"] == "-" else match["type"]
    try:
        args = arguments_of(op, seed)
    except ValueError as error:
        raise ValueError(f"{_short(identifier)}: its hex holds no arguments of {op}: {error}") from None
    return expectations.vector_of_arguments(op, dialect, type_name, version, args)


def _no_id(identifier: str) -> ValueError:
    return ValueError(f"{_short(identifier)!r} is no id of a generated case; {FORM} is expected")


def _short(identifier: str) -> str:
    return identifier if len(identifier) <= _SHOWN else f"{identifier[: _SHOWN // 2]}…{identifier[-_SHOWN // 2 :]}"
