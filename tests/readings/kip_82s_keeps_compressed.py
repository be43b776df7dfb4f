"""Does not look into compressed batches: one of R-82s-10's other readings."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft

PRODUCES: Produces = frozenset({("framing", "contested", None)})
TAKES = frozenset({"R-82s-10"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Kept(Draft):
    def unpacked(self, codec: int, content: bytes) -> Any:
        return content

    def packed(self, codec: int, messages: Any) -> bytes:
        if not isinstance(messages, bytes):
            raise TypeError("messages of a batch with a codec are bytes")
        return messages


_draft = _Kept()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
