"""The draft's two varints, and lengths.

    uintVar => unsigned LEB128 of 32 bits     (R-82s-8 ‡, others: zigzag; of 64 bits)
    intVar  => zigzag LEB128 of 64 bits       (R-82s-12 ‡, other: of two's complement)

Source: KIP-98's draft, message format; the page uses its varints.
"""

from __future__ import annotations

from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import Reason
from wireproof.reference.primitives import (
    append_unsigned_varint,
    append_varint,
    append_varlong,
    read_unsigned_varint,
    read_varint,
    read_varlong,
)

ZIGZAG, UNSIGNED_64, PLAIN = "zigzag", "unsigned-64", "plain"
MAX_UINT32 = 2**32 - 1


def read_uint_var(reader: Reader, what: str = "uintVar") -> int:
    """Raises DecodeError."""
    if reader.rules.uint_var == UNSIGNED_64:
        return _read_64(reader, what)
    read = read_varint if reader.rules.uint_var == ZIGZAG else read_unsigned_varint
    return read(reader, what)


def append_uint_var(writer: Writer, value: Any) -> None:
    """Raises EncodeError."""
    if writer.rules.uint_var == UNSIGNED_64 and isinstance(value, int) and value > MAX_UINT32:
        _append_64(writer, value)
        return
    append = append_varint if writer.rules.uint_var == ZIGZAG else append_unsigned_varint
    append(writer, value)


def read_int_var(reader: Reader, what: str = "intVar") -> int:
    """Raises DecodeError."""
    if reader.rules.int_var == PLAIN:
        number = _read_64(reader, what)
        return number - 2**64 if number >= 2**63 else number
    return read_varlong(reader, what)


def append_int_var(writer: Writer, value: Any) -> None:
    """Raises EncodeError."""
    if writer.rules.int_var == PLAIN and isinstance(value, int) and -(2**63) <= value < 2**63:
        _append_64(writer, value % 2**64)
    else:
        append_varlong(writer, value)


def _read_64(reader: Reader, what: str) -> int:
    """Unsigned LEB128 of 64 bits: the bytes that zigzag has for another number."""
    number = read_varlong(reader, what)
    return -2 * number - 1 if number < 0 else 2 * number


def _append_64(writer: Writer, value: int) -> None:
    append_varlong(writer, -(value + 1) // 2 if value % 2 else value // 2)


def read_length(reader: Reader, what: str) -> int:
    """A length as a uintVar, compared with the bytes left. Raises DecodeError."""
    start = reader.pos
    length = read_uint_var(reader, what)
    if length < 0:  # only where a uintVar is zigzag
        raise reader.error(Reason.NEGATIVE_LENGTH, f"{what} {length} is negative", start)
    if length > reader.remaining:
        raise reader.error(Reason.TRUNCATED, f"{what} {length}, but {reader.remaining} bytes are left", start)
    return length
