"""Zigzag for every varint, as the draft's code had it: R-82s-8's other reading."""

from __future__ import annotations

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("header-multimaps", "contested", None),
        ("null-encodings", "contested", None),
        ("resource-limits", "contested", None),
        ("unsupported-versions", "contested", None),
        ("varints", "contested", None),
    }
)
TAKES = frozenset({"R-82s-8", "R-82s-10"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)
readings = {"R-82s-8": "other"}


class _Zigzag(Draft):
    def take_number(self, data: bytes) -> tuple[int, bytes]:
        number, rest = super().take_number(data)
        return (number >> 1) ^ -(number & 1), rest

    def put_number(self, number: int) -> bytes:
        if number is None or not -(1 << 31) <= number < 1 << 31:
            raise ValueError(f"{number} is no signed number of 32 bits")
        return super().put_number(number << 1 if number >= 0 else ~(number << 1))


_draft = _Zigzag()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
