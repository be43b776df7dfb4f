"""The parts of a page about bytes: an input, or the frames in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wireproof.reference import Explanation


@dataclass(frozen=True, slots=True)
class Part:
    """An input, or a frame: the bytes from `start` up to `end`. `note`: how its type is known. `explanation`: with
    offsets into the whole input. `rulings`: the ids of those that a refusal rests on. `read`: whether it was read at
    all; a frame of an unknown api is not."""

    title: str
    note: str
    start: int
    end: int
    explanation: Explanation
    rulings: Sequence[str]
    read: bool = True
