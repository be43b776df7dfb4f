"""Reads a varint until a byte says that it is the last, however many there are: only the number has to fit."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("varints", "fail", "accepted-invalid")})

types = everything()
_VARINTS = frozenset({"UNSIGNED_VARINT", "VARINT", "VARLONG"})


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if type in _VARINTS:
        data = _without_empty_groups(data)
    return _decode(type, data, dialect=dialect, version=version)


def _without_empty_groups(data: bytes) -> bytes:
    """The same number in as few bytes as it needs."""
    end = next((index + 1 for index, byte in enumerate(data) if byte < 0x80), 0)
    groups = bytearray(data[:end])
    while len(groups) > 1 and groups[-1] == 0:
        del groups[-1]
        groups[-1] &= 0x7F
    return bytes(groups) + data[end:]
