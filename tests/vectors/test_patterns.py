"""Patterns: frames one after another, with a broker's own ranges left open."""

from __future__ import annotations

from typing import Any

import pytest

from wireproof.conformance.vectors.patterns import mismatch

ERROR_35 = bytes.fromhex("00000010" + "00000007" + "0023" + "00000001" + "001200000005")
GOOD = bytes.fromhex("00000016" + "00000008" + "0000" + "00000002" + "000300000009" + "001200000003")
FRAME = "ResponseFrame:ApiVersions"


def pattern(version: int = 0, /, **value: Any) -> dict[str, Any]:
    return {"type": FRAME, "version": version, "value": value}


def of(patterns: list[dict[str, Any]], sent: bytes) -> str | None:
    return mismatch(patterns, sent, "kafka")


ANY = pattern()


def test_silence_matches_no_patterns() -> None:
    assert of([], b"") is None


def test_frames_are_matched_in_order() -> None:
    first = pattern(header={"CorrelationId": 7})
    second = pattern(header={"CorrelationId": 8})
    assert of([first, second], ERROR_35 + GOOD) is None
    assert of([second, first], ERROR_35 + GOOD) == "answer 1 of 2: header.CorrelationId is 7, 8 is expected"
    assert of([first, first], ERROR_35 + GOOD) == "answer 2 of 2: header.CorrelationId is 8, 7 is expected"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"ErrorCode": 35},
        {"ApiKeys": [{"ApiKey": 18}]},
        {"ApiKeys": [{}]},
        {"ApiKeys": {"contains": {"ApiKey": 18}}},
        {"ApiKeys": {"contains": {"ApiKey": 18, "MinVersion": 0, "MaxVersion": 5}}},
        {"ErrorCode": {"int": "35"}},
        {"ErrorCode": 35, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 5}]},
    ],
)
def test_what_a_pattern_names_has_to_be_there(body: dict[str, Any]) -> None:
    assert of([pattern(body=body)], ERROR_35) is None


def test_one_element_is_enough_for_contains() -> None:
    for key in (3, 18):
        assert of([pattern(body={"ApiKeys": {"contains": {"ApiKey": key}}})], GOOD) is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"ErrorCode": 0}, "body.ErrorCode is 35, 0 is expected"),
        ({"ErrorCode": None}, "body.ErrorCode is 35, null is expected"),
        ({"ErrorCode": True}, "body.ErrorCode is 35, true is expected"),
        ({"ErrorCode": {"A": 1}}, "body.ErrorCode is 35, {A: 1} is expected"),
        ({"ErrorCode": {"contains": 35}}, "body.ErrorCode is 35, which holds nothing like 35"),
        ({"ApiKeys": []}, "body.ApiKeys has 1 elements, 0 are expected: [{ApiKey: 18, MinVersion: 0, MaxVersion: 5}]"),
        ({"ApiKeys": [{"MaxVersion": 4}]}, "body.ApiKeys[0].MaxVersion is 5, 4 is expected"),
        (
            {"ApiKeys": {"contains": {"ApiKey": 3}}},
            "body.ApiKeys is [{ApiKey: 18, MinVersion: 0, MaxVersion: 5}], which holds nothing like {'ApiKey': 3}",
        ),
        (
            {"ApiKeys": {"contains": {"ApiKey": 18, "MaxVersion": 4}}},
            "body.ApiKeys is [{ApiKey: 18, MinVersion: 0, MaxVersion: 5}], "
            "which holds nothing like {'ApiKey': 18, 'MaxVersion': 4}",
        ),
        ({"ApiKeys": 5}, "body.ApiKeys is [{ApiKey: 18, MinVersion: 0, MaxVersion: 5}], 5 is expected"),
        ({"Nope": 1}, "body has no Nope"),
        ({"Nope": None}, "body has no Nope"),
    ],
)
def test_mismatches_say_where(body: dict[str, Any], text: str) -> None:
    assert of([pattern(body=body)], ERROR_35) == f"answer 1 of 1: {text}"


def test_a_whole_value_may_be_wrong() -> None:
    assert of([{"type": "INT8", "value": 5}], bytes.fromhex("00000000")) == (
        "answer 1 of 1: no INT8: trailing-bytes: 3 bytes are left over after the value (byte 1)"
    )
    integer = {"type": "INT32", "value": 5}
    assert of([integer], bytes.fromhex("00000000")) == "answer 1 of 1: the value is 0, 5 is expected"


def test_too_few_answers() -> None:
    assert of([ANY], b"") == "answer 1 of 1 is missing"
    assert of([ANY, ANY], ERROR_35) == "answer 2 of 2 is missing"
    assert of([ANY], b"\0\0\0") == "answer 1 of 1 is missing: 3 bytes are left"


def test_too_many_answers() -> None:
    assert of([], ERROR_35) == f"20 bytes more than 0 answers: {ERROR_35.hex()}"
    assert of([ANY], ERROR_35 + b"\0") == "1 bytes more than 1 answers: 00"
    long = ERROR_35 + b"\xaa" * 100
    assert of([ANY], long) == f"100 bytes more than 1 answers: {'aa' * 32}"


def test_sizes_that_are_wrong() -> None:
    assert of([ANY], ERROR_35[:-1]) == "answer 1 of 1 announces 16 bytes, 15 follow"
    assert of([ANY], b"\xff\xff\xff\xff") == "answer 1 of 1 announces -1 bytes, 0 follow"
    assert of([ANY], b"\x7f\xff\xff\xff" + b"\0" * 8) == "answer 1 of 1 announces 2147483647 bytes, 8 follow"


def test_frames_that_do_not_decode() -> None:
    assert of([pattern(3)], ERROR_35) == (
        f"answer 1 of 1: no {FRAME} 3: null-not-allowed at body.ApiKeys: "
        "count prefix 0 means null, which is not allowed here (byte 10)"
    )
    short = bytes.fromhex("00000004" + "00000007")
    assert of([ANY], short) == (
        f"answer 1 of 1: no {FRAME} 0: truncated at body.ErrorCode: INT16 needs 2 more bytes, 0 are left (byte 8)"
    )


def test_tags_are_empty_when_they_are_not_there() -> None:
    assert of([pattern(header={"_tags": []})], ERROR_35) is None
    assert of([pattern(header={"_tags": [[0, {"hex": ""}]]})], ERROR_35) == (
        "answer 1 of 1: header._tags has 0 elements, 1 are expected: []"
    )


def test_arrays_at_the_top_have_no_name() -> None:
    """An array of bytes happens to look like a frame."""
    data = bytes.fromhex("0000000105")
    assert of([{"type": "ARRAY<INT8>", "value": [5]}], data) is None
    assert of([{"type": "ARRAY<INT8>", "value": [6]}], data) == "answer 1 of 1: [0] is 5, 6 is expected"
    assert of([{"type": "ARRAY<INT8>", "value": [5, 6]}], data) == (
        "answer 1 of 1: the value has 1 elements, 2 are expected: [5]"
    )
    assert of([{"type": "ARRAY<INT8>", "value": {"contains": 6}}], data) == (
        "answer 1 of 1: the value is [5], which holds nothing like 6"
    )


# --- Bytes that need not be a frame -----------------------------------------------------------------------------------


def test_exact_bytes_between_frames() -> None:
    odd = {"hex": "0000000000000009"}
    first, last = pattern(header={"CorrelationId": 7}), pattern(header={"CorrelationId": 8})
    sent = ERROR_35 + bytes.fromhex(odd["hex"]) + GOOD
    assert of([first, odd, last], sent) is None
    assert (of([first, last], sent) or "").startswith("answer 2 of 2: no ResponseFrame:ApiVersions 0")
    assert of([odd], bytes.fromhex(odd["hex"])) is None


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("", "answer 1 of 1 begins nowhere; 0000000000000009 is expected"),
        ("00000000", "answer 1 of 1 begins 00000000; 0000000000000009 is expected"),
        ("0000000000000008", "answer 1 of 1 begins 0000000000000008; 0000000000000009 is expected"),
        ("000000000000000900", "1 bytes more than 1 answers: 00"),
    ],
)
def test_other_bytes_than_the_exact_ones(sent: str, said: str) -> None:
    assert of([{"hex": "0000000000000009"}], bytes.fromhex(sent)) == said


# --- Numbers in relation, alternatives, any order ---------------------------------------------------------------------


def numbers(pattern: Any, *sent: int) -> str | None:
    """INT8s behind their count, which happens to look like a frame."""
    data = len(sent).to_bytes(4) + b"".join(number.to_bytes(1, signed=True) for number in sent)
    return of([{"type": "ARRAY<INT8>", "value": pattern}], data)


@pytest.mark.parametrize(
    ("pattern", "sent"),
    [
        ({"any": True}, (1, 2)),
        ([{"any": True}, 2], (1, 2)),
        ([{"either": [0, -1]}] * 2, (-1, 0)),
        ({"either": [[], [1]]}, (1,)),
        ([{"none_of": [0, -1]}], (7,)),
        ([{"none_of": []}], (7,)),
        ([{"greater": -1}, {"greater": 6}], (0, 7)),
        ([{"other_than": 6}], (7,)),
        ([{"mark": "a"}, {"less": "a", "greater": 0}], (7, 6)),
        ([{"mark": "a"}, {"greater": "a", "mark": "b"}, {"greater": "b"}], (1, 3, 4)),
        ([{"mark": "a"}, {"other_than": "a"}], (3, 1)),
        ({"either": [[{"mark": "a"}, 2], [1, {"mark": "a"}]]}, (1, 3)),
    ],
)
def test_forms_in_place_of_a_value(pattern: Any, sent: tuple[int, ...]) -> None:
    assert numbers(pattern, *sent) is None


@pytest.mark.parametrize(
    ("pattern", "sent", "said"),
    [
        ([{"either": [0, -1]}], (7,), "[0] is 7, one of [0, -1] is expected"),
        ([{"none_of": [0, -1]}], (-1,), "[0] is -1, which it must not be"),
        ([{"greater": 0}], (0,), "[0] is 0; greater 0 is expected"),
        ([{"mark": "a"}, {"greater": "a"}], (2, 2), "[1] is 2; greater 2 (a) is expected"),
        ([{"mark": "a"}, {"greater": "a"}], (2, 1), "[1] is 1; greater 2 (a) is expected"),
        ([{"mark": "a"}, {"less": "a", "greater": 0}], (2, 2), "[1] is 2; less 2 (a) is expected"),
        ([{"mark": "a"}, {"less": "a", "greater": 0}], (2, 0), "[1] is 0; greater 0 is expected"),
        ([{"mark": "a"}, {"other_than": "a"}], (2, 2), "[1] is 2; other than 2 (a) is expected"),
        ({"greater": 0}, (1,), "the value is [1], a number is expected"),
        ([{"any": True}], (), "the value has 0 elements, 1 are expected: []"),
    ],
)
def test_what_these_forms_do_not_match(pattern: Any, sent: tuple[int, ...], said: str) -> None:
    assert numbers(pattern, *sent) == f"answer 1 of 1: {said}"


def test_a_choice_that_does_not_match_marks_nothing() -> None:
    pattern = [{"either": [{"mark": "a", "greater": 5}, {"any": True}]}, {"either": [{"greater": "a"}, {"mark": "a"}]}]
    assert numbers([{"mark": "a"}, *pattern], 4, 3, 5) is None
    assert numbers([{"mark": "a"}, pattern[0], {"greater": "a"}], 4, 3, 5) is None
    assert numbers([{"mark": "a"}, pattern[0], {"greater": "a"}], 4, 9, 5) is not None


def together(number: int) -> dict[str, Any]:
    return pattern(header={"CorrelationId": number}) | {"order": "any"}


def test_answers_in_any_order() -> None:
    for sent in (ERROR_35 + GOOD, GOOD + ERROR_35):
        assert of([together(7), together(8)], sent) is None
        assert of([together(8), together(7)], sent) is None
    assert of([together(7), together(7)], ERROR_35 + GOOD) == (
        "answers 1 to 2: in none of their orders they match: 2: header.CorrelationId is 8, 7 is expected"
    )
    assert of([together(7), together(8)], GOOD) == "answer 2 of 2 is missing"
    assert (
        of([together(7), together(8)], GOOD + ERROR_35 + GOOD) == f"{len(GOOD)} bytes more than 2 answers: {GOOD.hex()}"
    )


def test_only_those_that_stand_together_change_places() -> None:
    alone = pattern(header={"CorrelationId": 8})
    assert of([together(7), alone, together(7)], ERROR_35 + GOOD + ERROR_35) is None
    assert of([together(7), alone, together(7)], GOOD + ERROR_35 + ERROR_35) is not None


def test_marks_go_from_one_answer_to_the_next() -> None:
    first = pattern(header={"CorrelationId": 7}, body={"ErrorCode": {"mark": "first"}}) | {"order": "any"}
    second = pattern(header={"CorrelationId": 8}, body={"ErrorCode": {"other_than": "first"}}) | {"order": "any"}
    assert of([first, second], GOOD + ERROR_35) is None
    assert of([first, pattern(header={"CorrelationId": 7}, body={"ErrorCode": {"other_than": "first"}})], ERROR_35 * 2)
