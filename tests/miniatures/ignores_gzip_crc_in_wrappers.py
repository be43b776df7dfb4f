"""Inflates the gzip content of wrappers whatever its own CRC is."""

from __future__ import annotations

from typing import Any

from miniatures import RECORDS, Produces
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "accepted-invalid")})

types = RECORDS


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if type == "MessageSet" and error.reason is Reason.CORRUPT_COMPRESSION and "data check" in str(error):
            return []
        raise
