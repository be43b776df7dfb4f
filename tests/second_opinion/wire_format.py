"""The wire format proposals before 0.8, declared from their page and its rulings: grammar, broker, client."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from construct import (
    Array,
    Bytes,
    Check,
    Construct,
    ConstructError,
    ExprAdapter,
    GreedyBytes,
    If,
    Int8sb,
    Int16sb,
    Int32sb,
    Int32ub,
    Int64sb,
    OneOf,
    Prefixed,
    Rebuild,
    Struct,
    Terminated,
    len_,
    this,
)

PRODUCE, FETCH = 0, 1
#: No error, of a message set and of a whole response. The page has no codes: Kafka's later ones for acknowledgements
#: that did not come in time, and for acks that mean nothing.
NONE, TIMED_OUT, INVALID = -1, 7, 21


class RefusedError(ValueError):
    """These bytes are not what the draft says."""


def _list(item: Construct) -> Construct:
    """`[item]`: an int16 count, then the items."""
    fields = Struct(
        "count" / Rebuild(Int16sb, len_(this.rows)), Check(this.count >= 0), "rows" / Array(this.count, item)
    )
    return ExprAdapter(fields, lambda found, _: list(found.rows), lambda rows, _: {"rows": rows})


_CHARACTERS = Struct(
    "length" / Rebuild(Int16sb, len_(this.octets)), Check(this.length >= 0), "octets" / Bytes(this.length)
)
#: `string`: an int16 length, then UTF-8. Null is not defined.
STRING = ExprAdapter(_CHARACTERS, lambda found, _: found.octets.decode(), lambda text, _: {"octets": text.encode()})

#: What a message's size counts. The checksum is of the payload alone.
MESSAGE = Struct(
    "magic" / OneOf(Int8sb, (0, 1)),
    "attributes" / If(this.magic == 1, Int8sb),
    Check(lambda found: (found.attributes or 0) & 3 != 3),
    "crc" / Rebuild(Int32ub, lambda found: zlib.crc32(found.payload)),
    "payload" / GreedyBytes,
    Check(lambda found: zlib.crc32(found.payload) == found.crc),
)
_SIZED = Prefixed(Int32sb, GreedyBytes)


def _messages(octets: bytes) -> Iterator[dict[str, Any]]:
    """The messages of a set, and what there is of the last one when it was cut off behind a whole one. What is
    compressed stays so."""
    at, whole = 0, 0
    while at < len(octets):
        head = octets[at : at + 4]
        size = int.from_bytes(head, signed=True)
        if len(head) == 4 and size < 0:
            raise RefusedError("a negative size")
        if len(head) < 4 or at + 4 + size > len(octets):
            if not whole:
                raise RefusedError("a partial message")
            yield {"partial": octets[at:]}
            return
        yield _message(octets[at + 4 : at + 4 + size])
        at, whole = at + 4 + size, whole + 1


def _message(octets: bytes) -> dict[str, Any]:
    found = _parse(MESSAGE, octets)
    plain = {"magic": found.magic, "attributes": found.attributes, "payload": found.payload}
    return {key: value for key, value in plain.items() if value is not None}


def _set_bytes(messages: list[dict[str, Any]]) -> bytes:
    return b"".join(
        item["partial"] if "partial" in item else _SIZED.build(MESSAGE.build({"attributes": None, "crc": None} | item))
        for item in messages
    )


#: An int32 byte length stands before a set that is inside something else.
_EMBEDDED_SET = ExprAdapter(_SIZED, lambda octets, _: list(_messages(octets)), lambda items, _: _set_bytes(items))
_VERSION = OneOf(Int16sb, (0,))


def _request(type_id: int, **fields: Construct) -> Construct:
    common = {
        "request_type_id": OneOf(Int16sb, (type_id,)),
        "version_id": _VERSION,
        "correlation_id": Int32sb,
        "client_id": STRING,
    }
    return _frame(**common, **fields)


def _response(**fields: Construct) -> Construct:
    return _frame(correlation_id=Int32sb, version_id=_VERSION, error=Int16sb, **fields)


def _frame(**fields: Construct) -> Construct:
    """`size`, which does not count itself, and the fields, which have to fill it."""
    inner = Prefixed(Int32sb, Struct(*(name / field for name, field in fields.items()), Terminated))
    whole = Struct("frame" / inner, Terminated)
    return ExprAdapter(whole, lambda found, _: found.frame, lambda value, _: {"frame": value})


_PARTITION_DATA = Struct("partition" / Int32sb, "messages" / _EMBEDDED_SET)
_TOPIC_DATA = Struct("topic" / STRING, "partition_data" / _list(_PARTITION_DATA))
_OFFSET_DATA = Struct(
    "topic" / STRING,
    "partitions" / _list(Int32sb),
    "offsets" / _list(Int32sb),
    Check(len_(this.partitions) == len_(this.offsets)),
)
TYPES: Mapping[str, Construct] = {
    "MESSAGE_SET": ExprAdapter(
        GreedyBytes, lambda octets, _: list(_messages(octets)), lambda items, _: _set_bytes(items)
    ),
    "ProduceRequest": _request(PRODUCE, required_acks=Int8sb, ack_timeout=Int32sb, data=_list(_TOPIC_DATA)),
    "ProduceResponse": _response(errors=_list(Int16sb), offsets=_list(Int64sb)),
    "FetchRequest": _request(
        FETCH, replica_id=Int32sb, max_wait=Int32sb, min_bytes=Int32sb, topic_offsets=_list(_OFFSET_DATA)
    ),
    "FetchResponse": _response(data=_list(_TOPIC_DATA)),
}


def decode(type_name: str, data: bytes) -> Any:
    """Raises RefusedError."""
    value = _plain(_parse(TYPES[type_name], data))
    if type_name == "ProduceResponse" and len(value["errors"]) != len(value["offsets"]):
        raise RefusedError("an offset without an error, or an error without an offset")
    return value


def encode(type_name: str, value: Any) -> bytes:
    return bytes(TYPES[type_name].build(value))


def serve(received: bytes) -> bytes:
    """What a fresh broker sends for whole, well-formed requests."""
    sent = b""
    logs: dict[tuple[str, int], list[Any]] = {}
    while received:
        size = 4 + int.from_bytes(received[:4])
        request, received = received[:size], received[size:]
        if int.from_bytes(request[4:6]) == PRODUCE:
            sent += _produced(decode("ProduceRequest", request), logs)
        else:
            sent += _fetched(decode("FetchRequest", request), logs)
    return sent


def _produced(request: Mapping[str, Any], logs: dict[tuple[str, int], list[Any]]) -> bytes:
    """The leader is alone: it and all in sync are one. With fewer acks than required the set is there, and its entry an
    error; acks that mean nothing append nothing."""
    acks = request["required_acks"]
    errors, offsets = [], []
    for topic in request["data"]:
        for row in topic["partition_data"]:
            place = topic["topic"], row["partition"]
            errors.append(NONE if acks in (-1, 0, 1) else TIMED_OUT if acks > 1 else INVALID)
            offsets.append(len(logs.get(place, [])) if acks >= -1 else NONE)
            if acks >= -1:
                whole = [message for message in row["messages"] if "partial" not in message]
                logs[place] = logs.get(place, []) + whole
    if acks == 0:
        return b""
    error = INVALID if acks < -1 else NONE
    answer = {"correlation_id": request["correlation_id"], "version_id": 0, "error": error}
    return encode("ProduceResponse", answer | {"errors": errors, "offsets": offsets})


def _fetched(request: Mapping[str, Any], logs: Mapping[tuple[str, int], list[Any]]) -> bytes:
    data = []
    for topic in request["topic_offsets"]:
        rows = []
        for partition, offset in zip(topic["partitions"], topic["offsets"], strict=True):
            log = logs.get((topic["topic"], partition), [])
            rows.append({"partition": partition, "messages": log[offset:] if offset >= 0 else []})
        data.append({"topic": topic["topic"], "partition_data": rows})
    answer = {"correlation_id": request["correlation_id"], "version_id": 0, "error": NONE}
    return encode("FetchResponse", answer | {"data": data})


def interpret(request: bytes, response: bytes | None) -> dict[str, Any]:
    """What a client makes of an answer to its request."""
    if response is None:
        return {"outcome": "error", "error": None}
    produces = int.from_bytes(request[4:6]) == PRODUCE
    asked = decode("ProduceRequest" if produces else "FetchRequest", request)
    try:
        answer = decode("ProduceResponse" if produces else "FetchResponse", response)
    except RefusedError:
        return {"outcome": "malformed"}
    if answer["correlation_id"] != asked["correlation_id"]:
        return {"outcome": "malformed"}
    if produces and asked["required_acks"] == 0:
        return {"outcome": "malformed"}
    if produces and len(answer["errors"]) != sum(len(topic["partition_data"]) for topic in asked["data"]):
        return {"outcome": "malformed"}
    return {"outcome": "accepted"} if answer["error"] == NONE else {"outcome": "error", "error": answer["error"]}


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
