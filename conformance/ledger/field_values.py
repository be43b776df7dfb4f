"""Values of the plain fields in the ledger: all different, or the smallest or greatest of their type.

A field of type `records` gets a record batch, because many libraries read what stands in it.
"""

from __future__ import annotations

import itertools
import struct
import sys
import uuid
from typing import Any

from crc32c import crc32c

from wireproof.reference.primitives import INTEGERS

#: Of a batch, from its attributes to its count of records: no codec, one record, written in 2020.
_BATCH = bytes.fromhex("0000 00000000 00000174876e8000 00000174876e8000 ffffffffffffffff ffff ffffffff 00000001")


def batch(value: bytes) -> bytes:
    """A record batch of one record with this value, of less than 8,000 bytes, as a producer sends it: base offset 0 and
    leader epoch −1, which a broker sets."""
    record = b"\0\0\0\x01" + _zigzag(len(value)) + value + b"\0"
    covered = _BATCH + _zigzag(len(record)) + record
    return struct.pack(">qiibI", 0, 9 + len(covered), -1, 2, crc32c(covered)) + covered


def _zigzag(length: int) -> bytes:
    """A length as a varint of one or two bytes."""
    return bytes([2 * length]) if length < 64 else bytes([2 * length & 127 | 128, length >> 6])


class Leaves:
    """Values that all differ, so that two fields can't be confused."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def records(self) -> bytes:
        """The value of a field of type `records`."""
        return batch(f"record-{next(self._count)}".encode())

    def of(self, name: str) -> Any:
        number = next(self._count)
        match name:
            case "BOOLEAN":
                return True
            case "FLOAT64":
                return number + 0.5
            case "UUID":
                return uuid.UUID(int=number << 64 | number)
            case "INT8":
                return number % 127 + 1
        if name.endswith("STRING"):
            return f"text-{number}"
        if name.endswith("BYTES"):
            return f"bytes-{number}".encode()
        return 0x0101 * (number % 120 + 1) if name in ("INT16", "UINT16") else 0x01010101 + number


class Lowest(Leaves):
    """The least value of each type; text, bytes and records are empty."""

    def records(self) -> bytes:
        return b""

    def of(self, name: str) -> Any:
        match name:
            case "BOOLEAN":
                return False
            case "FLOAT64":
                return -sys.float_info.max
            case "UUID":
                return uuid.UUID(int=0)
        if name.endswith("STRING"):
            return ""
        return b"" if name.endswith("BYTES") else INTEGERS[name][0]


class Greatest(Leaves):
    """The greatest value of each type; the first text and the first bytes are 128 long: two bytes of compact length.
    Records are longer."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = itertools.chain(["é" * 64], itertools.repeat("é"))
        self._bytes = itertools.chain([b"\xff" * 128], itertools.repeat(b"\xff"))

    def records(self) -> bytes:
        return batch(b"\xff" * 128)

    def of(self, name: str) -> Any:
        match name:
            case "BOOLEAN":
                return True
            case "FLOAT64":
                return sys.float_info.max
            case "UUID":
                return uuid.UUID(int=2**128 - 1)
        if name.endswith("STRING"):
            return next(self._texts)
        return next(self._bytes) if name.endswith("BYTES") else INTEGERS[name][1]
