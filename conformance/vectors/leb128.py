"""Unsigned LEB128, written here again on purpose: what makes vectors and mutations leans on no codec."""

from __future__ import annotations


def leb128(number: int) -> bytes:
    """An unsigned integer of any size, seven bits a byte, the least significant first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
