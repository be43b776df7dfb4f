"""Takes an empty key or value for null, both ways: KIP-82 with string keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.draft_82s import DIALECT, Draft

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "wrong-value"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("null-encodings", "fail", "wrong-value"),
    }
)

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Empties(Draft):
    def take_message(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        message, rest = super().take_message(data)
        return self._emptied(message), rest

    def put_message(self, message: Mapping[str, Any]) -> bytes:
        return super().put_message(self._emptied(message))

    @staticmethod
    def _emptied(message: Mapping[str, Any]) -> dict[str, Any]:
        return {**message, "key": message["key"] or None, "value": message["value"] or None}


_draft = _Empties()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
