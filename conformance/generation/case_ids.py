"""Generated cases. Their ids contain their bytes, so a case can be made again from its id alone. The expected answer is
that of the reference codec.

    gen/<dialect>/<type>/<version or ->/x<hex>[+prefix:<n>]#<decode, encode or recode>
    gen/<dialect>/<type>/<version or ->/v<hex>#encode
    gen/<dialect>/<type>/<version or ->/x<hex>#<lookup or convert>
    gen/<dialect>/-/-/x<hex>#<serve, interpret, negotiate or evolve>

The hex is the case's seed, which contains all its arguments (`conformance.generation.arguments`). For encode, x<hex>
are bytes, and the value to encode is the one that they mean; v<hex> is the value itself, in JSON, and need not be a
valid one."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from wireproof import reference
from wireproof.conformance.generation import expectations
from wireproof.conformance.generation.arguments import arguments_of, seed_of
from wireproof.conformance.model import TYPED_OPS, Case, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors import ABSENT, Piece, Reject, Vector, VectorKind
from wireproof.reference.errors import Reason

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
_KINDS: Mapping[Op, VectorKind] = {
    Op.ENCODE: VectorKind.VALID,
    Op.LOOKUP: VectorKind.LOOKUP,
    Op.CONVERT: VectorKind.CONVERT,
    Op.SERVE: VectorKind.SERVE,
    Op.INTERPRET: VectorKind.INTERPRET,
    Op.NEGOTIATE: VectorKind.NEGOTIATE,
    Op.EVOLVE: VectorKind.EVOLVE,
}


def area(dialect: str, type_name: str) -> str:
    """The area of a generated case of this type."""
    return reference_codec().dialect(dialect).area(type_name)


def has_partial_tail(dialect: str, type_name: str, data: bytes) -> bool:
    """Whether valid bytes end with a partial entry. Written bytes never do, so recode is then not asked."""
    entries = reference_codec().dialect(dialect).entries.get(type_name)
    return entries is not None and entries.ends_partially(data)


def _compressed(dialect: str, type_name: str, value: Any) -> bool:
    """Whether any batch or message in it is compressed: then an encoder may write other bytes."""
    entries = reference_codec().dialect(dialect).entries.get(type_name)
    return entries is not None and entries.compressed(value)


def vector_of(
    op: Op, dialect: str, type_name: str, version: int | None, seed: bytes, prefix: int | None = None
) -> tuple[Vector, Case]:
    """The case of a seed, and a vector that expects the reference's answer. Raises ValueError when there is no such
    case: encode needs a seed that can be decoded."""
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


def vector_of_arguments(
    op: Op, dialect: str, type_name: str | None, version: int | None, args: Mapping[str, Any]
) -> tuple[Vector, Case]:
    """The case with these arguments, and a vector that expects the reference's answer. `type_name`: None for ops
    without a type. Encode takes any value, even one that has to be refused. Raises ValueError for arguments that do not
    fit the op."""
    if (op in TYPED_OPS) != (type_name is not None):
        raise ValueError(f"{op} {'needs a type' if type_name is None else 'speaks of no type: - is expected'}")
    if type_name is None and version is not None:
        raise ValueError(f"{op} speaks of no type, and so of no version: - is expected")
    if op in (Op.DECODE, Op.RECODE):
        assert type_name is not None
        return vector_of(op, dialect, type_name, version, args["data"])
    if dialect not in reference.dialects:
        raise ValueError(f"there is no dialect {dialect!r}; there are {', '.join(reference.dialects)}")
    seed = seed_of(op, args)
    name = f"{'v' if op is Op.ENCODE else 'x'}{seed.hex()}"
    where = f"gen/{dialect}/{type_name or '-'}/{'-' if version is None else version}"
    case = Case(f"{where}/{name}#{op}", op, dialect, type_name, version, args)
    own_args = {key: item for key, item in args.items() if key not in ("data", "value")}
    pieces = (Piece(args["data"], "as generated"),) if "data" in args else ()
    vector = Vector(
        id=name,
        dialect=dialect,
        area=expectations.AREAS[op] if type_name is None else area(dialect, type_name),
        about=f"generated: a question of {len(seed)} bytes",
        kind=_KINDS[op],
        ops=(op,),
        type=type_name,
        version=version,
        pieces=pieces,
        value=args.get("value", ABSENT),
        source="the reference codec",
        args=own_args,
    )
    return expectations.expect(vector, case), case


def whole(case: Case) -> Case | None:
    """The case of which this one is a prefix, if the reference accepts that; None for a case that is not a prefix."""
    match = _ID.fullmatch(case.id)
    if match is None or match["prefix"] is None or case.op not in _OF_BYTES:
        return None
    return _whole(match["dialect"], match["type"], case.version, bytes.fromhex(match["seed"]), case.op)


@functools.lru_cache(256)
def _whole(dialect: str, type_name: str, version: int | None, seed: bytes, op: Op) -> Case | None:
    vector, case = vector_of(op, dialect, type_name, version, seed)
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
        return vector_of(op, dialect, match["type"], version, seed, prefix)
    if prefix is not None or (match["form"] == "v" and op is not Op.ENCODE):
        raise _no_id(identifier)
    type_name = None if match["type"] == "-" else match["type"]
    try:
        args = arguments_of(op, seed)
    except ValueError as error:
        raise ValueError(f"{_short(identifier)}: its hex holds no arguments of {op}: {error}") from None
    return vector_of_arguments(op, dialect, type_name, version, args)


def _no_id(identifier: str) -> ValueError:
    return ValueError(f"{_short(identifier)!r} is no id of a generated case; {FORM} is expected")


def _short(identifier: str) -> str:
    return identifier if len(identifier) <= _SHOWN else f"{identifier[: _SHOWN // 2]}…{identifier[-_SHOWN // 2 :]}"
