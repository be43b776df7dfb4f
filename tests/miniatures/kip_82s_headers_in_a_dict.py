"""Holds headers in a dict, so that the last value of a key is the only one: KIP-82 with string keys."""

from __future__ import annotations

from collections.abc import Sequence

from support.draft_82s import DIALECT, Draft, Header

from miniatures import Produces, everything

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "wrong-bytes"),
        ("framing", "fail", "wrong-value"),
        ("header-multimaps", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "wrong-value"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("resource-limits", "fail", "wrong-value"),
    }
)

dialects = (DIALECT,)
types = everything(dialect=DIALECT)


class _Collapses(Draft):
    def take_headers(self, data: bytes) -> list[Header]:
        return [*dict(super().take_headers(data)).items()]

    def put_headers(self, headers: Sequence[Header]) -> bytes:
        if headers is None:
            raise ValueError("headers have no null")
        return super().put_headers([*dict(headers).items()])


_draft = _Collapses()
decode, encode, lookup = _draft.decode, _draft.encode, _draft.lookup
