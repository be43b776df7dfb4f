"""The judge on other readings: those that the vector names, and those that the implementation declares."""

from __future__ import annotations

from typing import Any

import pytest
from support.judging import (
    ACCEPTED,
    CONTESTED,
    NO_ERROR_FRAME,
    PASS,
    REFUSED,
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
    unencodable,
    valid,
)

from wireproof import reference
from wireproof.conformance.generation.expectations import vector_of_arguments
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.judging.clusters import group
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Case, Description, FailureKind, Observation, Op, Outcome, Status
from wireproof.conformance.vectors import Vector

# --- Other readings: `also` -------------------------------------------------------------------------------------------

ONE = [{"ruling": "R-K-7", "value": 7}]
OVERLONG = {"type": "VARINT", "bytes": [["8a00", "overlong"]], "canonical": [["0a", "five"]]}
REFUSES = [{"ruling": "R-K-5", "refuses": True}]
ACCEPTS = [{"ruling": "R-K-35", "accepts": True}]
BYTES = [{"ruling": "R-K-5", "bytes": "8a00"}]
BREAK = {"kind": "tag-reused", "path": "a"}
FULL = {"type": "ResponseFrame:ApiVersions", "version": 0, "value": {"body": {"ErrorCode": 0}}}

ALSO: list[tuple[Vector, Op, Any, tuple[Outcome, FailureKind | None]]] = [
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
    (valid(also=BYTES, **OVERLONG), Op.RECODE, b"\x8a\x80\0", WRONG_BYTES),  # of the same value, but other bytes
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
    # Accepting, whatever the value.
    (invalid(also=ACCEPTS), Op.DECODE, 8, CONTESTED),
    (invalid(also=ACCEPTS), Op.RECODE, b"\x07", CONTESTED),
    (invalid(also=ACCEPTS), Op.DECODE, refusal, PASS),
    (invalid(also=[ACCEPTS[0] | {"ops": ["recode"]}]), Op.DECODE, 8, ACCEPTED),
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
    (evolve(also=[{"ruling": "R-K-7", "breaks": []}]), Op.EVOLVE, [], CONTESTED),
    (evolve(breaks=[], also=[{"ruling": "R-K-7", "breaks": [BREAK]}]), Op.EVOLVE, ["tag-reused b"], CONTESTED),
    (evolve(also=[{"ruling": "R-K-7", "breaks": [BREAK]}]), Op.EVOLVE, [], WRONG_ANSWER),
    # No such entry says anything of another op's answers.
    (valid(also=[{"ruling": "R-K-21", "chooses": 2}]), Op.DECODE, 2, WRONG_VALUE),
    (negotiate(also=[{"ruling": "R-K-7", "value": 2}]), Op.NEGOTIATE, 2, WRONG_ANSWER),
]


@pytest.mark.parametrize(("vector", "op", "given", "expected"), ALSO)
def test_another_reading_of_the_vector(
    vector: Vector, op: Op, given: Any, expected: tuple[Outcome, FailureKind | None]
) -> None:
    seen = refusal(vector, op, reason="truncated") if given is refusal else answer(vector, op, given)
    verdict = judged(vector, seen)
    assert conclusion(verdict) == expected
    assert verdict.rulings == (vector.also[0].rulings if expected is CONTESTED else ())


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.CRASH, Outcome.CONTESTED),
        (Status.HANG, Outcome.CONTESTED),
        (Status.OOM, Outcome.CONTESTED),
        (Status.VIOLATION, Outcome.VIOLATION),
        (Status.NOT_ASKED, Outcome.NOT_ASKED),
        (Status.UNSUPPORTED, Outcome.SKIP),
    ],
)
def test_what_may_be_accepted_may_take_all_memory_and_time(status: Status, expected: Outcome) -> None:
    vector = invalid(also=ACCEPTS)
    verdict = judge(vector, Observation(vector.case(Op.DECODE), status, detail="what was seen"))
    assert (verdict.outcome, verdict.detail) == (expected, "what was seen")
    assert (verdict.rulings, verdict.note.startswith("not refused: ")) == (
        (("R-K-35",), True) if expected is Outcome.CONTESTED else ((), False)
    )
    other = invalid(also=[{"ruling": "R-K-7", "value": 8}])
    assert judge(other, Observation(other.case(Op.DECODE), status)).outcome is not Outcome.CONTESTED


def test_what_could_not_be_written_again_was_accepted() -> None:
    vector = invalid(also=ACCEPTS)
    assert conclusion(judged(vector, refusal(vector, Op.RECODE, half="encode"))) == CONTESTED
    assert conclusion(judged(vector, refusal(vector, Op.RECODE, half="decode"))) == PASS


@pytest.mark.parametrize(
    ("written", "more", "expected"),
    [
        ("efbfbd", "", CONTESTED),
        ("efbfbdefbfbd", "", CONTESTED),
        ("efbfbd61", "", ACCEPTED),
        ("61", "", ACCEPTED),
        ("efbfbdefbfbd", "00", ACCEPTED),  # which can't be read
    ],
)
def test_in_a_message_of_a_version_too_any_number_of_characters_may_stand_for_bytes(
    written: str, more: str, expected: tuple[Outcome, FailureKind | None]
) -> None:
    def header(client: str) -> str:
        return f"0012000300000007{len(bytes.fromhex(client)):04x}{client}"

    vector = make(
        {
            "type": "RequestHeader",
            "version": 1,
            "bytes": [[header("ff"), "a name that is no text"]],
            "reject": {"reason": "invalid-utf8", "offset": 10},
            "also": [{"ruling": "R-K-11", "bytes": header("efbfbd"), "ops": ["recode"]}],
        },
        bytes=[[header("61"), "a name"]],
        value={"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 7, "ClientId": "a"},
    )
    assert conclusion(judged(vector, answer(vector, Op.RECODE, bytes.fromhex(header(written) + more)))) == expected


def test_two_rulings_that_act_together_are_both_named() -> None:
    vector = valid(also=[{"ruling": ["R-K-7", "R-K-5"], "value": 7}])
    assert judged(vector, answer(vector, Op.DECODE, 7)).rulings == ("R-K-7", "R-K-5")


def test_the_first_reading_that_fits_is_named() -> None:
    readings = [{"ruling": ruling, "value": value} for ruling, value in (("R-K-1", 6), ("R-K-2", 7), ("R-K-3", 7))]
    vector = valid(also=readings)
    assert judged(vector, answer(vector, Op.DECODE, 6)).rulings == ("R-K-1",)
    assert judged(vector, answer(vector, Op.DECODE, 7)).rulings == ("R-K-2",)


def test_a_contested_verdict_says_what_differs() -> None:
    vector = valid(also=ONE)
    assert judged(vector, answer(vector, Op.DECODE, 7)).detail == "expected 5, got 7"


def test_what_is_read_and_then_refused_on_write_may_be_a_reading_too() -> None:
    vector = invalid(also=[{"ruling": "R-K-15c", "ops": ["recode"], "refuses": True}])
    assert conclusion(judged(vector, refusal(vector, Op.RECODE, half="encode"))) == CONTESTED
    assert conclusion(judged(vector, refusal(vector, Op.RECODE, half="decode"))) == PASS
    of_reading = invalid(also=[{"ruling": "R-K-15c", "refuses": True}])
    assert conclusion(judged(of_reading, refusal(of_reading, Op.RECODE, half="encode"))) == ACCEPTED


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
    assert conclusion(judged(vector, seen)) == ACCEPTED
    assert conclusion(judged(vector, seen, readings_for("kafka", {"R-K-7": "other"}))) == ACCEPTED
    verdict = judged(vector, seen, readings_for("kafka", {"R-K-6": "other"}))
    assert (conclusion(verdict), verdict.rulings) == (CONTESTED, ("R-K-6",))


def test_a_third_outcome_fails_under_any_reading() -> None:
    vector = high_bits()
    verdict = judged(vector, answer(vector, Op.DECODE, 2**33 - 1), readings_for("kafka", {"R-K-6": "other"}))
    assert (conclusion(verdict), verdict.rulings) == ((Outcome.FAIL, FailureKind.WRONG_VALUE), ())
    assert verdict.note == "as compared with what the declared readings give"


def test_a_known_deviation_is_the_same_beside_a_declared_reading() -> None:
    """Record.timestampDelta is cut to seconds, in a record whose key has the length -2, which the reading takes for
    null."""
    readings = readings_for("kafka", {"R-K-12": "other"})
    groups = []
    for length in ("01", "03"):
        data = bytes.fromhex(f"1800d00f00{length}0a68656c6c6f00")
        vector, case = vector_of_arguments(Op.DECODE, "kafka", "Record", None, {"data": data})
        value: dict[str, object] = {"attributes": 0, "offsetDelta": 0, "key": None, "value": b"hello", "headers": []}
        verdicts = {ms: judge(vector, answer_to(case, {**value, "timestampDelta": ms}), readings) for ms in (1000, 0)}
        assert verdicts[1000].outcome is (Outcome.PASS if length == "01" else Outcome.CONTESTED)
        groups.append(group(verdicts[0]))
    assert groups[0] == groups[1]
    assert str(groups[0]) == "wrong-value on read at Record.timestampDelta"


def answer_to(case: Case, value: object) -> Observation:
    return Observation(case, Status.ANSWER, value)


#: A batch of one record with a byte behind the record, and what a library reads of it that ignores this byte and does
#: not show the leader's epoch, which its writer sets by itself.
BYTE_BEHIND = (
    "00000000000000000000003a0000000002d149cc8900000000000000000174876e800000000174876e8000"
    "ffffffffffffffffffffffffffff0000000110000000026102310000"
)
READ: dict[str, object] = {
    "baseOffset": 0,
    "attributes": 0,
    "lastOffsetDelta": 0,
    "baseTimestamp": 1_600_000_000_000,
    "maxTimestamp": 1_600_000_000_000,
    "producerId": -1,
    "producerEpoch": -1,
    "baseSequence": -1,
    "records": [
        {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": b"a", "value": b"1", "headers": []},
    ],
}


@pytest.mark.parametrize("declared", [{"R-K-7": "other"}, {}])
def test_another_reading_is_found_where_fields_are_not_compared(declared: dict[str, str]) -> None:
    data = bytes.fromhex(BYTE_BEHIND)
    vector, case = vector_of_arguments(Op.DECODE, "kafka", "RecordBatch", None, {"data": data})
    readings = readings_for("kafka", declared)
    rebuilds = ("partitionLeaderEpoch",)
    verdict = judge(vector, answer_to(case, READ), readings, rebuilds=rebuilds)
    assert (verdict.outcome, verdict.rulings) == (Outcome.CONTESTED, ("R-K-7",))
    assert judge(vector, answer_to(case, READ), readings).outcome is Outcome.FAIL
    assert (
        judge(vector, answer_to(case, {**READ, "baseOffset": 1}), readings, rebuilds=rebuilds).outcome is Outcome.FAIL
    )


def test_of_a_declared_ruling_a_third_reading_is_contested_in_a_generated_case() -> None:
    """Tag 0 twice, unknown. In any order, as declared, both would stay; here a map keeps one."""
    data = bytes.fromhex("02" + "0000" + "0000")
    vector, case = vector_of_arguments(Op.DECODE, "kafka", "TAG_BUFFER", None, {"data": data})
    readings = readings_for("kafka", {"R-K-1": "other"})
    for answered, outcome in ((1, Outcome.CONTESTED), (2, Outcome.CONTESTED), (3, Outcome.FAIL)):
        verdict = judge(vector, answer_to(case, [(0, b"")] * answered), readings, answer_to(case, []))
        assert verdict.outcome is outcome


def test_a_generated_case_is_contested_without_a_declaration() -> None:
    vector, case = vector_of_arguments(Op.DECODE, "kafka", "VARINT", None, {"data": bytes.fromhex("8080808070")})
    assert vector.reject is not None
    told = reference.Reference(rules=reference.rules_with(reference.rulings("kafka").values(), {"R-K-6": "other"}))
    verdict = judge(vector, answer_to(case, told.decode("VARINT", case.args["data"], dialect="kafka")))
    assert (verdict.outcome, verdict.rulings) == (Outcome.CONTESTED, ("R-K-6",))
    assert judge(vector, answer_to(case, 17)).outcome is Outcome.FAIL


@pytest.mark.parametrize("declared", [{}, {"R-K-1": "other"}, {"R-K-3": "other"}])
def test_two_other_readings_of_a_generated_case_are_contested(declared: dict[str, str]) -> None:
    """Tags 1 and 0, both unknown: read in any order, and dropped."""
    vector, case = vector_of_arguments(Op.DECODE, "kafka", "TAG_BUFFER", None, {"data": bytes.fromhex("0201000000")})
    for answered, outcome in (([], Outcome.CONTESTED), ([(1, b"")], Outcome.FAIL)):
        verdict = judge(vector, answer_to(case, answered), readings_for("kafka", declared), answer_to(case, []))
        assert verdict.outcome is outcome


def test_a_reading_is_declared_for_some_types() -> None:
    described = Description("mine", readings={"R-K-5": {"Record*": "other", "*": "x"}, "R-K-6": "other"})
    assert described.readings_of("RecordBatch") == {"R-K-5": "other", "R-K-6": "other"}
    assert described.readings_of(None) == {"R-K-5": "x", "R-K-6": "other"}
    assert Description("mine", readings={"R-K-5": {"Record": "other"}}).readings_of("VARINT") == {}


def test_one_reading_is_named_where_it_is_enough_and_all_where_they_act_together() -> None:
    both = readings_for("kafka", {"R-K-7": "other", "R-K-6": "other"})
    alone, together = high_bits(), high_bits(trailing="00")
    assert judged(alone, answer(alone, Op.DECODE, 2**32 - 1), both).rulings == ("R-K-6",)
    assert judged(together, answer(together, Op.DECODE, 2**32 - 1), both).rulings == ("R-K-6", "R-K-7")
    one = readings_for("kafka", {"R-K-6": "other"})
    assert judged(together, answer(together, Op.DECODE, 2**32 - 1), one).rulings == ()


def test_a_declared_reading_may_refuse() -> None:
    vector = valid(**OVERLONG)
    declared = readings_for("kafka", {"R-K-5": "other"})
    for op, expected in ((Op.DECODE, CONTESTED), (Op.RECODE, CONTESTED), (Op.ENCODE, REFUSED)):
        assert conclusion(judged(vector, refusal(vector, op), declared)) == expected
    assert conclusion(judged(vector, answer(vector, Op.DECODE, 5), declared)) == PASS


def test_a_declared_reading_may_refuse_to_write() -> None:
    vector = make({"type": "TAG_BUFFER", "bytes": [["01ffffffff0700", "2³¹ − 1"]], "value": [[2**31 - 1, {"hex": ""}]]})
    declared = readings_for("kafka", {"R-K-15c": "other"})
    assert judged(vector, refusal(vector, Op.ENCODE), declared).rulings == ("R-K-15c",)
    assert judged(vector, refusal(vector, Op.RECODE, half="encode"), declared).rulings == ("R-K-15c",)
    assert conclusion(judged(vector, refusal(vector, Op.DECODE), declared)) == REFUSED


def test_the_vectors_own_entries_come_before_what_is_declared() -> None:
    vector = high_bits(also=[{"ruling": "R-K-7", "value": 2**32 - 1}])
    declared = readings_for("kafka", {"R-K-6": "other"})
    assert judged(vector, answer(vector, Op.DECODE, 2**32 - 1), declared).rulings == ("R-K-7",)


def test_of_entries_that_give_the_same_a_declared_one_is_named() -> None:
    vector = high_bits(also=[{"ruling": one, "value": 2**32 - 1} for one in ("R-K-7", "R-K-6", ["R-K-5", "R-K-6"])])
    seen = answer(vector, Op.DECODE, 2**32 - 1)
    named = {
        (): ("R-K-7",),
        ("R-K-5",): ("R-K-7",),
        ("R-K-6",): ("R-K-6",),
        ("R-K-5", "R-K-6"): ("R-K-6",),
        ("R-K-6", "R-K-7"): ("R-K-7",),
    }
    assert judged(vector, seen).rulings == ("R-K-7",)
    for named_readings, rulings in named.items():
        assert judged(vector, seen, readings_for("kafka", dict.fromkeys(named_readings, "other"))).rulings == rulings


def test_declared_readings_of_a_broker_and_a_client() -> None:
    declared = readings_for("kafka", {"R-K-18": "other", "R-K-21b": "other"})
    metadata_99 = [
        ["0000000b", "size 11"],
        ["0003", "Metadata"],
        ["0063", "version 99"],
        ["00000007000000", "the rest"],
    ]
    closing = make({"chunks": [metadata_99], "sends": [], "closes": True})
    error_35 = bytes.fromhex("00000006 00000007 0023")
    assert judged(closing, answer(closing, Op.SERVE, (error_35, False)), declared).rulings == ("R-K-18",)
    assert conclusion(judged(closing, answer(closing, Op.SERVE, (error_35, True)), declared)) == WRONG_ANSWER
    api_versions_3 = [["0000000a", "size 10"], ["0012", "ApiVersions"], ["0003", "version 3"], ["00000007ffff", "rest"]]
    closed = make({"request": api_versions_3, "response": None, "outcome": {"outcome": "error", "error": None}})
    assert judged(closed, answer(closed, Op.INTERPRET, {"outcome": "retry", "version": 0}), declared).rulings == (
        "R-K-21b",
    )


@pytest.mark.parametrize(
    ("readings", "named"),
    [
        ({"R-K-99": "other"}, "there is no ruling 'R-K-99'"),
        ({"R-K-6": "another"}, "R-K-6 has no reading 'another'"),
        ({"R-K-19": "other"}, "no contested ruling 'R-K-19'"),
    ],
)
def test_readings_that_do_not_exist(readings: dict[str, str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        readings_for("kafka", readings)
