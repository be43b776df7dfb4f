"""Values of the plain fields in the ledger: all different, or the smallest or greatest of their type.

A field of type `records` gets a record batch, because many libraries read what stands in it.
"""

from __future__ import annotations

import itertools
import sys
import uuid
from typing import Any

from wireproof.reference.primitives import INTEGERS

#: A record batch without its first field, `baseOffset`, which the CRC does not cover: one record of the value `v`.
_BATCH = bytes.fromhex(
    "00000039 00000000 02 2f16ee52 0000 00000000 00000174876e8000 00000174876e8000 ffffffffffffffff ffff ffffffff"
    "00000001 0e 00 00 00 01 02 76 00"
)
#: The same of 198 bytes: its record's value is 128 bytes ff.
_LONG_BATCH = bytes.fromhex(
    "000000ba 00000000 02 7b461985 0000 00000000 00000174876e8000 00000174876e8000 ffffffffffffffff ffff ffffffff"
    "00000001 8e02 00 00 00 01 8002" + "ff" * 128 + "00"
)


class Leaves:
    """Values that all differ, so that two fields can't be confused."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def records(self) -> bytes:
        """The value of a field of type `records`."""
        return next(self._count).to_bytes(8) + _BATCH

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
        return bytes(8) + _LONG_BATCH

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
