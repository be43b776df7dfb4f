"""U+FFFD where a header's key is not UTF-8: R-D-2's other reading, in KIP-82 with string keys."""

from __future__ import annotations

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "contested", None),
    }
)
TAKES = frozenset({"R-D-2"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Replaces(Draft):
    def text(self, data: bytes) -> str:
        return data.decode(errors="replace")


_draft = _Replaces()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
