"""Has no compression, and refuses a batch whose attributes name a codec: one of R-82s-10's other readings."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft

PRODUCES: Produces = frozenset({("framing", "contested", None)})
TAKES = frozenset({"R-82s-10"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Plain(Draft):
    def unpacked(self, codec: int, content: bytes) -> Any:
        raise ValueError(f"codec {codec}")

    def packed(self, codec: int, messages: Any) -> bytes:
        raise ValueError(f"codec {codec}")


_draft = _Plain()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
