"""Finds no header where a lookup has to be refused: KIP-82 with int keys."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed, RefusedError

from miniatures import Produces

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "fail", "accepted-invalid"),
        # Behind a message without headers there may be a byte, and nothing is found in it either.
        ("header-multimaps", "contested", None),
    }
)
TAKES = frozenset({"R-D-5"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed()
decode = _own.decode
encode = _own.encode
recode = _own.recode


def lookup(type: str, data: bytes, key: int, *, dialect: str, version: int | None = None) -> list[bytes]:
    try:
        return _own.lookup(type, data, key, dialect=dialect, version=version)
    except RefusedError:
        return []
