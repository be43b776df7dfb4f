"""Holds headers in a map of lists, whose keys come out in any order: R-82s-6's other reading too."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft, Header

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "contested", None),
        ("framing", "contested", None),
    }
)
TAKES = frozenset({"R-82s-6"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Hashes(Draft):
    def take_headers(self, data: bytes) -> list[Header]:
        return self._hashed(super().take_headers(data))

    def put_headers(self, headers: Sequence[Header]) -> bytes:
        if headers is None:
            raise ValueError("headers have no null")
        return super().put_headers(self._hashed(headers))

    @staticmethod
    def _hashed(headers: Sequence[Header]) -> list[Header]:
        """The last key first: as good as any order."""
        keys = dict.fromkeys(key for key, _ in headers)
        return [(key, value) for wanted in reversed(keys) for key, value in headers if key == wanted]


_draft = _Hashes()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
