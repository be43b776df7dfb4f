"""Refuses more than 10,000 tags, as Java's codec does: R-K-10p's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("resource-limits", "contested", None)})
TAKES = frozenset({"R-K-10p"})

types = everything()
_MOST = 10_000


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    if type == "TAG_BUFFER" and len(value) > _MOST:
        raise ValueError(f"{len(value)} tags")
    return value
