"""Has the throttle time of Produce responses in front, where other responses have it, until they become flexible."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    (area, "fail", kind) for area in ("messages", "null-encodings") for kind in ("refused-valid", "wrong-bytes")
)

types = only("ProduceResponse", "HeartbeatResponse", "ApiVersionsResponse")
_FLEXIBLE = 9


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if _concerned(type, version):
        data = data[4:] + data[:4]
    return _decode(type, data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    return data[-4:] + data[:-4] if _concerned(type, version) else data


def _concerned(type: str, version: int | None) -> bool:
    return type == "ProduceResponse" and version is not None and version < _FLEXIBLE
