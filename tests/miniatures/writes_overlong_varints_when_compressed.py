"""Writes the length of a compressed record in one byte more than it needs."""

from __future__ import annotations

import gzip
import struct
from typing import Any

from crc32c import crc32c

from miniatures import Produces, only
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    (area, "fail", "wrong-bytes") for area in ("framing", "resource-limits", "header-multimaps", "null-encodings")
)

types = only("RecordBatch")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    if value["attributes"] & 7 != 1 or not value["records"]:
        return data
    plain = gzip.decompress(data[61:])
    end = next(at for at, byte in enumerate(plain) if byte < 128)
    packed = gzip.compress(plain[:end] + bytes([plain[end] | 128, 0]) + plain[end + 1 :], mtime=0)
    covered = data[21:61] + packed
    return data[:8] + struct.pack(">i", 9 + len(covered)) + data[12:17] + struct.pack(">I", crc32c(covered)) + covered
