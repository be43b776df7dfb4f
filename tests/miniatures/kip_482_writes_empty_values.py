"""Writes an unknown field without a value, whose FieldLength 0 then ends the buffer."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import EncodeError, Reason, rejects
from wireproof.reference import configure as configure
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("tag-ordering", "fail", "accepted-invalid")})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")
__all__ = ["configure", "decode", "dialects", "encode", "rejects", "types"]


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    try:
        return _encode(type, value, dialect=dialect, version=version)
    except EncodeError as error:
        if error.reason is not Reason.ZERO_LENGTH_FIELD:
            raise
        return b"\0\0\x01\0"
