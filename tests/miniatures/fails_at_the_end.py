"""Meets the end of its input with an IndexError, which is no refusal."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset(
    {
        (area, "crash", None)
        for area in (
            "varints",
            "tag-ordering",
            "null-encodings",
            "header-multimaps",
            "unsupported-versions",
            "framing",
            "resource-limits",
            "messages",
        )
    }
)

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if error.reason is Reason.TRUNCATED:
            raise IndexError("index out of range") from error
        raise
