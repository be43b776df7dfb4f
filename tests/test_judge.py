"""The judge, by kind of vector, op and observation: what passes, what is contested, what fails, and how."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from conformance import vectors
from conformance.judge import judge, rules_for
from conformance.model import Kind, Observation, Op, Outcome, Status, Verdict
from conformance.vectors import Vector

API_VERSIONS_0 = "00000010 00000007 0023 00000001 0012 0000 0005"


def make(raw: dict[str, Any], **twin: Any) -> Vector:
    """A vector from its fields; `twin`: the fields of its twin, which then is a vector of the same file."""
    found = [{"id": "it", "about": "made here", **raw}]
    if twin:
        found[0]["twin"] = "twin"
        found.append({"id": "twin", "about": "its twin", "type": raw.get("type"), **twin})
        if "version" in raw:
            found[1]["version"] = raw["version"]
    document = {"format": 1, "dialect": "kafka", "area": "varints", "vectors": found}
    return vectors.parse(json.dumps(document).encode(), "made.json").vectors[0]


def valid(**fields: Any) -> Vector:
    return make({"type": "INT8", "bytes": [["05", "five"]], "value": 5} | fields)


def invalid(**fields: Any) -> Vector:
    raw = {
        "type": "INT8",
        "bytes": [["05", "five"], ["06", "more"]],
        "reject": {"reason": "trailing-bytes", "offset": 1},
    }
    return make(raw | fields, bytes=[["05", "five"]], value=5)


def unencodable(**fields: Any) -> Vector:
    raw = {"type": "INT8", "value": 128, "reject": {"reason": "out-of-range"}}
    return make(raw | fields, bytes=[["05", "five"]], value=5)


def lookup(**fields: Any) -> Vector:
    return make({"type": "INT8", "bytes": [["05", "five"]], "key": "a", "values": [{"hex": "01"}, None]} | fields)


def serve(**fields: Any) -> Vector:
    pattern = {"type": "ResponseFrame:ApiVersions", "version": 0, "value": {"body": {"ErrorCode": 35}}}
    return make({"chunks": [[["00", "a byte"]]], "sends": [pattern], "closes": False} | fields)


def interpret(**fields: Any) -> Vector:
    outcome = {"outcome": "retry", "version": 3}
    return make({"request": [["00", "a byte"]], "response": None, "outcome": outcome} | fields)


def negotiate(**fields: Any) -> Vector:
    return make({"api_key": 18, "client": [0, 5], "broker": [0, 3], "chooses": 3} | fields)


def evolve(**fields: Any) -> Vector:
    return make({"old": {}, "new": {}, "breaks": [{"kind": "tag-reused", "path": "a"}]} | fields)


def answer(vector: Vector, op: Op, given: Any) -> Observation:
    return Observation(vector.case(op), Status.ANSWER, given)


def refusal(vector: Vector, op: Op, **named: Any) -> Observation:
    return Observation(vector.case(op), Status.REJECT, **named)


def conclusion(verdict: Verdict) -> tuple[Outcome, Kind | None]:
    return verdict.verdict, verdict.kind


PASS = (Outcome.PASS, None)
CONTESTED = (Outcome.CONTESTED, None)
ACCEPTED = (Outcome.FAIL, Kind.ACCEPTED_INVALID)
REFUSED = (Outcome.FAIL, Kind.REFUSED_VALID)
WRONG_VALUE = (Outcome.FAIL, Kind.WRONG_VALUE)
WRONG_BYTES = (Outcome.FAIL, Kind.WRONG_BYTES)
WRONG_ANSWER = (Outcome.FAIL, Kind.WRONG_ANSWER)

RIGHT_FRAME = bytes.fromhex(API_VERSIONS_0)
NO_ERROR_FRAME = RIGHT_FRAME.replace(b"\x00\x23", b"\x00\x00")

#: Every kind and op, with an answer and what follows from it.
ANSWERS: list[tuple[Vector, Op, Any, tuple[Outcome, Kind | None]]] = [
    (valid(), Op.DECODE, 5, PASS),
    (valid(), Op.DECODE, 6, WRONG_VALUE),
    (valid(), Op.DECODE, "5", WRONG_VALUE),
    (valid(value=1, bytes=[["01", "one"]]), Op.DECODE, True, WRONG_VALUE),
    (valid(), Op.DECODE, None, WRONG_VALUE),
    (valid(), Op.ENCODE, b"\x05", PASS),
    (valid(), Op.ENCODE, b"\x06", WRONG_BYTES),
    (valid(), Op.ENCODE, b"", WRONG_BYTES),
    (valid(), Op.ENCODE, b"\x05\x05", WRONG_BYTES),
    (valid(), Op.RECODE, b"\x05", PASS),
    (valid(), Op.RECODE, b"\x06", WRONG_BYTES),
    # What is written is compared with the canonical bytes, where they differ from those that are read.
    (valid(type="VARINT", bytes=[["8a00", "overlong"]], canonical=[["0a", "five"]]), Op.ENCODE, b"\x0a", PASS),
    (valid(type="VARINT", bytes=[["8a00", "overlong"]], canonical=[["0a", "five"]]), Op.RECODE, b"\x0a", PASS),
    (valid(type="VARINT", bytes=[["8a00", "overlong"]], canonical=[["0a", "five"]]), Op.RECODE, b"\x8a\0", WRONG_BYTES),
    (invalid(), Op.DECODE, 5, ACCEPTED),
    (invalid(), Op.DECODE, None, ACCEPTED),
    (invalid(), Op.RECODE, b"\x05\x06", ACCEPTED),
    (invalid(), Op.RECODE, b"\x05", ACCEPTED),
    (unencodable(), Op.ENCODE, b"\x80", ACCEPTED),
    (unencodable(), Op.ENCODE, b"", ACCEPTED),
    (lookup(), Op.LOOKUP, [b"\x01", None], PASS),
    (lookup(), Op.LOOKUP, [None, b"\x01"], WRONG_VALUE),
    (lookup(), Op.LOOKUP, [b"\x01"], WRONG_VALUE),
    (lookup(values=[]), Op.LOOKUP, [], PASS),
    (serve(), Op.SERVE, (RIGHT_FRAME, False), PASS),
    (serve(), Op.SERVE, (RIGHT_FRAME, True), WRONG_ANSWER),
    (serve(), Op.SERVE, (NO_ERROR_FRAME, False), WRONG_ANSWER),
    (serve(), Op.SERVE, (b"", False), WRONG_ANSWER),
    (serve(), Op.SERVE, (RIGHT_FRAME * 2, False), WRONG_ANSWER),
    (serve(sends=[], closes=True), Op.SERVE, (b"", True), PASS),
    (serve(sends=[], closes=True), Op.SERVE, (b"", False), WRONG_ANSWER),
    (serve(sends=[], closes=True), Op.SERVE, (b"\0", True), WRONG_ANSWER),
    (interpret(), Op.INTERPRET, {"outcome": "retry", "version": 3}, PASS),
    (interpret(), Op.INTERPRET, {"outcome": "retry", "version": 3, "request": "ApiVersionsRequest"}, PASS),
    (interpret(), Op.INTERPRET, {"outcome": "retry", "version": 2}, WRONG_ANSWER),
    (interpret(), Op.INTERPRET, {"outcome": "retry"}, WRONG_ANSWER),
    (interpret(), Op.INTERPRET, {"outcome": "accepted", "version": 3}, WRONG_ANSWER),
    (interpret(outcome={"outcome": "error", "error": None}), Op.INTERPRET, {"outcome": "error", "error": None}, PASS),
    (interpret(outcome={"outcome": "error", "error": None}), Op.INTERPRET, {"outcome": "error"}, WRONG_ANSWER),
    (interpret(outcome={"outcome": "error", "error": 1}), Op.INTERPRET, {"outcome": "error", "error": 2}, WRONG_ANSWER),
    (interpret(outcome={"outcome": "unsupported"}), Op.INTERPRET, {"outcome": "unsupported", "request": "a"}, PASS),
    (
        interpret(outcome={"outcome": "unsupported", "request": "api 999"}),
        Op.INTERPRET,
        {"outcome": "unsupported", "request": "api 998"},
        WRONG_ANSWER,
    ),
    (negotiate(), Op.NEGOTIATE, 3, PASS),
    (negotiate(), Op.NEGOTIATE, 2, WRONG_ANSWER),
    (negotiate(), Op.NEGOTIATE, None, WRONG_ANSWER),
    (negotiate(chooses=None), Op.NEGOTIATE, None, PASS),
    (negotiate(chooses=None), Op.NEGOTIATE, 0, WRONG_ANSWER),
    # Of an evolution only whether something breaks is judged, not what it is called.
    (evolve(), Op.EVOLVE, ["tag-reused a"], PASS),
    (evolve(), Op.EVOLVE, ["type-changed b"], PASS),
    (evolve(), Op.EVOLVE, [], WRONG_ANSWER),
    (evolve(breaks=[]), Op.EVOLVE, [], PASS),
    (evolve(breaks=[]), Op.EVOLVE, ["tag-reused a"], WRONG_ANSWER),
]


@pytest.mark.parametrize(("vector", "op", "given", "expected"), ANSWERS)
def test_an_answer(vector: Vector, op: Op, given: Any, expected: tuple[Outcome, Kind | None]) -> None:
    verdict = judge(vector, answer(vector, op, given))
    assert conclusion(verdict) == expected
    assert bool(verdict.detail) is (expected is not PASS)


REFUSALS = [
    (valid(), Op.DECODE, None, REFUSED),
    (valid(), Op.ENCODE, None, REFUSED),
    (valid(), Op.RECODE, "decode", REFUSED),
    (valid(), Op.RECODE, "encode", REFUSED),
    (invalid(), Op.DECODE, None, PASS),
    (invalid(), Op.RECODE, None, PASS),
    (invalid(), Op.RECODE, "decode", PASS),
    # It had read the bytes, and only could not write them.
    (invalid(), Op.RECODE, "encode", ACCEPTED),
    (unencodable(), Op.ENCODE, None, PASS),
    (lookup(), Op.LOOKUP, None, REFUSED),
    (serve(), Op.SERVE, None, REFUSED),
    (interpret(), Op.INTERPRET, None, REFUSED),
    (negotiate(), Op.NEGOTIATE, None, REFUSED),
    (evolve(), Op.EVOLVE, None, REFUSED),
]


@pytest.mark.parametrize(("vector", "op", "half", "expected"), REFUSALS)
def test_a_refusal(vector: Vector, op: Op, half: str | None, expected: tuple[Outcome, Kind | None]) -> None:
    assert conclusion(judge(vector, refusal(vector, op, half=half))) == expected


def test_every_kind_and_op_is_tested() -> None:
    every = {(kind, op) for kind, ops in vectors.KIND_OPS.items() for op in ops}
    assert {(vector.kind, op) for vector, op, _, _ in ANSWERS} == every
    assert {(vector.kind, op) for vector, op, _, _ in REFUSALS} == every
    assert {(vector.kind, op, expected is PASS) for vector, op, _, expected in ANSWERS} >= {
        (kind, op, False) for kind, op in every
    }


WITHOUT_ANSWER = {
    Status.CRASH: Outcome.CRASH,
    Status.HANG: Outcome.HANG,
    Status.OOM: Outcome.OOM,
    Status.VIOLATION: Outcome.VIOLATION,
    Status.NOT_ASKED: Outcome.NOT_ASKED,
    Status.UNSUPPORTED: Outcome.SKIP,
}


@pytest.mark.parametrize("status", sorted(WITHOUT_ANSWER))
@pytest.mark.parametrize("vector", [valid(), invalid(), unencodable(), lookup(), serve(), interpret(), negotiate()])
def test_without_an_answer_the_status_is_the_verdict(status: Status, vector: Vector) -> None:
    for op in vector.ops:
        seen = Observation(vector.case(op), status, detail="what happened", error="SIGABRT", frame="a:b")
        verdict = judge(vector, seen, rules_for("kafka", {"R-K-7": "other"}), refusal(vector, op))
        assert conclusion(verdict) == (WITHOUT_ANSWER[status], None)
        assert (verdict.detail, verdict.error, verdict.frame) == ("what happened", "SIGABRT", "a:b")


def test_every_status_is_tested() -> None:
    assert set(Status) == {*WITHOUT_ANSWER, Status.ANSWER, Status.REJECT}


def test_a_verdict_says_what_was_asked_and_what_was_seen() -> None:
    vector = invalid(type="RequestHeader", version=1, bytes=[["00", "a byte"]])
    seen = refusal(vector, Op.DECODE, reason="truncated", offset=0, error="EOFError", frame="mine:read")
    assert judge(vector, seen) == Verdict(
        id="kafka/varints/it#decode",
        dialect="kafka",
        area="varints",
        type="RequestHeader",
        version=1,
        op=Op.DECODE,
        verdict=Outcome.PASS,
        reason="truncated",
        offset=0,
        error="EOFError",
        frame="mine:read",
        note="refused for truncated, the kit for trailing-bytes; refused at byte 0, the kit at byte 1",
    )


# --- The twin ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [invalid, unencodable])
@pytest.mark.parametrize(
    ("status", "expected"),
    [(status, Outcome.PASS if status is Status.ANSWER else Outcome.SKIP) for status in Status],
)
def test_a_refusal_counts_only_when_the_twin_was_accepted(made: Any, status: Status, expected: Outcome) -> None:
    vector = made()
    op = vector.ops[0]
    twin = Observation(dataclasses.replace(vector.case(op), id="kafka/varints/twin#op"), status, detail="odd")
    verdict = judge(vector, refusal(vector, op), twin=twin)
    assert verdict.verdict is expected
    assert verdict.detail == ("" if expected is Outcome.PASS else "twin refused: kafka/varints/twin#op odd")


def test_without_a_twin_to_look_at_a_refusal_counts() -> None:
    assert conclusion(judge(invalid(), refusal(invalid(), Op.DECODE), twin=None)) == PASS


@pytest.mark.parametrize("status", sorted(Status))
def test_accepting_is_wrong_whatever_became_of_the_twin(status: Status) -> None:
    vector = invalid()
    twin = Observation(vector.case(Op.DECODE), status)
    assert conclusion(judge(vector, answer(vector, Op.DECODE, 5), twin=twin)) == ACCEPTED


def test_a_valid_vector_has_nothing_to_do_with_another() -> None:
    vector = valid()
    assert conclusion(judge(vector, answer(vector, Op.DECODE, 5), twin=refusal(vector, Op.DECODE))) == PASS
    assert conclusion(judge(vector, refusal(vector, Op.DECODE), twin=refusal(vector, Op.DECODE))) == REFUSED


# --- Other readings: `also` -------------------------------------------------------------------------------------------

ONE = [{"ruling": "R-K-7", "value": 7}]
OVERLONG = {"type": "VARINT", "bytes": [["8a00", "overlong"]], "canonical": [["0a", "five"]]}
REFUSES = [{"ruling": "R-K-5", "refuses": True}]
BYTES = [{"ruling": "R-K-5", "bytes": "8a00"}]
FULL = {"type": "ResponseFrame:ApiVersions", "version": 0, "value": {"body": {"ErrorCode": 0}}}

ALSO: list[tuple[Vector, Op, Any, tuple[Outcome, Kind | None]]] = [
    # A value: to decode, and to nothing else.
    (valid(also=ONE), Op.DECODE, 5, PASS),
    (valid(also=ONE), Op.DECODE, 7, CONTESTED),
    (valid(also=ONE), Op.DECODE, 8, WRONG_VALUE),
    (valid(also=ONE), Op.DECODE, refusal, REFUSED),
    (valid(also=ONE), Op.ENCODE, b"\x07", WRONG_BYTES),
    (valid(also=ONE), Op.RECODE, b"\x07", WRONG_BYTES),
    (invalid(also=ONE), Op.DECODE, 7, CONTESTED),
    (invalid(also=ONE), Op.DECODE, 8, ACCEPTED),
    (invalid(also=ONE), Op.RECODE, b"\x07", ACCEPTED),
    (invalid(also=[{"ruling": "R-K-15", "value": None}]), Op.DECODE, None, CONTESTED),
    (invalid(also=[{"ruling": "R-K-15", "value": None}]), Op.DECODE, 0, ACCEPTED),
    (lookup(also=[{"ruling": "R-K-7", "values": [None]}]), Op.LOOKUP, [None], CONTESTED),
    (lookup(also=[{"ruling": "R-K-7", "values": [None]}]), Op.LOOKUP, [], WRONG_VALUE),
    # Bytes: to recode; to encode only where the entry says so.
    (valid(also=BYTES, **OVERLONG), Op.RECODE, b"\x8a\0", CONTESTED),
    (valid(also=BYTES, **OVERLONG), Op.RECODE, b"\x8b\0", WRONG_BYTES),
    (valid(also=BYTES, **OVERLONG), Op.ENCODE, b"\x8a\0", WRONG_BYTES),
    (valid(also=[BYTES[0] | {"ops": ["encode"]}], **OVERLONG), Op.ENCODE, b"\x8a\0", CONTESTED),
    (valid(also=[BYTES[0] | {"ops": ["encode"]}], **OVERLONG), Op.RECODE, b"\x8a\0", WRONG_BYTES),
    (unencodable(also=[{"ruling": "R-K-13", "bytes": "80"}]), Op.ENCODE, b"\x80", CONTESTED),
    (unencodable(also=[{"ruling": "R-K-13", "bytes": "80"}]), Op.ENCODE, b"\x81", ACCEPTED),
    # Refusing: to what reads; to encode only where the entry says so.
    (valid(also=REFUSES, **OVERLONG), Op.DECODE, refusal, CONTESTED),
    (valid(also=REFUSES, **OVERLONG), Op.RECODE, refusal, CONTESTED),
    (valid(also=REFUSES, **OVERLONG), Op.ENCODE, refusal, REFUSED),
    (valid(also=REFUSES, **OVERLONG), Op.DECODE, 8, WRONG_VALUE),
    (valid(also=[REFUSES[0] | {"ops": ["encode", "recode"]}]), Op.ENCODE, refusal, CONTESTED),
    (valid(also=[REFUSES[0] | {"ops": ["encode", "recode"]}]), Op.RECODE, refusal, CONTESTED),
    (valid(also=[REFUSES[0] | {"ops": ["encode", "recode"]}]), Op.DECODE, refusal, REFUSED),
    # A broker, a client, a choice.
    (serve(also=[{"ruling": "R-K-18", "sends": [], "closes": True}]), Op.SERVE, (b"", True), CONTESTED),
    (serve(also=[{"ruling": "R-K-18", "sends": [], "closes": True}]), Op.SERVE, (b"", False), WRONG_ANSWER),
    (serve(also=[{"ruling": "R-K-18", "sends": [], "closes": True}]), Op.SERVE, (NO_ERROR_FRAME, True), WRONG_ANSWER),
    (
        serve(also=[{"ruling": "R-K-18", "sends": [FULL], "closes": False}]),
        Op.SERVE,
        (NO_ERROR_FRAME, False),
        CONTESTED,
    ),
    (
        serve(also=[{"ruling": "R-K-18", "sends": [FULL], "closes": False}]),
        Op.SERVE,
        (NO_ERROR_FRAME, True),
        WRONG_ANSWER,
    ),
    (
        interpret(also=[{"ruling": "R-K-21", "outcome": {"outcome": "accepted"}}]),
        Op.INTERPRET,
        {"outcome": "accepted"},
        CONTESTED,
    ),
    (
        interpret(also=[{"ruling": "R-K-21", "outcome": {"outcome": "accepted"}}]),
        Op.INTERPRET,
        {"outcome": "malformed"},
        WRONG_ANSWER,
    ),
    (negotiate(also=[{"ruling": "R-K-21", "chooses": None}]), Op.NEGOTIATE, None, CONTESTED),
    (negotiate(also=[{"ruling": "R-K-21", "chooses": 2}]), Op.NEGOTIATE, 2, CONTESTED),
    (negotiate(also=[{"ruling": "R-K-21", "chooses": 2}]), Op.NEGOTIATE, None, WRONG_ANSWER),
    # No such entry says anything of another op's answers.
    (valid(also=[{"ruling": "R-K-21", "chooses": 2}]), Op.DECODE, 2, WRONG_VALUE),
    (negotiate(also=[{"ruling": "R-K-7", "value": 2}]), Op.NEGOTIATE, 2, WRONG_ANSWER),
]


@pytest.mark.parametrize(("vector", "op", "given", "expected"), ALSO)
def test_another_reading_of_the_vector(
    vector: Vector, op: Op, given: Any, expected: tuple[Outcome, Kind | None]
) -> None:
    seen = refusal(vector, op, reason="truncated") if given is refusal else answer(vector, op, given)
    verdict = judge(vector, seen)
    assert conclusion(verdict) == expected
    assert verdict.rulings == (vector.also[0].rulings if expected is CONTESTED else ())


def test_two_rulings_that_act_together_are_both_named() -> None:
    vector = valid(also=[{"ruling": ["R-K-7", "R-K-5"], "value": 7}])
    assert judge(vector, answer(vector, Op.DECODE, 7)).rulings == ("R-K-7", "R-K-5")


def test_the_first_reading_that_fits_is_named() -> None:
    readings = [{"ruling": ruling, "value": value} for ruling, value in (("R-K-1", 6), ("R-K-2", 7), ("R-K-3", 7))]
    vector = valid(also=readings)
    assert judge(vector, answer(vector, Op.DECODE, 6)).rulings == ("R-K-1",)
    assert judge(vector, answer(vector, Op.DECODE, 7)).rulings == ("R-K-2",)


def test_a_contested_verdict_says_what_differs() -> None:
    vector = valid(also=ONE)
    assert judge(vector, answer(vector, Op.DECODE, 7)).detail == "expected 5, got 7"


def test_what_is_read_and_then_refused_on_write_may_be_a_reading_too() -> None:
    vector = invalid(also=[{"ruling": "R-K-15c", "ops": ["recode"], "refuses": True}])
    assert conclusion(judge(vector, refusal(vector, Op.RECODE, half="encode"))) == CONTESTED
    assert conclusion(judge(vector, refusal(vector, Op.RECODE, half="decode"))) == PASS
    of_reading = invalid(also=[{"ruling": "R-K-15c", "refuses": True}])
    assert conclusion(judge(of_reading, refusal(of_reading, Op.RECODE, half="encode"))) == ACCEPTED


# --- Other readings: those that the implementation declares -----------------------------------------------------------


def high_bits(trailing: str = "", **fields: Any) -> Vector:
    raw = {
        "type": "UNSIGNED_VARINT",
        "bytes": [["ffffffff1f" + trailing, "a bit too many"]],
        "reject": {"reason": "varint-overflow", "offset": 0},
    }
    return make(raw | fields, bytes=[["ffffffff0f", "the largest"]], value=2**32 - 1)


def test_what_the_reference_does_under_the_declared_reading_is_contested() -> None:
    vector = high_bits()
    seen = answer(vector, Op.DECODE, 2**32 - 1)
    assert conclusion(judge(vector, seen)) == ACCEPTED
    assert conclusion(judge(vector, seen, rules_for("kafka", {"R-K-7": "other"}))) == ACCEPTED
    verdict = judge(vector, seen, rules_for("kafka", {"R-K-6": "other"}))
    assert (conclusion(verdict), verdict.rulings) == (CONTESTED, ("R-K-6",))


def test_a_third_outcome_fails_under_any_reading() -> None:
    vector = high_bits()
    verdict = judge(vector, answer(vector, Op.DECODE, 2**33 - 1), rules_for("kafka", {"R-K-6": "other"}))
    assert (conclusion(verdict), verdict.rulings) == (ACCEPTED, ())


def test_one_reading_is_named_where_it_is_enough_and_all_where_they_act_together() -> None:
    both = rules_for("kafka", {"R-K-7": "other", "R-K-6": "other"})
    alone, together = high_bits(), high_bits(trailing="00")
    assert judge(alone, answer(alone, Op.DECODE, 2**32 - 1), both).rulings == ("R-K-6",)
    assert judge(together, answer(together, Op.DECODE, 2**32 - 1), both).rulings == ("R-K-6", "R-K-7")
    one = rules_for("kafka", {"R-K-6": "other"})
    assert judge(together, answer(together, Op.DECODE, 2**32 - 1), one).rulings == ()


def test_a_declared_reading_may_refuse() -> None:
    vector = valid(**OVERLONG)
    rules = rules_for("kafka", {"R-K-5": "other"})
    for op, expected in ((Op.DECODE, CONTESTED), (Op.RECODE, CONTESTED), (Op.ENCODE, REFUSED)):
        assert conclusion(judge(vector, refusal(vector, op), rules)) == expected
    assert conclusion(judge(vector, answer(vector, Op.DECODE, 5), rules)) == PASS


def test_a_declared_reading_may_refuse_to_write() -> None:
    vector = make({"type": "TAG_BUFFER", "bytes": [["01ffffffff0700", "2³¹ − 1"]], "value": [[2**31 - 1, {"hex": ""}]]})
    rules = rules_for("kafka", {"R-K-15c": "other"})
    assert judge(vector, refusal(vector, Op.ENCODE), rules).rulings == ("R-K-15c",)
    assert judge(vector, refusal(vector, Op.RECODE, half="encode"), rules).rulings == ("R-K-15c",)
    assert conclusion(judge(vector, refusal(vector, Op.DECODE), rules)) == REFUSED


def test_the_vectors_own_entries_come_before_what_is_declared() -> None:
    vector = high_bits(also=[{"ruling": "R-K-7", "value": 2**32 - 1}])
    rules = rules_for("kafka", {"R-K-6": "other"})
    assert judge(vector, answer(vector, Op.DECODE, 2**32 - 1), rules).rulings == ("R-K-7",)


def test_declared_readings_of_a_broker_and_a_client() -> None:
    rules = rules_for("kafka", {"R-K-18": "other", "R-K-21b": "other"})
    metadata_99 = [
        ["0000000b", "size 11"],
        ["0003", "Metadata"],
        ["0063", "version 99"],
        ["00000007000000", "the rest"],
    ]
    closing = make({"chunks": [metadata_99], "sends": [], "closes": True})
    error_35 = bytes.fromhex("00000006 00000007 0023")
    assert judge(closing, answer(closing, Op.SERVE, (error_35, False)), rules).rulings == ("R-K-18",)
    assert conclusion(judge(closing, answer(closing, Op.SERVE, (error_35, True)), rules)) == WRONG_ANSWER
    api_versions_3 = [["0000000a", "size 10"], ["0012", "ApiVersions"], ["0003", "version 3"], ["00000007ffff", "rest"]]
    closed = make({"request": api_versions_3, "response": None, "outcome": {"outcome": "error", "error": None}})
    assert judge(closed, answer(closed, Op.INTERPRET, {"outcome": "retry", "version": 0}), rules).rulings == (
        "R-K-21b",
    )


@pytest.mark.parametrize(
    ("readings", "named"),
    [
        ({"R-K-99": "other"}, "there is no ruling 'R-K-99'"),
        ({"R-K-6": "another"}, "R-K-6 has no reading 'another'"),
        ({"R-K-3": "other"}, "no contested ruling 'R-K-3'"),
    ],
)
def test_readings_that_do_not_exist(readings: dict[str, str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        rules_for("kafka", readings)


# --- Writing: refusing is right too, compared decoded, fields of the writer's own -------------------------------------


def test_or_reject_allows_encode_to_refuse_and_nothing_else() -> None:
    vector = valid(or_reject={"reason": "tag-order"})
    assert conclusion(judge(vector, refusal(vector, Op.ENCODE, reason="truncated"))) == PASS
    assert conclusion(judge(vector, answer(vector, Op.ENCODE, b"\x05"))) == PASS
    assert conclusion(judge(vector, answer(vector, Op.ENCODE, b"\x06"))) == WRONG_BYTES
    assert conclusion(judge(vector, refusal(vector, Op.DECODE))) == REFUSED
    assert conclusion(judge(vector, refusal(vector, Op.RECODE, half="encode"))) == REFUSED


@pytest.mark.parametrize(
    ("written", "expected", "detail"),
    [
        ("0a", PASS, ""),
        ("8a00", PASS, ""),
        ("0c", WRONG_BYTES, "wrote 0x0c: differs at "),
        ("8a", WRONG_BYTES, "wrote 0x8a, which does not decode: truncated"),
        ("", WRONG_BYTES, 'wrote b"", which does not decode: truncated'),
    ],
)
def test_compared_decoded(written: str, expected: tuple[Outcome, Kind | None], detail: str) -> None:
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
    assert judge(vector, refusal(vector, Op.RECODE, half="encode", reason="tag-order", detail="no")).detail == (
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
    assert judge(vector, refusal(vector, Op.DECODE, **named)).detail == detail


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


# --- Notes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vector", "op", "named", "note"),
    [
        (invalid(), Op.DECODE, {}, ""),
        (invalid(), Op.DECODE, {"reason": "trailing-bytes", "offset": 1}, ""),
        (invalid(), Op.DECODE, {"reason": "truncated"}, "refused for truncated, the kit for trailing-bytes"),
        (invalid(), Op.DECODE, {"offset": 0}, "refused at byte 0, the kit at byte 1"),
        (invalid(), Op.RECODE, {"offset": 0, "half": "decode"}, "refused at byte 0, the kit at byte 1"),
        (unencodable(), Op.ENCODE, {"reason": "out-of-range"}, ""),
        (unencodable(), Op.ENCODE, {"reason": "truncated"}, "refused for truncated, the kit for out-of-range"),
        # No byte is at fault in a value.
        (unencodable(), Op.ENCODE, {"offset": 3}, ""),
        (
            make(
                {"type": "INT8", "bytes": [["05", "five"]], "reject": {"reason": "unsupported-version"}},
                bytes=[["05", "five"]],
                value=5,
            ),
            Op.DECODE,
            {"offset": 0},
            "refused at byte 0, the kit",
        ),
    ],
)
def test_a_refusal_passes_whatever_it_names_and_a_difference_is_a_note(
    vector: Vector, op: Op, named: dict[str, Any], note: str
) -> None:
    verdict = judge(vector, refusal(vector, op, **named))
    assert conclusion(verdict) == PASS
    assert verdict.note == note


def test_a_refusal_of_what_may_be_refused_has_no_note() -> None:
    vector = valid(or_reject={"reason": "tag-order"})
    assert judge(vector, refusal(vector, Op.ENCODE, reason="truncated")).note == ""


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
        vector for vector in found if vector.type == type_name and vector.kind is vectors.Kind.VALID and vector.value
    ]
    assert headers
    for vector in headers:
        given = _with_bytes_for_keys(vector.value)
        assert judge(vector, answer(vector, Op.DECODE, given)).verdict is Outcome.PASS
        other = _with_bytes_for_keys([vector.value] if type_name == "HEADER" else vector.value)
        other[0][0] += b"\xff"
        other = other[0] if type_name == "HEADER" else other
        assert judge(vector, answer(vector, Op.DECODE, other)).verdict is Outcome.FAIL
