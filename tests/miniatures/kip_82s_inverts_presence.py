"""Takes bits 0 and 1 for "is there", where they say "is null": KIP-82 with string keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.draft_82s import DIALECT, Draft

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "refused-valid"),
        ("header-multimaps", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "wrong-value"),
        ("null-encodings", "fail", "accepted-invalid"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("null-encodings", "fail", "wrong-value"),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("unsupported-versions", "fail", "refused-valid"),
        ("unsupported-versions", "fail", "wrong-bytes"),
        ("varints", "fail", "refused-valid"),
        ("varints", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-82s-10"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Inverts(Draft):
    def nulls(self, attributes: int) -> tuple[bool, bool]:
        return not attributes & 1, not attributes & 2

    def attributes(self, message: Mapping[str, Any]) -> int:
        return super().attributes(message) ^ 3


_draft = _Inverts()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
