"""Takes VARINT and VARLONG for unsigned numbers, both ways."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    {
        ("varints", "fail", "wrong-value"),
        ("varints", "fail", "wrong-bytes"),
        # What is negative has no unsigned form …
        ("varints", "fail", "refused-valid"),
        # … and what is beyond the largest signed number has one.
        ("varints", "fail", "accepted-invalid"),
    }
)

types = everything()
_WIDTHS = {"VARINT": 32, "VARLONG": 64}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    number = _decode(type, data, dialect=dialect, version=version)
    if type not in _WIDTHS:
        return number
    return (number << 1) ^ (number >> (_WIDTHS[type] - 1))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    if type not in _WIDTHS:
        return _encode(type, value, dialect=dialect, version=version)
    if not 0 <= value < 1 << _WIDTHS[type]:
        raise ValueError(f"{value} is no unsigned number of {_WIDTHS[type]} bits")
    return _encode(type, (value >> 1) ^ -(value & 1), dialect=dialect, version=version)
