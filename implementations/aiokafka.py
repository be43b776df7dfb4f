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
import re
import struct
from importlib.metadata import version as installed_version
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from aiokafka.conn import AIOKafkaConnection
from aiokafka.errors import CorrelationIdError, IncompatibleBrokerVersion, KafkaConnectionError, KafkaError
from aiokafka.protocol import admin, api
from aiokafka.protocol import types as codecs
from aiokafka.protocol.struct import Struct

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

logging.getLogger("aiokafka").addHandler(logging.NullHandler())

name = "aiokafka"
version = installed_version("aiokafka")
dialects = ("kafka",)
#: ValueError is what the library makes of struct.error, but not in its varints; a connection takes either for broken.
#: AssertionError is how `TaggedFields.encode` refuses ("Key 0 is not a positive integer").
rejects = (ValueError, struct.error, AssertionError, KafkaError)
#: Lengths of strings and bytes below -1 are null.
readings = {"R-K-15": "other"}

#: Type → the codec sought.
PRIMITIVES = {
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
}
#: Array form → the codec sought; each is given the element's codec.
ARRAYS = {
    "ARRAY": "Array",
    "NULLABLE_ARRAY": "Array",
    "COMPACT_ARRAY": "CompactArray",
    "COMPACT_NULLABLE_ARRAY": "CompactArray",
}
#: Header or message → the module and the stem of its classes' names, `<stem>_v<version>`.
STRUCTS = {
    "RequestHeader": (api, "RequestHeader"),
    "ResponseHeader": (api, "ResponseHeader"),
    "ApiVersionsRequest": (admin, "ApiVersionRequest"),
    "ApiVersionsResponse": (admin, "ApiVersionResponse"),
}
#: The library's own field names where they are not Kafka's in snake case.
NAMES = {
    "RequestHeader": {"api_key": "RequestApiKey", "api_version": "RequestApiVersion", "tags": "_tags"},
    "ResponseHeader": {"tags": "_tags"},
    "ApiVersionsResponse": {"api_versions": "ApiKeys"},
}


class TrailingBytesError(ValueError):
    """The stream stands before its end."""

    reason = "trailing-bytes"

    def __init__(self, offset: int) -> None:
        super().__init__(f"bytes left over from offset {offset}")
        self.offset = offset


def _versions(type_name: str) -> tuple[int, int]:
    """The lowest and highest version that the library has a class for."""
    module, stem = STRUCTS[type_name]
    known = [int(found[1]) for found in (re.fullmatch(rf"{stem}_v(\d+)", each) for each in dir(module)) if found]
    return min(known), max(known)


types: dict[str, dict[str, tuple[int, int] | None]] = {
    "kafka": {
        **{sought: None for sought, codec in {**PRIMITIVES, **ARRAYS}.items() if hasattr(codecs, codec)},
        **{struct_name: _versions(struct_name) for struct_name in STRUCTS},
        "RequestFrame": None,
        "ResponseFrame:ApiVersions": _versions("ApiVersionsResponse"),
    }
}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """The value, by the codec or schema of the library."""
    if type == "ResponseFrame:ApiVersions":
        correlation_id = int.from_bytes(data[4:8], "big", signed=True)
        answer = asyncio.run(_answer(_sender(version), correlation_id, data))
        body = [answer.get_item(field) for field in answer.SCHEMA.names]
        return {
            "header": {"CorrelationId": correlation_id},
            "body": _plain(answer.SCHEMA, body, NAMES["ApiVersionsResponse"]),
        }
    if type == "RequestFrame":
        raise NotImplementedError("aiokafka.conn has no reader of request frames")
    stream = io.BytesIO(data)
    codec = _codec(type, version)
    value = codec.decode(stream)
    if stream.tell() < len(data):
        raise TrailingBytesError(stream.tell())
    return _plain(codec, value, NAMES.get(type, {}))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    """The bytes, by the codec or schema of the library."""
    if type == "RequestFrame":
        return asyncio.run(_sent(value["header"], value["body"]))
    if type == "ResponseFrame:ApiVersions":
        raise NotImplementedError("aiokafka.conn has no writer of response frames")
    codec = _codec(type, version)
    if type not in STRUCTS:
        return bytes(codec.encode(_native(codec, value, {})))
    made = object.__new__(_struct(type, version))
    Struct.__init__(made, **_native_fields(codec, value, NAMES.get(type, {})))  # headers have another __init__
    return bytes(made.encode())


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
        asyncio.run(_answer(AIOKafkaConnection._do_version_lookup, correlation_id, response))
    except CorrelationIdError:
        return {"outcome": "malformed"}
    except KafkaConnectionError as error:
        ended = isinstance(error.__cause__, (EOFError, OSError))
        return {"outcome": "error", "error": None} if ended else {"outcome": "malformed"}
    except Exception:  # `AIOKafkaConnection.connect` closes and raises
        return {"outcome": "error", "error": None}
    return {"outcome": "accepted"}


class _Wire:
    """The writing stream, as far as a connection asks for it: a socket without another end."""

    def __init__(self) -> None:
        self.sent = b""

    def write(self, data: bytes) -> None:
        self.sent += data

    async def drain(self) -> None: ...

    def close(self) -> None: ...


def _connection(correlation_id: int, client_id: str | None = None) -> Any:
    """A connection that is open, and whose next request has this correlation id."""
    if not 0 <= correlation_id < 2**31:
        raise NotImplementedError("aiokafka.conn.AIOKafkaConnection counts its correlation ids from 0 to 2**31 - 1")
    connection = AIOKafkaConnection("nowhere", 0, client_id=client_id)
    connection._writer = _Wire()
    connection._correlation_id = correlation_id - 1
    return connection


async def _sent(header: dict[str, Any], body: dict[str, Any]) -> bytes:
    """What a connection to a broker of this one version writes."""
    if header["RequestApiKey"] != admin.ApiVersionRequest.API_KEY or header.get("_tags"):
        raise NotImplementedError("aiokafka.conn.AIOKafkaConnection: ApiVersions alone is offered, and no header tags")
    _struct("ApiVersionsRequest", header["RequestApiVersion"])
    connection = _connection(header["CorrelationId"], header["ClientId"])
    connection._versions = {header["RequestApiKey"]: (header["RequestApiVersion"],) * 2}
    await connection.send(admin.ApiVersionRequest(**body), expect_response=False)
    return bytes(connection._writer.sent)


def _sender(version: int | None) -> Callable[[Any], Awaitable[Any]]:
    def send(connection: Any) -> Awaitable[Any]:
        connection._versions = {admin.ApiVersionRequest.API_KEY: (version, version)}
        sent: Awaitable[Any] = connection.send(admin.ApiVersionRequest())
        return sent

    return send


async def _answer(ask: Callable[[Any], Awaitable[Any]], correlation_id: int, response: bytes | None) -> Any:
    """What `ask(connection)` gives when these bytes come back, and then the end."""
    connection = _connection(correlation_id)
    connection._reader = asyncio.StreamReader()
    connection._reader.feed_data(response or b"")
    connection._reader.feed_eof()
    connection._read_task = connection._create_reader_task()
    try:
        return await ask(connection)
    finally:
        connection.close()


def _codec(type_name: str, version: int | None = None) -> Any:
    """What decodes and encodes a type: a class or an instance of the library's."""
    form, _, element = type_name.partition("<")
    sought = (ARRAYS if element else PRIMITIVES).get(form)
    if sought is None and type_name in STRUCTS:
        return _struct(type_name, version).SCHEMA
    found = getattr(codecs, sought or "", None)
    if found is None:
        raise NotImplementedError(f"{codecs.__name__} has no {sought or 'API'} for {type_name}")
    if element:
        return found(_codec(element[:-1]))
    return found() if issubclass(found, codecs.String) else found


def _struct(type_name: str, version: int | None) -> Any:
    module, stem = STRUCTS[type_name]
    found = getattr(module, f"{stem}_v{version}", None)
    if found is None:
        raise NotImplementedError(f"{module.__name__} has no {stem}_v{version}")
    return found


def _wire_name(field: str, names: dict[str, str]) -> str:
    return names.get(field) or "".join(word.capitalize() for word in field.split("_"))


def _plain(codec: Any, value: Any, names: dict[str, str]) -> Any:
    """What the library gives, as a protocol value: dicts for its tuples, pairs for its dict of tags."""
    if codec is codecs.TaggedFields:
        return list(value.items())
    if isinstance(codec, codecs.Schema):
        entries = zip(codec.names, codec.fields, value, strict=True) if codec.fields else ()
        return {_wire_name(field, names): _plain(inner, item, names) for field, inner, item in entries}
    if isinstance(codec, codecs.Array) and value is not None:
        return [_plain(codec.array_of, item, names) for item in value]
    return value


def _native(codec: Any, value: Any, names: dict[str, str]) -> Any:
    """The way back: tuples for dicts, and a dict for tags."""
    if codec is codecs.TaggedFields:
        given = dict(value)
        if len(given) < len(value):
            raise NotImplementedError("aiokafka.protocol.types.TaggedFields takes a dict: no tag can be given twice")
        return given
    if isinstance(codec, codecs.Schema):
        given = _native_fields(codec, value, names)
        return tuple(given.pop(field) for field in codec.names) + tuple(given.values())  # too many: it refuses
    if isinstance(codec, codecs.Array) and value is not None:
        return [_native(codec.array_of, item, names) for item in value]
    return value


def _native_fields(codec: Any, value: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The fields under the library's names. One that it does not know is handed on as it is: the class refuses."""
    known = {_wire_name(field, names): (field, inner) for field, inner in zip(codec.names, codec.fields, strict=True)}
    given: dict[str, Any] = {field: {} for field, inner in known.values() if inner is codecs.TaggedFields}
    for key, item in value.items():
        if key in known:
            field, inner = known[key]
            given[field] = _native(inner, item, names)
        elif key != "_tags" or item:
            given[key] = item
    return given
