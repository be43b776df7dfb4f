"""Drops the bits above the width in a varint's last byte, as Java's codec does: R-K-6's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("varints", "contested", None)})
TAKES = frozenset({"R-K-6"})

types = everything()
#: type → (the last byte's index, its bits that are inside the width)
_LAST = {"UNSIGNED_VARINT": (4, 0x0F), "VARINT": (4, 0x0F), "VARLONG": (9, 0x01)}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if type in _LAST:
        last, inside = _LAST[type]
        if len(data) > last and data[last] < 0x80 and all(byte >= 0x80 for byte in data[:last]):
            data = data[:last] + bytes([data[last] & inside]) + data[last + 1 :]
    return _decode(type, data, dialect=dialect, version=version)
