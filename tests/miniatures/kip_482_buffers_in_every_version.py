"""Writes an empty buffer before the bodies of versions that have none."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import configure as configure
from wireproof.reference import encode as _encode
from wireproof.reference import rejects

PRODUCES: Produces = frozenset(
    {("null-encodings", "fail", "wrong-bytes"), ("unsupported-versions", "fail", "wrong-bytes")}
)

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")
__all__ = ["configure", "dialects", "encode", "rejects", "types"]


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    without = (type.startswith("Foo") and version != 9) or (type == "LookupRequest" and version == 0)
    return b"\0" + data if without else data
