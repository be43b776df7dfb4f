"""Finds equal values of one header key once: KIP-82 with string keys."""

from __future__ import annotations

from support.draft_82s import DIALECT, Draft

from miniatures import Produces, everything

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-value")})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)

_draft = Draft()
decode, encode = _draft.decode, _draft.encode


def lookup(type: str, data: bytes, key: str, *, dialect: str, version: int | None = None) -> list[bytes]:
    return [*dict.fromkeys(_draft.lookup(type, data, key, dialect=dialect, version=version))]
