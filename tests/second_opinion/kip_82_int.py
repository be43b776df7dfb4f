"""KIP-82's draft with headers under int32 keys, declared from its text and the rulings: messages, headers, requests."""

from __future__ import annotations

import functools
import gzip
import itertools
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import cramjam
import lz4.frame  # type: ignore[import-untyped]
import xxhash
from construct import (
    Array,
    Bytes,
    Check,
    Computed,
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
    Peek,
    Prefixed,
    Rebuild,
    Struct,
    Terminated,
    len_,
    this,
)


class RefusedError(ValueError):
    """These bytes, or this value, are not what the draft says."""


#: R-82i-1: bits 0 to 2 of the attributes are the codec, bit 4 says that there are headers.
CODEC, FLAG = 0x07, 0x10


def _demand(found: bool, why: str) -> None:
    if not found:
        raise RefusedError(why)


# --- Headers ----------------------------------------------------------------------------------------------------------

#: A length that can't be that of null, and as many bytes.
SIZED = Struct("length" / Int32sb, Check(this.length >= 0), "octets" / Bytes(this.length))
#: A length of −1 is null, nothing is below it (R-82i-4).
MAYBE = Struct("length" / Int32sb, Check(this.length >= -1), "octets" / If(this.length >= 0, Bytes(this.length)))
HEADER = Struct("key" / Int32sb, "value" / SIZED)
HEADERS = Struct("pairs" / GreedyRange(HEADER), Terminated)


Pairs = list[tuple[int, bytes]]


def headers(data: bytes) -> Pairs:
    """Keys ascend, as signed numbers, and none comes twice (R-82i-3)."""
    pairs = [(one.key, one.value.octets) for one in _parse(HEADERS, data).pairs]
    _demand_ascending([key for key, _ in pairs])
    return pairs


def _demand_ascending(keys: list[int]) -> None:
    _demand(all(below < above for below, above in itertools.pairwise(keys)), "the keys do not ascend")


def headers_up_to(wanted: int, data: bytes) -> Pairs:
    """Up to the first greater key; what stands behind it may be anything (R-82i-10)."""
    pairs: Pairs = []
    keys: list[int] = []
    rest = data
    while rest:
        keys.append(int.from_bytes(rest[:4], "big", signed=True))
        _demand(len(rest) >= 4, "half a key")
        _demand_ascending(keys)
        if keys[-1] > wanted:
            break
        header = _parse(HEADER, rest)
        pairs.append((header.key, header.value.octets))
        rest = rest[8 + header.value.length :]
    return pairs


def write_headers(pairs: Any) -> bytes:
    found = dict(pairs)
    _demand(len(found) == len(pairs), "a key comes twice")
    return b"".join(
        bytes(Int32sb.build(key) + Int32sb.build(len(value)) + value) for key, value in sorted(found.items())
    )


# --- Messages ---------------------------------------------------------------------------------------------------------

#: What the size counts: the CRC is over all behind it.
ENVELOPE = Struct("crc" / Int32ub, "magic" / Peek(Int8sb), "covered" / GreedyBytes)
BODY = Struct(
    "magic" / Int8sb,
    "attributes" / Int8sb,
    "timestamp" / If(this.magic > 0, Int64sb),
    "key" / MAYBE,
    "flagged" / Computed(lambda found: found.magic == 2 and bool(found.attributes & FLAG)),
    "headers" / If(this.flagged, SIZED),
    "value" / MAYBE,
    Terminated,
)
ENTRY = Struct("offset" / Int64sb, "inside" / Prefixed(Int32sb, GreedyBytes))
SET = Struct("entries" / GreedyRange(ENTRY), Terminated)


def _message(
    offset: int, inside: bytes, wrapper: int | None, read: Callable[[bytes], Pairs] = headers
) -> dict[str, Any]:
    """One message; `wrapper` is the magic of what it is wrapped in, `read` reads its headers."""
    envelope = _parse(ENVELOPE, inside)
    _demand(envelope.magic in (0, 1, 2), "no such magic")
    _demand(wrapper in (None, envelope.magic), "of another magic than its wrapper")
    _demand(envelope.crc == zlib.crc32(envelope.covered), "the CRC is another one")
    body = _parse(BODY, envelope.covered)
    codec = body.attributes & CODEC
    _demand(codec <= 3, "no such codec")
    _demand(not codec or wrapper is None, "a wrapper inside a wrapper")
    found: dict[str, Any] = {"offset": offset, "magic": body.magic, "attributes": body.attributes}
    if body.magic:
        found["timestamp"] = body.timestamp
    found["key"] = body.key.octets
    found["headers"] = read(body.headers.octets) if body.flagged else []
    if codec:
        found["messages"] = _unwrapped(codec, body.magic, offset, body.value.octets)
    else:
        found["value"] = body.value.octets
    return found


def _unwrapped(codec: int, magic: int, offset: int, content: bytes | None) -> list[dict[str, Any]]:
    _demand(bool(content), "a wrapper without content")
    messages = _messages(_inflate(codec, magic, content or b""), magic)
    _demand(bool(messages), "a wrapper without messages")
    if magic and offset:  # the wrapper's offset is the last one's
        base = offset - messages[-1]["offset"]
        _demand(base >= 0, "the wrapper's offset is too low")
        for message in messages:
            message["offset"] += base
            _demand(message["offset"] < 2**63, "an offset is no INT64")
    return messages


def _inflate(codec: int, magic: int, content: bytes) -> bytes:
    if codec == 3 and magic == 0:  # Kafka's first LZ4 frames hashed their magic too
        at = 14 if content[4] & 0x08 else 6
        content = content[:at] + bytes([xxhash.xxh32_intdigest(content[4:at]) >> 8 & 0xFF]) + content[at + 1 :]
    unpack: Callable[[bytes], bytes] = {1: gzip.decompress, 2: _unsnappy, 3: lz4.frame.decompress}[codec]
    try:
        return unpack(content)
    except (OSError, EOFError, zlib.error, RuntimeError, ConstructError, cramjam.DecompressionError) as error:
        raise RefusedError(str(error)) from error


_XERIAL = Struct("head" / Bytes(16), "blocks" / GreedyRange(Prefixed(Int32sb, GreedyBytes)), Terminated)


def _unsnappy(content: bytes) -> bytes:
    if not content.startswith(b"\x82SNAPPY\0"):
        return bytes(cramjam.snappy.decompress_raw(content))
    return b"".join(bytes(cramjam.snappy.decompress_raw(block)) for block in _XERIAL.parse(content).blocks)


def _messages(data: bytes, wrapper: int | None = None) -> list[dict[str, Any]]:
    return [_message(entry.offset, entry.inside, wrapper) for entry in _parse(SET, data).entries]


def message_set(data: bytes) -> list[dict[str, Any]]:
    """A set: what is not wholly there at its end is dropped (R-82i-12)."""
    end = 0
    while len(data) - end >= 17:
        size = int.from_bytes(data[end + 8 : end + 12], "big", signed=True)
        _demand(data[end + 16] in (0, 1, 2), "no such magic")
        _demand(size >= (14, 22, 22)[data[end + 16]], "no message is so small")
        if size > len(data) - end - 12:
            break
        end += 12 + size
    rest = data[end:]
    _demand(len(rest) < 12 or int.from_bytes(rest[8:12], "big", signed=True) >= 14, "no message is so small")
    return _messages(data[:end])


def convert(data: bytes, magic: int) -> bytes:
    """A set as one of this magic (R-82i-9). Raises RefusedError; of wrappers too."""
    return b"".join(write_message(_in(message, magic)) for message in message_set(data))


def _in(message: Mapping[str, Any], magic: int) -> dict[str, Any]:
    own = message["magic"]
    if own == magic:
        return dict(message)
    lost = (FLAG if 2 in (own, magic) else 0) | (0x08 if 0 in (own, magic) else 0)
    time = message["timestamp"] if own else -1
    return {**message, "magic": magic, "attributes": message["attributes"] & ~lost, "timestamp": time, "headers": []}


def _one_message(data: bytes) -> dict[str, Any]:
    found = _messages(data)
    _demand(len(found) == 1, "one message is expected")
    return found[0]


def write_message(value: Mapping[str, Any], base: int = 0) -> bytes:
    """A message, or a wrapper, whose content is not compressed by this opinion: that leaves bytes free."""
    _demand("messages" not in value, "a wrapper")
    magic, attributes = value["magic"], value["attributes"]
    inside = b""
    if magic == 2:
        attributes = attributes | FLAG if value["headers"] else attributes & ~FLAG
        if value["headers"]:
            written = write_headers(value["headers"])
            inside = bytes(Int32sb.build(len(written))) + written
    body = bytes(Int8sb.build(magic) + Int8sb.build(attributes))
    if magic:
        body += bytes(Int64sb.build(value["timestamp"]))
    body += _maybe(value["key"]) + inside + _maybe(value["value"])
    whole = bytes(Int32ub.build(zlib.crc32(body))) + body
    return bytes(Int64sb.build(value["offset"] - base) + Int32sb.build(len(whole))) + whole


def _maybe(value: bytes | None) -> bytes:
    return bytes(Int32sb.build(-1)) if value is None else bytes(Int32sb.build(len(value))) + value


# --- Requests and responses: kafka-clients 3.9's layouts of versions 0 to 2; 3 is laid out as 2 -----------------------

_CHARACTERS = Struct(
    "length" / Rebuild(Int16sb, len_(this.octets)), Check(this.length >= 0), "octets" / Bytes(this.length)
)
STRING = ExprAdapter(_CHARACTERS, lambda found, _: found.octets.decode(), lambda text, _: {"octets": text.encode()})
RECORDS = ExprAdapter(
    MAYBE, lambda found, _: found.octets, lambda data, _: {"length": -1 if data is None else len(data), "octets": data}
)


def _list(*fields: Construct) -> Construct:
    counted = Struct(
        "count" / Rebuild(Int32sb, len_(this.elements)),
        Check(this.count >= 0),
        "elements" / Array(this.count, Struct(*fields)),
    )
    return ExprAdapter(counted, lambda found, _: list(found.elements), lambda items, _: {"elements": items})


def _throttle(version: int) -> list[Construct]:
    return ["ThrottleTimeMs" / Int32sb] if version else []


def layout(name: str, version: int) -> Construct:
    """The body of a request or response."""
    match name:
        case "ProduceRequest":
            partitions = _list("Index" / Int32sb, "Records" / RECORDS)
            topics = _list("Name" / STRING, "PartitionData" / partitions)
            return Struct("Acks" / Int16sb, "TimeoutMs" / Int32sb, "TopicData" / topics)
        case "ProduceResponse":
            time = ["LogAppendTimeMs" / Int64sb] if version > 1 else []
            partitions = _list("Index" / Int32sb, "ErrorCode" / Int16sb, "BaseOffset" / Int64sb, *time)
            topics = _list("Name" / STRING, "PartitionResponses" / partitions)
            return Struct("Responses" / topics, *_throttle(version))
        case "FetchRequest":
            partitions = _list("Partition" / Int32sb, "FetchOffset" / Int64sb, "PartitionMaxBytes" / Int32sb)
            topics = _list("Topic" / STRING, "Partitions" / partitions)
            return Struct("ReplicaId" / Int32sb, "MaxWaitMs" / Int32sb, "MinBytes" / Int32sb, "Topics" / topics)
        case "FetchResponse":
            partitions = _list(
                "PartitionIndex" / Int32sb, "ErrorCode" / Int16sb, "HighWatermark" / Int64sb, "Records" / RECORDS
            )
            topics = _list("Topic" / STRING, "Partitions" / partitions)
            return Struct(*_throttle(version), "Responses" / topics)
    raise KeyError(name)


# --- What is asked ----------------------------------------------------------------------------------------------------

TYPES: Mapping[str, range | None] = {
    "HEADERS": None,
    "MESSAGE_AND_OFFSET": None,
    "MESSAGE_SET": None,
    **dict.fromkeys(("ProduceRequest", "ProduceResponse", "FetchRequest", "FetchResponse"), range(4)),
}


def decode(type_name: str, data: bytes, version: int | None = None) -> Any:
    """Raises RefusedError."""
    match type_name:
        case "HEADERS":
            return headers(data)
        case "MESSAGE_AND_OFFSET":
            return _one_message(data)
        case "MESSAGE_SET":
            return message_set(data)
    _demand(version in range(4), "no such version")
    return _plain(_parse(Struct("body" / layout(type_name, version or 0), Terminated), data).body)


def encode(type_name: str, value: Any, version: int | None = None) -> bytes:
    """Raises RefusedError; of wrappers too."""
    match type_name:
        case "HEADERS":
            return write_headers(value)
        case "MESSAGE_AND_OFFSET":
            return write_message(value)
        case "MESSAGE_SET":
            return b"".join(map(write_message, value))
    return bytes(layout(type_name, version or 0).build(value))


def lookup(type_name: str, data: bytes, key: int) -> list[bytes]:
    """Of a message all is read but the headers behind the key. Raises RefusedError."""
    read = functools.partial(headers_up_to, key)
    if type_name == "HEADERS":
        pairs = read(data)
    else:
        entry = _parse(Struct("it" / ENTRY, Terminated), data).it
        pairs = _message(entry.offset, entry.inside, None, read)["headers"]
    return [value for own, value in pairs if own == key]


def _parse(grammar: Construct, data: bytes) -> Any:
    try:
        return grammar.parse(data)
    except (ConstructError, UnicodeDecodeError) as error:
        raise RefusedError(str(error)) from error


def _plain(found: Any) -> Any:
    """construct's containers as dicts, without its own `_io`."""
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items() if key != "_io"}
    return [_plain(item) for item in found] if isinstance(found, list) else found
