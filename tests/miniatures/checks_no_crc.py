"""Reads batches and messages whatever their CRC is."""

from __future__ import annotations

import zlib
from typing import Any

from crc32c import crc32c

from miniatures import RECORDS, Produces
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "accepted-invalid")})

types = RECORDS


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    right = data if type == "Record" else _with_right_crcs(data)
    return _decode(type, right, dialect=dialect, version=version)


def _with_right_crcs(data: bytes) -> bytes:
    out = bytearray(data)
    at = 0
    while len(data) - at > 21:
        end = at + 12 + int.from_bytes(data[at + 8 : at + 12], "big", signed=True)
        if not at + 21 < end <= len(data):
            break
        if data[at + 16] == 2:
            out[at + 17 : at + 21] = crc32c(data[at + 21 : end]).to_bytes(4, "big")
        else:
            out[at + 12 : at + 16] = zlib.crc32(data[at + 16 : end]).to_bytes(4, "big")
        at = end
    return bytes(out)
