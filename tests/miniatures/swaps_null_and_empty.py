"""Takes null for empty and empty for null, both ways."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    (area, "fail", kind)
    for area in ("varints", "null-encodings", "resource-limits")
    for kind in ("wrong-value", "wrong-bytes")
)

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _swapped(type, _decode(type, data, dialect=dialect, version=version))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, _swapped(type, value), dialect=dialect, version=version)


def _swapped(type: str, value: Any) -> Any:
    if "NULLABLE" not in type or value:
        return value
    if value is not None:
        return None
    return "" if type.endswith("STRING") else b"" if type.endswith("BYTES") else []
