"""Refuses zstd content of more than one frame."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "refused-valid")})

types = only("RecordBatch")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    if value["attributes"] & 7 == 4 and data.count(b"\x28\xb5\x2f\xfd") > 1:
        raise DecodeError(Reason.CORRUPT_COMPRESSION, "bytes behind the frame", 61)
    return value
