"""aiokafka, whose schemas are written by hand, with a class for each version.

Offered are the codecs of `aiokafka.protocol.types`, and headers and messages by their `SCHEMA`s, for each version that
has a class; `_aiokafka_names` has Kafka's names. The codecs read a stream; bytes left over are refused. One codec
serves nullable and other fields, as in the library's own messages. Frames exist only on a connection:
`AIOKafkaConnection` writes request frames and reads response frames, on stand-ins for its streams; nothing reads a
request frame. `negotiate` is `Request.prepare`; `interpret` is the connection's own version lookup, which only asks
ApiVersions 0. `consume` is the fetcher's `PartitionRecords`, `produce` is `BatchBuilder`. Records are read as in a
fetch and written as by a producer (see `_records`): here by the compiled classes, and by the pure-Python ones in
`--impl=implementations.aiokafka:python`, which offers only records. The library has no UINT16, no UUID, no header
version 0 and no part of a broker.
"""

from __future__ import annotations

import asyncio
import io
import logging
import struct
import sys
from importlib import import_module
from importlib.metadata import version as installed_version
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import aiokafka
import cramjam
from aiokafka import util
from aiokafka.conn import AIOKafkaConnection
from aiokafka.consumer.fetcher import READ_COMMITTED, READ_UNCOMMITTED, PartitionRecords
from aiokafka.errors import IncompatibleBrokerVersion, KafkaError, RecordTooLargeError
from aiokafka.producer.message_accumulator import BatchBuilder
from aiokafka.protocol import (
    admin,
    api,
    commit,
    coordination,
    fetch,
    group,
    metadata,
    offset,
    transaction,
)
from aiokafka.protocol import produce as produce_messages
from aiokafka.protocol import types as codecs
from aiokafka.structs import TopicPartition

from implementations import _records
from implementations._aiokafka_names import FIELDS, STEMS
from implementations._shared import distinct_tags, failed, read_whole, wire_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

logging.getLogger("aiokafka").addHandler(logging.NullHandler())

name = "aiokafka"
version = installed_version("aiokafka")
dialects = ("kafka",)
#: The library turns struct.error into ValueError, except in its varints; a connection treats both as broken data.
#: `TaggedFields.encode` refuses with AssertionError ("Key 0 is not a positive integer").
#: The decompressors' own exceptions reach the caller who reads records.
rejects = (ValueError, struct.error, AssertionError, KafkaError, *_records.REJECTS, cramjam.DecompressionError)
#: Bytes after the body of a response frame are ignored, lengths below -1 are null, a record's too. The struct of a
#: version has no place for a field that it lacks, nor for tags. Messages of another magic are read in a wrapper, and
#: what follows a gzip stream in it is ignored. Compact text is as long as it is. Records
#: of a broken batch are delivered up to the fault.
readings = {
    "R-K-3": {"ApiVersionsRequest": "other"},
    "R-K-7": "other",
    "R-K-12": "other",
    "R-K-13": "refuses",
    "R-K-15": "other",
    "R-K-22": {"MessageSet": "other"},
    "R-K-27": "other",
    "R-K-29": "other",
    "R-K-39": "before-the-fault",
    "R-K-37": "other",
    "R-K-38": "other",
}

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
    # Each of these gets the codec of its elements.
    "ARRAY": "Array",
    "NULLABLE_ARRAY": "Array",
    "COMPACT_ARRAY": "CompactArray",
    "COMPACT_NULLABLE_ARRAY": "CompactArray",
}
#: Where the messages' classes are.
MODULES = (admin, commit, coordination, fetch, group, metadata, offset, produce_messages, transaction)
FRAME = "ResponseFrame:"


def _messages() -> dict[str, dict[int, Any]]:
    """Message → version → class. Where two classes have the same version, the first counts."""
    messages: dict[str, dict[int, Any]] = {}
    for module in MODULES:
        for each in vars(module).values():
            if isinstance(each, type) and issubclass(each, api.RequestStruct | api.Response) and "SCHEMA" in vars(each):
                stem = _stem(each)
                messages.setdefault(STEMS.get(stem, stem), {}).setdefault(vars(each)["API_VERSION"], each)
    return messages


def _stem(message_class: type) -> str:
    return message_class.__name__.partition("_v")[0]


#: Header or message → version → class.
HEADERS: dict[str, dict[int, Any]] = {
    "RequestHeader": {1: api.RequestHeader_v1, 2: api.RequestHeader_v2},
    "ResponseHeader": {0: api.ResponseHeader_v0, 1: api.ResponseHeader_v1},
}
MESSAGES = _messages()
#: API key → version → request class, and the message's name.
REQUESTS = {
    next(iter(versions.values())).API_KEY: (message, versions)
    for message, versions in MESSAGES.items()
    if message.endswith("Request")
}


def _span(versions: dict[int, Any]) -> tuple[int, int]:
    return min(versions), max(versions)


types: dict[str, dict[str, tuple[int, int] | None]] = {
    "kafka": {
        **{sought: None for sought, codec in CODECS.items() if hasattr(codecs, codec)},
        **{sought: _span(versions) for sought, versions in {**HEADERS, **MESSAGES}.items()},
        "RequestFrame": None,
        **{
            FRAME + message.removesuffix("Response"): _span(versions)
            for message, versions in MESSAGES.items()
            if message.endswith("Response")
        },
        **_records.TYPES,
    }
}


def _record_classes() -> _records.Classes:
    """The classes of the record modules as imported now: the compiled ones."""
    modules = {
        part: import_module(f"aiokafka.record.{part}")
        for part in ("memory_records", "default_records", "legacy_records", "util")
    }
    return _records.Classes(
        memory=modules["memory_records"].MemoryRecords,
        batch=modules["default_records"].DefaultRecordBatch,
        batch_builder=modules["default_records"].DefaultRecordBatchBuilder,
        legacy_builder=modules["legacy_records"].LegacyRecordBatchBuilder,
        crc32c=modules["util"].calc_crc32c,
        leader_epoch=None,
    )


def _record_classes_in_python() -> _records.Classes:
    """Their classes as imported under AIOKAFKA_NO_EXTENSIONS: the pure-Python ones. The second import is undone."""
    modules = [module for module in sys.modules if f"{module}.".startswith("aiokafka.record.")]
    kept = {module: sys.modules.pop(module) for module in modules}
    extensions, package = util.NO_EXTENSIONS, aiokafka.record
    util.NO_EXTENSIONS = True
    try:
        return _record_classes()
    finally:
        util.NO_EXTENSIONS, aiokafka.record = extensions, package
        sys.modules.update(kept)


RECORDS = _record_classes()
#: A batch class has no leader epoch, so values are without it.
rebuilds = dict.fromkeys(("RecordBatch", "RecordSet"), _records.REBUILDS)


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """The value, by the codec, schema or record classes of the library."""
    if type in _records.TYPES:
        return RECORDS.decode(type, data, version)
    if type.startswith(FRAME):
        message = type.removeprefix(FRAME)
        correlation_id = int.from_bytes(data[4:8], "big", signed=True)
        body = asyncio.run(_body(data, correlation_id, message, version))
        return {"header": {"CorrelationId": correlation_id}, "body": body}
    if type == "RequestFrame":
        raise NotImplementedError("aiokafka.conn has no reader of request frames")
    codec = _codec(type, version)
    return _plain(codec, read_whole(codec.decode, data), FIELDS.get(type, {}))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    """The bytes, by the codec, schema or class of the library."""
    if type in _records.TYPES:
        return RECORDS.encode(type, value, version)
    if type == "RequestFrame":
        return asyncio.run(_sent(value["header"], value["body"]))
    if type.startswith(FRAME):
        raise NotImplementedError("aiokafka.conn has no writer of response frames")
    codec = _codec(type, version)
    if type in MESSAGES:
        return bytes(_class(type, version)(**_fields(codec, value, FIELDS.get(type, {}))).encode())
    return bytes(codec.encode(_native(codec, value, FIELDS.get(type, {}))))


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
    """The outcome for a new connection's ApiVersions request and this response."""
    api_key, asked, correlation_id, _ = api.RequestHeader_v1.SCHEMA.decode(io.BytesIO(request[4:]))
    if (api_key, asked) != (admin.ApiVersionRequest.API_KEY, admin.ApiVersionRequest_v0.API_VERSION):
        raise NotImplementedError("aiokafka.conn.AIOKafkaConnection judges answers to ApiVersions 0 alone")
    try:
        asyncio.run(_answer(AIOKafkaConnection._do_version_lookup, correlation_id, response or b""))
    except Exception as error:  # `AIOKafkaConnection.connect` closes and raises
        return failed(error, response)
    return {"outcome": "accepted"}


def consume(
    data: bytes, *, position: int, isolation: str, aborted: list[dict[str, int]], dialect: str
) -> dict[str, Any]:
    """What a consumer that is iterated gets, one record after the other, and the position then. An error behind good
    records comes with the next one. The fetcher itself refuses bytes without a whole batch."""
    records = RECORDS.memory(data)
    if not records.has_next():
        if data:
            raise RecordTooLargeError("There are some messages whose size is larger than the fetch size")
        return _records.delivered((), position)
    transactions = [(transaction["producer_id"], transaction["first_offset"]) for transaction in aborted]
    level = READ_COMMITTED if isolation == "read_committed" else READ_UNCOMMITTED
    partition = TopicPartition("topic", 0)
    fetched = PartitionRecords(partition, records, transactions, position, None, None, True, level)
    got: list[Any] = []
    try:
        got.extend(fetched)
    except rejects:
        if not got:
            raise
    return _records.delivered(got, fetched.next_fetch_offset)


def produce(records: list[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str) -> bytes:
    """What `BatchBuilder`, by which the producer and its users make batches, makes of the records."""
    if magic != 2:
        raise NotImplementedError("aiokafka.producer.message_accumulator.BatchBuilder makes batches of magic 2 alone")
    builder = BatchBuilder(_records.ROOM, _records.CODECS[codec], is_transactional=options["transactional"])
    for record in records:
        headers = [tuple(pair) for pair in record["headers"]]  # the compiled builder takes no other pairs
        builder.append(timestamp=record["timestamp"], key=record["key"], value=record["value"], headers=headers)
    builder._set_producer_state(options["producer_id"], options["producer_epoch"], options["base_sequence"])
    return bytes(builder._build())


def _connection(correlation_id: int, client_id: str | None, sent: bytearray) -> Any:
    """An open connection that writes here; its next request has this correlation id."""
    if not 0 <= correlation_id < 2**31:
        raise NotImplementedError("aiokafka.conn.AIOKafkaConnection counts its correlation ids from 0 to 2**31 - 1")
    connection = AIOKafkaConnection("nowhere", 0, client_id=client_id)
    connection._writer = SimpleNamespace(write=sent.extend, drain=lambda: None, close=lambda: None)
    connection._correlation_id = correlation_id - 1
    return connection


async def _sent(header: dict[str, Any], body: dict[str, Any]) -> bytes:
    """What a connection writes for this request."""
    api_key, version = header["RequestApiKey"], header["RequestApiVersion"]
    if api_key not in REQUESTS or header.get("_tags"):
        raise NotImplementedError(f"aiokafka.conn.AIOKafkaConnection: no request of api key {api_key}, or header tags")
    message = REQUESTS[api_key][0]
    request_class = _class(message, version)
    struct = request_class(**_fields(request_class.SCHEMA, body, FIELDS.get(message, {})))
    sent = bytearray()
    connection = _connection(header["CorrelationId"], header["ClientId"], sent)
    connection.send(SimpleNamespace(prepare=lambda _: struct), expect_response=False)
    return bytes(sent)


async def _body(frame: bytes, correlation_id: int, message: str, version: int | None) -> Any:
    """The body that a connection finds in the answer to a request of this version."""
    struct = _class(f"{message}Request", version)()
    struct.encode = lambda: b""  # what was asked does not matter, and a request without values can't be written

    def ask(connection: Any) -> Awaitable[Any]:
        sent: Awaitable[Any] = connection.send(SimpleNamespace(prepare=lambda _: struct))
        return sent

    answer = await _answer(ask, correlation_id, frame)
    values = [answer.get_item(field) for field in answer.SCHEMA.names]
    return _plain(answer.SCHEMA, values, FIELDS.get(f"{message}Response", {}))


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
    codec = getattr(codecs, sought, None)
    if codec is None:
        raise NotImplementedError(f"{codecs.__name__} has no {sought} for {type_name}")
    if element:
        return codec(_codec(element[:-1]))
    return codec() if issubclass(codec, codecs.String) else codec


def _class(type_name: str, version: int | None) -> Any:
    versions = (HEADERS | MESSAGES).get(type_name)
    if versions is None:
        raise NotImplementedError(f"aiokafka.protocol has no {type_name}")
    if version not in versions:
        other = next(iter(versions.values()))
        raise NotImplementedError(f"{other.__module__} has no {_stem(other)}_v{version}")
    return versions[version]


def _name(field: str, codec: Any, within: str, names: dict[str, str]) -> tuple[str, str]:
    """Kafka's name of a field; for an array of bare values also the name of the one field in each element."""
    if codec is codecs.TaggedFields:
        return "_tags", ""
    name, _, only = names.get(f"{within}.{field}", names.get(field, wire_name(field))).partition(".")
    return name, only


def _plain(codec: Any, value: Any, names: dict[str, str], within: str = "") -> Any:
    """The library's value as a protocol value: dicts for its tuples, pairs for its dict of tags."""
    if codec is codecs.TaggedFields:
        return list(value.items())
    if isinstance(codec, codecs.Schema):
        shown: dict[str, Any] = {}
        for field, inner, item in zip(codec.names, codec.fields, value, strict=True):
            name, only = _name(field, inner, within, names)
            plain = _plain(inner, item, names, field)
            if only and plain is not None:
                plain = [{only: each} for each in plain]
            shown |= {name: plain} if name else plain
        return shown
    if isinstance(codec, codecs.Array) and value is not None:
        return [_plain(codec.array_of, item, names, within) for item in value]
    return value


def _native(codec: Any, value: Any, names: dict[str, str], within: str = "") -> Any:
    """A protocol value as the library's: tuples for dicts, a dict for tags."""
    if codec is codecs.TaggedFields:
        return distinct_tags(value)
    if isinstance(codec, codecs.Schema):
        fields = _fields(codec, value, names, within)
        return tuple(fields.pop(field) for field in codec.names) + tuple(fields.values())  # too many: it refuses
    if isinstance(codec, codecs.Array) and value is not None:
        return [_native(codec.array_of, item, names, within) for item in value]
    return value


def _fields(codec: Any, value: dict[str, Any], names: dict[str, str], within: str = "") -> dict[str, Any]:
    """The fields under the library's names. An unknown one is passed on, so that the library refuses it."""
    fields: dict[str, Any] = {}
    rest = {key: item for key, item in value.items() if key != "_tags" or item}
    for field, inner in zip(codec.names, codec.fields, strict=True):
        name, only = _name(field, inner, within, names)
        if not name:
            inner_names = {
                _name(each, kind, field, names)[0] for each, kind in zip(inner.names, inner.fields, strict=True)
            }
            fields[field] = _native(inner, {key: rest.pop(key) for key in inner_names & rest.keys()}, names, field)
        elif name in rest:
            item = rest.pop(name)
            fields[field] = _native(
                inner, [each[only] for each in item] if only and item is not None else item, names, field
            )
        elif name == "_tags":
            fields[field] = {}
    return fields | rest


class InPython:
    """Records by the pure-Python classes, for `--impl=implementations.aiokafka:python`."""

    name, version, dialects, rejects, rebuilds = "aiokafka-python", version, dialects, rejects, rebuilds
    types = MappingProxyType({"kafka": _records.TYPES})
    readings = MappingProxyType({"R-K-12": {"Record*": "other"}, "R-K-22": {"MessageSet": "other"}})

    def __init__(self) -> None:
        self._records = _record_classes_in_python()

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:  # noqa: ARG002
        """The value, by the record classes."""
        return self._records.decode(_among_records(type), data, version)

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:  # noqa: ARG002
        """The bytes, by the record classes."""
        return self._records.encode(_among_records(type), value, version)


def _among_records(type_name: str) -> str:
    if type_name not in _records.TYPES:
        raise NotImplementedError(f"aiokafka.record has no API for {type_name}")
    return type_name


python = InPython()
