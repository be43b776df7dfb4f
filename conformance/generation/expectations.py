"""Vectors that expect the reference's answers to generated questions.

A broker is free in parts of its answers. So only these are expected: the types, the correlation ids, the top-level
error codes of ApiVersions, the ids of the brokers in a BrokerMetadata response (the setting `cluster` and the request
decide them, in any order: R-35-2), and whether it closes the connection. In dialects whose broker may answer in any
order, any order is expected.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.generation.arguments import seed_of
from wireproof.conformance.generation.whole_values import is_whole
from wireproof.conformance.model import TYPED_OPS, Case, Observation, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.produced import read_produced
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.vectors import ABSENT, Also, Piece, Reject, Vector, VectorKind
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.conformance.vectors.patterns import mismatch
from wireproof.reference.errors import Reason

#: The areas of questions without a type.
AREAS: Mapping[Op, str] = {
    Op.CONSUME: "delivery",
    Op.PRODUCE: "delivery",
    Op.SERVE: "framing",
    Op.INTERPRET: "framing",
    Op.NEGOTIATE: "unsupported-versions",
    Op.EVOLVE: "schema-evolution",
}
_KINDS: Mapping[Op, VectorKind] = {
    Op.ENCODE: VectorKind.VALID,
    Op.LOOKUP: VectorKind.LOOKUP,
    Op.CONVERT: VectorKind.CONVERT,
    Op.CONSUME: VectorKind.CONSUME,
    Op.PRODUCE: VectorKind.PRODUCE,
    Op.SERVE: VectorKind.SERVE,
    Op.INTERPRET: VectorKind.INTERPRET,
    Op.NEGOTIATE: VectorKind.NEGOTIATE,
    Op.EVOLVE: VectorKind.EVOLVE,
}
#: Settings on which a broker's answers depend.
_NEEDED = ("apis", "cluster")
#: The maximum number of answers that may come in any order: comparing more would be slow.
_MOST_TOGETHER = 5
#: The response whose brokers the setting `cluster` and the request decide.
_OF_A_CLUSTER = "ResponseFrame:BrokerMetadata"
#: The first fields of a request in every dialect: size, api key, version and correlation id.
_HEAD = struct.Struct(">ihhi")
_SIZE = 4


def area(dialect: str, type_name: str) -> str:
    """The area of a generated case of this type."""
    return reference_codec().dialect(dialect).area(type_name)


def has_partial_tail(dialect: str, type_name: str, data: bytes) -> bool:
    """Whether valid bytes end with a partial entry. Written bytes never do, so recode is then not asked."""
    entries = reference_codec().dialect(dialect).entries.get(type_name)
    return entries is not None and entries.ends_partially(data)


def _is_compressed(dialect: str, type_name: str, value: Any) -> bool:
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
        vector = msgspec.structs.replace(vector, reject=reject, also=_beyond_the_limit(vector, reject))
    else:
        written = reference_codec().encode(type_name, decoded.answer, dialect=dialect, version=version)
        canonical = () if written == data else (Piece(written, "as the reference writes it"),)
        vector = msgspec.structs.replace(
            vector,
            kind=VectorKind.VALID,
            value=decoded.answer,
            canonical=canonical,
            compare_decoded=_is_compressed(dialect, type_name, decoded.answer),
        )
    arguments = {"value": decoded.answer} if op is Op.ENCODE else {"data": data}
    return vector, Case(identifier, op, dialect, type_name, version, arguments)


def vector_of_arguments(
    op: Op, dialect: str, type_name: str | None, version: int | None, args: Mapping[str, Any]
) -> tuple[Vector, Case]:
    """The case with these arguments, and a vector that expects the reference's answer. `type_name`: None for ops
    without a type. Encode takes any whole value, even one that has to be refused. Raises ValueError for arguments that
    do not fit the op."""
    if (op in TYPED_OPS) != (type_name is not None):
        raise ValueError(f"{op} {'needs a type' if type_name is None else 'speaks of no type: - is expected'}")
    if type_name is None and version is not None:
        raise ValueError(f"{op} speaks of no type, and so of no version: - is expected")
    if op in (Op.DECODE, Op.RECODE):
        assert type_name is not None
        return vector_of(op, dialect, type_name, version, args["data"])
    if dialect not in reference.dialects:
        raise ValueError(f"there is no dialect {dialect!r}; there are {', '.join(reference.dialects)}")
    if op is Op.ENCODE and type_name is not None:
        _demand_whole(args["value"], dialect, type_name, version)
    seed = seed_of(op, args)
    name = f"{'v' if op is Op.ENCODE else 'x'}{seed.hex()}"
    where = f"gen/{dialect}/{type_name or '-'}/{'-' if version is None else version}"
    case = Case(f"{where}/{name}#{op}", op, dialect, type_name, version, args)
    own_args = {key: item for key, item in args.items() if key not in ("data", "value")}
    pieces = (Piece(args["data"], "as generated"),) if "data" in args else ()
    vector = Vector(
        id=name,
        dialect=dialect,
        area=AREAS[op] if type_name is None else area(dialect, type_name),
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
    return expect(vector, case), case


def _demand_whole(value: Any, dialect: str, type_name: str, version: int | None) -> None:
    with contextlib.suppress(reference.WireError, NotImplementedError):  # there is no such type or version
        if not is_whole(value, type_name, dialect=dialect, version=version):
            raise ValueError(f"this is no whole value of {type_name}: encode is asked with values that have each field")


def expect(vector: Vector, case: Case) -> Vector:
    """The vector with the reference's answer as expectation, for encode of a value, and for all ops but
    decode and recode. Raises ValueError for a question that the reference cannot answer."""
    observation = ask(configured_reference(case.dialect), case)
    if observation.status is Status.UNSUPPORTED:
        raise ValueError(observation.detail)
    if observation.status is Status.REJECT:
        return _refused(vector, case, observation)
    replaced: dict[str, Any] = {"expected": observation.answer}
    match case.op:
        case Op.ENCODE:
            replaced = _encoded(case, observation.answer)
        case Op.CONVERT:
            replaced = {
                "canonical": _given(observation.answer),
                "compare_decoded": _compressed(case, observation.answer),
            }
        case Op.PRODUCE:
            replaced = {"expected": read_produced(observation.answer, case.dialect)}
        case Op.SERVE:
            sent, closed = observation.answer
            replaced = {"expected": (sent_patterns(case, sent), closed), "needs": _needs(case.dialect)}
    return _with(vector, replaced)


def _refused(vector: Vector, case: Case, observation: Observation) -> Vector:
    if case.op in (Op.SERVE, Op.INTERPRET, Op.NEGOTIATE):
        raise ValueError(f"this asks nothing: {observation.detail}")
    if case.op is Op.ENCODE and observation.reason == Reason.TAG_ORDER:
        in_order = {**case.args, "value": _with_tags_in_order(case.args["value"], case.type)}
        written = ask(configured_reference(case.dialect), msgspec.structs.replace(case, args=in_order))
        if written.status is Status.ANSWER:  # to sort them is as right as to refuse (R-K-1w)
            return _with(vector, {**_encoded(case, written.answer), "or_reject": Reason.TAG_ORDER})
    offset = None if case.op in (Op.ENCODE, Op.PRODUCE) else observation.offset
    reject = Reject(Reason(observation.reason or Reason.TRUNCATED), offset)
    kind = VectorKind.UNENCODABLE if case.op is Op.ENCODE else vector.kind
    return _with(vector, {"reject": reject, "kind": kind, "also": _beyond_the_limit(vector, reject)})


def _beyond_the_limit(vector: Vector, reject: Reject) -> tuple[Also, ...]:
    """The reading of what is refused for the kit's own limit: it may be accepted all the same."""
    ruling = reference.dialect_named(vector.dialect).refusal_rulings.get(reject.reason)
    if reject.reason is not Reason.RESOURCE_LIMIT or ruling is None:
        return ()
    return (Also((ruling,), None, refuses=False, expected={"accepts": True}),)


def _with_tags_in_order(value: Any, type_name: str | None = None) -> Any:
    """The value with the tags of each tag buffer in ascending order. `type_name`: of the whole value."""
    match value:
        case [*pairs] if type_name == "TAG_BUFFER" and all(map(_is_tag, pairs)):
            return sorted(pairs, key=operator.itemgetter(0))
        case [*items]:
            return [_with_tags_in_order(item) for item in items]
        case Mapping():
            return {
                name: _with_tags_in_order(item, "TAG_BUFFER" if name == "_tags" else None)
                for name, item in value.items()
            }
    return value


def _is_tag(pair: Any) -> bool:
    match pair:
        case [int(), _]:
            return True
    return False


def _with(vector: Vector, replaced: Mapping[str, Any]) -> Vector:
    return msgspec.structs.replace(vector, **replaced)


def _needs(dialect: str) -> tuple[str, ...]:
    return tuple(name for name in _NEEDED if name in vectors.settings(dialect))


def _given(data: bytes) -> tuple[Piece, ...]:
    return (Piece(data, "as the reference writes it"),)


def _encoded(case: Case, data: bytes) -> dict[str, Any]:
    return {"kind": VectorKind.VALID, "pieces": _given(data), "compare_decoded": _compressed(case, data)}


def _compressed(case: Case, data: bytes) -> bool:
    """Whether the written bytes contain compressed data: then an encoder may write other bytes."""
    form = answered_in(case)
    entries = reference_codec().dialect(form.dialect).entries.get(form.type)
    if entries is None or not data:
        return False
    try:
        written = reference_codec().decode(form.type, data, dialect=form.dialect, version=form.version)
    except reference.WireError as error:  # several batches, one after another
        raise ValueError(f"what is written is no one {form.type}, and can't be compared: {error}") from None
    return entries.compressed(written)


# --- What a broker sends ----------------------------------------------------------------------------------------------


def sent_patterns(case: Case, sent: bytes) -> list[dict[str, Any]]:
    """A pattern for each sent frame. Raises ValueError for a frame that fits no request."""
    requests = list(_requests(b"".join(case.args["chunks"])))
    patterns: list[dict[str, Any]] = []
    for frame in _frames(sent):
        pattern = _pattern(case.dialect, frame, requests)
        if pattern is None:
            raise ValueError(f"answer {len(patterns) + 1}: no pattern can tell what else may be sent in its place")
        patterns.append(pattern)
    if reference.dialect_named(case.dialect).answers_in_any_order and len(patterns) > 1:
        if len(patterns) > _MOST_TOGETHER:
            raise ValueError(f"{len(patterns)} answers in any order; at most {_MOST_TOGETHER} can be told apart")
        patterns = [pattern | {"order": "any"} for pattern in patterns]
    problem = mismatch(patterns, sent, case.dialect)
    if problem is not None:
        raise ValueError(problem)
    return patterns


def _requests(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Api key, version and correlation id of each received request, in order."""
    while len(data) >= _HEAD.size:
        size, key, version, correlation = _HEAD.unpack_from(data)
        if size < _HEAD.size - _SIZE:
            return
        yield key, version, correlation
        data = data[_SIZE + size :]


def _frames(sent: bytes) -> Iterator[bytes]:
    while sent:
        size = int.from_bytes(sent[:_SIZE], "big")
        yield sent[: _SIZE + size]
        sent = sent[_SIZE + size :]


def _pattern(dialect: str, frame: bytes, requests: Sequence[tuple[int, int, int]]) -> dict[str, Any] | None:
    """The expected pattern for a frame, by a request that it can answer."""
    for key, version, correlation in requests:
        told = reference_codec().dialect(dialect).answer_type(key, version, frame[_SIZE:])
        if told is None:
            continue
        type_name, answered, _ = told
        try:
            value = reference_codec().decode(type_name, frame, dialect=dialect, version=answered)
        except (reference.WireError, NotImplementedError):
            continue
        expected = _expected(type_name, value, correlation)
        if expected is not None:
            versioned = {} if answered is None else {"version": answered}
            return {"type": type_name, **versioned, "value": expected}
    return None


def _expected(type_name: str, value: Any, correlation: int) -> dict[str, Any] | None:
    match value:
        case {"header": {"CorrelationId": answered}, "body": {"Brokers": brokers}} if (
            answered == correlation and type_name == _OF_A_CLUSTER
        ):
            ids = [{"NodeId": broker["NodeId"]} for broker in brokers]
            in_any_order = {"either": [*map(list, itertools.permutations(ids))]}
            return {"header": {"CorrelationId": answered}, "body": {"Brokers": in_any_order}}
        case {"header": {"CorrelationId": answered}, "body": {"ErrorCode": error, "ApiKeys": _}} if (
            answered == correlation
        ):
            return {"header": {"CorrelationId": answered}, "body": {"ErrorCode": error}}
        case {"header": {"CorrelationId": answered}} if answered == correlation:
            return {"header": {"CorrelationId": answered}}
        case {"correlation_id": answered} if answered == correlation:
            return {"correlation_id": answered}
    return None
