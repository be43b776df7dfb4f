"""Has tags in the headers of ApiVersions alone, reading and writing: P53 and P54 of the bugs."""

from __future__ import annotations

import struct
from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("messages", "fail", "refused-valid"),
        ("messages", "fail", "accepted-invalid"),
    }
)

types = only("RequestFrame", "ResponseFrame:DeleteRecords", "ResponseFrame:Heartbeat")

#: The first flexible versions of the apis of these vectors, but ApiVersions.
FLEXIBLE = {3: 9, 12: 4, 21: 2, 36: 2, 43: 2}


def resized(frame: bytes) -> bytes:
    return (len(frame) - 4).to_bytes(4) + frame[4:]


def header_end(frame: bytes) -> int:
    """The offset behind the client id."""
    return 14 + max(int.from_bytes(frame[12:14], signed=True), 0)


def is_flexible(frame: bytes) -> bool:
    key, version = struct.unpack_from(">hh", frame, 4)
    return bool(version >= FLEXIBLE.get(key, 32767))


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if type != "RequestFrame":
        flexible = version is not None and version >= FLEXIBLE[21 if type.endswith("DeleteRecords") else 12]
        data = resized(data[:8] + b"\0" + data[8:]) if flexible and len(data) > 8 else data
    elif len(data) >= 14 and is_flexible(data):
        end = header_end(data)
        data = resized(data[:end] + b"\0" + data[end:])
    return _decode(type, data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    frame = _encode(type, value, dialect=dialect, version=version)
    if type == "RequestFrame" and is_flexible(frame):
        end = header_end(frame)
        return resized(frame[:end] + frame[end + 1 :])
    return frame
