"""Asks for no topics where all are meant: writes an empty array for null."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    {
        ("null-encodings", "fail", "wrong-bytes"),
        # Where null is not allowed, an empty array is written too.
        ("null-encodings", "fail", "accepted-invalid"),
        ("messages", "fail", "wrong-bytes"),
    }
)

_REQUESTS = ("MetadataRequest", "OffsetFetchRequest", "DescribeLogDirsRequest")
types = only(*_REQUESTS, "CreatePartitionsRequest")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    if type in _REQUESTS and value.get("Topics", ()) is None:
        value = value | {"Topics": []}
    return _encode(type, value, dialect=dialect, version=version)
