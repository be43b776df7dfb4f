"""Writes and expects a count before a message's headers, as an array has it: one of R-82s-4's other readings."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces, everything
from support.draft_82s import DIALECT, Draft, Header

PRODUCES: Produces = frozenset(
    {
        ("varints", "contested", None),
        ("null-encodings", "contested", None),
        ("header-multimaps", "contested", None),
        ("unsupported-versions", "contested", None),
        ("framing", "contested", None),
        ("resource-limits", "contested", None),
    }
)
TAKES = frozenset({"R-82s-4", "R-82s-10"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)
readings = {"R-82s-4": "uint-var"}


class _Counts(Draft):
    def take_headers(self, data: bytes) -> list[Header]:
        count, data = self.take_number(data)
        headers = []
        for _ in range(count):
            header, data = self.take_header(data)
            headers.append(header)
        if data:
            raise ValueError("bytes are left over after the headers")
        return headers

    def put_headers(self, headers: Sequence[Header]) -> bytes:
        return self.put_number(len(headers)) + super().put_headers(headers)


_draft = _Counts()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
