"""The place in a type where an answer went wrong: a count, a tag's size, the text of a field.

A codec usually has one function for all counts and one for all tag sizes. So the same kind of place in many messages is
mostly one bug, and has the same name in all of them. The name of a plain field is its message and its own name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from wireproof.conformance.generation import random_values
from wireproof.conformance.judging import checksums
from wireproof.conformance.model import Case, Observation, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.values.compare import difference
from wireproof.conformance.values.encoding import ValueFormatError
from wireproof.conformance.vectors import Vector
from wireproof.reference.cursor import Span
from wireproof.reference.errors import DecodeError, Reason, WireError
from wireproof.reference.records import CODEC, batch
from wireproof.reference.rules import DEMANDED, Rules

#: Longer bytes are not searched, because such cases test the length.
_LOOKED_AT = 1 << 16
_INDEX = re.compile(r"\[\d+\]")
#: Refusals about the form of an integer. Their place is this form, for all uses of the integer.
_OF_INTEGERS = frozenset({Reason.VARINT_OVERFLOW, Reason.OUT_OF_RANGE})
#: Refusals whose place is the same in all types, however the bytes or the value around it look.
_ANYWHERE = {
    Reason.TRAILING_BYTES: "what follows",
    Reason.TAGS_NOT_ALLOWED: "tags",
    Reason.KNOWN_TAG: "tags",
    Reason.FIELD_NOT_IN_VERSION: "a field of another version",
    Reason.UNKNOWN_FIELD: "an unknown field",
}
#: The number of values of a type that are searched for a place.
_SAMPLES = 24
#: Refusals about what is compressed, which has the same place whatever is found inside.
_OF_CONTENT = frozenset({Reason.CORRUPT_COMPRESSION, Reason.INVALID_WRAPPER})
#: Fields of records and batches that are varints.
_VARINTS = frozenset({"VARINT", "VARLONG", "UNSIGNED_VARINT", "timestampDelta", "offsetDelta", "intVar", "uintVar"})

#: The place of a frame whose size is not that of the input, whatever is cut off by it; and the refusals of this kind.
FRAME_SIZE = "frame size"
#: The place of a broken batch of which a consumer says nothing: it delivers nothing, and asks for it again.
UNTOLD = "a broken batch: not told"
_OF_FRAME_SIZE = frozenset({Reason.TRUNCATED, Reason.NEGATIVE_LENGTH, Reason.TRAILING_BYTES})

#: The size of a frame's size.
_SIZE = 4
#: Fields of batches that messages do not have.
_OF_BATCHES = frozenset(batch.KEYS) - {"attributes"}

_Pair = tuple[Any, Any]


def of_refusal(vector: Vector, case: Case, rules: Rules = DEMANDED) -> str:
    """The wrong place in input that must be refused. Empty if it is unknown. It follows from the case and the demanded
    reason, so it is the same for a vector that a person wrote and for a generated one. `rules`: those under which it
    has to be refused."""
    data = case.args.get("data")
    if isinstance(data, bytes) and _frame_size_is_wrong(vector, case, data, rules):
        return FRAME_SIZE
    if vector.reject is not None and vector.reject.reason in _ANYWHERE:
        return _ANYWHERE[vector.reject.reason]
    if isinstance(data, bytes):
        return _of_bytes(vector, case, data, rules)
    return _of_value(vector, case, rules) if case.op is Op.ENCODE else ""


def of_offset(case: Case, offset: int | None, rules: Rules = DEMANDED) -> str:
    """The field at the offset with which an implementation refuses valid bytes. Empty if there is no offset."""
    if offset is None:
        return ""
    spans, _ = _spans(case, case.args.get("data"), rules)
    return _name(_at(spans, offset))


def of_answer(vector: Vector, observation: Observation, compared: _Pair | None, rules: Rules = DEMANDED) -> str:
    """The place where an answer differs from the expected one. `compared`: both values, as the judge compared them;
    None if the bytes cannot be read."""
    case = observation.case
    if case.type is None:
        return ""
    written = case.op in (Op.ENCODE, Op.RECODE, Op.CONVERT)
    right, answer = vector.canonical_data if written else case.args.get("data"), observation.answer
    case = _as_answered(case) if written else case
    spans, _ = _spans(case, right, rules)
    try:
        path = None if compared is None else difference(*compared)
    except ValueFormatError:  # not a value of the protocol
        return ""
    if compared is None and (checksum := _checksum(case, answer)):
        return checksum
    if written and right is not None and _is_frame(case) and _has_right_size(right) and _has_right_size(answer):
        right, answer = right[_SIZE:], answer[_SIZE:]  # what differs is behind the size
        spans = [dataclasses.replace(span, start=span.start - _SIZE, end=span.end - _SIZE) for span in spans]
    if written and (left_out := _left_out(spans, right, answer)):
        return left_out
    if compared is None or path is None:
        named = _name(_at(spans, _first_difference(right, answer)))
        return named and f"{named}: {'unreadable' if compared is None else 'the same value in other bytes'}"
    path = _in_shorter_array(*compared, path) or path
    expected, actual = (_value_at(value, path) for value in compared)
    how = _how(expected, actual)
    named_field = _INDEX.sub("", path).strip(".")
    if how and named_field and "_tags" not in path and not any(span.path.startswith(path) for span in spans):
        return f"an absent field: {how}"
    span = _at_path(spans, path, last=not how)
    named = _name(span)
    if how and named:
        return f"{named}: {how}"
    fields = _INDEX.sub("", path).strip(".")
    if "tag" in named or not fields:
        return named
    return _field(case.type or "", path)


def _field(type_name: str, path: str) -> str:
    """The name of a plain field: its message, or the record or batch that it stands in, and its own name."""
    fields = _INDEX.sub("", path).strip(".")
    of_record = fields.removeprefix("records.")
    if type_name == "RecordSet" and fields in _OF_BATCHES:
        return f"RecordBatch.{fields}"
    return f"{type_name}.{fields}" if of_record == fields else f"Record.{of_record}"


def with_zeros(case: Case, place: str) -> bytes | None:
    """The bytes of a case with 0 in all fields of this place that are one byte or of a fixed size. None if they have
    only such fields that are 0, or none. A CRC stays as it was."""
    data = case.args.get("data")
    if case.type is None or not isinstance(data, bytes):
        return None
    changed = bytearray(data)
    for span in _spans(case, data, DEMANDED)[0]:
        size = span.end - span.start
        if _field(case.type, span.path) == place and (size == 1 or "INT" in span.what):
            changed[span.start : span.end] = bytes(size)
    return None if changed == data else bytes(changed)


def _checksum(case: Case, written: Any) -> str:
    """The CRC for which the bytes written cannot be read, and what it is in truth. Empty for another reason."""
    _, error = _spans(case, written, DEMANDED)
    if error is None or error.reason is not Reason.CRC_MISMATCH:
        return ""
    found = checksums.identify(written, error)
    return f"crc: {found}" if found else "crc: unreadable"


def _left_out(spans: Sequence[Span], right: Any, written: Any) -> str:
    """What a writer left out, if its bytes are the right ones without one part: the first field, or another part by its
    name. Empty if they are not."""
    if not isinstance(right, bytes) or not isinstance(written, bytes) or len(written) >= len(right):
        return ""
    missing = len(right) - len(written)
    first = next((span.start for span in spans if span.path and not span.path.startswith("header")), None)
    for span in spans:
        if span.start > len(written) or right[span.start + missing :] != written[span.start :]:
            continue
        within = [one.end for one in spans if one.start >= span.start and one.path.startswith(span.path)]
        if missing in (span.end - span.start, max(within) - span.start) and right.startswith(written[: span.start]):
            return f"{'first field' if span.start == first else _name(span)}: left out"
    return ""


def _as_answered(case: Case) -> Case:
    """The case with the type of the answer's bytes."""
    form = answered_in(case)
    return msgspec.structs.replace(case, dialect=form.dialect, type=form.type, version=form.version)


# --- Input that must be refused ---------------------------------------------------------------------------------------


def _frame_size_is_wrong(vector: Vector, case: Case, data: bytes, rules: Rules) -> bool:
    """Whether this is a frame that must be refused because its size is not that of what follows it. Who ignores the
    size reads on, so where the frame ends, in a count or in a text, does not matter. A count or length that has to be
    refused with the right size too is another fault."""
    if vector.reject is None or vector.reject.reason not in _OF_FRAME_SIZE:
        return False
    if not _is_frame(case) or _has_right_size(data):
        return False
    if vector.reject.reason is Reason.TRAILING_BYTES:
        return True
    _, error = _spans(case, _size(data) + data[_SIZE:], rules)
    return error is None or (error.reason, error.offset) != (vector.reject.reason, vector.reject.offset)


def _is_frame(case: Case) -> bool:
    return (case.type or "").partition(":")[0] in ("RequestFrame", "ResponseFrame")


def _has_right_size(data: Any) -> bool:
    return isinstance(data, bytes) and data.startswith(_size(data))


def _size(frame: bytes) -> bytes:
    """The size that a frame has to begin with."""
    return (len(frame) - _SIZE).to_bytes(_SIZE, "big", signed=True)


def _of_bytes(vector: Vector, case: Case, data: bytes, rules: Rules) -> str:
    assert vector.reject is not None
    spans, error = _spans(case, data, rules)
    offset = vector.reject.offset
    if offset is None and error is not None:
        offset = error.offset
    if offset is None:
        return ""
    if error is not None and error.what and error.offset == offset:
        return error.what
    span = _at(spans, offset)
    reason = vector.reject.reason
    if (span is None or reason in _OF_CONTENT) and (codec := _codec(spans, offset)):
        return f"{codec if reason is Reason.CORRUPT_COMPRESSION else 'compressed'} content"
    if span is None or (error is not None and span.end > offset != span.start):
        path = _element("" if error is None else error.path)
        span = _like(path, spans) or _like(path, _samples(case.type or "", case.dialect, case.version)) or span
    if span is None:  # nothing stands there in any value: the place is what was read before
        span = next((one for one in reversed(spans) if one.end <= offset), None)
    return _of_integer(_name(span)) if vector.reject.reason in _OF_INTEGERS else _name(span)


def _like(path: str, spans: Sequence[Span]) -> Span | None:
    """The last of the spans with this path without indexes."""
    return next((span for span in reversed(spans) if path and _element(span.path) == path), None)


def _codec(spans: Sequence[Span], offset: int) -> str:
    """The name of the codec of the batch or wrapper around this byte; empty if there is none, or if what
    it compressed was read and ends before the byte."""
    from wireproof.reference.records.compression import NAMES  # loads the libraries that a batch needs anyway

    passed = [index for index, span in enumerate(spans) if span.what.endswith(" content") and span.end <= offset]
    spans = spans[passed[-1] + 1 :] if passed else spans
    # A record has attributes too, in which nothing names a codec.
    of_record = {span.path for span in spans if span.what == "timestampDelta"}
    attributes = [
        span.value
        for span in spans
        if span.what == "attributes" and span.end <= offset and _beside(span.path, "timestampDelta") not in of_record
    ]
    number = attributes[-1] & CODEC if attributes and isinstance(attributes[-1], int) else 0
    return NAMES[number] if 0 < number < len(NAMES) else ""


def _beside(path: str, name: str) -> str:
    """The path of another field of the same structure."""
    return f"{path[: path.rfind('.') + 1]}{name}"


def _element(path: str) -> str:
    """A path without array indexes."""
    return _INDEX.sub("[]", path)


def _of_value(vector: Vector, case: Case, rules: Rules) -> str:
    """The wrong place in a value that must not be written: the name that this part has in a valid value."""
    assert vector.reject is not None
    if vector.reject.reason is Reason.INVALID_WRAPPER:
        return "a wrapper"
    type_name = case.type or ""
    try:
        reference_codec().under(rules).encode(type_name, case.args["value"], dialect=case.dialect, version=case.version)
        path = ""
    except (NotImplementedError, WireError) as error:
        path = getattr(error, "path", "")
    name = _name_at(_element(path), _samples(type_name, case.dialect, case.version))
    return _of_integer(name) if vector.reject.reason in _OF_INTEGERS else name


def _name_at(path: str, spans: Sequence[Span]) -> str:
    """The name of the part at a path without indexes, or of what it stands in."""
    while True:
        there = next((span for span in spans if _element(span.path) == path), None)
        if there is not None:
            return _name(there)
        if any(_element(span.path).startswith((f"{path}.", f"{path}[")) for span in spans if path):
            return "a structure"
        if not path:
            return _name(spans[0]) if spans else ""
        path = path[: max(path.rfind("."), path.rfind("["), 0)]


@functools.lru_cache(256)
def _samples(type_name: str, dialect: str, version: int | None) -> Sequence[Span]:
    """The spans of some valid values of a type."""
    found: list[Span] = []
    with contextlib.suppress(NotImplementedError, WireError):  # a type that is only converted, a version that is none
        for seed in range(_SAMPLES):
            drawn = random_values.boundary if seed % 2 else random_values.value
            value = drawn(type_name, Random(seed), dialect=dialect, version=version)  # noqa: S311 (no secrets)
            data = reference_codec().encode(type_name, value, dialect=dialect, version=version)
            found += _spans(Case("", Op.DECODE, dialect, type_name, version), data, DEMANDED)[0]
    return tuple({(_element(span.path), span.what): span for span in reversed(found)}.values())[::-1]


def _of_integer(name: str) -> str:
    return "a varint" if name in _VARINTS or not name.isupper() else name


# --- Spans ------------------------------------------------------------------------------------------------------------


def _spans(case: Case, data: Any, rules: Rules) -> tuple[Sequence[Span], DecodeError | None]:
    if case.type is None or not isinstance(data, bytes) or len(data) > _LOOKED_AT:
        return (), None
    try:
        explanation = (
            reference_codec().under(rules).explain(case.type, data, dialect=case.dialect, version=case.version)
        )
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


def _in_shorter_array(expected: Any, actual: Any, path: str) -> str:
    """The path of the first element that one of two values has alone, if an array around `path` is shorter in it: an
    element that is lost moves all fields behind it, and each of them differs. Empty if all arrays are as long."""
    for part in _INDEX.finditer(path):
        around = path[: part.start()]
        lengths = {len(array) for array in (_value_at(value, around) for value in (expected, actual))}
        if len(lengths) > 1:
            return f"{around}[{min(lengths)}]"
    return ""


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
