"""Refuses a varint of more bytes than it needs: R-K-5's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("varints", "contested", None)})
TAKES = frozenset({"R-K-5"})

types = everything()
_VARINTS = frozenset({"UNSIGNED_VARINT", "VARINT", "VARLONG"})


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if type in _VARINTS:
        last = next((index for index, byte in enumerate(data) if byte < 0x80), 0)
        if last and data[last] == 0:
            raise ValueError(f"{data.hex()} has more bytes than its number needs")
    return _decode(type, data, dialect=dialect, version=version)
