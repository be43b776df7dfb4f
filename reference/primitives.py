"""The primitive types: each has a read_x and an append_x, under its line of the specification.

Integers are big-endian two's complement. Source: the Kafka protocol guide, "Protocol Primitive Types"; KIP-482 for the
compact types and unsigned varints. Each reader reads from a Reader and raises DecodeError; each writer appends to a
Writer and raises EncodeError.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import EncodeError, Reason, shown
from wireproof.reference.rules import Rules

#: The longest string, in bytes of UTF-8, also where its length prefix could hold more (R-K-29).
MAX_STRING = 2**15 - 1
MAX_INT32 = 2**31 - 1
NULL_UUID = uuid.UUID(int=0)

#: The least and the greatest number of each integer type.
INTEGERS: Mapping[str, tuple[int, int]] = {
    "INT8": (-(2**7), 2**7 - 1),
    "INT16": (-(2**15), 2**15 - 1),
    "INT32": (-(2**31), 2**31 - 1),
    "INT64": (-(2**63), 2**63 - 1),
    "UINT16": (0, 2**16 - 1),
    "UINT32": (0, 2**32 - 1),
    "UNSIGNED_VARINT": (0, 2**32 - 1),
    "VARINT": (-(2**31), 2**31 - 1),
    "VARLONG": (-(2**63), 2**63 - 1),
}

Appender = Callable[[Writer, Any], None]


def _refuse(writer: Writer, reason: Reason, detail: str) -> EncodeError:
    return EncodeError(reason, detail, writer.path)


# --- Fixed widths -----------------------------------------------------------------------------------------------------


class IntegerReader(Protocol):
    """Reads a fixed-width integer; `what` is its name in errors when it is a length or a count."""

    def __call__(self, reader: Reader, what: str = ...) -> int: ...


def _fixed(name: str, layout: struct.Struct) -> Callable[..., Any]:
    width, unpack_from = layout.size, layout.unpack_from

    def read(reader: Reader, what: str = name) -> Any:
        start = reader.pos
        end = start + width
        if end > reader.end:
            raise reader.truncated(width, start, what)
        (value,) = unpack_from(reader.data, start)
        reader.pos = end
        if reader.spans is not None:
            reader.note(start, what, value)
        return value

    return read


def _fixed_integer(name: str, code: str, low: int, high: int) -> tuple[IntegerReader, Appender]:
    layout = struct.Struct(code)

    def append(writer: Writer, value: Any) -> None:
        writer.out += layout.pack(integer(writer, value, name, low, high))

    return _fixed(name, layout), append


def integer(writer: Writer, value: Any, what: str, low: int, high: int) -> int:
    """`value`, when it is an integer from low to high."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _mistyped(writer, value, what, "an integer")
    if not low <= value <= high:
        raise _refuse(writer, Reason.OUT_OF_RANGE, f"{shown(value)} is outside {what}'s range, {low} to {high}")
    return value


def _mistyped(writer: Writer, value: Any, what: str, wanted: str) -> EncodeError:
    if value is None:
        return _refuse(writer, Reason.NULL_NOT_ALLOWED, f"{what} has no null")
    return _refuse(writer, Reason.OUT_OF_RANGE, f"{what} takes {wanted}, not a {type(value).__name__}")


# INT8, INT16, INT32, INT64, UINT16, UINT32: 1, 2, 4, 8, 2, 4 bytes.
read_int8, append_int8 = _fixed_integer("INT8", ">b", *INTEGERS["INT8"])
read_int16, append_int16 = _fixed_integer("INT16", ">h", *INTEGERS["INT16"])
read_int32, append_int32 = _fixed_integer("INT32", ">i", *INTEGERS["INT32"])
read_int64, append_int64 = _fixed_integer("INT64", ">q", *INTEGERS["INT64"])
read_uint16, append_uint16 = _fixed_integer("UINT16", ">H", *INTEGERS["UINT16"])
read_uint32, append_uint32 = _fixed_integer("UINT32", ">I", *INTEGERS["UINT32"])


# BOOLEAN: 1 byte; 0 is false, anything else true; written 0 or 1.
read_boolean = _fixed("BOOLEAN", struct.Struct("?"))  # Struct("?") reads any byte but 0 as true


def append_boolean(writer: Writer, value: Any) -> None:
    if not isinstance(value, bool):
        raise _mistyped(writer, value, "BOOLEAN", "true or false")
    writer.out.append(value)


# FLOAT64: 8 bytes, IEEE 754 double.
_DOUBLE = struct.Struct(">d")

read_float64 = _fixed("FLOAT64", _DOUBLE)


def append_float64(writer: Writer, value: Any) -> None:
    if not isinstance(value, float):
        raise _mistyped(writer, value, "FLOAT64", "a float")
    writer.out += _DOUBLE.pack(value)


# UUID: 16 bytes, most significant first; it has no null (the zero UUID stands for none).
def read_uuid(reader: Reader) -> uuid.UUID:
    start = reader.pos
    value = uuid.UUID(bytes=reader.take(16, start, "UUID"))
    reader.note(start, "UUID", value)
    return value


def append_uuid(writer: Writer, value: Any) -> None:
    if not isinstance(value, uuid.UUID):
        raise _mistyped(writer, value, "UUID", "a UUID")
    writer.out += value.bytes


# --- Varints ----------------------------------------------------------------------------------------------------------
# LEB128: seven bits a byte, least significant first; the top bit says that another byte follows.


def _read_leb128(reader: Reader, width: int, what: str) -> int:
    """An unsigned LEB128 integer of `width` bits: at most 5 bytes for 32, 10 for 64. Those of one byte, which most are,
    its callers read."""
    start = reader.pos
    longest = -(-width // 7)
    number = 0
    for index in range(longest):
        byte = reader.take(1, start, what)[0]
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            break
    else:
        raise reader.error(Reason.VARINT_OVERFLOW, f"byte {longest} of {what} says that another follows", start)
    if number >> width:
        if reader.rules.high_bits == "refused":
            detail = f"the last byte of {what}, 0x{byte:02x}, has bits above bit {width - 1}"
            raise reader.error(Reason.VARINT_OVERFLOW, detail, start)
        number &= (1 << width) - 1
    if byte == 0 and reader.rules.overlong_varints == "refused":
        raise reader.error(Reason.VARINT_OVERFLOW, f"{what} of {index + 1} bytes would fit in fewer", start)
    return number


def _append_leb128(writer: Writer, number: int) -> None:
    while number > 0x7F:
        writer.out.append(number & 0x7F | 0x80)
        number >>= 7
    writer.out.append(number)


# UNSIGNED_VARINT: unsigned LEB128 of 32 bits.
def read_unsigned_varint(reader: Reader, what: str = "UNSIGNED_VARINT") -> int:
    start = reader.pos
    if start < reader.end and reader.data[start] < 0x80:
        number = reader.data[start]
        reader.pos = start + 1
    else:
        number = _read_leb128(reader, 32, what)
    if reader.spans is not None:
        reader.note(start, what, number)
    return number


def append_unsigned_varint(writer: Writer, value: Any) -> None:
    _append_leb128(writer, integer(writer, value, "UNSIGNED_VARINT", *INTEGERS["UNSIGNED_VARINT"]))


# VARINT, VARLONG: LEB128 of the zigzag form, (n << 1) ^ (n >> 31 or 63): 0, −1, 1, −2 … are 0, 1, 2, 3 …
def _zigzag(name: str, width: int) -> tuple[IntegerReader, Appender]:
    def read(reader: Reader, what: str = name) -> int:
        start = reader.pos
        if start < reader.end and reader.data[start] < 0x80:
            zigzag = reader.data[start]
            reader.pos = start + 1
        else:
            zigzag = _read_leb128(reader, width, what)
        number = (zigzag >> 1) ^ -(zigzag & 1)
        if reader.spans is not None:
            reader.note(start, what, number)
        return number

    def append(writer: Writer, value: Any) -> None:
        number = integer(writer, value, name, -(1 << width - 1), (1 << width - 1) - 1)
        _append_leb128(writer, (number << 1) ^ (number >> width - 1))

    return read, append


read_varint, append_varint = _zigzag("VARINT", 32)
read_varlong, append_varlong = _zigzag("VARLONG", 64)


# --- Lengths and counts -----------------------------------------------------------------------------------------------


def read_window(reader: Reader, read_prefix: IntegerReader, what: str) -> Reader:
    """Reads a size, and returns a reader of that many bytes; `what` is the size's name. Raises DecodeError, at the
    size, when it is below 0 or beyond the bytes left."""
    start = reader.pos
    size = read_prefix(reader, what)
    if size < 0:
        raise reader.error(Reason.NEGATIVE_LENGTH, f"{what} {size} is negative", start)
    if size > reader.remaining:
        raise reader.error(Reason.TRUNCATED, f"{what} {size}, but {reader.remaining} bytes are left", start)
    return reader.window(size)


def read_classic_length(reader: Reader, read_prefix: IntegerReader, what: str, nullable: bool) -> int | None:
    """A length or count as a signed integer; −1 is null. At most the number of bytes left is accepted.

    A length below −1 is refused (R-K-15 ‡, other: null).
    """
    start = reader.pos
    length = read_prefix(reader, what)
    if length < 0:
        if nullable and (length == -1 or reader.rules.negative_length == "null"):
            return None
        if length == -1:
            raise reader.error(Reason.NULL_NOT_ALLOWED, f"{what} −1 means null, which is not allowed here", start)
        raise reader.error(Reason.NEGATIVE_LENGTH, f"{what} {length} is negative", start)
    if length > reader.end - reader.pos:
        raise reader.error(Reason.TRUNCATED, f"{what} {length}, but {reader.remaining} bytes are left", start)
    return length


#: What the prefix of a compact length or count is called.
_PREFIXES = {what: f"{what} + 1" for what in ("length", "count")}


def read_compact_length(reader: Reader, what: str, nullable: bool) -> int | None:
    """A length or count, stored as an unsigned varint plus one; 0 is null. At most the number of bytes left is
    accepted."""
    start = reader.pos
    prefix = read_unsigned_varint(reader, _PREFIXES[what])
    if not prefix:
        if not nullable:
            raise reader.error(Reason.NULL_NOT_ALLOWED, f"{what} prefix 0 means null, which is not allowed here", start)
        return None
    if prefix > reader.end - reader.pos + 1:
        if prefix > MAX_INT32 + 1 and reader.rules.compact_length == "signed":
            # R-K-15b: held in a signed 32-bit integer this length is negative.
            if nullable:
                return None
            raise reader.error(Reason.NEGATIVE_LENGTH, f"{what} {prefix - 1 - 2**32} is negative", start)
        raise reader.error(Reason.TRUNCATED, f"{what} {prefix - 1}, but {reader.remaining} bytes are left", start)
    return prefix - 1


def append_compact_length(writer: Writer, length: int | None, what: str) -> None:
    if length is not None and length > 2**32 - 2:
        raise _refuse(writer, Reason.OUT_OF_RANGE, f"{what} {length} is more than a compact prefix can say")
    _append_leb128(writer, 0 if length is None else length + 1)


# --- Text and bytes ---------------------------------------------------------------------------------------------------


#: Reading of R-K-11 → the error handler of Python's UTF-8 codec.
_READ_TEXT = {"refused": "strict", "replaced": "replace", "kept": "surrogateescape"}


def write_text_errors(rules: Rules) -> str:
    """The error handler for writing: kept bytes are written as they were read; otherwise lone surrogates are
    refused."""
    return "surrogateescape" if rules.invalid_text == "kept" else "strict"


def read_text(reader: Reader, length: int, prefix_start: int) -> str:
    """`length` bytes of UTF-8. An error has the prefix's offset (R-K-11 ‡, other: U+FFFD; kept: surrogates)."""
    start = reader.pos
    raw = reader.take(length, start, "text")
    try:
        text = str(raw, "utf-8", _READ_TEXT[reader.rules.invalid_text])
    except UnicodeDecodeError as error:
        detail = f"the text is not UTF-8: {error.reason} at its byte {error.start}"
        raise reader.error(Reason.INVALID_UTF8, detail, prefix_start) from None
    if length and reader.spans is not None:
        reader.note(start, "text", text)
    return text


def _read_string(reader: Reader, length: int, prefix_start: int) -> str:
    """Text of a STRING. The prefix is at fault when it is too long, as only a compact one can be (R-K-29 ‡, other:
    read)."""
    if length > MAX_STRING and reader.rules.long_text == "refused":
        raise reader.error(Reason.STRING_TOO_LONG, f"{length} bytes; a string has at most {MAX_STRING}", prefix_start)
    return read_text(reader, length, prefix_start)


def _text_bytes(writer: Writer, value: Any, what: str, *, compact: bool) -> bytes:
    if not isinstance(value, str):
        raise _mistyped(writer, value, what, "text")
    try:
        raw = value.encode(errors=write_text_errors(writer.rules))
    except UnicodeEncodeError as error:
        detail = f"character {error.start} is a lone surrogate, which UTF-8 cannot hold"
        raise _refuse(writer, Reason.INVALID_UTF8, detail) from None
    if len(raw) > MAX_STRING and not (compact and writer.rules.long_text == "read"):
        raise _refuse(writer, Reason.STRING_TOO_LONG, f"{len(raw)} bytes; a string has at most {MAX_STRING}")
    return raw


def _read_raw(reader: Reader, length: int) -> bytes:
    start = reader.pos
    raw = reader.take(length, start, "bytes")
    if length and reader.spans is not None:
        reader.note(start, "bytes", raw)
    return raw


def _raw_bytes(writer: Writer, value: Any, what: str) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise _mistyped(writer, value, what, "bytes")
    raw = bytes(value)
    if len(raw) > MAX_INT32:
        raise _refuse(writer, Reason.OUT_OF_RANGE, f"{len(raw)} bytes; at most {MAX_INT32} can be written")
    return raw


@dataclass(frozen=True, slots=True)
class Primitive:
    """A primitive type: its name, its two functions and its default."""

    name: str
    read: Callable[[Reader], Any]
    append: Appender
    default: Any


def _length_prefixed(name: str, *, text: bool, compact: bool, nullable: bool) -> Primitive:
    """[COMPACT_][NULLABLE_]STRING or BYTES."""
    read_prefix, append_prefix = (read_int16, append_int16) if text else (read_int32, append_int32)

    def read(reader: Reader) -> str | bytes | None:
        start = reader.pos
        if compact:
            length = read_compact_length(reader, "length", nullable)
        else:
            length = read_classic_length(reader, read_prefix, "length", nullable)
        if length is None:
            return None
        return _read_string(reader, length, start) if text else _read_raw(reader, length)

    def append(writer: Writer, value: Any) -> None:
        if value is None and nullable:
            raw, length = b"", None
        else:
            raw = _text_bytes(writer, value, name, compact=compact) if text else _raw_bytes(writer, value, name)
            length = len(raw)
        if compact:
            append_compact_length(writer, length, "length")
        else:
            append_prefix(writer, -1 if length is None else length)
        writer.out += raw

    return Primitive(name, read, append, "" if text else b"")


# STRING => N:INT16 N bytes of UTF-8;  NULLABLE_STRING: N −1 is null
# COMPACT_STRING => N+1:UNSIGNED_VARINT N bytes;  COMPACT_NULLABLE_STRING: 0 is null
# BYTES => N:INT32 N bytes;  NULLABLE_BYTES: N −1 is null;  COMPACT_BYTES, COMPACT_NULLABLE_BYTES likewise
_LENGTH_PREFIXED = tuple(
    _length_prefixed(
        ("COMPACT_" if compact else "") + ("NULLABLE_" if nullable else "") + ("STRING" if text else "BYTES"),
        text=text,
        compact=compact,
        nullable=nullable,
    )
    for text in (True, False)
    for compact in (False, True)
    for nullable in (False, True)
)

#: All primitive types by name.
PRIMITIVES: Mapping[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        Primitive("BOOLEAN", read_boolean, append_boolean, False),
        Primitive("INT8", read_int8, append_int8, 0),
        Primitive("INT16", read_int16, append_int16, 0),
        Primitive("INT32", read_int32, append_int32, 0),
        Primitive("INT64", read_int64, append_int64, 0),
        Primitive("UINT16", read_uint16, append_uint16, 0),
        Primitive("UINT32", read_uint32, append_uint32, 0),
        Primitive("FLOAT64", read_float64, append_float64, 0.0),
        Primitive("UUID", read_uuid, append_uuid, NULL_UUID),
        Primitive("UNSIGNED_VARINT", read_unsigned_varint, append_unsigned_varint, 0),
        Primitive("VARINT", read_varint, append_varint, 0),
        Primitive("VARLONG", read_varlong, append_varlong, 0),
        *_LENGTH_PREFIXED,
    )
}


def _read_text_or_null(reader: Reader) -> str | None:
    negative = reader.remaining and reader.data[reader.pos] >= 0x80
    if negative and reader.rules.null_text == "null":
        read_int16(reader, "length")
        return None
    text: str = PRIMITIVES["STRING"].read(reader)
    return text


def _append_text_or_null(writer: Writer, value: Any) -> None:
    PRIMITIVES["NULLABLE_STRING" if writer.rules.null_text == "null" else "STRING"].append(writer, value)


#: STRING in drafts that do not speak of null: a negative length is refused (R-35-17 ‡, R-WF-9 ‡, other: null).
TEXT = Primitive("STRING", _read_text_or_null, _append_text_or_null, "")
