"""Where null is not allowed, reads it as empty, and writes it so."""

from __future__ import annotations

from typing import Any

from miniatures import ARRAYS, Produces, everything
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("null-encodings", "fail", "accepted-invalid")})

types = everything()
_EMPTY: dict[str, Any] = {"STRING": "", "COMPACT_STRING": "", "BYTES": b"", "COMPACT_BYTES": b""}
_EMPTY |= {name: [] for name in ARRAYS if "NULLABLE" not in name}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if error.reason is Reason.NULL_NOT_ALLOWED and type in _EMPTY:
            return _EMPTY[type]
        raise


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, _EMPTY.get(type) if value is None else value, dialect=dialect, version=version)
