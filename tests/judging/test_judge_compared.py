"""What the judge compares, and how it shows differences."""

from __future__ import annotations

from typing import Any

import pytest
from support.judging import (
    PASS,
    REFUSED,
    RIGHT_FRAME,
    WRONG_ANSWER,
    WRONG_BYTES,
    WRONG_VALUE,
    answer,
    conclusion,
    evolve,
    interpret,
    invalid,
    judged,
    lookup,
    make,
    negotiate,
    refusal,
    serve,
    valid,
)

from wireproof.conformance import vectors
from wireproof.conformance.judging.judge import compared, judge
from wireproof.conformance.model import FailureKind, Op, Outcome
from wireproof.conformance.vectors import Vector

# --- Writing: refusing is right too, compared decoded, fields of the writer's own -------------------------------------


def test_or_reject_allows_encode_to_refuse_and_nothing_else() -> None:
    vector = valid(or_reject={"reason": "tag-order"})
    assert conclusion(judged(vector, refusal(vector, Op.ENCODE, reason="truncated"))) == PASS
    assert conclusion(judge(vector, answer(vector, Op.ENCODE, b"\x05"))) == PASS
    assert conclusion(judge(vector, answer(vector, Op.ENCODE, b"\x06"))) == WRONG_BYTES
    assert conclusion(judged(vector, refusal(vector, Op.DECODE))) == REFUSED
    assert conclusion(judged(vector, refusal(vector, Op.RECODE, half="encode"))) == REFUSED


@pytest.mark.parametrize(
    ("written", "expected", "detail"),
    [
        ("0a", PASS, ""),
        ("8a00", WRONG_BYTES, "wrote 0x8a00, which does not decode: varint-overflow"),
        ("0c", WRONG_BYTES, "wrote 0x0c: differs at "),
        ("8a", WRONG_BYTES, "wrote 0x8a, which does not decode: truncated"),
        ("", WRONG_BYTES, 'wrote b"", which does not decode: truncated'),
    ],
)
def test_compared_decoded(written: str, expected: tuple[Outcome, FailureKind | None], detail: str) -> None:
    vector = valid(type="VARINT", bytes=[["0a", "five"]], compare="decoded")
    for op in (Op.ENCODE, Op.RECODE):
        verdict = judge(vector, answer(vector, op, bytes.fromhex(written)))
        assert conclusion(verdict) == expected
        assert verdict.detail.startswith(detail)


def response(throttle: int = 0, key: int = 18, **more: Any) -> dict[str, Any]:
    keys = [{"ApiKey": key, "MinVersion": 0, "MaxVersion": 4}]
    return {"ErrorCode": 0, "ApiKeys": keys, "ThrottleTimeMs": throttle, **more}


def response_bytes(throttle: int = 0, highest: int = 4) -> bytes:
    return bytes.fromhex(f"0000 00000001 0012 0000 {highest:04x} {throttle:08x}")


RESPONSE = {
    "type": "ApiVersionsResponse",
    "version": 1,
    "bytes": [[response_bytes().hex(), "one key"]],
    "value": response(),
}


def test_fields_that_the_writer_sets_by_itself_are_not_compared() -> None:
    vector = make(RESPONSE)
    own = ("ThrottleTimeMs",)
    for op in (Op.ENCODE, Op.RECODE):
        assert conclusion(judge(vector, answer(vector, op, response_bytes(throttle=9)))) == WRONG_BYTES
        assert conclusion(judge(vector, answer(vector, op, response_bytes(throttle=9)), rebuilds=own)) == PASS
        assert conclusion(judge(vector, answer(vector, op, response_bytes(highest=5)), rebuilds=own)) == WRONG_BYTES
        assert conclusion(judge(vector, answer(vector, op, response_bytes() + b"\0"), rebuilds=own)) == WRONG_BYTES


def test_such_fields_may_stand_deep_inside() -> None:
    vector = make(RESPONSE)
    assert (
        conclusion(judge(vector, answer(vector, Op.ENCODE, response_bytes(highest=5)), rebuilds=["MaxVersion"])) == PASS
    )


def batch(**changes: Any) -> dict[str, Any]:
    """The value of a batch with two records."""
    fields = ("baseOffset", "partitionLeaderEpoch", "attributes", "lastOffsetDelta", "baseTimestamp", "maxTimestamp")
    record: dict[str, Any] = {
        "attributes": 0,
        "timestampDelta": 0,
        "offsetDelta": 0,
        "key": None,
        "value": None,
        "headers": [],
    }
    producer = {"producerId": -1, "producerEpoch": -1, "baseSequence": -1}
    return dict.fromkeys(fields, 0) | producer | {"records": [record, record]} | changes


def test_what_is_read_is_compared_with_the_fields_that_the_writer_sets() -> None:
    """Where the value has them: a library may have no way to tell them."""
    own = ("partitionLeaderEpoch", "maxTimestamp")
    for type_name in ("RecordBatch", "RecordSet"):
        several = type_name == "RecordSet"
        magic = {"magic": 2} if several else {}

        def whole(value: Any, several: bool = several) -> Any:
            return [value, batch(magic=2)] if several else value

        right = batch(partitionLeaderEpoch=77, **magic)
        vector = make({"type": type_name, "bytes": [["00", "any"]], "value": whole(right), "ops": ["decode"]})
        silent = {key: value for key, value in right.items() if key not in own}
        for told, found in (
            (right, PASS),
            (silent, PASS),
            (right | {"partitionLeaderEpoch": 0}, WRONG_VALUE),
            (right | {"maxTimestamp": None}, WRONG_VALUE),
            (silent | {"lastOffsetDelta": 1}, WRONG_VALUE),
            ({key: value for key, value in silent.items() if key != "baseOffset"}, WRONG_VALUE),
            (silent | {"records": right["records"][:1]}, WRONG_VALUE),
        ):
            observed = answer(vector, Op.DECODE, whole(told))
            assert conclusion(judge(vector, observed, rebuilds=own)) == found, told
        assert conclusion(judge(vector, answer(vector, Op.DECODE, whole(silent)))) == WRONG_VALUE
        assert conclusion(judge(vector, answer(vector, Op.DECODE, whole(silent)), rebuilds=own[:1])) == WRONG_VALUE


def test_such_fields_may_be_left_out_deep_inside() -> None:
    """Of the messages of a wrapper, too."""
    message = {"offset": 3, "attributes": 0, "timestamp": 1, "key": None, "value": b"a"}
    other = message | {"offset": 4, "timestamp": 2}
    wrapper = {"offset": 4, "attributes": 1, "timestamp": 5, "key": None, "messages": [message, other]}
    raw = wrapper | {"messages": [inner | {"value": {"hex": "61"}} for inner in (message, other)]}
    vector = make({"type": "MessageSet", "version": 1, "bytes": [["00", "any"]], "value": [raw], "ops": ["decode"]})
    silent = [{key: item for key, item in inner.items() if key != "timestamp"} for inner in (message, other)]
    for inside, found in (
        (silent, PASS),
        ([silent[0], other], PASS),
        ([silent[0], other | {"timestamp": 7}], WRONG_VALUE),
        ([silent[0], silent[0]], WRONG_VALUE),
    ):
        observed = answer(vector, Op.DECODE, [wrapper | {"messages": inside}])
        assert conclusion(judge(vector, observed, rebuilds=["timestamp"])) == found
        assert conclusion(judge(vector, observed)) == WRONG_VALUE


# --- Values -----------------------------------------------------------------------------------------------------------


def test_a_missing_key_is_its_default_and_a_surplus_one_is_wrong() -> None:
    vector = make(RESPONSE)
    short = response()
    del short["ThrottleTimeMs"]
    assert conclusion(judge(vector, answer(vector, Op.DECODE, short))) == PASS
    assert conclusion(judge(vector, answer(vector, Op.DECODE, response(_tags=[])))) == PASS
    verdict = judge(vector, answer(vector, Op.DECODE, response(Surplus=1)))
    assert conclusion(verdict) == WRONG_VALUE
    assert verdict.detail.endswith("(first difference at Surplus)")
    del short["ErrorCode"], short["ApiKeys"]
    assert conclusion(judge(vector, answer(vector, Op.DECODE, short))) == WRONG_VALUE


def test_a_wrong_value_is_shown_with_its_first_difference() -> None:
    vector = make(RESPONSE)
    detail = judge(vector, answer(vector, Op.DECODE, response(key=3))).detail
    assert detail == (
        "expected {ErrorCode: 0, ApiKeys: [{ApiKey: 18, MinVersion: 0, MaxVersion: 4}], ThrottleTimeMs: 0}, "
        "got {ErrorCode: 0, ApiKeys: [{ApiKey: 3, MinVersion: 0, MaxVersion: 4}], ThrottleTimeMs: 0} "
        "(first difference at ApiKeys[0].ApiKey)"
    )


@pytest.mark.parametrize(("written", "place"), [("06", 0), ("", 0), ("0505", 1)])
def test_wrong_bytes_are_shown_with_their_first_difference(written: str, place: int) -> None:
    vector = valid()
    shown = f"0x{written}" if written else 'b""'
    expected = f"expected 0x05, got {shown} (first difference at byte {place})"
    assert judge(vector, answer(vector, Op.ENCODE, bytes.fromhex(written))).detail == expected


def test_long_values_are_cut_in_details() -> None:
    vector = valid(type="BYTES", bytes=[["00000000", "empty"]], value={"hex": ""})
    detail = judge(vector, answer(vector, Op.DECODE, bytes(100_000))).detail
    assert len(detail) < 400
    assert "…" in detail


def test_what_had_to_be_refused_is_shown_as_it_was_accepted() -> None:
    vector = invalid()
    assert judge(vector, answer(vector, Op.DECODE, 5)).detail == (
        "must be refused: trailing-bytes at byte 1; accepted as 5"
    )
    assert judged(vector, refusal(vector, Op.RECODE, half="encode", reason="tag-order", detail="no")).detail == (
        "must be refused: trailing-bytes at byte 1; accepted as read, then refused on write: tag-order no"
    )


@pytest.mark.parametrize(
    ("named", "detail"),
    [
        ({}, "refused: without a reason"),
        ({"reason": "truncated"}, "refused: truncated"),
        ({"reason": "truncated", "offset": 3}, "refused: truncated at byte 3"),
        ({"detail": "EOFError: end"}, "refused: EOFError: end"),
        ({"reason": "truncated", "offset": 0, "detail": "end"}, "refused: truncated at byte 0 end"),
    ],
)
def test_a_wrong_refusal_is_shown_with_its_reason(named: dict[str, Any], detail: str) -> None:
    vector = valid()
    assert judged(vector, refusal(vector, Op.DECODE, **named)).detail == detail


@pytest.mark.parametrize(
    ("vector", "given", "detail"),
    [
        (serve(), (RIGHT_FRAME, True), f"the connection was closed, it has to stay open; sent {RIGHT_FRAME.hex()}"),
        (serve(), (b"", False), "answer 1 of 1 is missing; sent nothing"),
        (
            serve(sends=[], closes=True),
            (b"", False),
            "the connection stayed open, it has to close; sent nothing",
        ),
        (negotiate(), None, "expected version 3, got no version"),
        (negotiate(chooses=None), 4, "expected no version, got version 4"),
        (interpret(), {"outcome": "accepted"}, "expected {outcome: 'retry', version: 3}, got {outcome: 'accepted'}"),
        (evolve(), [], "expected [{'kind': 'tag-reused', 'path': 'a'}], got no breaks"),
        (evolve(breaks=[]), ["tag-reused a"], "expected no breaks, got ['tag-reused a']"),
    ],
)
def test_a_wrong_answer_is_shown(vector: Vector, given: Any, detail: str) -> None:
    assert judge(vector, answer(vector, vector.ops[0], given)).detail == detail


# --- What a broker sends, against patterns ----------------------------------------------------------------------------


def api_versions(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "ResponseFrame:ApiVersions", "version": 0, "value": value}


KEY = {"ApiKey": 18, "MinVersion": 0, "MaxVersion": 5}

PATTERNS: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({"header": {"CorrelationId": 7}}, None),
    ({"header": {"CorrelationId": 8}}, "answer 1 of 1: header.CorrelationId is 7, 8 is expected"),
    ({"header": {"Nothing": 8}}, "answer 1 of 1: header has no Nothing"),
    ({"body": {"ErrorCode": 35, "ApiKeys": [KEY]}}, None),
    ({"body": {"ApiKeys": [{"ApiKey": 18}]}}, None),
    ({"body": {"ApiKeys": []}}, "answer 1 of 1: body.ApiKeys has 1 elements, 0 are expected"),
    ({"body": {"ApiKeys": [{"MaxVersion": 4}]}}, "answer 1 of 1: body.ApiKeys[0].MaxVersion is 5, 4 is expected"),
    ({"body": {"ApiKeys": {"contains": {"ApiKey": 18}}}}, None),
    ({"body": {"ApiKeys": {"contains": {"ApiKey": 3}}}}, "answer 1 of 1: body.ApiKeys is [{ApiKey: 18"),
    ({"body": {"ErrorCode": {"contains": 35}}}, "answer 1 of 1: body.ErrorCode is 35, which holds nothing like 35"),
    ({"body": {"ErrorCode": [35]}}, "answer 1 of 1: body.ErrorCode is 35, [35] is expected"),
]


@pytest.mark.parametrize(("value", "mismatch"), PATTERNS)
def test_a_pattern_leaves_open_what_it_does_not_name(value: dict[str, Any], mismatch: str | None) -> None:
    vector = serve(sends=[api_versions(value)])
    verdict = judge(vector, answer(vector, Op.SERVE, (RIGHT_FRAME, False)))
    assert verdict.detail.startswith(mismatch or "")
    assert conclusion(verdict) == (WRONG_ANSWER if mismatch else PASS)


@pytest.mark.parametrize(
    ("sent", "mismatch"),
    [
        (RIGHT_FRAME + RIGHT_FRAME, None),
        (RIGHT_FRAME, "answer 2 of 2 is missing"),
        (RIGHT_FRAME + b"\0\0\0", "answer 2 of 2 is missing: 3 bytes are left"),
        (RIGHT_FRAME + RIGHT_FRAME[:-1], "answer 2 of 2 announces 16 bytes, 15 follow"),
        (RIGHT_FRAME + b"\xff\xff\xff\xff", "answer 2 of 2 announces -1 bytes, 0 follow"),
        (RIGHT_FRAME + b"\0\0\0\0", "answer 2 of 2: no ResponseFrame:ApiVersions 0: truncated"),
        (RIGHT_FRAME + RIGHT_FRAME + b"\xab\xcd", "2 bytes more than 2 answers: abcd"),
    ],
)
def test_answers_stand_one_after_the_other(sent: bytes, mismatch: str | None) -> None:
    vector = serve(sends=[api_versions({}), api_versions({})])
    verdict = judge(vector, answer(vector, Op.SERVE, (sent, False)))
    assert verdict.detail.startswith(mismatch or "")
    assert conclusion(verdict) == (WRONG_ANSWER if mismatch else PASS)


def _with_bytes_for_keys(value: Any) -> Any:
    match value:
        case (str() as key, item):
            return [key.encode(), item]
        case _:
            return [_with_bytes_for_keys(header) for header in value]


@pytest.mark.parametrize("type_name", ["HEADER", "HEADERS"])
def test_the_key_of_a_header_may_be_bytes(type_name: str) -> None:
    found = vectors.load(["kip-82-string-keys"], ["header-multimaps"])
    headers = [
        vector
        for vector in found
        if vector.type == type_name and vector.kind is vectors.VectorKind.VALID and vector.value
    ]
    assert headers
    for vector in headers:
        given = _with_bytes_for_keys(vector.value)
        assert judge(vector, answer(vector, Op.DECODE, given)).outcome is Outcome.PASS
        other = _with_bytes_for_keys([vector.value] if type_name == "HEADER" else vector.value)
        other[0][0] += b"\xff"
        other = other[0] if type_name == "HEADER" else other
        assert judge(vector, answer(vector, Op.DECODE, other)).outcome is Outcome.FAIL


def test_what_is_looked_up_in_headers_are_values_alone() -> None:
    found = vectors.load(["kip-82-string-keys"], ["header-multimaps"])
    of_headers = [vector for vector in found if vector.kind is vectors.VectorKind.LOOKUP and vector.type == "HEADERS"]
    lookups = [vector for vector in of_headers if vector.reject is None]
    assert any(vector.expected for vector in lookups)
    for vector in lookups:
        assert judge(vector, answer(vector, Op.LOOKUP, vector.expected)).outcome is Outcome.PASS
        assert judge(vector, answer(vector, Op.LOOKUP, [*vector.expected, b"more"])).outcome is Outcome.FAIL


# --- What is shown beside a verdict -----------------------------------------------------------------------------------


def test_what_was_compared_is_given_as_values() -> None:
    vector = make(RESPONSE)
    told = response(key=3)
    del told["ThrottleTimeMs"]
    assert compared(vector, answer(vector, Op.DECODE, told)) == (response(), response(key=3))
    for op in (Op.ENCODE, Op.RECODE):
        assert compared(vector, answer(vector, op, response_bytes(throttle=9))) == (response(), response(throttle=9))
        assert compared(vector, answer(vector, op, b"\0")) is None, "bytes that can't be read"


def test_what_was_compared_lacks_the_fields_that_the_writer_sets() -> None:
    vector = make(RESPONSE)
    expected, written = response(), response(throttle=9)
    del expected["ThrottleTimeMs"], written["ThrottleTimeMs"]
    seen = answer(vector, Op.ENCODE, response_bytes(throttle=9))
    assert compared(vector, seen, ["ThrottleTimeMs"]) == (expected, written)


def test_answers_without_a_type_are_compared_as_they_are() -> None:
    assert compared(lookup(), answer(lookup(), Op.LOOKUP, [None])) == ([b"\x01", None], [None])
    assert compared(negotiate(), answer(negotiate(), Op.NEGOTIATE, 2)) == (3, 2)
    found = {"outcome": "retry", "version": 2}
    assert compared(interpret(), answer(interpret(), Op.INTERPRET, found)) == (
        {"outcome": "retry", "version": 3},
        found,
    )


def test_nothing_is_compared_where_nothing_came_or_nothing_may_come() -> None:
    assert compared(valid(), refusal(valid(), Op.DECODE)) is None
    assert compared(invalid(), answer(invalid(), Op.DECODE, 5)) is None
    assert compared(serve(), answer(serve(), Op.SERVE, (RIGHT_FRAME, True))) is None
