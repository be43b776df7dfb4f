"""Messages and their headers.

    Message => Length:uintVar Attributes:INT8 TimestampDelta:intVar OffsetDelta:uintVar
               [KeyLen:uintVar Key] [ValueLen:uintVar Value] *Header
    Header  => Length:uintVar KeyLen:uintVar Key:UTF-8 Value

Bit 0 of the attributes means a null key, bit 1 a null value; then length and data are left out (R-82s-1). A length does
not count its own bytes (R-82s-3). Headers go on to the end of the message, and a header's value to the end of the
header: headers have no count, and values no length (R-82s-4 ‡, R-82s-5). No bit marks the presence of headers
(R-82s-7 ‡). Keys may repeat, and order is kept (R-82s-6 ‡). Source: KIP-82 with string keys, Wire protocol change;
KIP-98's draft, message format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_string_keys.numbers import (
    append_int_var,
    append_uint_var,
    read_int_var,
    read_length,
    read_uint_var,
)
from wireproof.reference.errors import EncodeError, Reason, join
from wireproof.reference.primitives import (
    append_int8,
    append_int32,
    read_int8,
    read_int32,
    read_text,
    write_text_errors,
)
from wireproof.reference.records.fields import bytes_of, check_keys, header_of, key_bytes, sequence
from wireproof.reference.rules import Rules

#: Bits of a message's attributes; the others are kept as they are.
NULL_KEY, NULL_VALUE = 0x01, 0x02
#: Bit 4 marks the presence of headers under R-82s-7's other reading.
HEADERS_FLAG = 0x10

KEYS = ("attributes", "timestampDelta", "offsetDelta", "key", "value", "headers")

Header = tuple[str, bytes]


# --- Headers ----------------------------------------------------------------------------------------------------------


def read_header(reader: Reader, path: str = "") -> Header:
    """One header. Raises DecodeError."""
    reader.path = join(path, "length")
    window = reader.window(read_length(reader, "header length"))
    window.path = join(path, "key")
    start = window.pos
    key = read_text(window, read_length(window, "key length"), start)
    return key, _rest(window, join(path, "value"))


def _rest(window: Reader, path: str) -> bytes:
    """A header's value: the rest of the window."""
    window.path = path
    start = window.pos
    value = window.take(window.remaining, start, "value")
    if value:
        window.note(start, "bytes", value)
    return value


def append_header(writer: Writer, value: Any, path: str = "") -> None:
    """Append one header. Raises EncodeError."""
    name, content = header_of(value, path)
    errors = write_text_errors(writer.rules)
    key, item = key_bytes(name, join(path, "key"), errors), value_bytes(content, join(path, "value"))
    inner = writer.inner()
    inner.path = join(path, "key")
    append_uint_var(inner, len(key))
    inner.out += key
    inner.out += item
    _append_with_length(writer, inner, path)


def value_bytes(value: Any, path: str) -> bytes:
    """A header's value; null has no form (R-82s-5). Raises EncodeError."""
    if value is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, "a header's value has no null: its length is what is left", path)
    return bytes_of(value, path)


def _append_with_length(writer: Writer, inner: Writer, path: str) -> None:
    writer.path = join(path, "length")
    append_uint_var(writer, len(inner.out))
    writer.out += inner.out


def read_headers(reader: Reader, path: str = "") -> list[Header]:
    """Headers up to the end of the window, in wire order; there may be none. Raises DecodeError."""
    headers: list[Header] = []
    if reader.rules.header_count != "none":
        return arranged(_read_counted(reader, path), reader.rules)
    while reader.remaining:
        headers.append(read_header(reader, f"{path}[{len(headers)}]"))
    return arranged(headers, reader.rules)


def _read_counted(reader: Reader, path: str) -> list[Header]:
    """A count and as many headers, as an array (R-82s-4's other readings). Raises DecodeError."""
    reader.path = path
    start = reader.pos
    count = (read_int32 if reader.rules.header_count == "int32" else read_uint_var)(reader, "count")
    if count < 0:
        raise reader.error(Reason.NEGATIVE_LENGTH, f"count {count} is negative", start)
    if count > reader.remaining:
        raise reader.error(Reason.TRUNCATED, f"count {count}, but {reader.remaining} bytes are left", start)
    headers = [read_header(reader, f"{path}[{index}]") for index in range(count)]
    reader.path = path
    reader.demand_end(Reason.LENGTH_MISMATCH, "the headers", start)
    return headers


def append_headers(writer: Writer, value: Any, path: str = "") -> None:
    """Append headers, one after another, without a count. Raises EncodeError."""
    written: list[tuple[str, bytes]] = []
    for index, header in enumerate(sequence(value, path)):
        inner = writer.inner()
        append_header(inner, header, f"{path}[{index}]")
        written.append((header[0], bytes(inner.out)))
    writer.path = path
    if writer.rules.header_count != "none":
        (append_int32 if writer.rules.header_count == "int32" else append_uint_var)(writer, len(written))
    for _, data in arranged(written, writer.rules):
        writer.out += data


def arranged(headers: Sequence[Header], rules: Rules) -> list[Header]:
    """Headers in their order. R-82s-6's other readings keep the order of equal keys alone, as a map of lists does:
    "grouped", by first occurrence, or "sorted", by key."""
    if rules.header_order == "kept":
        return [*headers]
    groups: dict[str, list[Header]] = {}
    for header in headers:
        groups.setdefault(header[0], []).append(header)
    keys: Iterable[str] = sorted(groups) if rules.header_order == "sorted" else groups
    return [header for key in keys for header in groups[key]]


# --- Messages ---------------------------------------------------------------------------------------------------------


def read_message(reader: Reader, path: str = "") -> dict[str, Any]:
    """One message with its length; the attributes stay as read. Raises DecodeError."""
    reader.path = join(path, "length")
    window = reader.window(read_length(reader, "message length"))
    window.path = join(path, "attributes")
    attributes = read_int8(window, "attributes")
    window.path = join(path, "timestampDelta")
    timestamp_delta = read_int_var(window, "timestampDelta")
    window.path = join(path, "offsetDelta")
    offset_delta = read_uint_var(window, "offsetDelta")
    return {
        "attributes": attributes,
        "timestampDelta": timestamp_delta,
        "offsetDelta": offset_delta,
        "key": None if attributes & NULL_KEY else _read_bytes(window, join(path, "key")),
        "value": None if attributes & NULL_VALUE else _read_bytes(window, join(path, "value")),
        "headers": _read_flagged(window, attributes, join(path, "headers")),
    }


def _read_flagged(window: Reader, attributes: int, path: str) -> list[Header]:
    """A message's headers; under R-82s-7's other reading there are none without the flag, and some with it."""
    flags = window.rules.header_flag == "bit-4"
    if flags and not attributes & HEADERS_FLAG:
        window.path = path
        window.demand_end(Reason.LENGTH_MISMATCH, "a message whose attributes name no headers", window.pos)
        return []
    start = window.pos
    headers = read_headers(window, path)
    if flags and not headers:
        window.path = path
        raise window.error(Reason.ZERO_LENGTH_FIELD, "the flag is set, and there are no headers", start)
    return headers


def _read_bytes(reader: Reader, path: str) -> bytes:
    reader.path = path
    length = read_length(reader, "length")
    start = reader.pos
    data = reader.take(length, start, "bytes")
    if length:
        reader.note(start, "bytes", data)
    return data


def append_message(writer: Writer, value: Any, path: str = "") -> None:
    """Append a message with its length. Null key and value set bits 0 and 1 of the attributes. Raises EncodeError."""
    check_keys(value, KEYS, path)
    inner = writer.inner()
    key, content = value.get("key"), value.get("value")
    inner.path = join(path, "attributes")
    headers = sequence(value.get("headers", ()), join(path, "headers"))
    append_int8(inner, _with_presence(value.get("attributes", 0), key, content, headers, inner.rules))
    inner.path = join(path, "timestampDelta")
    append_int_var(inner, value.get("timestampDelta", 0))
    inner.path = join(path, "offsetDelta")
    append_uint_var(inner, value.get("offsetDelta", 0))
    _append_bytes(inner, key, join(path, "key"))
    _append_bytes(inner, content, join(path, "value"))
    if headers or inner.rules.header_flag == "none":
        append_headers(inner, headers, join(path, "headers"))
    _append_with_length(writer, inner, path)


def _with_presence(attributes: Any, key: Any, value: Any, headers: Sequence[Any], rules: Rules) -> Any:
    if isinstance(attributes, bool) or not isinstance(attributes, int):
        return attributes  # INT8 refuses them later
    rest = attributes & ~(NULL_KEY | NULL_VALUE)
    if rules.header_flag == "bit-4":
        rest = rest & ~HEADERS_FLAG | HEADERS_FLAG * bool(headers)
    if rules.unused_bits == "cleared":
        rest &= HEADERS_FLAG if rules.header_flag == "bit-4" else 0
    return rest | (NULL_KEY if key is None else 0) | (NULL_VALUE if value is None else 0)


def _append_bytes(writer: Writer, value: Any, path: str) -> None:
    if value is None:
        return
    data = bytes_of(value, path)
    writer.path = path
    append_uint_var(writer, len(data))
    writer.out += data
