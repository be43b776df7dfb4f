"""Headers only under a bit of the attributes, as the revision with int keys had it: R-82s-7's other reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft

PRODUCES: Produces = frozenset(
    {
        ("null-encodings", "contested", None),
        ("header-multimaps", "contested", None),
        ("framing", "contested", None),
    }
)
TAKES = frozenset({"R-82s-7", "R-82s-10"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)
readings = {"R-82s-7": "other"}
#: Bit 4, as in the revision with int keys.
_FLAG = 0x10


class _Flagged(Draft):
    def take_message(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        message, rest = super().take_message(data)
        if bool(message["headers"]) != bool(message["attributes"] & _FLAG):
            raise ValueError("headers, and no flag for them, or the other way round")
        return message, rest

    def attributes(self, message: Mapping[str, Any]) -> int:
        attributes = super().attributes(message) & ~_FLAG
        return attributes | (_FLAG if message["headers"] else 0)


_draft = _Flagged()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
