"""Takes the protocol's name for its type, and the type for the name, in JoinGroup responses from version 7 on."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    (area, "fail", kind) for area in ("messages", "unsupported-versions") for kind in ("wrong-value", "wrong-bytes")
)

types = only("JoinGroupRequest", "JoinGroupResponse", "SyncGroupResponse")
_FIRST = 7


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _swapped(type, _decode(type, data, dialect=dialect, version=version), version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, _swapped(type, value, version), dialect=dialect, version=version)


def _swapped(type: str, value: Any, version: int | None) -> Any:
    if type != "JoinGroupResponse" or version is None or version < _FIRST:
        return value
    return value | {"ProtocolType": value["ProtocolName"], "ProtocolName": value["ProtocolType"]}
