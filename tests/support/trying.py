"""Many values, each made from a seed of its own: a check that fails says of which seed the smallest is that breaks it.

Hypothesis takes many times as long for a value. It stays where what it draws is itself what is tested, and in the
properties, whose findings it shrinks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

import pytest

from wireproof.conformance.generation import random_values
from wireproof.conformance.properties import byte_corruption

T = TypeVar("T")

#: Makes a value from a seed.
Make = Callable[[Random], T]


def tried(count: int, check: Callable[[T], None], make: Make[T], name: str) -> None:
    """Check so many values, always the same ones; the seed of each is `name` and its number.

    All are made, whatever the first ones do. Of those that fail the smallest (by its repr) is shown: its own error is
    raised, with a note of its seed and of how many fail.
    """
    smallest: tuple[int, str, T, BaseException] | None = None
    failed = 0
    for number in range(count):
        seed = f"{name} {number}"
        value = make(Random(seed))
        try:
            check(value)
        except (Exception, pytest.fail.Exception) as error:
            failed += 1
            size = len(repr(value))
            if smallest is None or size < smallest[0]:
                smallest = size, seed, value, error
    if smallest is not None:
        _, seed, value, its_own = smallest
        its_own.add_note(f"{failed} of {count} values fail; the smallest is made by Random({seed!r}): {value!r}")
        raise its_own


def values_of(type_name: str, dialect: str, version: int | None = None) -> Make[Any]:
    """Makes the values of a type. Raises UnknownType when it makes one."""
    return functools.partial(random_values.value, type_name, dialect=dialect, version=version)


def nearly(canonical: Make[bytes]) -> Make[bytes]:
    """Makes bytes that were right before some small faults, or that never were."""
    return lambda random: byte_corruption.nearly(random, canonical(random))
