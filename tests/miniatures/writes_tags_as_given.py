"""Writes the tags of a TAG_BUFFER in the order in which they are given, and twice when they are given twice."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    {
        ("tag-ordering", "fail", "wrong-bytes"),
        ("tag-ordering", "fail", "accepted-invalid"),
    }
)

types = everything()


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    if type != "TAG_BUFFER":
        return _encode(type, value, dialect=dialect, version=version)
    tags = [_uvarint(tag) + _uvarint(len(data)) + data for tag, data in value]
    return _uvarint(len(tags)) + b"".join(tags)


def _uvarint(number: int) -> bytes:
    return _encode("UNSIGNED_VARINT", number, dialect="kafka")
