"""A record of magic 2, with its header multimap.

    Record  => length:VARINT attributes:INT8 timestampDelta:VARLONG offsetDelta:VARINT
               keyLength:VARINT key valueLength:VARINT value headersCount:VARINT *Header
    Header  => keyLength:VARINT key:UTF-8 valueLength:VARINT value

A length of −1 is null, for key, value and header value; a header's key has no null. `length` counts the bytes after it.
Source: KIP-98, message format; KIP-82, Proposed Changes; the Kafka protocol guide, Record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import Reason, join
from wireproof.reference.primitives import (
    append_int8,
    append_varint,
    append_varlong,
    read_int8,
    read_text,
    read_varint,
    read_varlong,
    read_window,
    write_text_errors,
)
from wireproof.reference.records.fields import (
    append_bytes,
    attributes_appender,
    check_keys,
    header_of,
    key_bytes,
    read_bytes,
    sequence,
)

#: No bit of a record's attributes means anything.
_append_attributes = attributes_appender(append_int8, 0)
KEYS = ("attributes", "timestampDelta", "offsetDelta", "key", "value", "headers")


def read_record(reader: Reader) -> dict[str, Any]:
    """One record, its length included. Raises DecodeError."""
    steps = reader.steps
    steps.append("length")
    start = reader.pos
    inner = read_window(reader, read_varint, "length")
    steps[-1] = "attributes"
    attributes = read_int8(inner, "attributes")
    steps[-1] = "timestampDelta"
    timestamp_delta = read_varlong(inner, "timestampDelta")
    steps[-1] = "offsetDelta"
    offset_delta = read_varint(inner, "offsetDelta")
    steps[-1] = "key"
    key = read_bytes(inner, read_varint)
    steps[-1] = "value"
    value = read_bytes(inner, read_varint)
    steps[-1] = "headers"
    headers = _read_headers(inner)
    steps.pop()
    inner.demand_end(Reason.LENGTH_MISMATCH, "the record", start)
    return {
        "attributes": attributes,
        "timestampDelta": timestamp_delta,
        "offsetDelta": offset_delta,
        "key": key,
        "value": value,
        "headers": headers,
    }


def _read_headers(reader: Reader) -> list[tuple[str, bytes | None]]:
    """Headers in wire order; keys may repeat."""
    start = reader.pos
    count = read_varint(reader, "headersCount")
    if count < 0:
        raise reader.error(Reason.NEGATIVE_LENGTH, f"{count} headers", start)
    if count > reader.end - reader.pos:
        raise reader.error(Reason.TRUNCATED, f"{count} headers, but {reader.remaining} bytes are left", start)
    headers = []
    steps = reader.steps
    steps += (0, "key")
    for index in range(count):
        steps[-2] = index
        steps[-1] = "key"
        key = _read_header_key(reader)
        steps[-1] = "value"
        headers.append((key, read_bytes(reader, read_varint)))
    del steps[-2:]
    return headers


def _read_header_key(reader: Reader) -> str:
    start = reader.pos
    length = read_varint(reader, "key length")
    if length < 0:
        raise reader.error(Reason.NEGATIVE_LENGTH, f"a header's key of length {length}; it has no null", start)
    if length > reader.end - reader.pos:
        raise reader.error(Reason.TRUNCATED, f"key length {length}, but {reader.remaining} bytes are left", start)
    return read_text(reader, length, start)


def append_record(writer: Writer, value: Any, path: str = "") -> None:
    """Append a record, its length included. Raises EncodeError."""
    check_keys(value, KEYS, path)
    inner = writer.inner()
    inner.path = join(path, "attributes")
    _append_attributes(inner, value.get("attributes", 0))
    inner.path = join(path, "timestampDelta")
    append_varlong(inner, value.get("timestampDelta", 0))
    inner.path = join(path, "offsetDelta")
    append_varint(inner, value.get("offsetDelta", 0))
    append_bytes(inner, value.get("key"), join(path, "key"), append_varint)
    append_bytes(inner, value.get("value"), join(path, "value"), append_varint)
    _append_headers(inner, value.get("headers", ()), join(path, "headers"))
    writer.path = join(path, "length")
    append_varint(writer, len(inner.out))
    writer.out += inner.out


def _append_headers(writer: Writer, value: Any, path: str) -> None:
    headers: Sequence[Any] = sequence(value, path)
    writer.path = path
    append_varint(writer, len(headers))
    for index, header in enumerate(headers):
        key, item = header_of(header, f"{path}[{index}]")
        _append_header_key(writer, key, f"{path}[{index}].key")
        append_bytes(writer, item, f"{path}[{index}].value", append_varint)


def _append_header_key(writer: Writer, key: Any, path: str) -> None:
    data = key_bytes(key, path, write_text_errors(writer.rules))
    writer.path = path
    append_varint(writer, len(data))
    writer.out += data


def lookup(record: Mapping[str, Any], key: str) -> list[bytes | None]:
    """All values of a header key, in order (KIP-82: keys may repeat)."""
    return [value for name, value in record["headers"] if name == key]
