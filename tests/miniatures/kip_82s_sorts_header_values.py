"""Sorts headers by key and value, so that even values of one key change places: KIP-82 with string keys."""

from __future__ import annotations

from collections.abc import Sequence

from support.draft_82s import DIALECT, Draft, Header

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "wrong-bytes"),
        ("framing", "fail", "wrong-value"),
        ("header-multimaps", "contested", None),
        ("header-multimaps", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "wrong-value"),
    }
)
TAKES = frozenset({"R-82s-6"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Sorts(Draft):
    def take_headers(self, data: bytes) -> list[Header]:
        return sorted(super().take_headers(data))

    def put_headers(self, headers: Sequence[Header]) -> bytes:
        return super().put_headers(None if headers is None else sorted(map(tuple, headers)))  # type: ignore[arg-type]


_draft = _Sorts()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
