"""Compares an answer with an expected one: one comparator for each op.

Values are compared with all defaults filled in. Bytes are compared as they are, or by their meaning if the vector says
so or if the implementation's writer sets some fields by itself (`rebuilds`): then both sides are decoded and compared
without these fields. A reader has to accept more than a writer may write: what was written is read strictly.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from wireproof import reference
from wireproof.conformance.agreement import book
from wireproof.conformance.agreement.exchange import DIALECT
from wireproof.conformance.client_run import ClientRun
from wireproof.conformance.judging import client_runs
from wireproof.conformance.judging.mismatch import Mismatch
from wireproof.conformance.model import CONVERSATIONS, Case, FailureKind, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.produced import as_divided, read_produced
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.script import Transcript
from wireproof.conformance.values.compare import difference, identical, text_key, text_keys
from wireproof.conformance.values.show import show, show_short
from wireproof.conformance.values.undecodable_text import REPLACEMENT, as_expected
from wireproof.conformance.vectors import Vector
from wireproof.conformance.vectors.patterns import mismatch as conversation_mismatch

#: Header types, and the functions that turn their keys, which may be bytes, into text.
_HEADERS: Mapping[str, Callable[[Any], Any]] = {"HEADER": text_key, "HEADERS": text_keys}
#: The maximum length of a value in a text, in characters.
_SHOWN = 300
_REPLACEMENT = REPLACEMENT.encode()
#: The timestamp of a record that has none.
_NO_TIMESTAMP = -1
#: An index in a path.
_INDEX = re.compile(r"\[\d+\]")


def expected_answer(vector: Vector, op: Op) -> Any:
    """The answer that a vector demands for an op, if it does not demand a refusal."""
    match op:
        case Op.DECODE:
            return vector.value
        case Op.ENCODE | Op.RECODE | Op.CONVERT:
            return vector.canonical_data
    return vector.expected


class Comparison:
    """How the answers to one case of a vector are compared. `rebuilds`: fields that the implementation's writer sets by
    itself."""

    __slots__ = ("case", "rebuilds", "vector")

    def __init__(self, vector: Vector, case: Case, rebuilds: frozenset[str] = frozenset()) -> None:
        self.vector = vector
        self.case = case
        self.rebuilds = rebuilds

    def mismatch(self, expected: Any, answer: Any) -> Mismatch | None:
        """The difference between an answer and an expected one; None if they are the same."""
        return _COMPARATORS[self.case.op](self, expected, answer)

    def same_with_replaced_text(self, expected: Any, answer: Any) -> bool:
        """Whether both are the same, except for the characters that stand for bytes which are no text."""
        match self.case.op:
            case Op.DECODE | Op.LOOKUP:
                return self.value_difference(expected, as_expected(expected, answer)) is None
            case Op.ENCODE | Op.RECODE | Op.CONVERT:
                return self.mismatch(expected, answer) is None or self._same_text_in_bytes(expected, answer)
        return self.mismatch(expected, answer) is None

    def _same_text_in_bytes(self, expected: bytes, answer: bytes) -> bool:
        case = self.case
        if case.type is None or not (_REPLACEMENT in expected and _REPLACEMENT in answer):
            return False
        try:
            expected_value, value = (
                reference_codec().decode(case.type, data, dialect=case.dialect, version=case.version)
                for data in (expected, answer)
            )
        except reference.WireError:
            return False
        return self.value_difference(expected_value, as_expected(expected_value, value)) is None

    def values(self, expected: Any, answer: Any) -> tuple[Any, Any] | None:
        """An expected answer and the actual one in the form in which they are compared: with all defaults filled in,
        and without the fields in `rebuilds`. Written bytes are decoded. None if there is nothing to compare, or the
        bytes cannot be read."""
        match self.case.op:
            case Op.DECODE:
                return self._normalized(expected, answer)
            case Op.ENCODE | Op.RECODE | Op.CONVERT if self.case.type is not None:
                try:
                    return self._normalized(self.decoded(expected), self.decoded(answer))
                except reference.WireError:
                    return None
            case Op.PRODUCE:
                with contextlib.suppress(reference.WireError):
                    found = read_produced(answer, self.case.dialect)
                    return as_divided(expected, found), found
            case Op.CONSUME:
                return as_told(expected, answer)
            case Op.LOOKUP | Op.INTERPRET | Op.NEGOTIATE if not isinstance(answer, ClientRun):
                return expected, answer
        return None

    def value_difference(self, expected: Any, answer: Any) -> str | None:
        """The path of the first difference between two values; None if they are equal."""
        return difference(*self._normalized(expected, answer))

    def decoded(self, data: bytes) -> Any:
        """The value of these bytes. Raises WireError."""
        form = answered_in(self.case)
        return reference_codec().decode(form.type, data, dialect=form.dialect, version=form.version)

    def decoded_strictly(self, written: bytes) -> Any:
        """The value of bytes that were written. Raises WireError for what is read, but must not be written."""
        form = answered_in(self.case)
        strict = reference_codec().under(reference.dialect_named(form.dialect).written)
        return strict.decode(form.type, written, dialect=form.dialect, version=form.version)

    def _normalized(self, expected: Any, answer: Any) -> tuple[Any, Any]:
        case = self.case
        if case.type is None or case.op is Op.LOOKUP:
            return expected, answer
        if case.type in _HEADERS:
            answer = _HEADERS[case.type](answer)
        expected, answer = self._complete(expected), self._complete(answer)
        if case.op is Op.DECODE:  # a library may not show a field that its writer sets by itself
            return _without_rebuilt(expected, answer, self.rebuilds), answer
        return _without(expected, self.rebuilds), _without(answer, self.rebuilds)

    def _complete(self, value: Any) -> Any:
        form = answered_in(self.case)
        return reference_codec().complete(form.type, value, dialect=form.dialect, version=form.version)


# --- One comparator for each op ---------------------------------------------------------------------------------------

_Comparator = Callable[[Comparison, Any, Any], Mismatch | None]


def _value(comparison: Comparison, expected: Any, answer: Any) -> Mismatch | None:
    if identical(expected, answer):
        return None
    path = comparison.value_difference(expected, answer)
    if path is None:
        return None
    where = f" (first difference at {path})" if path else ""
    return Mismatch(FailureKind.WRONG_VALUE, f"expected {short(expected)}, got {short(answer)}{where}")


def _bytes(comparison: Comparison, expected: bytes, answer: bytes) -> Mismatch | None:
    if answer == expected:
        return None
    if comparison.vector.compare_decoded or (comparison.rebuilds and comparison.case.op is not Op.CONVERT):
        return _bytes_by_meaning(comparison, expected, answer)
    at = next((i for i, (a, b) in enumerate(zip(expected, answer, strict=False)) if a != b), None)
    at = min(len(expected), len(answer)) if at is None else at
    return Mismatch(
        FailureKind.WRONG_BYTES,
        f"expected {short(expected)}, got {short(answer)} (first difference at byte {at})",
    )


def _bytes_by_meaning(comparison: Comparison, expected: bytes, answer: bytes) -> Mismatch | None:
    try:
        values = comparison.decoded(expected), comparison.decoded_strictly(answer)
    except reference.WireError as error:
        return Mismatch(FailureKind.WRONG_BYTES, f"wrote {short(answer)}, which does not decode: {error}")
    path = comparison.value_difference(*values)
    return None if path is None else Mismatch(FailureKind.WRONG_BYTES, f"wrote {short(answer)}: differs at {path}")


def _consumed(_: Comparison, expected: Mapping[str, Any], answer: Mapping[str, Any]) -> Mismatch | None:
    path = difference(*as_told(expected, answer))
    if path is None:
        return None
    text = f"expected {short(expected)}, got {short(answer)} (first difference at {path})"
    more = len(answer["records"]) - len(expected["records"])
    place = f"records: too {'many' if more > 0 else 'few'}" if more else _INDEX.sub("", path)
    return Mismatch(FailureKind.WRONG_ANSWER, text, place)


def _produced(comparison: Comparison, expected: Sequence[Any], answer: bytes) -> Mismatch | None:
    try:
        found = read_produced(answer, comparison.case.dialect)
    except reference.DecodeError as error:
        text = f"wrote {short(answer)}, which cannot be read: {error}"
        return Mismatch(FailureKind.WRONG_ANSWER, text, f"{_INDEX.sub('', error.path)}: {error.reason}")
    divided = as_divided(expected, found)
    path = difference(divided, found)
    if path is None:
        return None
    text = f"expected {short(divided)}, wrote {short(found)} (first difference at {path})"
    return Mismatch(FailureKind.WRONG_ANSWER, text, _INDEX.sub("", path).strip("."))


def as_told(expected: Mapping[str, Any], answer: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """What a consumer has to deliver, without what the answer does not tell: types of timestamps, and, of a command
    that prints records, the position and fields; and the answer."""
    first = next(iter(answer["records"]), None)
    told = {key: item for key, item in expected.items() if key in answer}
    if first is not None:
        told["records"] = [_only(record, first.keys()) for record in told["records"]]
    return _without_untimed_types(told), _without_untimed_types(answer)


def _only(record: Mapping[str, Any], keys: Container[str]) -> Mapping[str, Any]:
    return {key: item for key, item in record.items() if key in keys}


def _without_untimed_types(delivered: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same without the type of a timestamp that is none."""
    return _without_types(delivered, lambda record: identical(record.get("timestamp"), _NO_TIMESTAMP))


def _without_types(delivered: Mapping[str, Any], of: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
    def shown(record: Mapping[str, Any]) -> Mapping[str, Any]:
        return _only(record, record.keys() - {"timestamp_type"}) if of(record) else record

    return {**delivered, "records": [*map(shown, delivered["records"])]}


def _served(
    comparison: Comparison, expected: tuple[list[Any], bool] | None, answer: tuple[bytes, bool] | Transcript
) -> Mismatch | None:
    if isinstance(answer, Transcript):
        return _held(comparison, answer)
    assert expected is not None
    (sends, closes), (sent, closed) = expected, answer
    text = conversation_mismatch(sends, sent, comparison.vector.dialect)
    if text is None and closed is not closes:
        happened = "was closed" if closed else "stayed open"
        text = f"the connection {happened}, it has to {'close' if closes else 'stay open'}"
    return None if text is None else Mismatch(FailureKind.WRONG_ANSWER, f"{text}; sent {sent.hex() or 'nothing'}")


def _held(comparison: Comparison, answer: Transcript) -> Mismatch | None:
    """What a conversation does not allow; or else what does not agree in it."""
    found = answer.deviation
    if found is not None:
        return Mismatch(FailureKind.WRONG_ANSWER, str(found), found.place)
    vector = comparison.vector
    # Behind a proxy is a broker of the kit's, which answers whatever it is asked with every field set.
    agrees = vector.area == CONVERSATIONS and vector.dialect == DIALECT
    broken = book.broken(answer.events) if agrees else None
    if broken is None:
        return None
    text = f"{broken.text}; the rule {broken.rule.name} is broken ({broken.rule.source})"
    return Mismatch(FailureKind.WRONG_ANSWER, text, f"rule {broken.rule.name}")


def _client_outcome(
    _: Comparison, expected: Mapping[str, Any], answer: Mapping[str, Any] | ClientRun
) -> Mismatch | None:
    if isinstance(answer, ClientRun):
        return client_runs.mismatch(expected, answer)
    for key in ("outcome", "version", "error", "request"):
        if key == "request" and expected["outcome"] == "malformed" and key not in answer:
            continue  # optional; if it is there, it has to be right
        if key in expected and (key not in answer or difference(expected[key], answer[key]) is not None):
            return Mismatch(FailureKind.WRONG_ANSWER, f"expected {show(expected)}, got {show(answer)}")
    return None


def _version_choice(_: Comparison, expected: int | None, answer: int | None) -> Mismatch | None:
    if difference(expected, answer) is None:
        return None
    return Mismatch(FailureKind.WRONG_ANSWER, f"expected {_version(expected)}, got {_version(answer)}")


def _breaks(_: Comparison, expected: list[Any], answer: list[Any]) -> Mismatch | None:
    """Only whether there is an incompatible change is compared, not which ones."""
    if bool(expected) == bool(answer):
        return None
    return Mismatch(FailureKind.WRONG_ANSWER, f"expected {expected or 'no breaks'}, got {answer or 'no breaks'}")


_COMPARATORS: Mapping[Op, _Comparator] = {
    Op.DECODE: _value,
    Op.LOOKUP: _value,
    Op.ENCODE: _bytes,
    Op.RECODE: _bytes,
    Op.CONVERT: _bytes,
    Op.CONSUME: _consumed,
    Op.PRODUCE: _produced,
    Op.SERVE: _served,
    Op.INTERPRET: _client_outcome,
    Op.NEGOTIATE: _version_choice,
    Op.EVOLVE: _breaks,
}


def _version(choice: int | None) -> str:
    return "no version" if choice is None else f"version {choice}"


def short(value: Any) -> str:
    """A value as text for a person, cut after a few hundred characters."""
    return show_short(value, _SHOWN)


# --- Fields that a writer sets by itself ------------------------------------------------------------------------------


def _without(value: Any, fields: frozenset[str]) -> Any:
    """The value without these fields, at every depth."""
    if not fields:
        return value
    match value:
        case dict():
            return {key: _without(item, fields) for key, item in value.items() if key not in fields}
        case list() | tuple():
            return [_without(item, fields) for item in value]
    return value


def _without_rebuilt(expected: Any, answer: Any, fields: frozenset[str]) -> Any:
    """The expected value, without those of these fields that the answer lacks, at every depth."""
    if not fields:
        return expected
    match expected, answer:
        case dict(), dict():
            kept = {key: item for key, item in expected.items() if key in answer or key not in fields}
            return {key: _without_rebuilt(item, answer.get(key), fields) for key, item in kept.items()}
        case (list() | tuple(), list() | tuple()) if len(expected) == len(answer):
            return [*map(_without_rebuilt, expected, answer, itertools.repeat(fields))]
    return expected
