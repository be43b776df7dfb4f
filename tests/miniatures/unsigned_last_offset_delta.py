"""Reads lastOffsetDelta without its sign."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "wrong-value"), ("framing", "fail", "refused-valid")})

types = only("RecordBatch", "RecordSet")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    for batch in value if isinstance(value, list) else [value]:
        if "lastOffsetDelta" in batch:
            batch["lastOffsetDelta"] &= 0xFFFFFFFF
    return value
