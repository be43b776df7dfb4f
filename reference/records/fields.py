"""What the record formats share: paths, bytes that may be null, and checks of the values that are written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import EncodeError, Reason, shown
from wireproof.reference.primitives import Appender, IntegerReader


def check_keys(value: Any, known: Collection[str], path: str) -> None:
    """Refuse a value that is no mapping, and unknown keys."""
    if value is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, "there is no null here", path)
    if not isinstance(value, Mapping):
        raise EncodeError(Reason.OUT_OF_RANGE, f"a mapping is expected, not a {type(value).__name__}", path)
    for key in value:
        if key not in known:
            raise EncodeError(Reason.UNKNOWN_FIELD, f"there is no field {shown(key)} here", path)


def sequence(value: Any, path: str) -> Sequence[Any]:
    """`value` as a list."""
    if value is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, "there is no null here", path)
    if not isinstance(value, (list, tuple)):
        raise EncodeError(Reason.OUT_OF_RANGE, f"a list is expected, not a {type(value).__name__}", path)
    return value


def header_of(value: Any, path: str) -> tuple[Any, Any]:
    """A header's key and value, of any types."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise EncodeError(Reason.OUT_OF_RANGE, "a header is a pair of a key and a value", path)
    return value[0], value[1]


def key_bytes(key: Any, path: str, errors: str = "strict") -> bytes:
    """A header's key as UTF-8; it may be empty. `errors`: how lone surrogates are encoded."""
    if key is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, "a header's key has no null", path)
    if not isinstance(key, str):
        raise EncodeError(Reason.OUT_OF_RANGE, f"a header's key is text, not a {type(key).__name__}", path)
    try:
        return key.encode(errors=errors)
    except UnicodeEncodeError as error:
        detail = f"character {error.start} is a lone surrogate, which UTF-8 cannot hold"
        raise EncodeError(Reason.INVALID_UTF8, detail, path) from None


def bytes_of(value: Any, path: str) -> bytes:
    """`value` as bytes."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise EncodeError(Reason.OUT_OF_RANGE, f"bytes are expected, not a {type(value).__name__}", path)
    return bytes(value)


def attributes_appender(append: Appender, known: int) -> Appender:
    """A function that appends attributes of which the bits in `known` mean something (R-K-12c ‡, other: the others are
    written as 0)."""

    def append_attributes(writer: Writer, value: Any) -> None:
        begin = len(writer.out)
        append(writer, value)
        if writer.rules.unused_bits == "cleared":
            written = writer.out[begin:]
            writer.out[begin:] = (int.from_bytes(written) & known).to_bytes(len(written))

    return append_attributes


def check_crc(window: Reader, at: int, stored: int, computed: int, kind: str = "CRC-32") -> None:
    """Refuse bytes whose stored CRC, at the offset `at`, is wrong."""
    if stored != computed:
        raise window.error(Reason.CRC_MISMATCH, f"{kind} {stored:08x}; that of the bytes is {computed:08x}", at)


def read_length(reader: Reader, read: IntegerReader) -> int | None:
    """A length, at most the bytes left; −1 is null. Below −1 it is refused (R-K-12 ‡, other: null)."""
    start = reader.pos
    length = read(reader, "length")
    if length < 0:
        if length == -1 or reader.rules.record_length == "null":
            return None
        raise reader.error(Reason.NEGATIVE_LENGTH, f"length {length}; −1 is null, nothing is below it", start)
    if length > reader.end - reader.pos:
        raise reader.error(Reason.TRUNCATED, f"length {length}, but {reader.remaining} bytes are left", start)
    return length


def read_bytes(reader: Reader, read: IntegerReader) -> bytes | None:
    """A length, read by `read`, and as many bytes. Raises DecodeError."""
    length = read_length(reader, read)
    if length is None:
        return None
    start = reader.pos
    data = reader.take(length, start, "data")
    if reader.spans is not None and data:
        reader.note(start, "bytes", data)
    return data


def append_bytes(writer: Writer, value: Any, path: str, append: Appender) -> None:
    """Append the length, by `append`, and the bytes; None has the length −1. Raises EncodeError."""
    writer.path = path
    if value is None:
        append(writer, -1)
        return
    data = bytes_of(value, path)
    append(writer, len(data))
    writer.out += data
