"""Holds headers in a map of lists, by first occurrence: R-82s-6's other reading."""

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


class _Groups(Draft):
    def take_headers(self, data: bytes) -> list[Header]:
        return self._grouped(super().take_headers(data))

    def put_headers(self, headers: Sequence[Header]) -> bytes:
        if headers is None:
            raise ValueError("headers have no null")
        return super().put_headers(self._grouped(headers))

    @staticmethod
    def _grouped(headers: Sequence[Header]) -> list[Header]:
        held: dict[str, list[bytes]] = {}
        for key, value in headers:
            held.setdefault(key, []).append(value)
        return [(key, value) for key, values in held.items() for value in values]


_draft = _Groups()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
