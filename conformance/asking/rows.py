"""Questions and judged questions as JSON objects (rows). They can be made again from rows without loss.

The row of a question holds its id, and its case for readers that cannot look up the id. A row that was made with
different vectors is refused, because its case is a different one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import msgspec

from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.connection.protocol.shapes import plain
from wireproof.conformance.model import Case, Observation, Op, Status, Verdict
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.questions.question import Question
from wireproof.conformance.values.compare import equal
from wireproof.conformance.values.encoding import ValueFormatError, from_json, to_json
from wireproof.errors import WireproofError

Row = dict[str, Any]


class RowError(WireproofError):
    """A row that cannot be read, or was made with other vectors. The text names the member and the expected content."""


def question_row(question: Question) -> Row:
    """`{"id", "op", "dialect", "type", "version", "args", "twin"}`: arguments in the value encoding, the twin's id."""
    case = question.case
    return {
        "id": case.id,
        "op": str(case.op),
        "dialect": case.dialect,
        "type": case.type,
        "version": case.version,
        "args": {name: to_json(plain(value)) for name, value in case.args.items()},
        "twin": None if question.twin is None else question.twin.id,
    }


def question_of(row: Mapping[str, Any]) -> Question:
    """The question in a row. Raises RowError."""
    identifier = _member(row, "id", str)
    try:
        question = find(identifier)
    except UnknownId as error:
        raise RowError(f"id: {error}") from None
    args = _member(row, "args", dict)
    try:
        same = args.keys() == question.case.args.keys() and all(
            equal(plain(question.case.args[name]), from_json(value)) for name, value in args.items()
        )
    except ValueFormatError as error:
        raise RowError(f"args of {identifier}: {error}") from None
    if not same:
        raise RowError(f"args of {identifier}: this is not what the vectors here ask under that id")
    return dataclasses.replace(question, twin=_twin_of(row))


def _twin_of(row: Mapping[str, Any]) -> Case | None:
    """The twin in a row: the twin that was asked. It depends on what the implementation offers."""
    if row.get("twin") is None:
        return None
    try:
        return find(_member(row, "twin", str)).case
    except UnknownId as error:
        raise RowError(f"twin: {error}") from None


def judged_row(judged: Judged) -> Row:
    """A question's row with `observation`, `twin_observation` (null if there is none) and `verdict`."""
    return question_row(judged.question) | {
        "observation": _observation_row(judged.observation),
        "twin_observation": None if judged.twin is None else _observation_row(judged.twin),
        "verdict": verdict_row(judged.verdict),
    }


def judged_of(row: Mapping[str, Any]) -> Judged:
    """The judged question in a row. Raises RowError."""
    question = question_of(row)
    twin = row.get("twin_observation")
    return Judged(
        question,
        _observation_of(question.case, _member(row, "observation", dict)),
        verdict_of(_member(row, "verdict", dict)),
        None if twin is None or question.twin is None else _observation_of(question.twin, twin),
    )


def verdict_row(verdict: Verdict) -> Row:
    """All members of a verdict, by their names in files."""
    row: Row = msgspec.to_builtins(verdict)
    return row | {"rulings": [*verdict.rulings]}  # as it is read from JSON again


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    """A verdict from its row. Raises RowError."""
    try:
        return msgspec.convert(row, Verdict)
    except msgspec.ValidationError as error:
        raise RowError(f"verdict: {error}") from None


def _observation_row(observation: Observation) -> Row:
    answered = observation.status is Status.ANSWER
    return {
        "id": observation.case.id,
        "status": str(observation.status),
        "answer": to_json(plain(observation.answer)) if answered else None,
        "reason": observation.reason,
        "offset": observation.offset,
        "half": observation.half,
        "error": observation.error,
        "frame": observation.frame,
        "detail": observation.detail,
    }


def _observation_of(case: Case, row: Mapping[str, Any]) -> Observation:
    try:
        status = Status(row["status"])
        answer = from_json(row["answer"])
        if status is Status.ANSWER and case.op is Op.SERVE:
            answer = tuple(answer)
        named = {name: row[name] for name in ("reason", "offset", "half", "error", "frame", "detail")}
    except (KeyError, ValueError, TypeError) as error:
        raise RowError(f"observation: {type(error).__name__}: {error}") from None
    if row.get("id") != case.id:
        raise RowError(f"observation: {row.get('id')!r} is another case than {case.id}")
    return Observation(case, status, answer, **named)


def _member(row: Mapping[str, Any], name: str, kind: type) -> Any:
    value = row.get(name)
    if not isinstance(value, kind):
        raise RowError(f"{name}: found {value!r:.60}, where {kind.__name__} is expected")
    return value
