"""Reads INT16 as an unsigned number."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "wrong-value"),
        # What it read so, it can't write.
        ("framing", "fail", "refused-valid"),
    }
)

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    return value & 0xFFFF if type == "INT16" else value
