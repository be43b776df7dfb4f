"""Reads a frame without looking at its size."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset(
    {("framing", "fail", "accepted-invalid"), ("resource-limits", "fail", "accepted-invalid")}
)

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if "Frame" in type and len(data) >= 4:
        data = (len(data) - 4).to_bytes(4) + data[4:]
    return _decode(type, data, dialect=dialect, version=version)
