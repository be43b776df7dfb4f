"""Reads a wrapper of magic 0 or 1 whose content is zstd, which only batches have."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "accepted-invalid")})

types = only("MessageSet")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if error.reason is Reason.UNSUPPORTED_COMPRESSION and b"\x28\xb5\x2f\xfd" in data:
            return []
        raise
