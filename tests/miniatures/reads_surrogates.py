"""Reads surrogates in UTF-8, alone and in pairs, as a reader of Java's modified UTF-8 does."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("null-encodings", "fail", "accepted-invalid")})

types = only("STRING", "COMPACT_STRING")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if error.reason is not Reason.INVALID_UTF8:
            raise
        text = data[2:] if type == "STRING" else data[1:]
        try:
            return (
                text.decode("utf-8", "surrogatepass")
                .encode("utf-16", "surrogatepass")
                .decode("utf-16", "surrogatepass")
            )
        except UnicodeDecodeError:
            raise error from None
