"""Readings of incidental rulings: they are looked for in every answer, without an entry in the vector."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance import ledger, vectors
from wireproof.conformance.generation.expectations import vector_of_arguments
from wireproof.conformance.judging import alternatives
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Case, Observation, Op, Outcome, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.vectors import Vector

LEDGER = ledger.vector("HeartbeatResponse/4/unknown-tags")
WITHOUT = {"ThrottleTimeMs": 0x01010102, "ErrorCode": 0x0303}


def by_id(identifier: str) -> Vector:
    return next(one for one in vectors.load(["kafka"]) if f"{one.area}/{one.id}" == identifier)


def outcome(vector: Vector | None, op: Op, answer: Any) -> tuple[Outcome, tuple[str, ...]]:
    assert vector is not None
    verdict = judge(vector, Observation(vector.case(op), Status.ANSWER, answer))
    return verdict.outcome, verdict.rulings


FAILS = (Outcome.FAIL, ())


def test_tags_that_are_dropped_are_contested_in_the_ledger_too() -> None:
    assert LEDGER is not None
    assert not LEDGER.also
    assert LEDGER.data.hex() == "01010102" + "0303" + "01" + "8f4e" + "02" + "0102"
    assert outcome(LEDGER, Op.DECODE, WITHOUT) == (Outcome.CONTESTED, ("R-K-3",))
    assert outcome(LEDGER, Op.RECODE, bytes.fromhex("01010102" + "0303" + "00")) == (Outcome.CONTESTED, ("R-K-3",))
    assert outcome(LEDGER, Op.DECODE, WITHOUT | {"ErrorCode": 3}) == FAILS
    assert outcome(LEDGER, Op.DECODE, LEDGER.value | {"_tags": [[9999, b""]]}) == FAILS


#: ErrorCode 0, no ApiKeys, ThrottleTimeMs 0: before a count of tags.
BEFORE = "0000" + "01" + "00000000"
FEATURES, EPOCH, FINALIZED, MIGRATION = "000101", "0108ffffffffffffffff", "020101", "030100"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (BEFORE + "04" + FEATURES + EPOCH + FINALIZED + MIGRATION, (Outcome.CONTESTED, ("R-K-8",))),
        (BEFORE + "01" + MIGRATION, (Outcome.CONTESTED, ("R-K-8",))),
        (BEFORE + "02" + EPOCH + MIGRATION, (Outcome.CONTESTED, ("R-K-8",))),
        (BEFORE + "01" + "030101", FAILS),  # another value
        (BEFORE + "02" + MIGRATION + EPOCH, FAILS),  # another order
        (BEFORE + "8100" + MIGRATION, FAILS),  # a longer varint
        (BEFORE + "8000", FAILS),
        ("0000" + "01" + "00000000", FAILS),  # no count of tags
    ],
)
def test_tags_at_their_default_may_be_sent_all_or_some(written: str, expected: object) -> None:
    vector = by_id("tag-ordering/response-defaults")
    assert vector.canonical_data.hex() == BEFORE + "00"
    for op in (Op.ENCODE, Op.RECODE):
        assert outcome(vector, op, bytes.fromhex(written)) == expected


#: A response's header and its body with an unknown tag each: tag 5 in the header, tag 4 in the body.
TWO_TAGS = "00000011" + "00000007" + "01" + "050105" + "00000000" + "01" + "01" + "040104"
HEADER = {"CorrelationId": 7, "_tags": [[5, b"\x05"]]}
BODY = {"ThrottleTimeMs": 0, "Topics": [], "_tags": [[4, b"\x04"]]}


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        (HEADER | {"_tags": []}, BODY, (Outcome.CONTESTED, ("R-K-3",))),
        (HEADER, BODY | {"_tags": []}, (Outcome.CONTESTED, ("R-K-3",))),
        (HEADER | {"_tags": [[5, b"\x06"]]}, BODY | {"_tags": []}, FAILS),  # another value of the tag
        (HEADER | {"_tags": [[5, b"\x05"], [6, b""]]}, BODY | {"_tags": []}, FAILS),  # one tag more
        ({"CorrelationId": 8}, BODY, FAILS),
    ],
)
def test_tags_may_be_dropped_in_some_structures(header: Any, body: Any, expected: object) -> None:
    vector, case = vector_of_arguments(
        Op.DECODE, "kafka", "ResponseFrame:DeleteRecords", 2, {"data": bytes.fromhex(TWO_TAGS)}
    )
    assert outcome(vector, Op.DECODE, {"header": header, "body": body}) == expected
    written = reference.encode(case.type or "", {"header": header, "body": body}, dialect="kafka", version=2)
    assert outcome(vector, Op.RECODE, written) == expected


def test_some_tags_are_dropped_and_some_defaults_sent_at_once() -> None:
    vector = by_id("tag-ordering/response-unknown-tag")
    assert vector.canonical_data.hex() == BEFORE + "01" + "0402aabb"
    assert outcome(vector, Op.RECODE, bytes.fromhex(BEFORE + "01" + MIGRATION)) == (
        Outcome.CONTESTED,
        ("R-K-3", "R-K-8"),
    )


def test_two_of_them_act_together() -> None:
    vector = by_id("tag-ordering/response-unknown-tag")
    every = BEFORE + "04" + FEATURES + EPOCH + FINALIZED + MIGRATION
    assert outcome(vector, Op.RECODE, bytes.fromhex(every)) == (Outcome.CONTESTED, ("R-K-3", "R-K-8"))


def test_one_acts_beside_a_reading_that_the_vector_lists() -> None:
    vector = by_id("tag-ordering/response-unknown-descending")
    assert vector.reject is not None
    assert {ruling for one in vector.also for ruling in one.rulings} == {"R-K-1"}
    read = {"ErrorCode": 0, "ApiKeys": [], "ThrottleTimeMs": 0}
    twin = Observation(vector.case(Op.DECODE), Status.ANSWER, read)
    seen = Observation(vector.case(Op.DECODE), Status.ANSWER, read)
    verdict = judge(vector, seen, twin=twin)
    assert (verdict.outcome, set(verdict.rulings)) == (Outcome.CONTESTED, {"R-K-1", "R-K-3"})


def test_the_reference_is_asked_once_for_each_set_of_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is wrong everywhere has thousands of such answers, some of them of 100,000 records."""
    asked: Counter[reference.Rules] = Counter()

    def counted(implementation: reference.Reference, case: Case) -> Observation:
        asked[implementation.rules] += 1
        return ask(implementation, case)

    monkeypatch.setattr(alternatives, "ask", counted)
    vector = by_id("framing/batch-gzip")
    assert outcome(vector, Op.RECODE, b"\0") == FAILS
    # Demanded, and each reading that may matter alone: here none changes anything, so no two are tried together.
    switches = {
        one.others[name] for one in reference.rulings("kafka").values() if one.incidental for name in one.others
    }
    assert len(asked) == 1 + len(switches)
    assert set(asked.values()) == {1}
