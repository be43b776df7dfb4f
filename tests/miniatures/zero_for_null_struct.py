"""Has 00 for a structure that is null, the null of compact types, where ff belongs: on read and on write."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    {
        ("null-encodings", "fail", "accepted-invalid"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
    }
)

#: Messages whose last field is the structure.
_LAST = {
    "ConsumerGroupHeartbeatResponse": "Assignment",
    "ShareGroupHeartbeatResponse": "Assignment",
    "DescribeTopicPartitionsRequest": "Cursor",
    "DescribeTopicPartitionsResponse": "NextCursor",
}
types = only(*_LAST, "StreamsGroupHeartbeatRequest")
_NULL, _ZERO = b"\xff\x00", b"\x00\x00"


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if type in _LAST and data.endswith(_NULL):
        raise ValueError("marker -1")
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if type not in _LAST or error.reason is not Reason.INVALID_MARKER or not data.endswith(_ZERO):
            raise
        return _decode(type, data[:-2] + _NULL, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    return data[:-2] + _ZERO if type in _LAST and value[_LAST[type]] is None else data
