"""Puts U+FFFD in the place of what is no UTF-8, as Java's codec does: R-K-11's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("null-encodings", "contested", None)})
TAKES = frozenset({"R-K-11"})

types = everything()
#: type → bytes of the length before a short text
_PREFIX = {"STRING": 2, "NULLABLE_STRING": 2, "COMPACT_STRING": 1, "COMPACT_NULLABLE_STRING": 1}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if error.reason is Reason.INVALID_UTF8 and type in _PREFIX:
            return data[_PREFIX[type] :].decode("utf-8", "replace")
        raise
