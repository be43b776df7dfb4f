"""Lengths of headers that count their own bytes: KIP-82 with string keys."""

from __future__ import annotations

from support.draft_82s import DIALECT, Draft, Header

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("null-encodings", "contested", None),
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("header-multimaps", "contested", None),
        ("header-multimaps", "fail", "accepted-invalid"),
        ("header-multimaps", "fail", "refused-valid"),
        ("header-multimaps", "fail", "wrong-bytes"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("resource-limits", "contested", None),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("varints", "contested", None),
        ("varints", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-82s-7", "R-82s-8", "R-82s-10", "R-D-1"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _CountsItself(Draft):
    def take_header(self, data: bytes) -> tuple[Header, bytes]:
        size, rest = self.take_number(data)
        inside, behind = data[len(data) - len(rest) : size], data[size:]
        if size > len(data):
            raise ValueError("the header is longer than what is left")
        key, value = self.take_sized(inside)
        return (self.text(key), value), behind

    def put_header(self, key: str, value: bytes) -> bytes:
        plain = super().put_header(key, value)
        _, content = self.take_number(plain)
        own = 1 if len(content) < 127 else 2
        return self.put_number(own + len(content)) + content


_draft = _CountsItself()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
