"""Takes CRC-32C for a batch's CRC, as the batch that shipped has it: KIP-82 with string keys."""

from __future__ import annotations

import crc32c
from support.draft_82s import DIALECT, Draft

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "accepted-invalid"),
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("unsupported-versions", "fail", "refused-valid"),
        ("unsupported-versions", "fail", "wrong-bytes"),
    }
)

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Castagnoli(Draft):
    def crc(self, covered: bytes) -> int:
        return int(crc32c.crc32c(covered))


_draft = _Castagnoli()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
