"""Takes any negative length of a classic nullable type for null, as Java's codec does: R-K-15's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("null-encodings", "contested", None)})
TAKES = frozenset({"R-K-15"})

types = everything()
#: type → bytes of its length
_PREFIX = {"NULLABLE_STRING": 2, "NULLABLE_BYTES": 4, "NULLABLE_ARRAY<INT32>": 4}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if error.reason is Reason.NEGATIVE_LENGTH and len(data) == _PREFIX.get(type):
            return None
        raise
