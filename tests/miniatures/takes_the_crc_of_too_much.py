"""Computes and checks a batch's CRC over the magic too, which stands before it."""

from __future__ import annotations

from typing import Any

from crc32c import crc32c

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

_AREAS = ("header-multimaps", "null-encodings", "unsupported-versions", "framing", "resource-limits")
PRODUCES: Produces = frozenset(
    {("framing", "fail", "accepted-invalid")}
    | {(area, "fail", kind) for area in _AREAS for kind in ("refused-valid", "wrong-bytes")}
)

types = only("RecordBatch")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if data[17:21] != _crc(data):
        raise ValueError("the CRC is another one")
    right = data[:17] + crc32c(data[21:]).to_bytes(4, "big") + data[21:]
    return _decode(type, right, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    return data[:17] + _crc(data) + data[21:]


def _crc(data: bytes) -> bytes:
    return crc32c(data[16:17] + data[21:]).to_bytes(4, "big")
