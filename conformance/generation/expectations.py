"""Turns the reference's answers to generated questions into expectations of a vector.

A broker is free in parts of its answers. So only these are expected: the types, the correlation ids, the top-level
error codes of ApiVersions, the ids of the brokers in a BrokerMetadata response (the setting `cluster` and the request
decide them, R-35-2), and whether it closes the connection. In dialects whose broker may answer in any order, any order
is expected.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.vectors import Piece, Reject, Vector, VectorKind
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.conformance.vectors.patterns import mismatch
from wireproof.reference.errors import Reason

#: The areas of questions without a type.
AREAS: Mapping[Op, str] = {
    Op.SERVE: "framing",
    Op.INTERPRET: "framing",
    Op.NEGOTIATE: "unsupported-versions",
    Op.EVOLVE: "schema-evolution",
}
#: Settings on which a broker's answers depend.
_NEEDED = ("apis", "cluster")
#: Dialects whose broker may answer pipelined requests in any order, and the maximum number of such answers (comparing
#: more would be slow).
_ANY_ORDER = frozenset({"wire-format"})
_MOST_TOGETHER = 5
#: The response whose brokers the setting `cluster` and the request decide.
_OF_A_CLUSTER = "ResponseFrame:BrokerMetadata"
#: The first fields of a request in every dialect: size, api key, version and correlation id.
_HEAD = struct.Struct(">ihhi")
_SIZE = 4


def expect(vector: Vector, case: Case) -> Vector:
    """The vector with the reference's answer as expectation, for lookup, convert, serve, interpret, negotiate, evolve,
    and encode of a value. Raises ValueError for a question that the reference cannot answer."""
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
        case Op.SERVE:
            sent, closed = observation.answer
            replaced = {"expected": (_patterns(case, sent), closed), "needs": _needs(case.dialect)}
    return _with(vector, replaced)


def _refused(vector: Vector, case: Case, observation: Observation) -> Vector:
    if case.op in (Op.SERVE, Op.INTERPRET, Op.NEGOTIATE):
        raise ValueError(f"this asks nothing: {observation.detail}")
    if case.op is Op.ENCODE and observation.reason == Reason.TAG_ORDER:
        in_order = {**case.args, "value": _with_tags_in_order(case.args["value"], case.type)}
        written = ask(configured_reference(case.dialect), msgspec.structs.replace(case, args=in_order))
        if written.status is Status.ANSWER:  # to sort them is as right as to refuse (R-K-1w)
            return _with(vector, {**_encoded(case, written.answer), "or_reject": Reason.TAG_ORDER})
    offset = None if case.op is Op.ENCODE else observation.offset
    reject = Reject(Reason(observation.reason or Reason.TRUNCATED), offset)
    kind = VectorKind.UNENCODABLE if case.op is Op.ENCODE else vector.kind
    return _with(vector, {"reject": reject, "kind": kind})


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


def _patterns(case: Case, sent: bytes) -> list[dict[str, Any]]:
    """A pattern for each sent frame. Raises ValueError for a frame that fits no request."""
    requests = list(_requests(b"".join(case.args["chunks"])))
    patterns: list[dict[str, Any]] = []
    for frame in _frames(sent):
        pattern = _pattern(case.dialect, frame, requests)
        if pattern is None:
            raise ValueError(f"answer {len(patterns) + 1}: no pattern can tell what else may be sent in its place")
        patterns.append(pattern)
    if case.dialect in _ANY_ORDER and len(patterns) > 1:
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
            return {"header": {"CorrelationId": answered}, "body": {"Brokers": ids}}
        case {"header": {"CorrelationId": answered}, "body": {"ErrorCode": error, "ApiKeys": _}} if (
            answered == correlation
        ):
            return {"header": {"CorrelationId": answered}, "body": {"ErrorCode": error}}
        case {"header": {"CorrelationId": answered}} if answered == correlation:
            return {"header": {"CorrelationId": answered}}
        case {"correlation_id": answered} if answered == correlation:
            return {"correlation_id": answered}
    return None
