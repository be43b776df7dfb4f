"""Reads the attributes of a message of magic 1 without its timestamp type."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "wrong-value"), ("framing", "fail", "wrong-bytes")})

types = only("MessageSet", "RecordSet")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    for message in value:
        if "timestamp" in message and "value" in message and message["attributes"] <= 0x0F:
            message["attributes"] &= 0x07
    return value
