"""Reads no key of a compressed wrapper."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "wrong-value"), ("framing", "fail", "wrong-bytes")})

types = only("MessageSet")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    for message in value:
        if "messages" in message:
            message["key"] = None
    return value
