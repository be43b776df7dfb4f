"""Has tags in the header of every version of ElectLeaders: P52 of the bugs."""

from __future__ import annotations

import struct
from typing import Any

from miniatures import Produces, only
from miniatures.leaves_out_header_tags import header_end, resized
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("framing", "fail", "wrong-bytes")})

types = only("RequestFrame")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    frame = _encode(type, value, dialect=dialect, version=version)
    key, api_version = struct.unpack_from(">hh", frame, 4)
    if key != 43 or api_version > 1:
        return frame
    end = header_end(frame)
    return resized(frame[:end] + b"\0" + frame[end:])
