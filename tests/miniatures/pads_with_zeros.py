"""Reads zeros behind the end of its input, as one does who does not look at how much a read gave."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset(
    {
        (area, "fail", "accepted-invalid")
        for area in (
            "varints",
            "tag-ordering",
            "null-encodings",
            "unsupported-versions",
            "framing",
            "resource-limits",
            "messages",
        )
    }
)

types = everything()
_MOST = 16


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    for zeros in range(_MOST):
        try:
            return _decode(type, data + bytes(zeros), dialect=dialect, version=version)
        except DecodeError as error:
            if error.reason is not Reason.TRUNCATED:
                raise
    raise ValueError("cut off")
