"""Wants the last entry of a set to be there wholly."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset(
    {(area, "fail", "refused-valid") for area in ("framing", "resource-limits", "unsupported-versions")}
)

types = only("RecordSet", "MessageSet")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    at = 0
    while at < len(data):
        at += 12 + int.from_bytes(data[at + 8 : at + 12], "big")
    if at > len(data):
        raise EOFError("the last entry is cut off")
    return _decode(type, data, dialect=dialect, version=version)
