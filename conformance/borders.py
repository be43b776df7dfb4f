"""Boundary values of numbers, text and bytes. Bugs are found there, so whatever makes values draws them often."""

from __future__ import annotations

import functools

#: A compact length of 127 takes two bytes, for it is written plus one.
TEXTS = ("", "\0", "é", "𝄞", "a" * 126, "a" * 127)
OCTETS = (b"", b"\0", b"\xff" * 126, b"\xff" * 127)
#: Keys of headers: few, so that they come twice; two of them look alike.
KEYS = ("a", "b", "A", "", "é", "e\u0301")
#: Tags of 16 bits.
SHORT_TAGS = (0, 1, 0x7FFF, 0x8000, 0xFFFF)
#: The most unknown tags of a buffer, and elements of other maps.
MOST_PAIRS = 4
#: The most elements of an array.
MOST_ELEMENTS = 3


@functools.cache
def integers(low: int, high: int) -> tuple[int, ...]:
    """Borders from `low` to `high`, both included, the smallest first: those of every varint length and their
    neighbours, and the ends of the range."""
    found = {border + step for bits in range(0, 64, 7) for border in (1 << bits, -(1 << bits)) for step in (-1, 0, 1)}
    found |= {low, low + 1, high - 1, high, 0}
    return tuple(sorted((b for b in found if low <= b <= high), key=lambda b: (abs(b), b < 0)))
