"""Keeps texts as C does: what stands behind U+0000 is lost."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof import reference
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-value")})

dialects = ("wire-format",)
types = everything(("MESSAGE_SET",), dialect="wire-format")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _cut(reference.decode(type, data, dialect=dialect, version=version))


def _cut(value: Any) -> Any:
    match value:
        case str():
            return value.partition("\0")[0]
        case list():
            return [_cut(item) for item in value]
        case dict():
            return {key: _cut(item) for key, item in value.items()}
    return value
