"""The place in a type where an answer went wrong: a count, a tag's size, the text of a field.

A codec usually has one function for all counts and one for all tag sizes. So the same kind of place in many messages is
mostly one bug, and has the same name in all of them. The name of a plain field is its message and its own name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wireproof.conformance.model import Case, Observation, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.questions.positive_control import twin_of
from wireproof.conformance.values.compare import difference
from wireproof.conformance.values.encoding import ValueFormatError
from wireproof.conformance.vectors import Vector
from wireproof.reference.cursor import Span
from wireproof.reference.errors import DecodeError, Reason, WireError

#: Longer bytes are not searched, because such cases test the length.
_LOOKED_AT = 1 << 16
_INDEX = re.compile(r"\[\d+\]")
#: Refusals about the form of an integer. Their place is this form, for all uses of the integer.
_OF_INTEGERS = frozenset({Reason.VARINT_OVERFLOW, Reason.OUT_OF_RANGE})
#: Fields of records and batches that are varints.
_VARINTS = frozenset({"VARINT", "VARLONG", "UNSIGNED_VARINT", "timestampDelta", "offsetDelta", "intVar", "uintVar"})

_Pair = tuple[Any, Any]


def of_refusal(vector: Vector, case: Case) -> str:
    """The wrong place in input that must be refused. Empty if it is unknown."""
    data = case.args.get("data")
    if isinstance(data, bytes):
        return _of_bytes(vector, case, data)
    return _of_value(vector) if case.op is Op.ENCODE else ""


def of_offset(case: Case, offset: int | None) -> str:
    """The field at the offset with which an implementation refuses valid bytes. Empty if there is no offset."""
    if offset is None:
        return ""
    spans, _ = _spans(case, case.args.get("data"))
    return _name(_at(spans, offset))


def of_answer(vector: Vector, observation: Observation, compared: _Pair | None) -> str:
    """The place where an answer differs from the expected one. `compared`: both values, as the judge compared them;
    None if the bytes cannot be read."""
    case = observation.case
    if case.type is None:
        return ""
    written = case.op in (Op.ENCODE, Op.RECODE, Op.CONVERT)
    right = vector.canonical_data if written else case.args.get("data")
    case = _as_answered(case) if written else case
    spans, _ = _spans(case, right)
    try:
        path = None if compared is None else difference(*compared)
    except ValueFormatError:  # not a value of the protocol
        return ""
    if compared is None or path is None:
        named = _name(_at(spans, _first_difference(right, observation.answer)))
        return named and f"{named}: {'unreadable' if compared is None else 'the same value in other bytes'}"
    expected, actual = (_value_at(value, path) for value in compared)
    how = _how(expected, actual)
    span = _at_path(spans, path, last=not how)
    named = _name(span)
    if how and named:
        return f"{named}: {how}"
    fields = _INDEX.sub("", path).strip(".")
    return named if "tag" in named or not fields else f"{case.type}.{fields}"


def _as_answered(case: Case) -> Case:
    """The case with the type of the answer's bytes."""
    form = answered_in(case)
    return msgspec.structs.replace(case, dialect=form.dialect, type=form.type, version=form.version)


# --- Input that must be refused ---------------------------------------------------------------------------------------


def _of_bytes(vector: Vector, case: Case, data: bytes) -> str:
    assert vector.reject is not None
    spans, error = _spans(case, data)
    offset = vector.reject.offset
    if offset is None and error is not None:
        offset = error.offset
    if offset is None:
        return ""
    span = _at(spans, offset)
    if span is None or (error is not None and span.end > offset != span.start):
        span = _unread(vector, offset, spans, error) or span
    return _of_integer(_name(span)) if vector.reject.reason in _OF_INTEGERS else _name(span)


def _unread(vector: Vector, offset: int, read: Sequence[Span], error: DecodeError | None) -> Span | None:
    """The field at the first byte that could not be read, as known from the valid twin or an earlier element."""
    twin = twin_of(vector)
    has_pieces = twin is not None and twin.type == vector.type and twin.pieces
    right = _spans(twin.case(Op.DECODE), twin.data)[0] if twin is not None and has_pieces else ()
    path = "" if error is None else error.path
    for spans, like in ((right, path), (right, _element(path)), (read, _element(path))):
        there = [span for span in spans if like in (span.path, _element(span.path))]
        if there:
            return next((span for span in there if span.start >= offset), there[-1])
    return _at(right, offset)


def _element(path: str) -> str:
    """A path without array indexes."""
    return _INDEX.sub("[]", path)


def _of_value(vector: Vector) -> str:
    """The wrong place in a value that must not be written."""
    assert vector.type is not None
    assert vector.reject is not None
    twin = twin_of(vector)
    if twin is None or twin.type != vector.type or not twin.pieces:
        return ""
    try:
        reference_codec().encode(vector.type, vector.value, dialect=vector.dialect, version=vector.version)
        path = ""
    except WireError as error:
        path = error.path
    spans, _ = _spans(twin.case(Op.ENCODE), twin.data)
    name = _name(_at_path(spans, path, last=False))
    return _of_integer(name) if vector.reject.reason in _OF_INTEGERS else name


def _of_integer(name: str) -> str:
    return "a varint" if name in _VARINTS or not name.isupper() else name


# --- Spans ------------------------------------------------------------------------------------------------------------


def _spans(case: Case, data: Any) -> tuple[Sequence[Span], DecodeError | None]:
    if case.type is None or not isinstance(data, bytes) or len(data) > _LOOKED_AT:
        return (), None
    try:
        explanation = reference_codec().explain(case.type, data, dialect=case.dialect, version=case.version)
    except (NotImplementedError, WireError):
        return (), None
    return explanation.spans, explanation.error


def _at(spans: Sequence[Span], offset: int | None) -> Span | None:
    """The smallest span with this byte; a span that begins there is preferred."""
    if offset is None:
        return None
    holding = [span for span in spans if span.start <= offset < span.end]
    return min(holding, key=lambda span: (span.start != offset, span.end - span.start), default=None)


def _at_path(spans: Sequence[Span], path: str, *, last: bool) -> Span | None:
    """The first or last span of a value, or of the value around it."""
    while True:
        there = [span for span in spans if span.path == path]
        if there:
            return there[-1 if last else 0]
        if not path:
            return spans[0] if spans else None
        path = path[: max(path.rfind("."), path.rfind("["), 0)]


def _name(span: Span | None) -> str:
    """The name of a span, without the part that depends on its content (registers add names of header keys)."""
    if span is None:
        return ""
    return "key" if span.what.startswith("key ") and span.what != "key length" else span.what


# --- Values -----------------------------------------------------------------------------------------------------------

_MISSING = object()


def _value_at(value: Any, path: str) -> Any:
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if name:
            value = value.get(name, _MISSING) if isinstance(value, Mapping) else _MISSING
        elif isinstance(value, (list, tuple)) and int(index) < len(value):
            value = value[int(index)]
        else:
            return _MISSING
    return value


def _how(expected: Any, actual: Any) -> str:
    """A short description of a difference in type, size or form. Empty if only the content differs."""
    if actual is _MISSING:
        return "missing"
    if expected is _MISSING:
        return "too much"
    if (kinds := (_kind(expected), _kind(actual))) and kinds[0] != kinds[1]:
        return f"{kinds[1]} in place of {kinds[0]}"
    if isinstance(expected, (list, tuple)) and not (expected and actual):
        return "empty" if expected else "not empty"
    return ""


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case str():
            return "text"
        case bytes() | bytearray() | memoryview():
            return "bytes"
        case list() | tuple():
            return "an array"
        case Mapping():
            return "a structure"
    return "another type"


def _first_difference(expected: Any, actual: Any) -> int | None:
    if not isinstance(expected, bytes) or not isinstance(actual, bytes):
        return None
    faced = enumerate(zip(expected, actual, strict=False))
    return next((at for at, (one, other) in faced if one != other), max(min(len(expected), len(actual)) - 1, 0))
