"""Two values: the first difference, its likely cause, and what is around it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from wireproof.conformance.report.hints import hint
from wireproof.conformance.report.valueview import NOTHING, at, compare_values


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (None, "", "Null and empty"),
        ([], None, "Null and empty"),
        (b"", None, "Null and empty"),
        (None, -1, "means null"),
        (-1, 4294967295, "same 32 bits, read as unsigned"),
        (65535, -1, "same 16 bits, read as signed"),
        (64, 128, "zigzag was not decoded"),
        (-2, 3, "zigzag was not decoded"),
        (3, -2, "a plain number was decoded as zigzag"),
        (1, -1, "The sign is wrong, or a plain number was decoded as zigzag"),
        (5, -5, "sign is wrong"),
        (1, 16777216, "byte order is reversed (4 bytes)"),
        (300, 44, "Only the low 8 bits"),
        (True, 1, "true is not 1"),
        (b"ab", "ab", "The answer is text instead of bytes"),
        ("ab", b"ab", "bytes that were not decoded"),
        (uuid.UUID(int=0), None, "UUID has no null"),
        ("é", "\ufffd", "were replaced"),
        ("é", "Ã©", "Latin-1"),
        ("abc", "ab", "Cut off at its end, 1 character short"),
        (b"abc", b"bc", "Begins too late, 1 byte short"),
        (b"ab", b"abcd", "2 bytes too many"),
        ([1, 2], [2, 1], "another order"),
        ([1, 2], [], "All elements are lost"),
        ([("a", b"1"), ("a", b"2")], [("a", b"2")], "stored as a map"),
        ([1, 2, 3], [1, 3], "One element is missing"),
        ([2], [1, 2, 3], "2 elements are too many"),
        (7, 900, None),
        ("a", "b", None),
        ({"A": 1}, {"A": 2}, None),
    ],
)
def test_hint(expected: Any, actual: Any, words: str | None) -> None:
    found = hint(expected, actual)
    assert found is None if words is None else found is not None and words in found


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (64, 128, "a plain number was written as zigzag"),
        (-1, -(2**31), "zigzag was left out"),
        (-1, -(2**63), "zigzag was left out"),
        (128, 64, "zigzag was left out"),
        (1, -1, "The sign is wrong, or zigzag was left out"),
        (5, -5, "The sign is wrong."),
    ],
)
def test_hint_on_what_was_written(expected: int, actual: int, words: str) -> None:
    assert words in (hint(expected, actual, written=True) or "")


def test_the_difference_stands_among_its_neighbours() -> None:
    expected = {"ErrorCode": 0, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 4}]}
    actual = {"ErrorCode": 0, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": -4}]}
    assert compare_values(expected, actual, width=80).plain == (
        "first difference at ApiKeys[0].MaxVersion\n"
        "expected  4\n"
        "actual    -4\n"
        "The sign is wrong.\n"
        "in ApiKeys[0]:\n"
        "    ApiKey      18\n"
        "    MinVersion  0\n"
        "  - MaxVersion  4\n"
        "  + MaxVersion  -4"
    )


def test_a_missing_element() -> None:
    assert compare_values([1, 2, 3], [1, 2], width=80).plain == (
        "first difference at [2]\n"
        "expected  3\n"
        "actual    (nothing: it is missing)\n"
        "One element is missing, the others are right.\n"
        "in the value:\n"
        "    [0]  1\n"
        "    [1]  2\n"
        "  - [2]  3"
    )


def test_a_surplus_key() -> None:
    text = compare_values({"A": 1}, {"A": 1, "B": "x"}, width=80).plain
    assert "first difference at B" in text
    assert "expected  (nothing: it is missing)" in text
    assert "  + B  'x'" in text


def test_a_tag_is_shown_as_a_pair() -> None:
    text = compare_values([[0, b"a"], [5, b"b"]], [[0, b"a"], [5, b"c"]], width=80).plain
    assert "  - [1]  [5, 0x62]" in text
    assert "  + [1]  [5, 0x63]" in text


def test_kinds_are_named_when_they_differ() -> None:
    text = compare_values("ab", b"ab", width=80).plain
    assert "expected  'ab'   (a string)" in text
    assert "actual    0x6162   (bytes)" in text


def test_long_text_is_shown_where_it_differs() -> None:
    text = compare_values("a" * 1000, "a" * 500 + "b" + "a" * 499, width=100).plain
    assert "…'aaaaaaaaaabaaaaaaaaa'… (from character 490 of 1000 on; they differ from character 500 on)" in " ".join(
        text.split()
    )


def test_far_neighbours_are_counted() -> None:
    expected = list(range(100))
    actual = [*expected[:50], 900, *expected[51:]]
    text = compare_values(expected, actual, width=80).plain
    assert "… 47 before …" in text
    assert "… 46 after …" in text


def test_a_key_that_looks_like_a_path() -> None:
    assert "a.b[1" in compare_values({"A": 1}, {"A": 1, "a.b[1\x1b": 2}, width=80).plain


def test_equal_values() -> None:
    assert compare_values(1, 1, width=80).plain == "no difference"


def test_at() -> None:
    value = {"A": [{"B": 1}]}
    assert at(value, ["A", "[0]", "B"]) == 1
    assert at(value, ["A", "[1]"]) is NOTHING
    assert at(value, ["C"]) is NOTHING
