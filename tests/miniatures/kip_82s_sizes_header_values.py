"""Writes and expects a length before a header's value, as the record that shipped has it: KIP-82 with string keys."""

from __future__ import annotations

from support.draft_82s import DIALECT, Draft, Header

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("header-multimaps", "contested", None),
        ("null-encodings", "contested", None),
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "refused-valid"),
        ("header-multimaps", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "wrong-value"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("varints", "contested", None),
        ("varints", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-82s-7", "R-82s-10", "R-D-1"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Sizes(Draft):
    def take_header(self, data: bytes) -> tuple[Header, bytes]:
        (key, sized), rest = super().take_header(data)
        value, more = self.take_sized(sized)
        if more:
            raise ValueError("bytes are left over after the value")
        return (key, value), rest

    def put_header(self, key: str, value: bytes) -> bytes:
        return super().put_header(key, None if value is None else self.put_sized(value))


_draft = _Sizes()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
