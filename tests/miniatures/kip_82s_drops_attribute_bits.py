"""Knows bits 0 and 1 of a message's attributes, and drops the others: KIP-82 with string keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.draft_82s import DIALECT, Draft

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "contested", None),
        ("header-multimaps", "fail", "wrong-value"),
        ("null-encodings", "contested", None),
        ("null-encodings", "fail", "wrong-value"),
    }
)
TAKES = frozenset({"R-82s-7", "R-82s-13"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Drops(Draft):
    def take_message(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        message, rest = super().take_message(data)
        return message | {"attributes": message["attributes"] & 3}, rest

    def attributes(self, message: Mapping[str, Any]) -> int:
        return super().attributes(message) & 3


_draft = _Drops()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
