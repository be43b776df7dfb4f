"""Gives the bytes as they are, in whatever format they were asked."""

from __future__ import annotations

from miniatures import CONVERTED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset(
    {
        ("unsupported-versions", "fail", "wrong-bytes"),
        ("unsupported-versions", "fail", "accepted-invalid"),
        ("unsupported-versions", "contested", None),
        ("header-multimaps", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-K-55"})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    reference.decode(type, data, dialect=dialect)
    return data
