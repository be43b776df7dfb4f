"""The coverage of each message by vectors: it is counted rightly, and each gap has a reason."""

from __future__ import annotations

import struct
import sys
import uuid
from typing import Any

import msgspec
import pytest
from pages import coverage as counted
from pages.coverage import REASONS, FieldCoverage, FieldState, Gap, MessageCoverage, coverage

from wireproof.conformance import ledger
from wireproof.conformance.vectors import Vector, VectorKind


@pytest.fixture(scope="module")
def everything() -> dict[str, MessageCoverage]:
    return {message.name: message for message in coverage(counted.everything())}


def case(name: str, version: int, **changes: Any) -> Vector:
    """The case `default` of a message-version, with some of its values changed."""
    found = ledger.vector(f"{name}/{version}/default")
    assert found is not None
    return msgspec.structs.replace(found, value=found.value | changes)


def row(message: str, path: str, *chosen: Vector) -> FieldCoverage:
    (found,) = (found for found in coverage(chosen) if found.name == message)
    return next(row for row in found.rows if row.path == path)


def states(found: FieldCoverage, version: int) -> set[FieldState]:
    return {state for state, cell in found.cells.items() if cell[version] is None}


def test_no_cell_is_empty_without_a_reason(everything: dict[str, MessageCoverage]) -> None:
    without = [
        f"{message.name} {version} {row.path}: {state}"
        for message in everything.values()
        for row in message.rows
        for state, cell in row.cells.items()
        for version, gap in cell.items()
        if gap is not None and gap not in REASONS
    ]
    assert without == []


def test_it_is_all_there(everything: dict[str, MessageCoverage]) -> None:
    assert len(everything) == 195
    assert sum(len(message.versions) for message in everything.values()) == 640
    for message in everything.values():
        for found in message.rows:
            assert set(found.cells) == set(FieldState)
            assert all(tuple(cell) == tuple(message.versions) for cell in found.cells.values())
            assert {v for v, gap in found.cells[FieldState.SET].items() if gap is not Gap.NO_FIELD} == set(
                found.versions
            )


def test_without_vectors_nothing_is_covered() -> None:
    assert {gap for found in coverage([]) for one in found.rows for gap in one.cells[FieldState.SET].values()} == {
        Gap.NOT_COVERED,
        Gap.NO_FIELD,
    }
    assert row("HeartbeatRequest", "GenerationId").cells[FieldState.BOUNDARY][4] is Gap.NOT_COVERED
    assert row("ApiVersionsResponse", "FinalizedFeaturesEpoch").cells[FieldState.TAGGED][3] is Gap.NOT_COVERED


def test_reasons_are_those_of_the_schema(everything: dict[str, MessageCoverage]) -> None:
    rows = {found.path: found for found in everything["MetadataResponse"].rows}
    assert rows["ThrottleTimeMs"].cells[FieldState.SET][2] is Gap.NO_FIELD
    assert rows["Topics[].Name"].cells[FieldState.NULL] == {
        **dict.fromkeys(range(12), Gap.NOT_NULLABLE),
        **dict.fromkeys((12, 13), None),
    }
    assert rows["ClusterId"].cells[FieldState.TAGGED][13] is Gap.NOT_TAGGED
    assert rows["Topics[].IsInternal"].cells[FieldState.BOUNDARY][13] is Gap.NO_BOUNDARY
    assert rows["Topics[].Partitions[].LeaderId"].cells[FieldState.DEFAULT][13] is None
    assert rows["Topics[].Partitions[].LeaderId"].type == "int32"
    assert rows["Topics"].type == "[]MetadataResponseTopic"
    created = {found.path: found for found in everything["CreateTopicsResponse"].rows}
    assert created["Topics[].Configs[].Value"].cells[FieldState.NULL][6] is Gap.HIDDEN
    hidden = {found.path: found for found in everything["StreamsGroupDescribeResponse"].rows}
    assert hidden["Groups[].Topology.Subtopologies"].cells[FieldState.DEFAULT][1] is Gap.ABSENT
    assert list(rows)[:2] == ["ThrottleTimeMs", "Brokers"]


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (0, {FieldState.DEFAULT}),
        (5, {FieldState.SET}),
        (-(2**31), {FieldState.SET}),
        (2**31 - 1, {FieldState.SET}),
    ],
)
def test_a_plain_number(value: int, seen: set[FieldState]) -> None:
    assert states(row("HeartbeatRequest", "GenerationId", case("HeartbeatRequest", 4, GenerationId=value)), 4) == seen


def test_a_number_has_two_borders() -> None:
    both = [case("HeartbeatRequest", 4, GenerationId=number) for number in (-(2**31), 2**31 - 1)]
    found = row("HeartbeatRequest", "GenerationId", *both)
    assert states(found, 4) == {FieldState.SET, FieldState.BOUNDARY}
    assert found.cells[FieldState.BOUNDARY][3] is Gap.NOT_COVERED  # of another version nothing is said


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("", {FieldState.DEFAULT, FieldState.BOUNDARY}),
        ("a", {FieldState.SET}),
        ("a" * 126, {FieldState.SET}),
        ("a" * 127, {FieldState.SET, FieldState.BOUNDARY}),
        ("é" * 64, {FieldState.SET, FieldState.BOUNDARY}),
    ],
)
def test_text(text: str, seen: set[FieldState]) -> None:
    assert states(row("HeartbeatRequest", "GroupId", case("HeartbeatRequest", 4, GroupId=text)), 4) == seen


def test_null_may_be_a_default_or_not() -> None:
    instance = row("HeartbeatRequest", "GroupInstanceId", case("HeartbeatRequest", 4, GroupInstanceId=None))
    assert states(instance, 4) == {FieldState.DEFAULT, FieldState.NULL}
    topics = row("MetadataRequest", "Topics", case("MetadataRequest", 12, Topics=None))
    assert states(topics, 12) == {FieldState.NULL}


@pytest.mark.parametrize(
    ("topics", "seen"),
    [
        ([], {FieldState.DEFAULT, FieldState.BOUNDARY}),
        ([1], {FieldState.SET, FieldState.BOUNDARY}),
        ([1, 2], {FieldState.SET}),
        ([1] * 126, {FieldState.SET}),
        ([1] * 127, {FieldState.SET, FieldState.BOUNDARY}),
    ],
)
def test_arrays(topics: list[int], seen: set[FieldState]) -> None:
    value = [{"TopicId": uuid.UUID(int=0), "Name": f"{n}"} for n in topics]
    assert states(row("MetadataRequest", "Topics", case("MetadataRequest", 12, Topics=value)), 12) == seen


def test_what_is_inside_elements_and_structures() -> None:
    topic = {"TopicId": uuid.UUID(int=2**128 - 1), "Name": None}
    chosen = [
        case("MetadataRequest", 12, Topics=[topic]),
        case("MetadataRequest", 12, Topics=[topic | {"TopicId": uuid.UUID(int=0)}]),
    ]
    assert states(row("MetadataRequest", "Topics[].TopicId", *chosen), 12) == {
        FieldState.DEFAULT,
        FieldState.SET,
        FieldState.BOUNDARY,
    }
    assert states(row("MetadataRequest", "Topics[].Name", *chosen), 12) == {FieldState.NULL}


def test_a_tagged_field_counts_when_it_is_sent() -> None:
    path = "FinalizedFeaturesEpoch"
    assert states(row("ApiVersionsResponse", path, case("ApiVersionsResponse", 3)), 3) == {FieldState.DEFAULT}
    sent = row("ApiVersionsResponse", path, case("ApiVersionsResponse", 3, FinalizedFeaturesEpoch=7))
    assert states(sent, 3) == {FieldState.SET, FieldState.TAGGED}


def test_floats_are_told_apart_by_their_bits() -> None:
    def quota(number: float) -> Vector:
        entry = {"Entity": [], "Ops": [{"Key": "", "Value": number, "Remove": False}]}
        return case("AlterClientQuotasRequest", 1, Entries=[entry])

    path = "Entries[].Ops[].Value"
    minus_zero = struct.unpack(">d", bytes.fromhex("8000000000000000"))[0]
    assert states(row("AlterClientQuotasRequest", path, quota(minus_zero)), 1) == {FieldState.SET}
    extremes = [quota(sys.float_info.max), quota(-sys.float_info.max)]
    assert states(row("AlterClientQuotasRequest", path, *extremes), 1) == {FieldState.SET, FieldState.BOUNDARY}


def test_only_valid_vectors_of_messages_count() -> None:
    one = case("HeartbeatRequest", 4, GenerationId=5)
    for other in (
        msgspec.structs.replace(one, kind=VectorKind.UNENCODABLE),
        msgspec.structs.replace(one, type="RequestFrame", version=None),
    ):
        assert states(row("HeartbeatRequest", "GenerationId", other), 4) == set()
