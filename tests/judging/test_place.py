"""The place of a deviation in its type: from the bytes at fault, or from the first value that differs."""

from __future__ import annotations

import copy
import functools
import operator
import zlib
from typing import Any

import pytest

from wireproof.conformance import ledger, vectors
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.judging.judge import compared, judge
from wireproof.conformance.model import DEVIATIONS, Case, Observation, Op, Status, Verdict
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.vectors import ABSENT, Vector, VectorKind
from wireproof.reference.errors import Reason


def judged(identifier: str, status: Status = Status.ANSWER, answer: Any = None, **seen: Any) -> Verdict:
    """The verdict on an observation of the question with this id."""
    question = find(identifier)
    return judge(question.vector, Observation(question.case, status, answer, **seen))


@pytest.mark.parametrize(
    ("identifier", "demanded", "ground", "place"),
    [
        ("kafka/tag-ordering/size-too-large#decode", "truncated", "R-K-10", "tag size"),
        ("kafka/resource-limits/tag-size-64-mib#decode", "truncated", "R-K-10", "tag size"),
        ("kafka/null-encodings/array-null#decode", "null-not-allowed", "R-K-16", "count"),
        ("kafka/null-encodings/compact-string-null#decode", "null-not-allowed", "R-K-16", "length + 1"),
        ("kafka/tag-ordering/equal#decode", "tag-duplicate", "R-K-1", "tag"),
        ("kafka/unsupported-versions/record-batch-magic-3#decode", "unsupported-magic", "R-K-30", "magic"),
        # Whatever it counts, it is the integer that is too great.
        ("kafka/varints/uvarint-bit-32#decode", "varint-overflow", "R-K-6", "a varint"),
        ("kafka/varints/tags-tag-bit-32#decode", "varint-overflow", "R-K-6", "a varint"),
        ("kafka/varints/record-key-length-six-bytes#decode", "varint-overflow", "R-K-6c", "a varint"),
        ("kafka/varints/varint-above-max#encode", "out-of-range", None, "a varint"),
        ("kafka/varints/write-record-timestamp-delta-too-small#encode", "out-of-range", None, "a varint"),
        # What is not written is told by the valid twin.
        ("kafka/null-encodings/compact-string-null-encode#encode", "null-not-allowed", "R-K-16", "length + 1"),
        # Derived: the fault is found where the reference finds it.
        ("kafka/messages/HeartbeatRequest/4/set+prefix:0#decode", "truncated", None, "length + 1"),
        ("kafka/messages/MetadataRequest/12/set+bomb:0#decode", "truncated", "R-K-10", "count + 1"),
        # A frame that its size cuts off: whoever ignores the size reads on, wherever that is.
        ("kafka/framing/frame-size-7#decode", "truncated", None, "frame size"),
        ("kafka/framing/frame-3-size-too-small#decode", "truncated", None, "frame size"),
        ("kafka/framing/frame-3-ends-in-name#decode", "truncated", "R-K-10", "frame size"),
        (
            "gen/kafka/ResponseFrame:CreateTopics/5/x0000000b000000000000000000010000#decode",
            "trailing-bytes",
            "R-K-7",
            "frame size",
        ),
        # More bytes than its size says, but the count before them is what is wrong.
        (
            "gen/kafka/ResponseFrame:SaslHandshake/1/x00000012000000000000fffe0303000000010006746578742d33#decode",
            "negative-length",
            "R-K-31",
            "count",
        ),
        # A compressed batch, which is whole, and 17 bytes behind it: nothing of them was compressed.
        (
            "gen/kafka/RecordSet/-/x00000000000000000000003c0000000002ae61542500020000000000000174876e800000000174876e8000"
            "ffffffffffffffffffffffffffff000000010920100000000261027600" + 17 * "7d" + "#decode",
            "unsupported-magic",
            "R-K-30",
            "what follows",
        ),
        # Attributes 1: in a record they name no codec, so nothing is compressed.
        ("gen/kafka/Record/-/x1c0100000000828080808000008000#decode", "varint-overflow", "R-K-6c", "a varint"),
    ],
)
def test_what_has_to_be_refused_is_at_fault_at_a_place(
    identifier: str, demanded: str, ground: str | None, place: str
) -> None:
    verdict = judged(identifier, Status.CRASH, error="SIGSEGV")
    assert (verdict.demanded, verdict.ground, verdict.place) == (demanded, ground, place)


@pytest.mark.parametrize(
    ("identifier", "answer", "place"),
    [
        ("kafka/varints/varint-minus-2#encode", b"\x05", "VARINT"),
        ("kafka/varints/varint-minus-2#encode", b"\x80", "VARINT: unreadable"),
        ("kafka/varints/varint-minus-2#encode", b"\x83\0", "VARINT: the same value in other bytes"),
        ("kafka/varints/varint-minus-2#decode", 2, "VARINT"),
        ("kafka/varints/varint-minus-2#decode", "2", "VARINT: text in place of an integer"),
        ("kafka/null-encodings/nullable-string-null#decode", "", "length: text in place of null"),
    ],
)
def test_a_wrong_answer_is_at_the_first_value_that_differs(identifier: str, answer: Any, place: str) -> None:
    assert judged(identifier, answer=answer).place == place


def test_a_plain_field_is_called_by_its_message_and_name() -> None:
    right = find("kafka/messages/HeartbeatRequest/4/set#decode").vector.value
    wrong = right | {"GenerationId": right["GenerationId"] + 1}
    assert judged("kafka/messages/HeartbeatRequest/4/set#decode", answer=wrong).place == "HeartbeatRequest.GenerationId"


#: No brokers, and two topics: "a" without partitions, "b" with the partitions 0 and 1, each with the replicas 1, 2, 3.
PARTITIONS = "".join(f"0000{index:08x}00000001" + "00000003000000010000000200000003" + "00000000" for index in (0, 1))
TWO_TOPICS = f"gen/kafka/MetadataResponse/0/x00000000000000020000000161000000000000000162{2:08x}{PARTITIONS}#decode"


@pytest.mark.parametrize(
    ("path", "lost"),
    [
        (("Topics",), "count: missing"),
        (("Topics", 1, "Partitions"), "count: missing"),
        (("Topics", 1, "Partitions", 0, "ReplicaNodes"), "INT32: missing"),
    ],
)
def test_a_lost_element_is_told_as_that_whichever_field_differs_first(path: tuple[str | int, ...], lost: str) -> None:
    right = find(TWO_TOPICS).vector.value
    for index in (0, -1):  # if the first is lost, all fields of the others differ
        answer = copy.deepcopy(right)
        del functools.reduce(operator.getitem, path, answer)[index]
        assert judged(TWO_TOPICS, answer=answer).place == lost
    answer = copy.deepcopy(right)
    array = functools.reduce(operator.getitem, path, answer)
    array.insert(0, array[-1])
    assert judged(TWO_TOPICS, answer=answer).place == "an absent field: too much"


def test_valid_bytes_that_are_refused_are_at_the_byte_that_the_refusal_names() -> None:
    refused = "kafka/tag-ordering/two-with-content#decode", Status.REJECT
    assert judged(*refused, reason="truncated", offset=2).place == "tag size"
    assert judged(*refused, reason="truncated").place == ""


#: A request with 2 tags, 0 and 0, of which the second one's size is greater than what follows.
TWICE_AND_CUT = "gen/kafka/AlterPartitionReassignmentsRequest/0/x0000000001" + "02" + "0000" + "0001" + "#decode"


def test_beside_a_declared_reading_the_place_is_where_that_reading_refuses() -> None:
    question = find(TWICE_AND_CUT)
    seen, twin = Observation(question.case, Status.ANSWER, {}), Observation(question.case, Status.ANSWER, None)
    found = []
    for declared in ({}, {"R-K-1": "other"}):
        verdict = judge(question.vector, seen, readings_for("kafka", declared), twin)
        found.append((verdict.demanded, verdict.ground, verdict.place))
    assert found == [("tag-duplicate", "R-K-1", "tag"), ("truncated", "R-K-10", "tag size")]


def test_a_wrong_crc_is_named_in_the_place() -> None:
    question = find("kafka/framing/batch-lz4#encode")
    right = question.vector.canonical_data
    written = right[:17] + zlib.crc32(right[21:]).to_bytes(4, "big") + right[21:]
    assert judged("kafka/framing/batch-lz4#encode", answer=written).place == "crc: CRC-32 (IEEE), not CRC-32C"


@pytest.mark.parametrize(
    ("identifier", "written", "place"),
    [
        # A counted tag is left out of a message, and of the body of a frame, whose size is right.
        ("VoteResponse/0/x0000010180808080080100", "00000101", "tag: left out"),
        (
            "ResponseFrame:Vote/0/x0000001000000000000000010180808080080100",
            "00000009000000000000000101",
            "tag: left out",
        ),
        # A batch has another base timestamp, alone and in a set.
        *(
            (
                f"{type_name}/-/x00000000000000000000003c0000000002be4f2f51000000000000000001748c94dc0000000174876e8000"
                "ffffffffffffffffffffffffffff000000011400ffefb2520002610100",
                "0000000000000000000000390000000002440fc11700000000000000000174876e800000000174876e8000"
                "ffffffffffffffffffffffffffff000000010e00000002610100",
                "RecordBatch.baseTimestamp",
            )
            for type_name in ("RecordBatch", "RecordSet")
        ),
    ],
)
def test_one_place_has_one_name_whatever_is_around_it(identifier: str, written: str, place: str) -> None:
    assert judged(f"gen/kafka/{identifier}#recode", answer=bytes.fromhex(written)).place == place


def test_every_refusal_by_bytes_has_a_place() -> None:
    """But for versions and apis, which are no place in the bytes, and data that is about its length."""
    about_the_whole = {Reason.UNSUPPORTED_VERSION, Reason.TRAILING_BYTES, Reason.UNKNOWN_API, Reason.RESOURCE_LIMIT}
    without = [
        vector.path
        for vector in vectors.load()
        if vector.kind is VectorKind.INVALID
        and vector.reject is not None
        and vector.reject.reason not in about_the_whole
        and len(vector.data) < 1 << 16
        and not _crashed(vector, vector.case(vector.ops[0])).place
    ]
    assert without == []


def test_only_deviations_have_one() -> None:
    for identifier, answer in (("kafka/varints/varint-minus-2#decode", -2), ("kafka/varints/varint-minus-2#decode", 2)):
        verdict = judged(identifier, answer=answer)
        assert bool(verdict.place) is (verdict.outcome in DEVIATIONS)


def test_any_ledger_case_that_is_read_wrong_has_a_place() -> None:
    for vector in ledger.load("ApiVersionsResponse", "kafka").vectors:
        if vector.type == "ApiVersionsResponse" and vector.value is not ABSENT and Op.DECODE in vector.ops:
            wrong = Observation(vector.case(Op.DECODE), Status.ANSWER, {**vector.value, "ErrorCode": -2})
            assert judge(vector, wrong).place == "ApiVersionsResponse.ErrorCode"


def test_what_is_compared_is_what_the_judge_compares() -> None:
    question = find("kafka/header-multimaps/record-duplicate-adjacent#recode")
    lost = bytes.fromhex("18000000026b02760202610232")
    observation = Observation(question.case, Status.ANSWER, lost)
    both = compared(question.vector, observation)
    assert both is not None
    assert "attributes" in both[0]
    told = compared(question.vector, observation, ["attributes"])
    assert told is not None
    assert "attributes" not in told[0]
    assert "attributes" not in told[1]


def _crashed(vector: Vector, case: Case) -> Verdict:
    return judge(vector, Observation(case, Status.CRASH, error="SIGSEGV"))
