"""Text that is not UTF-8: all ways to show it are one answer, which is contested; valid text is not affected."""

from __future__ import annotations

from typing import Any

import pytest

from wireproof.conformance import vectors
from wireproof.conformance.judging.alternatives import Readings, readings_for
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Case, Observation, Op, Outcome, Status
from wireproof.conformance.values.undecodable_text import as_expected

VECTORS = {vector.path: vector for vector in vectors.load(["kafka"])}
#: The bytes e2 82, the beginning of a character of three: Python writes one U+FFFD for both.
CUT = "kafka/null-encodings/string-cut-character"
KEY = "kafka/header-multimaps/record-header-key-not-utf-8"


def seen(path: str, op: Op, answer: Any) -> Observation:
    return Observation(VECTORS[path].case(op), Status.ANSWER, answer)


def verdict(path: str, op: Op, answer: Any) -> Outcome:
    return judge(VECTORS[path], seen(path, op, answer)).outcome


def other(path: str) -> str:
    """What the reading that replaces gives, as Python writes it."""
    text = next(entry.expected["value"] for entry in VECTORS[path].also if "value" in entry.expected)
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("shown", ["\ufffd", "\ufffd\ufffd", pytest.param("\udce2\udc82", id="surrogates")])
def test_one_or_many_characters_or_surrogates_are_the_same_answer(shown: str) -> None:
    whole = other(CUT)
    assert "\ufffd" in whole
    assert verdict(CUT, Op.DECODE, whole.replace("\ufffd", shown)) is Outcome.CONTESTED


@pytest.mark.parametrize("shown", ["", "?", "e", "\ufffdx"])
def test_something_else_is_none(shown: str) -> None:
    assert verdict(CUT, Op.DECODE, other(CUT).replace("\ufffd", shown)) is Outcome.FAIL


def test_what_is_written_has_as_many_characters_as_were_read_or_the_bytes() -> None:
    data = VECTORS[CUT].data
    for text in (data[2:], other(CUT).encode(), other(CUT).replace("\ufffd", "\ufffd" * 2).encode()):
        assert verdict(CUT, Op.RECODE, len(text).to_bytes(2) + text) is Outcome.CONTESTED
    for text in (b"", b"?", other(CUT).encode() + b"!"):
        assert verdict(CUT, Op.RECODE, len(text).to_bytes(2) + text) is Outcome.FAIL


def test_a_headers_key_may_be_the_bytes() -> None:
    entry = next(entry for entry in VECTORS[KEY].also if "value" in entry.expected)
    value = entry.expected["value"]
    ((_, item),) = value["headers"]
    raw = bytes.fromhex("ff")
    assert raw in VECTORS[KEY].data
    assert verdict(KEY, Op.DECODE, {**value, "headers": [(raw, item)]}) is Outcome.CONTESTED
    assert verdict(KEY, Op.DECODE, {**value, "headers": [(b"x", item)]}) is Outcome.FAIL


def test_it_is_asked_of_nothing_that_shows_no_bytes() -> None:
    for expected, answer in (("a", "a\ufffd"), ("", b""), ("ab", b"ab"), ([], "\ufffd"), ({}, []), (["\ufffd"], [])):
        assert as_expected(expected, answer) == answer
    assert as_expected({"A": ["\ufffd", 1]}, {"A": ["\ufffd\ufffd", 1], "B": "\ufffd"}) == {
        "A": ["\ufffd", 1],
        "B": "\ufffd",
    }


@pytest.mark.parametrize("name", ["other", "kept"])
def test_declared_readings_explain_generated_cases_shown_either_way(name: str) -> None:
    case = Case("gen/x", Op.DECODE, "kafka", "STRING", args={"data": bytes.fromhex("0003 61 e282")})
    readings = Readings("kafka", {"R-K-11": name})
    for text in ("a\ufffd", "a\ufffd\ufffd", "a\udce2\udc82"):
        assert readings.explain(Observation(case, Status.ANSWER, text)) == ("R-K-11",)
    assert readings.explain(Observation(case, Status.ANSWER, "a?")) == ()


def test_bytes_that_were_kept_are_the_reading_kept_alone() -> None:
    case = Case("gen/x", Op.RECODE, "kafka", "STRING", args={"data": bytes.fromhex("0003 61 e282")})
    observed = Observation(case, Status.ANSWER, bytes.fromhex("0003 61 e282"))
    assert readings_for("kafka", {"R-K-11": "kept"}).explain(observed) == ("R-K-11",)
    assert readings_for("kafka", {"R-K-11": "other"}).explain(observed) == ()
