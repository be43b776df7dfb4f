"""Holds tags in a signed 16-bit integer: 65535 is −1, and comes first."""

from __future__ import annotations

from typing import Any
from unittest import mock

from miniatures import Produces, only
from wireproof.reference import configure as configure
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import optional_fields, rejects
from wireproof.reference.primitives import read_int16

PRODUCES: Produces = frozenset(
    ("tag-ordering", "fail", kind) for kind in ("refused-valid", "accepted-invalid", "wrong-bytes")
)

dialects = ("kip-482-v1",)
types = only("OPTIONAL_FIELDS", dialect="kip-482-v1")
__all__ = ["configure", "decode", "dialects", "encode", "rejects", "types"]


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    with mock.patch.object(optional_fields, "read_uint16", read_int16):
        return _decode(type, data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    """Java's `short` and a sorted map: what is beyond 32767 wraps around."""
    _encode(type, value, dialect=dialect, version=version)
    wrapped = sorted(((tag + 2**15) % 2**16 - 2**15, data) for tag, data in value)
    entries = [_encode(type, [(tag % 2**16, data)], dialect=dialect, version=version)[:-1] for tag, data in wrapped]
    return b"".join(entries) + b"\0"
