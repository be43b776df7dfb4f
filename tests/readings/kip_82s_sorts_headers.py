"""Sorts headers by key, values of one key in their order: R-82s-6's other reading."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft, Header

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "contested", None),
    }
)
TAKES = frozenset({"R-82s-6"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Sorts(Draft):
    def take_headers(self, data: bytes) -> list[Header]:
        return sorted(super().take_headers(data), key=lambda header: header[0])

    def put_headers(self, headers: Sequence[Header]) -> bytes:
        if headers is None:
            raise ValueError("headers have no null")
        return super().put_headers(sorted(headers, key=lambda header: header[0]))


_draft = _Sorts()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
