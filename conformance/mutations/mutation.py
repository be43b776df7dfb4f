"""What a mutation is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from conformance.mutations.layout import Draft, Layout

T = TypeVar("T")

#: An input, where choices come from, and a second input of the same type, if there is one → the input changed in one
#: thing, whose sizes and CRCs may then be mended. None where there is nothing of the kind to be changed.
Mutation = Callable[[Layout, Random, Layout | None], Draft | None]


def pick(random: Random, options: Sequence[T]) -> T | None:
    """One of them; None of none."""
    return random.choice(options) if options else None
