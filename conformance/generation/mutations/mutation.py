"""The type of a mutation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from wireproof.conformance.generation.mutations.layout import Draft, Layout

T = TypeVar("T")

#: (an input, a source of random choices, a second input of the same type or None) → the input with one change, before
#: sizes and CRCs are corrected; None where the mutation does not apply.
Mutation = Callable[[Layout, Random, Layout | None], Draft | None]


def pick(random: Random, options: Sequence[T]) -> T | None:
    """One of the options; None if there are none."""
    return random.choice(options) if options else None
