"""Values from seeds: a check that fails for one of them fails the test, and says which seed shows it."""

from __future__ import annotations

from random import Random

import pytest
from support.trying import tried


def test_the_smallest_that_fails_is_shown_with_its_seed() -> None:
    def check(value: int) -> None:
        assert value < 100, f"{value} is too large"

    with pytest.raises(AssertionError, match="is too large") as caught:
        tried(200, check, lambda random: random.randint(0, 1000), "large")
    (note,) = caught.value.__notes__
    seed, smallest = note.partition("Random('")[2].rstrip().split("'): ")
    assert Random(seed).randint(0, 1000) == int(smallest) < 1000


def test_a_refusal_that_does_not_come_is_a_failure_too() -> None:
    def check(value: int) -> None:
        with pytest.raises(ZeroDivisionError):
            1 / value

    with pytest.raises(pytest.fail.Exception):
        tried(5, check, lambda _: 1, "ones")
