"""Declared readings: when the reference, with them, gives the observed answer; and how it is asked."""

from __future__ import annotations

from typing import Any, cast

import pytest

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.alternatives import Readings
from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.reference.rules import accepts_more

KAFKA = "kafka"


def case(
    op: Op = Op.DECODE, type_name: str | None = "UNSIGNED_VARINT", version: int | None = None, **args: Any
) -> Case:
    return Case("made/here", op, KAFKA, type_name, version, args)


def bytes_of(digits: str) -> bytes:
    return bytes.fromhex(digits)


def answered(asked: Case, answer: Any) -> Observation:
    return Observation(asked, Status.ANSWER, answer)


def refused(asked: Case) -> Observation:
    return Observation(asked, Status.REJECT)


OVERLONG = case(data=bytes_of("8100"))
HIGH_BITS = case(data=bytes_of("ffffffff1f"))


# --- Asking the reference ---


def test_an_answer() -> None:
    asked = case(data=b"\x05")
    assert ask(reference.Reference(), asked) == Observation(asked, Status.ANSWER, 5)
    encode = case(Op.ENCODE, value=300)
    assert ask(reference.Reference(), encode) == Observation(encode, Status.ANSWER, bytes_of("ac02"))


def test_a_refusal_with_reason_and_offset() -> None:
    asked = case(data=b"\x80")
    assert ask(reference.Reference(), asked) == Observation(
        asked, Status.REJECT, reason="truncated", offset=0, detail="UNSIGNED_VARINT needs 1 more byte, 0 are left"
    )
    encode = case(Op.ENCODE, value=-1)
    assert ask(reference.Reference(), encode) == Observation(
        encode, Status.REJECT, reason="out-of-range", detail="-1 is outside UNSIGNED_VARINT's range, 0 to 4294967295"
    )


def test_a_refused_recode_says_which_half() -> None:
    own = ask(reference.Reference(), case(Op.RECODE, data=b"\x80"))
    assert (own.status, own.half) == (Status.REJECT, "decode")
    lenient = reference.Reference(reference.Rules(tag_order="any"))
    own = ask(lenient, case(Op.RECODE, "TAG_BUFFER", data=bytes_of("0201000000")))
    assert (own.status, own.reason, own.half) == (Status.REJECT, "tag-order", "encode")


def test_what_the_reference_does_not_have() -> None:
    unknown = ask(reference.Reference(), case(type_name="FOO", data=b""))
    assert (unknown.status, unknown.detail) == (Status.UNSUPPORTED, "the dialect kafka has no type 'FOO'")
    assert unknown.case == case(type_name="FOO", data=b"")
    lookup = ask(reference.Reference(), case(Op.LOOKUP, data=b"", key="a"))
    assert lookup.status is Status.UNSUPPORTED
    assert lookup.detail.startswith("headers are looked up in a Record, not in ")
    evolve = ask(reference.Reference(), case(Op.EVOLVE, None, old={}, new={}))
    assert (evolve.status, evolve.reason) == (Status.REJECT, "invalid-schema")


def test_an_op_that_the_reference_does_not_have() -> None:
    asked, codec = case(data=b""), cast(reference.Reference, object())
    assert ask(codec, asked) == Observation(asked, Status.UNSUPPORTED, detail="the reference has no decode")


def test_ops_without_a_type() -> None:
    negotiate = case(Op.NEGOTIATE, None, api_key=18, client=(0, 5), broker=(0, 3))
    assert ask(reference.Reference(), negotiate) == Observation(negotiate, Status.ANSWER, 3)
    serve = case(Op.SERVE, None, chunks=[b"\xff\xff\xff\xff"])
    assert ask(reference.Reference(), serve) == Observation(serve, Status.ANSWER, (b"", True))
    interpret = case(Op.INTERPRET, None, request=bytes(12), response=None)
    assert ask(reference.Reference(), interpret).answer == {"outcome": "error", "error": None}


# --- Explaining an observation ---


def test_one_reading_explains() -> None:
    readings = Readings(KAFKA, {"R-K-5": "other"})
    assert readings.explain(refused(OVERLONG)) == ("R-K-5",)
    assert readings.explain(answered(OVERLONG, 2)) == ()
    assert readings.explain(refused(HIGH_BITS)) == ()  # no reading of R-K-5 is needed to refuse these


def test_nothing_is_explained_without_readings() -> None:
    assert Readings(KAFKA, {}).explain(refused(OVERLONG)) == ()


def test_the_first_reading_in_order_that_is_enough_is_named() -> None:
    readings = Readings(KAFKA, {"R-K-6": "other", "R-K-5": "other"})
    assert readings.declared == {"R-K-5": "other", "R-K-6": "other"}
    assert readings.explain(answered(HIGH_BITS, 2**32 - 1)) == ("R-K-6",)
    assert readings.explain(refused(OVERLONG)) == ("R-K-5",)


def test_two_readings_may_only_explain_together() -> None:
    both = case(type_name="COMPACT_NULLABLE_STRING", data=bytes_of("ffffffff1f"))
    readings = Readings(KAFKA, {"R-K-6": "other", "R-K-15b": "other"})
    assert readings.explain(answered(both, None)) == ("R-K-15b", "R-K-6")
    assert Readings(KAFKA, {"R-K-6": "other"}).explain(answered(both, None)) == ()
    assert readings.explain(answered(both, "")) == ()


@pytest.mark.parametrize("status", [one for one in Status if one not in (Status.ANSWER, Status.REJECT)])
def test_what_is_no_answer_is_never_explained(status: Status) -> None:
    assert Readings(KAFKA, {"R-K-5": "other"}).explain(Observation(OVERLONG, status)) == ()


def test_decoded_values_are_compared_whole() -> None:
    """Default fields may be missing from what an implementation shows."""
    asked = case(type_name="ApiVersionsRequest", version=3, data=bytes_of("8180808010" + "01" + "00"))
    readings = Readings(KAFKA, {"R-K-6": "other"})
    assert readings.explain(answered(asked, {})) == ("R-K-6",)
    assert readings.explain(answered(asked, {"ClientSoftwareName": ""})) == ("R-K-6",)
    assert readings.explain(answered(asked, {"ClientSoftwareName": "a"})) == ()


def test_what_is_delivered_is_compared_without_types_of_timestamps_that_are_not_told() -> None:
    (asked,) = (
        one.case(Op.CONSUME) for one in vectors.load([KAFKA], ["delivery"]) if one.id == "broken-count-too-high"
    )
    readings = Readings(KAFKA, {"R-K-39": "before-the-fault"})
    told = ask(reference.Reference().under(readings.rules), asked).answer
    untold = [{key: item for key, item in record.items() if key != "timestamp_type"} for record in told["records"]]
    assert untold
    assert readings.explain(answered(asked, {**told, "records": untold})) == ("R-K-39",)
    assert readings.explain(answered(asked, {**told, "records": untold[1:]})) == ()


def test_encoded_bytes_are_compared_as_they_are() -> None:
    asked = case(Op.RECODE, "STRING", data=bytes_of("0001ff"))
    readings = Readings(KAFKA, {"R-K-11": "other"})
    assert readings.explain(answered(asked, bytes_of("0003efbfbd"))) == ("R-K-11",)
    assert readings.explain(answered(asked, bytes_of("0001ff"))) == ()


def test_a_message_that_is_written_again_is_compared_as_it_is() -> None:
    asked = case(Op.RECODE, "ApiVersionsRequest", 3, data=bytes_of("8180808010" + "01" + "00"))
    readings = Readings(KAFKA, {"R-K-6": "other"})
    assert readings.explain(answered(asked, bytes_of("010100"))) == ("R-K-6",)
    assert readings.explain(answered(asked, bytes_of("010101"))) == ()


@pytest.mark.parametrize(
    ("tags", "half", "explained"),
    [
        ("02 0100 0000", "encode", True),  # out of order: a writer may refuse them, or sort them
        ("02 0000 0000", "encode", True),  # one twice: a writer refuses it
        ("02 0000 0100", "encode", False),  # nothing is wrong with these
        ("02 0100 0000", "decode", False),  # that is the demanded reading
        ("02 0100 00", "encode", False),  # cut off: nobody could read it
    ],
)
def test_tags_that_were_read_in_any_order_may_be_refused_on_write(tags: str, half: str, explained: bool) -> None:
    readings = Readings(KAFKA, {"R-K-1": "other"})
    for type_name, version, before in (("TAG_BUFFER", None, ""), ("ApiVersionsRequest", 3, "0101")):
        asked = case(Op.RECODE, type_name, version, data=bytes_of(before + tags.replace(" ", "")))
        seen = Observation(asked, Status.REJECT, half=half)
        assert readings.explain(seen) == (("R-K-1",) if explained else ())


def test_a_refusal_by_one_half_is_not_one_by_the_other() -> None:
    twice = case(Op.RECODE, "TAG_BUFFER", data=bytes_of("0200000000"))
    demanded, other = Readings(KAFKA, {}), Readings(KAFKA, {"R-K-1": "other"})
    for half, by_demanded, by_other in (("decode", True, False), ("encode", False, True), (None, True, True)):
        seen = Observation(twice, Status.REJECT, half=half)
        assert (demanded.matches(seen), other.matches(seen)) == (by_demanded, by_other)


# --- Whether the reference does the same ---


def test_it_may_do_the_same_under_all_declared_readings_together() -> None:
    readings = Readings(KAFKA, {"R-K-5": "other", "R-K-6": "other"})
    assert readings.matches(refused(OVERLONG))
    assert readings.matches(answered(HIGH_BITS, 2**32 - 1))
    assert not readings.matches(answered(OVERLONG, 1))
    assert not readings.matches(refused(HIGH_BITS))


def test_it_may_do_the_same_without_any_reading() -> None:
    assert Readings(KAFKA, {}).matches(answered(OVERLONG, 1))
    assert not Readings(KAFKA, {}).matches(answered(OVERLONG, 2))
    assert not Readings(KAFKA, {}).matches(refused(OVERLONG))


@pytest.mark.parametrize("status", [one for one in Status if one not in (Status.ANSWER, Status.REJECT)])
def test_what_is_no_answer_is_never_the_same(status: Status) -> None:
    asked = case(type_name="FOO", data=b"")
    assert not Readings(KAFKA, {}).matches(Observation(asked, status))


def test_of_an_evolution_only_whether_it_breaks_is_compared() -> None:
    def schema(*fields: dict[str, Any]) -> dict[str, Any]:
        head = {"apiKey": 1, "type": "request", "name": "ARequest", "validVersions": "0", "flexibleVersions": "none"}
        return head | {"fields": [*fields]}

    one, other = ({"name": "A", "type": kind, "versions": "0+"} for kind in ("int8", "int16"))
    breaking = case(Op.EVOLVE, None, old=schema(one), new=schema(other))
    kept = case(Op.EVOLVE, None, old=schema(one), new=schema(one))
    readings = Readings(KAFKA, {})
    assert readings.matches(answered(breaking, ["by another name"]))
    assert not readings.matches(answered(breaking, []))
    assert readings.matches(answered(kept, []))
    assert not readings.matches(answered(kept, ["by another name"]))


def test_a_broker_is_asked_under_its_settings() -> None:
    ask_99 = bytes_of("0000000b" + "0012" + "0063" + "00000001" + "ffff" + "00")
    asked = case(Op.SERVE, None, chunks=[ask_99])
    full = bytes_of("00000016" + "00000001" + "0023" + "00000002" + "000300000001" + "001200000002")
    settings = {"apis": {"3": [0, 1], "18": [0, 2]}}
    broker = reference.Reference()
    broker.configure(settings, dialect=KAFKA)
    assert Readings(KAFKA, {"R-K-17": "full"}, lambda: broker).explain(answered(asked, (full, False))) == ("R-K-17",)
    assert Readings(KAFKA, {"R-K-17": "empty"}, lambda: broker).explain(answered(asked, (full, False))) == ()
    assert Readings(KAFKA, {"R-K-17": "full"}).explain(answered(asked, (full, False))) == ()


def test_a_client_is_asked_too() -> None:
    request = bytes_of("0000000a" + "0012" + "0003" + "00000001" + "ffff")
    asked = case(Op.INTERPRET, None, request=request, response=None)
    readings = Readings(KAFKA, {"R-K-21b": "other"})
    assert readings.explain(answered(asked, {"outcome": "retry", "version": 0})) == ("R-K-21b",)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ({"R-K-99": "other"}, "there is no contested ruling 'R-K-99'"),
        ({"R-K-19": "other"}, "there is no contested ruling 'R-K-19'"),
        ({"R-K-17": "other"}, "R-K-17 has no reading 'other'; it has empty, full"),
        ({"R-K-5": "refused"}, "R-K-5 has no reading 'refused'; it has other"),
    ],
)
def test_readings_that_do_not_exist_are_told_at_once(declared: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Readings(KAFKA, declared)


# --- Readings that only accept more ---


def test_a_reading_that_accepts_more_changes_nothing_where_bytes_are_accepted() -> None:
    """So it explains no answer there, and the reference is not asked what it does with it."""
    compared = 0
    for dialect in vectors.dialects():
        demanded = configured_reference(dialect)
        loose = [
            demanded.under(rules)
            for ruling in reference.rulings(dialect).values()
            for name in ruling.others
            if accepts_more(rules := reference.rules_with([ruling], {ruling.id: name}))
        ]
        for vector in vectors.load([dialect]):
            for op in {Op.DECODE, Op.RECODE} & {*vector.ops}:
                asked = vector.case(op)
                seen = ask(demanded, asked)
                if seen.status is Status.ANSWER and len(vector.data) < 2_000:
                    compared += len(loose)
                    for other in loose:
                        assert equal(seen.answer, ask(other, asked).answer), asked.id
    assert compared > 10_000


def test_a_reading_that_accepts_more_is_asked_for_what_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[reference.Rules] = []

    def noting(implementation: reference.Reference, one: Case) -> Observation:
        asked.append(implementation.rules)
        return ask(implementation, one)

    monkeypatch.setattr("wireproof.conformance.judging.alternatives.ask", noting)
    readings = Readings(KAFKA, {"R-K-11": "other", "R-K-15": "other"})
    text = case(type_name="STRING", data=bytes_of("0001ff"))
    readings.explain(answered(text, "\ufffd"))
    refused_first = len(asked)
    readings.explain(answered(case(type_name="STRING", data=bytes_of("000161")), "b"))
    assert refused_first > len(asked) - refused_first
