"""Reads −0.0 as 0.0, as they are equal."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "wrong-value"),
        ("messages", "fail", "wrong-value"),
        ("framing", "fail", "wrong-bytes"),
        ("messages", "fail", "wrong-bytes"),
    }
)

types = only("FLOAT64", "AlterClientQuotasRequest", "DescribeClientQuotasResponse")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _positive(_decode(type, data, dialect=dialect, version=version))


def _positive(value: Any) -> Any:
    match value:
        case dict():
            return {name: _positive(item) for name, item in value.items()}
        case list():
            return [_positive(item) for item in value]
        case float():
            return value + 0.0
    return value
