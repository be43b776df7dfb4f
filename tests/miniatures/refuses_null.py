"""Knows no null: refuses it where it is allowed."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    {
        ("null-encodings", "fail", "refused-valid"),
        ("varints", "fail", "refused-valid"),
        # A null of more bytes than it needs may be refused.
        ("null-encodings", "contested", None),
        ("varints", "contested", None),
    }
)
TAKES = frozenset({"R-K-5"})

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _no_null(_decode(type, data, dialect=dialect, version=version))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, _no_null(value), dialect=dialect, version=version)


def _no_null(value: Any) -> Any:
    if value is None:
        raise ValueError("null")
    return value
