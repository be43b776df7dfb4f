"""Writes and expects a count before a message's headers, as the record that shipped has it: KIP-82 with string keys."""

from __future__ import annotations

from collections.abc import Sequence

from draft_82s import DIALECT, Draft, Header

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "accepted-invalid"),
        ("header-multimaps", "fail", "refused-valid"),
        ("header-multimaps", "fail", "wrong-bytes"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("unsupported-versions", "fail", "refused-valid"),
        ("unsupported-versions", "fail", "wrong-bytes"),
        ("varints", "contested", None),
        ("varints", "fail", "refused-valid"),
        ("varints", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-D-1"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


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
