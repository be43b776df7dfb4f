"""aiokafka: schemas written by hand, a class a version; for ApiVersions 0-2.

Offered: the codecs of `aiokafka.protocol.types`, which read a stream (what they leave is refused), headers and messages
by their `SCHEMA`s. One codec serves nullable and other fields alike, as in the library's own messages. Frames exist on
a connection alone: `AIOKafkaConnection` writes the request frame and reads the response frame, on a stand-in for its
streams; nothing reads a request frame. `negotiate` is `Request.prepare`; `interpret` is the connection's own lookup of
versions, which asks ApiVersions 0 and no other. Not there: UINT16, UUID, header version 0, anything of a broker's.
"""

from __future__ import annotations

import asyncio
import io
import logging
import struct
from importlib.metadata import version as installed_version
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from aiokafka.conn import AIOKafkaConnection
from aiokafka.errors import IncompatibleBrokerVersion, KafkaError
from aiokafka.protocol import admin, api
from aiokafka.protocol import types as codecs

from implementations._shared import distinct_tags, failed, read_whole, wire_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

logging.getLogger("aiokafka").addHandler(logging.NullHandler())

name = "aiokafka"
version = installed_version("aiokafka")
dialects = ("kafka",)
#: ValueError is what the library makes of struct.error, but not in its varints; a connection takes either for broken.
#: AssertionError is how `TaggedFields.encode` refuses ("Key 0 is not a positive integer").
rejects = (ValueError, struct.error, AssertionError, KafkaError)
#: Bytes after the body of a response frame are ignored, lengths of strings and bytes below -1 are null.
readings = {"R-K-7": "other", "R-K-15": "other"}

#: Type → the codec sought.
CODECS = {
    "BOOLEAN": "Boolean",
    "INT8": "Int8",
    "INT16": "Int16",
    "INT32": "Int32",
    "INT64": "Int64",
    "UINT16": "UInt16",
    "UINT32": "UInt32",
    "FLOAT64": "Float64",
    "UUID": "UUID",
    "UNSIGNED_VARINT": "UnsignedVarInt32",
    "VARINT": "VarInt32",
    "VARLONG": "VarInt64",
    "STRING": "String",
    "NULLABLE_STRING": "String",
    "COMPACT_STRING": "CompactString",
    "COMPACT_NULLABLE_STRING": "CompactString",
    "BYTES": "Bytes",
    "NULLABLE_BYTES": "Bytes",
    "COMPACT_BYTES": "CompactBytes",
    "COMPACT_NULLABLE_BYTES": "CompactBytes",
    "TAG_BUFFER": "TaggedFields",
    # Each of these is given the codec of its elements.
    "ARRAY": "Array",
    "NULLABLE_ARRAY": "Array",
    "COMPACT_ARRAY": "CompactArray",
    "COMPACT_NULLABLE_ARRAY": "CompactArray",
}
#: Header or message → the module and the stem of its classes' names, `<stem>_v<version>`.
HEADERS = {"RequestHeader": (api, "RequestHeader"), "ResponseHeader": (api, "ResponseHeader")}
MESSAGES = {
    "ApiVersionsRequest": (admin, "ApiVersionRequest"),
    "ApiVersionsResponse": (admin, "ApiVersionResponse"),
}
#: The library's own field names where they are not Kafka's in snake case.
NAMES = {
    "RequestHeader": {"api_key": "RequestApiKey", "api_version": "RequestApiVersion", "tags": "_tags"},
    "ResponseHeader": {"tags": "_tags"},
    "ApiVersionsResponse": {"api_versions": "ApiKeys"},
}


def _versions(type_name: str) -> tuple[int, int]:
    """The lowest and highest version that the library has a class for."""
    module, stem = (HEADERS | MESSAGES)[type_name]
    known = [int(each.removeprefix(f"{stem}_v")) for each in dir(module) if each.startswith(f"{stem}_v")]
    return min(known), max(known)


types: dict[str, dict[str, tuple[int, int] | None]] = {
    "kafka": {
        **{sought: None for sought, codec in CODECS.items() if hasattr(codecs, codec)},
        **{sought: _versions(sought) for sought in (*HEADERS, *MESSAGES)},
        "RequestFrame": None,
        "ResponseFrame:ApiVersions": _versions("ApiVersionsResponse"),
    }
}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """The value, by the codec or schema of the library."""
    if type == "ResponseFrame:ApiVersions":
        correlation_id = int.from_bytes(data[4:8], "big", signed=True)
        return {"header": {"CorrelationId": correlation_id}, "body": asyncio.run(_body(data, correlation_id, version))}
    if type == "RequestFrame":
        raise NotImplementedError("aiokafka.conn has no reader of request frames")
    codec = _codec(type, version)
    return _plain(codec, read_whole(codec.decode, data), NAMES.get(type, {}))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    """The bytes, by the codec, schema or class of the library."""
    if type == "RequestFrame":
        return asyncio.run(_sent(value["header"], value["body"]))
    if type == "ResponseFrame:ApiVersions":
        raise NotImplementedError("aiokafka.conn has no writer of response frames")
    codec = _codec(type, version)
    if type in MESSAGES:
        return bytes(_class(type, version)(**_fields(codec, value, NAMES.get(type, {}))).encode())
    return bytes(codec.encode(_native(codec, value, NAMES.get(type, {}))))


def negotiate(api_key: int, client: tuple[int, int], broker: tuple[int, int] | None, *, dialect: str) -> int | None:
    """The library's choice for a request that has a class for each of the client's versions."""
    request: Any = SimpleNamespace(
        API_KEY=api_key,
        ALLOW_UNKNOWN_API_VERSION=any(
            each.ALLOW_UNKNOWN_API_VERSION for each in api.Request.__subclasses__() if api_key == each.API_KEY
        ),
        _CLASSES=[SimpleNamespace(API_VERSION=number) for number in range(client[0], client[1] + 1)],
        build=lambda request_class: request_class.API_VERSION,
    )
    try:
        chosen: int = api.Request.prepare(request, {} if broker is None else {api_key: broker})
    except (IncompatibleBrokerVersion, NotImplementedError):  # both are how the library says "none"
        return None
    return chosen


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    """What a new connection makes of the answer to its ApiVersions request."""
    api_key, asked, correlation_id, _ = api.RequestHeader_v1.SCHEMA.decode(io.BytesIO(request[4:]))
    if (api_key, asked) != (admin.ApiVersionRequest.API_KEY, admin.ApiVersionRequest_v0.API_VERSION):
        raise NotImplementedError("aiokafka.conn.AIOKafkaConnection judges answers to ApiVersions 0 alone")
    try:
        asyncio.run(_answer(AIOKafkaConnection._do_version_lookup, correlation_id, response or b""))
    except Exception as error:  # `AIOKafkaConnection.connect` closes and raises
        return failed(error, response)
    return {"outcome": "accepted"}


def _connection(correlation_id: int, client_id: str | None, sent: bytearray) -> Any:
    """An open connection that writes here; its next request has this correlation id."""
    if not 0 <= correlation_id < 2**31:
        raise NotImplementedError("aiokafka.conn.AIOKafkaConnection counts its correlation ids from 0 to 2**31 - 1")
    connection = AIOKafkaConnection("nowhere", 0, client_id=client_id)
    connection._writer = SimpleNamespace(write=sent.extend, drain=lambda: None, close=lambda: None)
    connection._correlation_id = correlation_id - 1
    return connection


async def _sent(header: dict[str, Any], body: dict[str, Any]) -> bytes:
    """What a connection to a broker of this one version writes."""
    if header["RequestApiKey"] != admin.ApiVersionRequest.API_KEY or header.get("_tags"):
        raise NotImplementedError("aiokafka.conn.AIOKafkaConnection: ApiVersions alone is offered, and no header tags")
    _class("ApiVersionsRequest", header["RequestApiVersion"])
    sent = bytearray()
    connection = _connection(header["CorrelationId"], header["ClientId"], sent)
    connection._versions = {header["RequestApiKey"]: (header["RequestApiVersion"],) * 2}
    connection.send(admin.ApiVersionRequest(**body), expect_response=False)
    return bytes(sent)


async def _body(frame: bytes, correlation_id: int, version: int | None) -> Any:
    """The body that a connection finds in the answer to a request of this version."""

    def ask(connection: Any) -> Awaitable[Any]:
        connection._versions = {admin.ApiVersionRequest.API_KEY: (version, version)}
        sent: Awaitable[Any] = connection.send(admin.ApiVersionRequest())
        return sent

    answer = await _answer(ask, correlation_id, frame)
    names = answer.SCHEMA.names
    return _plain(answer.SCHEMA, [answer.get_item(field) for field in names], NAMES["ApiVersionsResponse"])


async def _answer(ask: Callable[[Any], Awaitable[Any]], correlation_id: int, response: bytes) -> Any:
    """What `ask(connection)` gives when these bytes come back, and then the end."""
    connection = _connection(correlation_id, None, bytearray())
    connection._reader = asyncio.StreamReader()
    connection._reader.feed_data(response)
    connection._reader.feed_eof()
    connection._read_task = connection._create_reader_task()
    try:
        return await ask(connection)
    finally:
        connection.close()


def _codec(type_name: str, version: int | None = None) -> Any:
    """What decodes and encodes a type: a class or an instance of the library's."""
    if type_name in HEADERS or type_name in MESSAGES:
        return _class(type_name, version).SCHEMA
    form, _, element = type_name.partition("<")
    sought = CODECS.get(form, "API")
    found = getattr(codecs, sought, None)
    if found is None:
        raise NotImplementedError(f"{codecs.__name__} has no {sought} for {type_name}")
    if element:
        return found(_codec(element[:-1]))
    return found() if issubclass(found, codecs.String) else found


def _class(type_name: str, version: int | None) -> Any:
    module, stem = (HEADERS | MESSAGES)[type_name]
    found = getattr(module, f"{stem}_v{version}", None)
    if found is None:
        raise NotImplementedError(f"{module.__name__} has no {stem}_v{version}")
    return found


def _plain(codec: Any, value: Any, names: dict[str, str]) -> Any:
    """What the library gives, as a protocol value: dicts for its tuples, pairs for its dict of tags."""
    if codec is codecs.TaggedFields:
        return list(value.items())
    if isinstance(codec, codecs.Schema):
        entries = zip(codec.names, codec.fields, value, strict=True)
        return {names.get(field, wire_name(field)): _plain(inner, item, names) for field, inner, item in entries}
    if isinstance(codec, codecs.Array) and value is not None:
        return [_plain(codec.array_of, item, names) for item in value]
    return value


def _native(codec: Any, value: Any, names: dict[str, str]) -> Any:
    """The way back: tuples for dicts, and a dict for tags."""
    if codec is codecs.TaggedFields:
        return distinct_tags(value)
    if isinstance(codec, codecs.Schema):
        given = _fields(codec, value, names)
        return tuple(given.pop(field) for field in codec.names) + tuple(given.values())  # too many: it refuses
    if isinstance(codec, codecs.Array) and value is not None:
        return [_native(codec.array_of, item, names) for item in value]
    return value


def _fields(codec: Any, value: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The fields under the library's names. One that it does not know is handed on as it is: the library refuses."""
    known = dict(zip(codec.names, codec.fields, strict=True))
    fields = {names.get(field, wire_name(field)): field for field in known}
    given: dict[str, Any] = {field: {} for field, inner in known.items() if inner is codecs.TaggedFields}
    for key, item in value.items():
        if key in fields:
            given[fields[key]] = _native(known[fields[key]], item, names)
        elif key != "_tags" or item:
            given[key] = item
    return given
