"""Writes LZ4 frames whose blocks may be linked, as an LZ4 library does that is told nothing: P25 of the bugs."""

from __future__ import annotations

import struct
from typing import Any

import lz4.frame  # type: ignore[import-untyped]
import xxhash
from crc32c import crc32c

from miniatures import Produces, only
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset((area, "fail", "wrong-bytes") for area in ("framing", "resource-limits"))

types = only("RecordBatch")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    if value["attributes"] & 7 != 3:
        return data
    frame: bytes = lz4.frame.compress(lz4.frame.decompress(data[61:]), store_size=False)
    flags = bytes([frame[4] & ~0x20, frame[5]])  # of a single block the library says that it is independent
    frame = frame[:4] + flags + bytes([xxhash.xxh32(flags).intdigest() >> 8 & 0xFF]) + frame[7:]
    covered = data[21:61] + frame
    return data[:8] + struct.pack(">i", 9 + len(covered)) + data[12:17] + struct.pack(">I", crc32c(covered)) + covered
