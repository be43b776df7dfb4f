"""Boundary values of numbers, text and bytes. Generators of values use them often, because bugs show there."""

from __future__ import annotations

import functools

#: A compact length of 127 takes two bytes, because it is written plus one.
TEXTS = ("", "\0", "é", "𝄞", "a" * 126, "a" * 127)
OCTETS = (b"", b"\0", b"\xff" * 126, b"\xff" * 127)
#: Keys of headers: so few that some are used twice; two of them look the same.
KEYS = ("a", "b", "A", "", "é", "e\u0301")
#: The maximum number of unknown tags in a buffer, and of elements in other maps.
MOST_PAIRS = 4
#: The maximum number of elements in an array.
MOST_ELEMENTS = 3


@functools.cache
def integers(low: int, high: int) -> tuple[int, ...]:
    """Boundary integers from `low` to `high` (inclusive), sorted by size: the boundaries of each varint length with
    their neighbours, and the ends of the range."""
    numbers = {border + step for bits in range(0, 64, 7) for border in (1 << bits, -(1 << bits)) for step in (-1, 0, 1)}
    numbers |= {low, low + 1, high - 1, high, 0}
    return tuple(sorted((b for b in numbers if low <= b <= high), key=lambda b: (abs(b), b < 0)))
