"""Values from seeds: how many are tried, and the message for those that fail."""

from __future__ import annotations

from random import Random

import pytest
from support.trying import nearly, tried, values_of

from wireproof.conformance.oracle.codec import reference_codec


def number(random: Random) -> int:
    return random.randint(0, 1000)


def test_so_many_are_tried_and_the_same_each_time() -> None:
    runs: list[list[int]] = []
    for name in ("a", "a", "b"):
        seen: list[int] = []
        tried(50, seen.append, number, name)
        runs.append(seen)
    assert [len(seen) for seen in runs] == [50] * 3
    assert runs[0] == runs[1] != runs[2]
    assert len(set(runs[0])) > 30


def test_the_smallest_that_fails_is_shown_with_its_seed() -> None:
    shown: list[int] = []

    def check(value: int) -> None:
        shown.append(value)
        assert value < 100, f"{value} is too large"

    with pytest.raises(AssertionError, match="is too large") as caught:
        tried(200, check, number, "large")
    failing = [value for value in shown if value >= 100]
    assert len(shown) == 200
    (note,) = caught.value.__notes__
    smallest = next(value for value in failing if value < 1000)  # the first of those with the fewest digits
    at = shown.index(smallest)
    assert note == f"{len(failing)} of 200 values fail; the smallest is made by Random('large {at}'): {smallest}"
    assert number(Random(f"large {at}")) == smallest
    assert str(smallest) in str(caught.value)


def test_a_refusal_that_does_not_come_is_a_failure_too() -> None:
    def check(value: int) -> None:
        with pytest.raises(ZeroDivisionError):
            1 / value

    with pytest.raises(pytest.fail.Exception) as caught:
        tried(5, check, lambda _: 1, "ones")
    assert caught.value.__notes__ == ["5 of 5 values fail; the smallest is made by Random('ones 0'): 1"]


def test_bytes_that_are_nearly_right() -> None:
    names = values_of("COMPACT_STRING", "kafka")
    right = broken = 0

    def check(data: bytes) -> None:
        nonlocal right, broken
        try:
            reference_codec().decode("COMPACT_STRING", data, dialect="kafka")
            right += 1
        except ValueError:
            broken += 1

    tried(
        300,
        check,
        nearly(lambda random: reference_codec().encode("COMPACT_STRING", names(random), dialect="kafka")),
        "nearly",
    )
    assert min(right, broken) > 15
