"""Reads LZ4 content whatever the checksums of its blocks and of the content are."""

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
        flags = data.partition(b"\x04\x22\x4d\x18")[2][:1]
        if error.reason is Reason.CORRUPT_COMPRESSION and flags in (b"\x64", b"\x70", b"\x74"):
            return []
        raise
