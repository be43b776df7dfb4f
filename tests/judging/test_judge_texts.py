"""The exact texts of verdicts that no other test checks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wireproof.conformance import vectors
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.vectors import Vector


def parsed(*found: dict[str, Any]) -> Vector:
    document = {"format": 1, "dialect": "kafka", "area": "varints", "vectors": found}
    return vectors.parse(json.dumps(document).encode(), "made.json").vectors[0]


def text_of(size: int) -> Vector:
    return parsed(
        {"id": "it", "about": "made", "type": "BYTES", "bytes": [["00000000", "empty"]], "value": {"hex": "aa" * size}}
    )


def decoded(vector: Vector, answer: Any) -> Verdict:
    return judge(vector, Observation(vector.case(Op.DECODE), Status.ANSWER, answer))


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (148, "0x" + "aa" * 148),
        (149, "0x" + "aa" * 149),
        (150, "0x" + "aa" * 148 + "a…"),
        (1000, "0x" + "aa" * 148 + "a…"),
    ],
)
def test_values_are_shown_up_to_three_hundred_characters(size: int, shown: str) -> None:
    verdict = decoded(text_of(size), b"")
    assert verdict.detail == f'expected {shown}, got b""'
    assert len(shown) <= 300


def test_a_failure_has_no_note() -> None:
    assert decoded(text_of(1), b"").note == ""


@pytest.mark.parametrize(("detail", "said"), [("", ""), ("too short ", " too short"), (" x", "  x")])
def test_a_refused_twin_is_named_with_what_it_said(detail: str, said: str) -> None:
    vector = parsed(
        {
            "id": "it",
            "about": "made",
            "type": "INT8",
            "bytes": [["0506", "two"]],
            "reject": {"reason": "trailing-bytes", "offset": 1},
            "twin": "twin",
        },
        {"id": "twin", "about": "its twin", "type": "INT8", "bytes": [["05", "five"]], "value": 5},
    )
    twin = Observation(vector.case(Op.DECODE), Status.REJECT, detail=detail)
    verdict = judge(vector, Observation(vector.case(Op.DECODE), Status.REJECT), twin=twin)
    assert (verdict.outcome, verdict.detail) == (Outcome.SKIP, f"twin refused: {vector.case(Op.DECODE).id}{said}")


def test_what_is_looked_up_is_compared_without_knowing_its_type() -> None:
    vector = parsed(
        {"id": "it", "about": "made", "type": "Record", "bytes": [["00", "x"]], "key": "a", "values": [{"hex": "01"}]}
    )
    found = judge(vector, Observation(vector.case(Op.LOOKUP), Status.ANSWER, [b"\x01"]))
    assert found.outcome is Outcome.PASS
