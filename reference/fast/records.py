"""Records, batches and sets: the same values and bytes as `reference.records` has, without paths, spans and reasons.

It handles the common case only: minimal varints, complete values of the right types. For anything else it gives up, and
the readable codec starts again, as with messages.
"""

from __future__ import annotations

import struct
from typing import Any

from crc32c import crc32c

from wireproof.reference.fast.source import GIVES_UP, Fault, NotPlain
from wireproof.reference.records.batch import FIELD_ENDS, KEYS, MAGIC
from wireproof.reference.records.compression import MASK, NAMES, CompressionError, deflate, inflate
from wireproof.reference.rules import Rules

# baseOffset batchLength partitionLeaderEpoch magic crc
_HEAD = struct.Struct(">qiibI")
# attributes lastOffsetDelta baseTimestamp maxTimestamp producerId producerEpoch baseSequence recordsCount
_FIELDS = struct.Struct(">hiqqqhii")
_RULES = Rules()


def _zigzag(number: int, width: int) -> bytes:
    if not -(1 << width - 1) <= number < 1 << width - 1:
        raise NotPlain
    number = number << 1 ^ number >> width - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


#: The number of varints made in advance.
_MANY = 512
#: Their bytes by number; those of −64 to −1 stand at the end, where negative indexes find them.
_SHORT = [_zigzag(n, 32) for n in (*range(_MANY), *range(-64, 0))]


def decode_batch(data: bytes, pos: int) -> tuple[dict[str, Any], int]:
    """One batch at `pos`, and the position behind it. Raises one of GIVES_UP."""
    base_offset, length, epoch, magic, crc = _HEAD.unpack_from(data, pos)
    end = pos + 12 + length
    if end > len(data) or length < FIELD_ENDS[-1] or magic != MAGIC:
        raise Fault
    at = pos + _HEAD.size
    if crc32c(memoryview(data)[at:end]) != crc:
        raise Fault
    attributes, last, base_time, max_time, producer, producer_epoch, sequence, count = _FIELDS.unpack_from(data, at)
    codec = attributes & MASK
    content = data[at + _FIELDS.size : end]
    if codec:
        content = _inflated(codec, content)
    return {
        "baseOffset": base_offset,
        "partitionLeaderEpoch": epoch,
        "attributes": attributes,
        "lastOffsetDelta": last,
        "baseTimestamp": base_time,
        "maxTimestamp": max_time,
        "producerId": producer,
        "producerEpoch": producer_epoch,
        "baseSequence": sequence,
        "records": _decode_records(content, count),
    }, end


def decode_record(data: bytes, pos: int) -> tuple[dict[str, Any], int]:
    """The record that is all of `data` from `pos` on, and the position behind it. Raises one of GIVES_UP."""
    (record,) = _decode_records(data[pos:], 1)
    return record, len(data)


def decode_set(data: bytes, pos: int) -> tuple[list[dict[str, Any]], int]:
    """Batches of magic 2 back to back, none of them partial. Raises one of GIVES_UP."""
    entries = []
    try:
        while pos < len(data):
            entry, pos = decode_batch(data, pos)
            entries.append({"magic": MAGIC, **entry})
    except GIVES_UP:  # another format, or a partial entry
        raise NotPlain from None
    return entries, pos


def _inflated(codec: int, content: bytes) -> bytes:
    if codec >= len(NAMES):
        raise Fault
    if not content:
        raise NotPlain
    try:
        return inflate(codec, content, _RULES)
    except CompressionError:
        raise Fault from None


def _decode_records(d: bytes, count: int) -> list[dict[str, Any]]:  # noqa: C901 (a call a field costs half the speed)
    """Read `d`, which has to hold exactly this number of records. Positions are checked once per record, at its end:
    that finds a length that goes beyond it."""
    if count < 0:
        raise Fault
    records = []
    p = 0
    for _ in range(count):
        n = d[p]
        p += 1
        if n > 127:
            n, p = _uvarint(d, p, n)
        if n & 1:
            raise Fault
        end = p + (n >> 1)
        attributes = d[p]
        n = d[p + 1]
        p += 2
        if n > 127:
            n, p = _uvarint(d, p, n, 63)
        timestamp_delta = n >> 1 ^ -(n & 1)
        n = d[p]
        p += 1
        if n > 127:
            n, p = _uvarint(d, p, n)
        offset_delta = n >> 1 ^ -(n & 1)
        n = d[p]
        p += 1
        if n > 127:
            n, p = _uvarint(d, p, n)
        if n & 1:
            if n != 1:
                raise Fault
            key = None
        else:
            n = p + (n >> 1)
            key = d[p:n]
            p = n
        n = d[p]
        p += 1
        if n > 127:
            n, p = _uvarint(d, p, n)
        if n & 1:
            if n != 1:
                raise Fault
            value = None
        else:
            n = p + (n >> 1)
            value = d[p:n]
            p = n
        n = d[p]
        p += 1
        if n:
            if n > 127:
                n, p = _uvarint(d, p, n)
            headers, p = _decode_headers(d, p, n)
        else:
            headers = []
        if p != end:
            raise Fault
        records.append(
            {
                "attributes": attributes if attributes < 128 else attributes - 256,
                "timestampDelta": timestamp_delta,
                "offsetDelta": offset_delta,
                "key": key,
                "value": value,
                "headers": headers,
            }
        )
    if p != len(d):
        raise Fault
    return records


def _decode_headers(d: bytes, p: int, count: int) -> tuple[list[tuple[str, bytes | None]], int]:
    if count & 1:
        raise Fault
    headers: list[tuple[str, bytes | None]] = []
    for _ in range(count >> 1):
        n = d[p]
        p += 1
        if n > 127:
            n, p = _uvarint(d, p, n)
        if n & 1:
            raise Fault
        n = p + (n >> 1)
        key = d[p:n].decode()
        p = n
        n = d[p]
        p += 1
        if n > 127:
            n, p = _uvarint(d, p, n)
        if n & 1:
            if n != 1:
                raise Fault
            headers.append((key, None))
        else:
            n = p + (n >> 1)
            headers.append((key, d[p:n]))
            p = n
    return headers, p


def _uvarint(d: bytes, p: int, low: int, last: int = 28) -> tuple[int, int]:
    """The rest of a varint after its first byte, `low`, which has the continuation bit; gives up unless minimal.
    `last`: the shift of the last byte."""
    number = low & 0x7F
    shift = 7
    while True:
        byte = d[p]
        p += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > last:
            raise Fault
    if number >> (32 if last == 28 else 64):
        raise Fault
    if not byte:
        raise NotPlain
    return number, p


def encode_batch(value: Any) -> bytes:
    """The bytes of a whole value. Raises one of GIVES_UP."""
    if value.__class__ is not dict or len(value) != len(KEYS):
        raise NotPlain
    attributes = value["attributes"]
    codec = attributes & MASK
    records = value["records"]
    if codec >= len(NAMES) or records.__class__ is not list:
        raise NotPlain
    content = _encode_records(records)
    if codec:
        content = deflate(codec, content)
    fields = _FIELDS.pack(
        attributes,
        value["lastOffsetDelta"],
        value["baseTimestamp"],
        value["maxTimestamp"],
        value["producerId"],
        value["producerEpoch"],
        value["baseSequence"],
        len(records),
    )
    crc = crc32c(content, crc32c(fields))
    length = FIELD_ENDS[2] + len(fields) + len(content)
    head = _HEAD.pack(value["baseOffset"], length, value["partitionLeaderEpoch"], MAGIC, crc)
    return head + fields + content


def _encode_records(records: list[Any]) -> bytes:
    parts: list[bytes] = []
    header_keys: dict[str, bytes] = {}
    for record in records:
        if record.__class__ is not dict or len(record) != 6:
            raise NotPlain
        attributes = record["attributes"]
        timestamp = record["timestampDelta"]
        offset = record["offsetDelta"]
        key = record["key"]
        value = record["value"]
        headers = record["headers"]
        body = [
            b"\0" if attributes == 0 else struct.pack(">b", attributes),
            _SHORT[timestamp] if -65 < timestamp < _MANY else _zigzag(timestamp, 64),
            _SHORT[offset] if -65 < offset < _MANY else _zigzag(offset, 32),
            b"\1" if key is None else _length(key),
            key or b"",
            b"\1" if value is None else _length(value),
            value or b"",
            _length(headers, list),
        ]
        for name, item in headers:
            if name not in header_keys:
                raw = name.encode()
                header_keys[name] = _length(raw) + raw
            if item is None:
                body += (header_keys[name], b"\1")
            elif item.__class__ is bytes and len(item) < _MANY:
                body += (header_keys[name], _SHORT[len(item)], item)
            else:
                body += (header_keys[name], _length(item), item)
        whole = b"".join(body)
        parts += (_length(whole), whole)
    return b"".join(parts)


def _length(sized: Any, kind: type = bytes) -> bytes:
    """The varint with the length of bytes, or the number of headers."""
    n = len(sized)
    if sized.__class__ is not kind:
        raise NotPlain
    return _SHORT[n] if n < _MANY else _zigzag(n, 32)
