"""Zigzag for every varint, and headers in a map of lists: two other readings at once, which it declares."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Header

from readings.kip_82s_groups_headers import _Groups
from readings.kip_82s_zigzag import _Zigzag

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("header-multimaps", "contested", None),
        ("null-encodings", "contested", None),
        ("resource-limits", "contested", None),
        ("unsupported-versions", "contested", None),
        ("varints", "contested", None),
    }
)
TAKES = frozenset({"R-82s-6", "R-82s-8", "R-82s-10"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)
readings = {"R-82s-6": "grouped", "R-82s-8": "other"}


class _Both(_Zigzag, _Groups):
    def put_headers(self, headers: Sequence[Header]) -> bytes:
        return _Groups.put_headers(self, headers)


_draft = _Both()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
