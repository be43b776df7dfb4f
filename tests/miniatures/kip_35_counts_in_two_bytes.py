"""Writes and reads the count of node ids as an int16."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import WireError, rejects
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    (area, "fail", kind)
    for area in ("messages", "null-encodings", "unsupported-versions", "resource-limits")
    for kind in ("refused-valid", "wrong-bytes")
) | {("messages", "fail", "accepted-invalid")}

dialects = ("kip-35-v7",)
types = only("BrokerMetadataRequest", dialect="kip-35-v7")

__all__ = ["PRODUCES", "WireError", "decode", "dialects", "encode", "rejects", "types"]


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    sign = b"\xff\xff" if data[:1] >= b"\x80" else b"\0\0"
    return _decode(type, (sign if len(data) >= 2 else b"") + data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, value, dialect=dialect, version=version)[2:]
