"""The draft's two varints, and lengths.

    uintVar => unsigned LEB128 of 32 bits     (R-82s-8 ‡, others: zigzag; of 64 bits)
    intVar  => zigzag LEB128 of 64 bits

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

ZIGZAG, UNSIGNED_64 = "zigzag", "unsigned-64"
MAX_UINT32 = 2**32 - 1


def read_uint_var(reader: Reader, what: str = "uintVar") -> int:
    """Raises DecodeError."""
    if reader.rules.uint_var == UNSIGNED_64:
        number = read_varlong(reader, what)  # the same bytes as zigzag
        return -2 * number - 1 if number < 0 else 2 * number
    read = read_varint if reader.rules.uint_var == ZIGZAG else read_unsigned_varint
    return read(reader, what)


def append_uint_var(writer: Writer, value: Any) -> None:
    """Raises EncodeError."""
    if writer.rules.uint_var == UNSIGNED_64 and isinstance(value, int) and value > MAX_UINT32:
        append_varlong(writer, -(value + 1) // 2 if value % 2 else value // 2)
        return
    append = append_varint if writer.rules.uint_var == ZIGZAG else append_unsigned_varint
    append(writer, value)


def read_int_var(reader: Reader, what: str = "intVar") -> int:
    """Raises DecodeError."""
    return read_varlong(reader, what)


append_int_var = append_varlong


def read_length(reader: Reader, what: str) -> int:
    """A length as a uintVar, compared with the bytes left. Raises DecodeError."""
    start = reader.pos
    length = read_uint_var(reader, what)
    if length < 0:  # only where a uintVar is zigzag
        raise reader.error(Reason.NEGATIVE_LENGTH, f"{what} {length} is negative", start)
    if length > reader.remaining:
        raise reader.error(Reason.TRUNCATED, f"{what} {length}, but {reader.remaining} bytes are left", start)
    return length
