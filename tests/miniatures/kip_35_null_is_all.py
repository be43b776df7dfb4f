"""Takes a null array of node ids for an empty one, as Metadata's null array of topics is taken for all."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("null-encodings", "fail", "accepted-invalid")})

dialects = ("kip-35-v7",)
types = only("BrokerMetadataRequest", dialect="kip-35-v7")

_NULL = b"\xff" * 4


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _decode(type, bytes(4) if data == _NULL else data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, {**value, "NodeIds": value["NodeIds"] or []}, dialect=dialect, version=version)
