"""Refuses a record of more than 64 headers."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "refused-valid")})

types = only("Record")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    if len(value["headers"]) > 64:
        raise DecodeError(Reason.RESOURCE_LIMIT, f"{len(value['headers'])} headers", 0)
    return value
