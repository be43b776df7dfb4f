"""The judge, by kind of vector, op and observation: what passes, what is contested, what fails, and the notes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from support.judging import (
    ACCEPTED,
    CONTESTED,
    DELIVERED,
    GIVEN,
    NO_ERROR_FRAME,
    PASS,
    PLAIN,
    REFUSED,
    RIGHT_FRAME,
    WRONG_ANSWER,
    WRONG_BYTES,
    WRONG_VALUE,
    answer,
    conclusion,
    consume,
    convert,
    evolve,
    interpret,
    invalid,
    judged,
    lookup,
    make,
    negotiate,
    produce,
    refusal,
    refused_schema,
    serve,
    unencodable,
    valid,
    written,
)

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import FailureKind, Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.vectors import Vector

UNTYPED = {key: item for key, item in DELIVERED.items() if key != "timestamp_type"}
TWO_DELIVERED = {"records": [{**DELIVERED, "value": {"hex": "76"}}] * 2, "position": 6}
UNTIMED = {
    "records": [{**DELIVERED, "value": {"hex": "76"}, "timestamp": -1, "timestamp_type": None}],
    "position": 6,
}


def sent(time: int, sequence: int) -> bytes:
    """A batch of two records without headers, both of this time, of the producer 4."""
    record: dict[str, Any] = {"timestamp": time, "key": None, "value": b"v", "headers": []}
    options = {"producer_id": 4, "producer_epoch": 0, "base_sequence": sequence, "transactional": False}
    return reference.produce([record] * 2, magic=2, codec="none", options=options, dialect="kafka")


SENT = reference.produce([GIVEN], magic=2, codec="none", options=PLAIN, dialect="kafka")
ODD = PLAIN | {"producer_epoch": 0, "base_sequence": 5}
SEVERAL = produce(
    records=[{"timestamp": time, "key": None, "value": {"hex": "76"}} for time in (7, 7, 5, 5)],
    writes=written(
        producerId=4,
        producerEpoch=0,
        baseSequence=3,
        lastOffsetDelta=3,
        records=[
            {
                "attributes": 0,
                "offsetDelta": delta,
                "timestamp": time,
                "key": None,
                "value": {"hex": "76"},
                "headers": [],
            }
            for delta, time in enumerate((7, 7, 5, 5))
        ],
    ),
)

ANSWERS: list[tuple[Vector, Op, Any, tuple[Outcome, FailureKind | None]]] = [
    (valid(), Op.DECODE, 5, PASS),
    (valid(), Op.DECODE, 6, WRONG_VALUE),
    (valid(), Op.DECODE, "5", WRONG_VALUE),
    (valid(value=1, bytes=[["01", "one"]]), Op.DECODE, True, WRONG_VALUE),
    (valid(), Op.DECODE, None, WRONG_VALUE),
    (valid(type="NULLABLE_STRING", bytes=[["ffff", "null"]], value=None), Op.DECODE, None, PASS),
    (valid(type="NULLABLE_STRING", bytes=[["ffff", "null"]], value=None), Op.DECODE, "", WRONG_VALUE),
    (valid(type="BYTES", bytes=[["00000000", "empty"]], value={"hex": ""}), Op.DECODE, bytes(4), WRONG_VALUE),
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
    (convert(), Op.CONVERT, b"\x06", PASS),
    (convert(), Op.CONVERT, b"\x05", WRONG_BYTES),
    (convert(), Op.CONVERT, b"", WRONG_BYTES),
    (lookup(), Op.LOOKUP, [None, b"\x01"], WRONG_VALUE),
    (lookup(), Op.LOOKUP, [b"\x01"], WRONG_VALUE),
    (lookup(values=[]), Op.LOOKUP, [], PASS),
    (consume(), Op.CONSUME, {"records": [DELIVERED], "position": 6}, PASS),
    (consume(), Op.CONSUME, {"records": [DELIVERED], "position": 5}, WRONG_ANSWER),
    (consume(), Op.CONSUME, {"records": [], "position": 6}, WRONG_ANSWER),
    (consume(), Op.CONSUME, {"records": [DELIVERED, DELIVERED], "position": 6}, WRONG_ANSWER),
    *(
        (consume(), Op.CONSUME, {"records": [{**DELIVERED, key: other}], "position": 6}, WRONG_ANSWER)
        for key, other in (
            ("offset", 0),
            ("timestamp", 8),
            ("timestamp_type", "append"),
            ("timestamp_type", None),
            ("key", b""),
            ("value", None),
            ("headers", []),
            ("headers", [["a", b""]]),
        )
    ),
    # A library may not tell of which type a timestamp is, but then of none.
    (consume(), Op.CONSUME, {"records": [UNTYPED], "position": 6}, PASS),
    (consume(), Op.CONSUME, {"records": [{**UNTYPED, "offset": 4}], "position": 6}, WRONG_ANSWER),
    (consume(delivers=TWO_DELIVERED), Op.CONSUME, {"records": [UNTYPED, DELIVERED], "position": 6}, WRONG_ANSWER),
    (consume(delivers=TWO_DELIVERED), Op.CONSUME, {"records": [UNTYPED, UNTYPED], "position": 6}, PASS),
    # Of which type a time is that is none: nobody says.
    (consume(delivers=UNTIMED), Op.CONSUME, {"records": [{**DELIVERED, "timestamp": -1}], "position": 6}, PASS),
    (consume(delivers=UNTIMED), Op.CONSUME, {"records": [{**UNTYPED, "timestamp": -1}], "position": 6}, PASS),
    (consume(delivers=UNTIMED), Op.CONSUME, {"records": [{**UNTYPED, "timestamp": 0}], "position": 6}, WRONG_ANSWER),
    (produce(), Op.PRODUCE, SENT, PASS),
    (produce(), Op.PRODUCE, b"", WRONG_ANSWER),
    *(
        (produce(writes=written(**{name: 1})), Op.PRODUCE, SENT, WRONG_ANSWER)
        for name in written()[0]
        if name != "magic"
    ),
    # Without a producer's id, its epoch and sequence number mean nothing.
    (produce(), Op.PRODUCE, reference.produce([GIVEN], magic=2, codec="none", options=ODD, dialect="kafka"), PASS),
    # What a broker assigns does not count; what cannot be read, or is cut off, does.
    (produce(), Op.PRODUCE, bytes(7) + b"\5" + SENT[8:12] + bytes(3) + b"\1" + SENT[16:], PASS),
    (produce(), Op.PRODUCE, SENT[:17] + bytes(4) + SENT[21:], WRONG_ANSWER),
    (produce(), Op.PRODUCE, SENT + SENT[:-1], WRONG_ANSWER),
    (produce(), Op.PRODUCE, SENT + bytes(9), WRONG_ANSWER),
    (produce(), Op.PRODUCE, SENT + SENT, WRONG_ANSWER),
    # Several batches are as good as one, if each has its own counts, greatest time and sequence number.
    (SEVERAL, Op.PRODUCE, sent(7, 3) + sent(5, 5), PASS),
    (SEVERAL, Op.PRODUCE, sent(7, 3) + sent(5, 4), WRONG_ANSWER),
    (SEVERAL, Op.PRODUCE, sent(7, 4) + sent(5, 5), WRONG_ANSWER),
    (SEVERAL, Op.PRODUCE, sent(7, 3), WRONG_ANSWER),
    (SEVERAL, Op.PRODUCE, sent(5, 3) + sent(7, 5), WRONG_ANSWER),
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
    # Whose request it was may be told where it is malformed, and then has to be right.
    *(
        (interpret(outcome={"outcome": "malformed", "request": "api 999"}), Op.INTERPRET, given, expected)
        for given, expected in (
            ({"outcome": "malformed"}, PASS),
            ({"outcome": "malformed", "request": "api 999"}, PASS),
            ({"outcome": "malformed", "request": "api 998"}, WRONG_ANSWER),
        )
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
    (refused_schema(), Op.EVOLVE, [], ACCEPTED),
]


@pytest.mark.parametrize(("vector", "op", "given", "expected"), ANSWERS)
def test_an_answer(vector: Vector, op: Op, given: Any, expected: tuple[Outcome, FailureKind | None]) -> None:
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
    (convert(), Op.CONVERT, None, REFUSED),
    (consume(), Op.CONSUME, None, REFUSED),
    (produce(), Op.PRODUCE, None, REFUSED),
    (serve(), Op.SERVE, None, REFUSED),
    (interpret(), Op.INTERPRET, None, REFUSED),
    (negotiate(), Op.NEGOTIATE, None, REFUSED),
    (evolve(), Op.EVOLVE, None, REFUSED),
    (refused_schema(), Op.EVOLVE, None, PASS),
]


@pytest.mark.parametrize(("vector", "op", "half", "expected"), REFUSALS)
def test_a_refusal(vector: Vector, op: Op, half: str | None, expected: tuple[Outcome, FailureKind | None]) -> None:
    assert conclusion(judged(vector, refusal(vector, op, half=half))) == expected


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
        verdict = judge(vector, seen, readings_for("kafka", {"R-K-7": "other"}), refusal(vector, op))
        assert conclusion(verdict) == (WITHOUT_ANSWER[status], None)
        assert (verdict.detail, verdict.error, verdict.frame) == ("what happened", "SIGABRT", "a:b")
        assert verdict.note == ("not offered" if status is Status.UNSUPPORTED else "")


def test_every_status_is_tested() -> None:
    assert set(Status) == {*WITHOUT_ANSWER, Status.ANSWER, Status.REJECT}


def test_a_verdict_says_what_was_asked_and_what_was_seen() -> None:
    vector = invalid(type="RequestHeader", version=1, bytes=[["00", "a byte"]])
    seen = refusal(vector, Op.DECODE, reason="truncated", offset=0, error="EOFError", frame="mine:read")
    assert judged(vector, seen) == Verdict(
        id="kafka/varints/it#decode",
        dialect="kafka",
        area="varints",
        type="RequestHeader",
        version=1,
        op=Op.DECODE,
        outcome=Outcome.PASS,
        reason="truncated",
        offset=0,
        error="EOFError",
        frame="mine:read",
        note="refused for truncated, the kit for trailing-bytes; refused at byte 0, the kit at byte 1",
    )


def test_a_failure_says_where_it_is_and_what_it_rests_on() -> None:
    header = make(
        {
            "type": "RequestHeader",
            "version": 1,
            "bytes": [["0012", "key"], ["0003", "version"], ["00000007", "id"], ["0001", "length"], ["61", "a"]],
            "value": {"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 7, "ClientId": "a"},
            "rulings": ["R-K-11", "R-K-7"],
        }
    )
    seen = refusal(header, Op.DECODE, reason="truncated", offset=5, detail="end", error="EOFError", frame="mine:read")
    assert judged(header, seen) == Verdict(
        id="kafka/varints/it#decode",
        dialect="kafka",
        area="varints",
        type="RequestHeader",
        version=1,
        op=Op.DECODE,
        outcome=Outcome.FAIL,
        kind=FailureKind.REFUSED_VALID,
        reason="truncated",
        offset=5,
        detail="refused: truncated at byte 5 end",
        error="EOFError",
        frame="mine:read",
        ground="R-K-11",
        place="INT32",
    )


def test_what_is_accepted_and_must_be_refused_says_what_was_demanded_and_where() -> None:
    vector = make(
        {
            "type": "UNSIGNED_VARINT",
            "bytes": [["ffffffff1f", "a bit too many"]],
            "reject": {"reason": "varint-overflow", "offset": 0},
        },
        bytes=[["ffffffff0f", "the largest"]],
        value=2**32 - 1,
    )
    verdict = judge(vector, answer(vector, Op.DECODE, 5))
    assert (conclusion(verdict), verdict.demanded, verdict.place) == (ACCEPTED, "varint-overflow", "a varint")


def test_a_wrong_answer_says_where_it_differs() -> None:
    header = make(
        {
            "type": "RequestHeader",
            "version": 1,
            "bytes": [["0012", "key"], ["0003", "version"], ["00000007", "id"], ["0001", "length"], ["61", "a"]],
            "value": {"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 7, "ClientId": "a"},
        }
    )
    wrong = header.value | {"RequestApiVersion": 4}
    for op, given, kind in (
        (Op.DECODE, wrong, WRONG_VALUE),
        (Op.ENCODE, bytes.fromhex("0012 0004 00000007 0001 61"), WRONG_BYTES),
    ):
        verdict = judge(header, answer(header, op, given))
        assert conclusion(verdict) == kind
        assert (verdict.demanded, verdict.place) == (None, "RequestHeader.RequestApiVersion")


def test_what_is_no_deviation_has_no_place_and_rests_on_nothing() -> None:
    vector = invalid(rulings=["R-K-7"], also=[{"ruling": "R-K-7", "value": 7}])
    passed, contested = judged(vector, refusal(vector, Op.DECODE)), judged(vector, answer(vector, Op.DECODE, 7))
    doubted = judge(vector, refusal(vector, Op.DECODE))
    assert [one.outcome for one in (passed, contested, doubted)] == [Outcome.PASS, Outcome.CONTESTED, Outcome.SKIP]
    for verdict in (passed, contested, doubted):
        assert (verdict.demanded, verdict.ground, verdict.place) == (None, None, "")
    failed = judge(vector, answer(vector, Op.DECODE, 8))
    assert (failed.demanded, failed.ground) == ("trailing-bytes", "R-K-7")


@pytest.mark.parametrize(
    ("vector", "given"),
    [
        (negotiate(), 2),
        (interpret(), {"outcome": "accepted"}),
        (evolve(), []),
        (serve(), (b"", True)),
    ],
)
def test_a_wrong_answer_that_is_no_value_has_no_place(vector: Vector, given: Any) -> None:
    verdict = judge(vector, answer(vector, vector.ops[0], given))
    assert conclusion(verdict) == WRONG_ANSWER
    assert verdict.place == ""


# --- The twin ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [invalid, unencodable])
@pytest.mark.parametrize(
    ("status", "expected"),
    [(status, Outcome.PASS if status is Status.ANSWER else Outcome.SKIP) for status in Status],
)
def test_a_refusal_counts_only_when_the_twin_was_accepted(made: Any, status: Status, expected: Outcome) -> None:
    vector = made()
    op = vector.ops[0]
    twin = Observation(msgspec.structs.replace(vector.case(op), id="kafka/varints/twin#op"), status, detail="odd")
    verdict = judge(vector, refusal(vector, op), twin=twin)
    assert verdict.outcome is expected
    did = "refused" if status is Status.REJECT else status
    assert verdict.detail == ("" if expected is Outcome.PASS else f"twin {did}: kafka/varints/twin#op odd")


#: Refusals that are right, or that another reading demands, once the twin was accepted.
COUNTED = [
    *((vector, op, half, PASS) for vector, op, half, expected in REFUSALS if expected is PASS),
    (valid(or_reject={"reason": "tag-order"}), Op.ENCODE, None, PASS),
    (valid(also=[{"ruling": "R-K-5", "refuses": True}]), Op.DECODE, None, CONTESTED),
    (unencodable(also=[{"ruling": "R-K-5", "refuses": True}]), Op.ENCODE, None, PASS),
    (invalid(also=[{"ruling": "R-K-15c", "ops": ["recode"], "refuses": True}]), Op.RECODE, "encode", CONTESTED),
]


@pytest.mark.parametrize(("vector", "op", "half", "expected"), COUNTED)
def test_no_refusal_counts_without_an_accepted_twin(
    vector: Vector, op: Op, half: str | None, expected: tuple[Outcome, FailureKind | None]
) -> None:
    seen = refusal(vector, op, half=half)
    assert conclusion(judged(vector, seen)) == expected
    alone = judge(vector, seen)
    assert conclusion(alone) == (Outcome.SKIP, None)
    assert (
        alone.detail
        == "refused, but nothing valid of this type could be asked in this form: such a refusal says nothing"
    )
    assert alone.note == "without a valid question in this form"
    refused = judge(vector, seen, twin=refusal(vector, op))
    assert conclusion(refused) == (Outcome.SKIP, None)
    assert (refused.detail, refused.note) == (
        f"twin refused: {vector.case(op).id}",
        "whose valid twin was not accepted",
    )


def test_a_refusal_of_a_declared_reading_counts_for_nothing_without_an_accepted_twin() -> None:
    vector = valid(type="VARINT", bytes=[["8a00", "overlong"]], canonical=[["0a", "five"]])
    readings, seen = readings_for("kafka", {"R-K-5": "other"}), refusal(vector, Op.DECODE)
    assert conclusion(judged(vector, seen, readings)) == CONTESTED
    assert conclusion(judge(vector, seen, readings)) == (Outcome.SKIP, None)
    assert conclusion(judge(vector, seen, readings, refusal(vector, Op.DECODE))) == (Outcome.SKIP, None)


@pytest.mark.parametrize("twin", [None, *Status])
def test_a_wrong_refusal_fails_whatever_became_of_the_twin(twin: Status | None) -> None:
    vector = valid()
    seen = None if twin is None else Observation(vector.case(Op.DECODE), twin)
    assert conclusion(judge(vector, refusal(vector, Op.DECODE), twin=seen)) == REFUSED


@pytest.mark.parametrize("status", sorted(Status))
def test_accepting_is_wrong_whatever_became_of_the_twin(status: Status) -> None:
    vector = invalid()
    twin = Observation(vector.case(Op.DECODE), status)
    assert conclusion(judge(vector, answer(vector, Op.DECODE, 5), twin=twin)) == ACCEPTED


def test_a_valid_vector_has_nothing_to_do_with_another() -> None:
    vector = valid()
    assert conclusion(judge(vector, answer(vector, Op.DECODE, 5), twin=refusal(vector, Op.DECODE))) == PASS
    assert conclusion(judge(vector, refusal(vector, Op.DECODE), twin=refusal(vector, Op.DECODE))) == REFUSED


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
            "",  # the kit names no byte
        ),
    ],
)
def test_a_refusal_passes_whatever_it_names_and_a_difference_is_a_note(
    vector: Vector, op: Op, named: dict[str, Any], note: str
) -> None:
    verdict = judged(vector, refusal(vector, op, **named))
    assert conclusion(verdict) == PASS
    assert verdict.note == note


def test_a_refusal_of_what_may_be_refused_has_no_note() -> None:
    vector = valid(or_reject={"reason": "tag-order"})
    assert judged(vector, refusal(vector, Op.ENCODE, reason="truncated")).note == ""
