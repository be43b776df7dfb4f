"""The questions for an implementation, and how questions that are not asked are counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from support.recorder import EVERYTHING, TYPED

from wireproof import reference
from wireproof.conformance import ledger, vectors
from wireproof.conformance.model import Description, Op
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.question import Derivation, Question
from wireproof.conformance.questions.selection import NotAsked
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference.errors import Reason


def described(**members: Any) -> Description:
    return Description("described", **{"ops": EVERYTHING} | members)


def selected(chosen: Iterable[Vector], not_asked: NotAsked | None = None, **members: Any) -> list[Question]:
    return [*selection.of_vectors(chosen, described(**members), not_asked)]


def of_kind(kind: VectorKind, area: str = "varints") -> tuple[Vector, ...]:
    return tuple(vector for vector in vectors.load(["kafka"], [area]) if vector.kind is kind)


def asks_for_a_version(vector: Vector) -> bool:
    return vector.reject is not None and vector.reject.reason is Reason.UNSUPPORTED_VERSION


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        (TYPED, {Op.DECODE}),
        ({Op.DECODE}, {Op.DECODE}),
        ({Op.RECODE, Op.ENCODE}, {Op.RECODE}),
        ({Op.ENCODE}, set()),
    ],
)
def test_an_invalid_vector_is_asked_once(ops: frozenset[Op], expected: set[Op]) -> None:
    negatives = of_kind(VectorKind.INVALID)
    not_asked = NotAsked()
    questions = selected(negatives, not_asked, ops=frozenset(ops))
    assert {question.case.op for question in questions} == expected
    assert len(questions) + not_asked.not_offered.total() == len(negatives)
    assert not questions or not not_asked.not_offered


def test_an_invalid_vector_is_asked_as_recode_where_its_type_has_that_op_alone() -> None:
    negatives = [vector for vector in of_kind(VectorKind.INVALID) if vector.type == "VARINT"]
    listed: dict[str, Any] = {"types": {"kafka": {"VARINT": None, "VARLONG": None}}}
    narrowed = {"kafka": {"VARINT": frozenset({Op.RECODE})}}
    questions = selected(of_kind(VectorKind.INVALID), **listed, type_ops=narrowed)
    by_type = {(question.case.type, question.case.op) for question in questions}
    assert by_type == {("VARINT", Op.RECODE), ("VARLONG", Op.DECODE)}
    assert len([question for question in questions if question.case.type == "VARINT"]) == len(negatives) > 5
    assert questions == [Question.of(question.vector, question.vector.case(question.case.op)) for question in questions]


def test_a_valid_vector_is_asked_in_every_op_that_there_is() -> None:
    valid = of_kind(VectorKind.VALID)
    not_asked = NotAsked()
    questions = selected(valid, not_asked, ops=TYPED)
    assert [question.case for question in questions] == [vector.case(op) for vector in valid for op in vector.ops]
    assert not not_asked.not_offered


def test_what_is_not_offered_is_counted_by_what_is_not_offered() -> None:
    not_asked = NotAsked()
    serves = of_kind(VectorKind.SERVE, "unsupported-versions")
    chosen = [*of_kind(VectorKind.VALID), *serves]
    questions = selected(chosen, not_asked, ops=frozenset({Op.DECODE}), types={"kafka": {"VARINT": None}})
    assert {question.case.type for question in questions} == {"VARINT"}
    assert {question.case.op for question in questions} == {Op.DECODE}
    assert not_asked.not_offered["serve"] == len(serves) > 0
    assert not_asked.not_offered["VARINT encode"] > 0
    assert "VARINT decode" not in not_asked.not_offered
    every = sum(len(vector.ops) for vector in chosen)
    assert len(questions) + not_asked.not_offered.total() == every


def test_another_dialects_implementation_is_asked_nothing() -> None:
    chosen = vectors.load(["kafka"], ["varints"])
    not_asked = NotAsked()
    assert selected(chosen, not_asked, dialects=("wire-format",)) == []
    cases = sum(1 if vector.kind is VectorKind.INVALID else len(vector.ops) for vector in chosen)
    assert not_asked.not_offered == {"kafka": cases}


def test_a_case_whose_version_is_the_question_is_asked_whatever_range_is_offered() -> None:
    """The contract says so; other cases outside of the range are not asked."""
    everything = vectors.load(["kafka"])
    about_versions = [
        vector for vector in everything if asks_for_a_version(vector) and vector.type == "ApiVersionsRequest"
    ]
    versions = {vector.version for vector in about_versions}
    assert -1 in versions
    for span in ((1, 3), (0, 4), (-1, -1), (90, 99)):
        questions = selected(everything, types={"kafka": {"ApiVersionsRequest": span}})
        typed = [question for question in questions if question.case.type is not None]
        assert {question.case.type for question in typed} <= {"ApiVersionsRequest"}
        asked = [question for question in typed if asks_for_a_version(question.vector)]
        assert {question.case.version for question in asked} == versions
        others = {question.case.version for question in typed if question not in asked}
        assert others <= {*range(span[0], span[1] + 1)}
    assert selected(about_versions, types={"kafka": {"ApiVersionsResponse": (0, 3)}}) == []


@pytest.mark.parametrize(
    ("types", "versions"),
    [
        ({}, {0, 2, 3, 5}),
        ({"ApiVersionsRequest": (0, 3)}, {0, 2, 3}),
        ({"ApiVersionsRequest": (3, 3), "ResponseFrame:ApiVersions": (0, 5)}, {3}),
        ({"ResponseFrame:ApiVersions": (0, 2)}, {0, 2}),
        ({"MetadataRequest": (0, 9)}, set()),
    ],
)
def test_a_request_s_frame_is_asked_in_the_versions_that_are_offered_of_its_body(
    types: dict[str, tuple[int, int]], versions: set[int]
) -> None:
    frames = [one for one in ledger.load("ApiVersionsRequest").vectors if one.type == "RequestFrame"]
    questions = selected(frames, types={"kafka": {"RequestFrame": None, **types}})
    assert {int(question.vector.id.split("/")[1]) for question in questions} == versions
    negatives = [one for one in vectors.load(["kafka"]) if one.type == "RequestFrame" and one.reject is not None]
    assert {
        question.vector.id for question in selected(negatives, types={"kafka": {"RequestFrame": None, **types}})
    } == {one.id for one in negatives}


def test_entries_are_vectors_ledger_cases_and_what_is_derived_from_them() -> None:
    not_asked = NotAsked()
    found = [*selection.entries(described(dialects=("kafka",)), not_asked, ["kafka"], [ledger.AREA])]
    names = [entry.name for entry in found]
    assert len(names) == len(set(names))
    assert not not_asked.not_offered
    derived = [entry for entry in found if isinstance(entry.questions, Derivation)]
    stored = [entry for entry in found if entry.name.removeprefix("kafka/messages/") in ledger_ids()]
    written = vectors.load(["kafka"], [ledger.AREA])
    assert len(stored) == len(ledger_ids())
    assert len(found) == len(derived) + len(stored) + sum(
        1 if vector.kind is VectorKind.INVALID else len(vector.ops) for vector in written
    )
    with_bytes = {vector.id for vector in in_the_ledger() if vector.data and not vector.id.endswith("/frame")}
    assert {entry.name for entry in derived} == {
        f"kafka/messages/{name.rpartition('/')[0]}/derived" for name in with_bytes
    }


def in_the_ledger() -> list[Vector]:
    return [vector for name in ledger.names("kafka") for vector in ledger.load(name, "kafka").vectors]


def ledger_ids() -> set[str]:
    return {vector.id for vector in in_the_ledger()}


def test_entries_of_dialects_and_areas() -> None:
    everything = {entry.name for entry in selection.entries(described(), NotAsked(), ["kip-35-v7"])}
    assert everything == set()  # it speaks kafka alone
    offered = described(dialects=("kip-35-v7", "kafka"))
    found = [entry.name for entry in selection.entries(offered, NotAsked(), ["kip-35-v7"], ["framing"])]
    assert found
    assert all(name.startswith("kip-35-v7/framing/") for name in found)


def test_the_limits_of_resources_come_last_in_all_dialects() -> None:
    areas = [
        entry.name.split("/")[1] for entry in selection.entries(described(dialects=reference.dialects), NotAsked())
    ]
    last = areas.count("resource-limits")
    assert last > 300
    assert set(areas[-last:]) == {"resource-limits"}
    assert [entry.name for entry in selection.entries(described(), NotAsked(), areas=["resource-limits"])] == [
        entry.name for entry in selection.entries(described(), NotAsked()) if "/resource-limits/" in entry.name
    ]
