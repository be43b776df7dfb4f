"""KIP-82 with string keys, declared from its page, its rulings and KIP-98's draft batch header."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cramjam
import crc32c
import lz4.frame  # type: ignore[import-untyped]
from construct import (
    Array,
    Byte,
    Bytes,
    Check,
    Const,
    Construct,
    ConstructError,
    ExprAdapter,
    GreedyBytes,
    GreedyRange,
    If,
    Int8sb,
    Int16sb,
    Int32sb,
    Int32ub,
    Int64sb,
    PascalString,
    Prefixed,
    RawCopy,
    Rebuild,
    RepeatUntil,
    Struct,
    Terminated,
    obj_,
    this,
)


class RefusedError(ValueError):
    """These bytes are not what the draft says."""


def _number(octets: Sequence[int]) -> int:
    groups = [(octet & 0x7F) << 7 * place for place, octet in enumerate(octets)]
    return sum(groups)


def _octets(number: int) -> list[int]:
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(number & 0x7F)
    return [*(group | 0x80 for group in groups[:-1]), groups[-1]]


def _leb128(width: int) -> Construct:
    """Groups of seven bits, the least significant first; so many as the width needs, and no bit above it."""
    most = (width + 6) // 7
    fields = Struct(
        "octets" / RepeatUntil(obj_ < 0x80, Byte),
        Check(lambda found: len(found.octets) <= most and _number(found.octets) < 1 << width),
    )
    return ExprAdapter(fields, lambda found, _: _number(found.octets), lambda number, _: {"octets": _octets(number)})


#: `uintVar`, of 32 bits.
UINT_VAR = _leb128(32)
#: `intVar`, of 64 bits: 0, -1, 1, -2 … stand as 0, 1, 2, 3 …
INT_VAR = ExprAdapter(
    _leb128(64),
    lambda found, _: -(found + 1 >> 1) if found % 2 else found >> 1,
    lambda number, _: -2 * number - 1 if number < 0 else 2 * number,
)

#: What the length leaves after the key is the value: it has no length of its own.
HEADER = ExprAdapter(
    Prefixed(UINT_VAR, Struct("key" / PascalString(UINT_VAR, "utf8"), "value" / GreedyBytes)),
    lambda found, _: [found.key, found.value],
    lambda pair, _: {"key": pair[0], "value": pair[1]},
)
#: As many as there are.
HEADERS = GreedyRange(HEADER)


def _presence(message: Any) -> int:
    """The attributes of a message that is written: 1 marks a null key, 2 a null value."""
    nulls = (message.key is None) | (message.value is None) << 1
    return int(message.attributes) & ~3 | nulls


MESSAGE = Prefixed(
    UINT_VAR,
    Struct(
        "attributes" / Rebuild(Int8sb, _presence),
        "timestampDelta" / INT_VAR,
        "offsetDelta" / UINT_VAR,
        "key" / If(this.attributes & 1 == 0, Prefixed(UINT_VAR, GreedyBytes)),
        "value" / If(this.attributes & 2 == 0, Prefixed(UINT_VAR, GreedyBytes)),
        "headers" / HEADERS,
        Terminated,
    ),
)

#: gzip, snappy and lz4, by the attributes' bits 0 to 2. This opinion packs nothing.
_UNPACK: Mapping[int, Callable[[bytes], bytes]] = {
    0: bytes,
    1: gzip.decompress,
    2: lambda content: _unsnappy(content),
    3: lz4.frame.decompress,
}
_BROKEN = (OSError, EOFError, zlib.error, RuntimeError, cramjam.DecompressionError)
_XERIAL = Struct(
    Const(b"\x82SNAPPY\0"), "versions" / Bytes(8), "blocks" / GreedyRange(Prefixed(Int32sb, GreedyBytes)), Terminated
)


def _unsnappy(content: bytes) -> bytes:
    blocks = _XERIAL.parse(content).blocks if content.startswith(b"\x82SNAPPY\0") else [content]
    return b"".join(bytes(cramjam.snappy.decompress_raw(block)) for block in blocks)


def _unpacked(content: bytes, attributes: int) -> Any:
    if attributes & 7 > 3:
        raise RefusedError("no such codec")
    try:
        plain = _UNPACK[attributes & 7](content)
    except _BROKEN as error:
        raise RefusedError(str(error)) from error
    return Struct("them" / GreedyRange(MESSAGE), Terminated).parse(plain).them


def _packed(messages: Any, attributes: int) -> bytes:
    if attributes & 7:
        raise RefusedError("what is packed")
    return bytes(GreedyRange(MESSAGE).build(messages))


_COVERED = Struct(
    Const(2, Int8sb),
    "attributes" / Int16sb,
    "lastOffsetDelta" / Int32sb,
    "firstTimestamp" / Int64sb,
    "maxTimestamp" / Int64sb,
    "pid" / Int64sb,
    "epoch" / Int16sb,
    "firstSequence" / Int32sb,
    "records"
    / ExprAdapter(
        GreedyBytes,
        lambda content, found: _unpacked(content, found.attributes),
        lambda messages, found: _packed(messages, found.attributes),
    ),
)
#: The CRC-32 is that of all that follows it, from the magic on.
_LAID_OUT = Struct(
    "firstOffset" / Int64sb,
    "rest"
    / Prefixed(
        Int32sb,
        Struct(
            "crc" / Rebuild(Int32ub, lambda found: zlib.crc32(_COVERED.build(found.covered["value"]))),
            "covered" / RawCopy(_COVERED),
            Check(lambda found: zlib.crc32(found.covered.data) == found.crc),
            Terminated,
        ),
    ),
)
BATCH = ExprAdapter(
    _LAID_OUT,
    lambda found, _: {"firstOffset": found.firstOffset, **found.rest.covered.value},
    lambda batch, _: {"firstOffset": batch["firstOffset"], "rest": {"covered": {"value": batch}}},
)

TYPES: Mapping[str, Construct] = {
    "UVARINT": UINT_VAR,
    "INTVAR": INT_VAR,
    "HEADER": HEADER,
    "HEADERS": HEADERS,
    "MESSAGE": MESSAGE,
    "BATCH": BATCH,
}


def decode(type_name: str, data: bytes) -> Any:
    """Raises RefusedError."""
    try:
        return _plain(Struct("it" / TYPES[type_name], Terminated).parse(data).it)
    except (ConstructError, UnicodeDecodeError) as error:
        raise RefusedError(str(error)) from error


def encode(type_name: str, value: Any) -> bytes:
    return bytes(TYPES[type_name].build(value))


# --- Conversions: R-82s-11 --------------------------------------------------------------------------------------------

#: Of 32 and of 64 bits, zigzag: every number of the record that shipped. A length of −1 is null.
_SHIPPED_INT = INT_VAR
_SHIPPED_BYTES = Struct("length" / _SHIPPED_INT, "octets" / If(this.length >= 0, Bytes(this.length)))
_SHIPPED_RECORD = Prefixed(
    _SHIPPED_INT,
    Struct(
        "attributes" / Int8sb,
        "timestampDelta" / _SHIPPED_INT,
        "offsetDelta" / _SHIPPED_INT,
        "key" / _SHIPPED_BYTES,
        "value" / _SHIPPED_BYTES,
        "count" / _SHIPPED_INT,
        "headers" / Array(this.count, Struct("key" / _SHIPPED_BYTES, "value" / _SHIPPED_BYTES)),
        Terminated,
    ),
)
_SHIPPED_FIELDS = Struct(
    "attributes" / Int16sb,
    "lastOffsetDelta" / Int32sb,
    "firstTimestamp" / Int64sb,
    "maxTimestamp" / Int64sb,
    "pid" / Int64sb,
    "epoch" / Int16sb,
    "firstSequence" / Int32sb,
    "count" / Int32sb,
)
_SHIPPED_BATCH = Struct(
    "leader" / Int32sb,
    Const(2, Int8sb),
    "crc" / Int32ub,
    "covered" / RawCopy(Struct("fields" / _SHIPPED_FIELDS, "records" / GreedyRange(_SHIPPED_RECORD), Terminated)),
    Check(lambda found: crc32c.crc32c(found.covered.data) == found.crc),
)
_OLD_BYTES = Struct("length" / Int32sb, "octets" / If(this.length >= 0, Bytes(this.length)))
_OLD_MESSAGE = Struct(
    "crc" / Int32ub,
    "covered"
    / RawCopy(
        Struct(
            "magic" / Int8sb,
            "attributes" / Int8sb,
            "timestamp" / If(this.magic == 1, Int64sb),
            "key" / _OLD_BYTES,
            "value" / _OLD_BYTES,
            Terminated,
        )
    ),
    Check(lambda found: zlib.crc32(found.covered.data) == found.crc),
)
_ENTRY = Struct("offset" / Int64sb, "inside" / Prefixed(Int32sb, GreedyBytes))


def convert(type_name: str, data: bytes, to: str) -> bytes:
    """Raises RefusedError; of what is packed too."""
    if type_name == "BATCH":
        batch = decode("BATCH", data)
        if batch["attributes"] & 7:
            raise RefusedError("what is packed")
        return _shipped(batch) if to == "shipped" else _older(batch, int(to.removeprefix("magic-")))
    try:
        entries = GreedyRange(_ENTRY).parse(data)  # what is not wholly there at the end is dropped
        return b"".join(encode("BATCH", _drafted(entry.offset, entry.inside)) for entry in entries)
    except ConstructError as error:
        raise RefusedError(str(error)) from error


def _older(batch: Mapping[str, Any], magic: int) -> bytes:
    out = b""
    appended = batch["attributes"] & 8
    for one in batch["records"]:
        time = batch["maxTimestamp"] if appended else batch["firstTimestamp"] + one["timestampDelta"]
        body = Int8sb.build(magic) + Int8sb.build(appended * magic) + (Int64sb.build(time) if magic else b"")
        for item in (one["key"], one["value"]):
            body += Int32sb.build(-1) if item is None else Int32sb.build(len(item)) + item
        out += Int64sb.build(batch["firstOffset"] + one["offsetDelta"]) + Int32sb.build(len(body) + 4)
        out += Int32ub.build(zlib.crc32(body)) + body
    return bytes(out)


def _shipped(batch: Mapping[str, Any]) -> bytes:
    attributes = batch["attributes"] & ~0x20  # bit 5 means nothing here (R-82s-15)
    body = _SHIPPED_FIELDS.build({**batch, "attributes": attributes, "count": len(batch["records"])})
    body += b"".join(map(_shipped_record, batch["records"]))
    inside = Int32sb.build(-1) + b"\2" + Int32ub.build(crc32c.crc32c(body)) + body
    return bytes(Int64sb.build(batch["firstOffset"]) + Int32sb.build(len(inside)) + inside)


def _shipped_record(message: Mapping[str, Any]) -> bytes:
    if message["offsetDelta"] >= 1 << 31:
        raise RefusedError("no offset delta is so great")
    numbers = (message["timestampDelta"], message["offsetDelta"])
    out = b"\0" + b"".join(map(INT_VAR.build, numbers))
    for item in (message["key"], message["value"]):
        out += INT_VAR.build(-1) if item is None else INT_VAR.build(len(item)) + item
    out += INT_VAR.build(len(message["headers"]))
    for key, value in message["headers"]:
        out += INT_VAR.build(len(key.encode())) + key.encode() + INT_VAR.build(len(value)) + value
    return bytes(INT_VAR.build(len(out)) + out)


def _drafted(offset: int, inside: bytes) -> dict[str, Any]:
    """An entry of a set that shipped, of any magic, as a batch."""
    if inside[4] < 2:
        old = _OLD_MESSAGE.parse(inside).covered.value
        time = -1 if old.timestamp is None else old.timestamp
        if old.attributes & 7:
            raise RefusedError("what is packed")
        fields = {"attributes": old.attributes & 8 * old.magic, "lastOffsetDelta": 0, "firstTimestamp": time}
        fields |= {"maxTimestamp": time, "pid": -1, "epoch": -1, "firstSequence": -1}
        record = {"timestampDelta": 0, "offsetDelta": 0, "key": old.key.octets, "value": old.value.octets}
        return {"firstOffset": offset, **fields, "records": [{"attributes": 0, **record, "headers": []}]}
    found = _SHIPPED_BATCH.parse(inside).covered.value
    records = []
    for one in found.records:
        headers = [(header.key.octets.decode(), header.value.octets) for header in one.headers]
        if one.offsetDelta < 0 or any(value is None for _, value in headers):
            raise RefusedError("the draft has no form for it")
        kept = {"timestampDelta": one.timestampDelta, "offsetDelta": one.offsetDelta}
        records.append({"attributes": 0, **kept, "key": one.key.octets, "value": one.value.octets, "headers": headers})
    return {"firstOffset": offset, **_plain(found.fields), "records": records}


def lookup(type_name: str, data: bytes, key: str) -> list[bytes]:
    """All values of a header key, in order."""
    found = decode(type_name, data)
    return [value for name, value in (found["headers"] if type_name == "MESSAGE" else found) if name == key]


def _plain(found: Any) -> Any:
    """construct's containers as dicts, without its own `_io`."""
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items() if key != "_io"}
    return [_plain(item) for item in found] if isinstance(found, list) else found
