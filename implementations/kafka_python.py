"""kafka-python, whose codecs and messages are built at run time from Kafka's schema JSON.

Offered are the codecs of `kafka.protocol.schemas.fields.codecs`; arrays by `ArrayField`; headers and all messages with
a class in `kafka.protocol`, at the valid versions of its schemas. The codecs read a stream; bytes left over are
refused. One codec serves nullable and other fields, as in the library's own messages. `ApiMessage.decode` does not
return how much it has read, so bytes left over are accepted. A response frame is read by `KafkaProtocol`, as in the
client; a request frame by `ApiMessage.decode(framed=True)`. Authorized operations are a set of bits. Records are read
as in a fetch and written as by a producer (see `_records`); a single record goes through `KafkaProducer.send`.
`consume` is the fetcher's `PartitionRecords`, `produce` is `MemoryRecordsBuilder`; `negotiate` is
`BrokerVersionData.api_version`; `interpret` is `KafkaConnection` on a stand-in for its socket: its own version lookup,
or any request, and the error code of the response that its caller gets. The library has no UINT32, no header version 0,
no unknown tags in writing and no part of a broker.
"""

from __future__ import annotations

import contextlib
import io
import logging
import struct
import uuid
from importlib.metadata import version as installed_version
from types import SimpleNamespace
from typing import Any

import snappy  # type: ignore[import-untyped]
import zstandard
from kafka.consumer.fetcher import Fetcher, IsolationLevel
from kafka.errors import IncompatibleBrokerVersion, KafkaError, KafkaProtocolError, UnsupportedVersionError, for_code
from kafka.net.connection import KafkaConnection
from kafka.producer import KafkaProducer
from kafka.protocol import admin, api_data, api_header, consumer, metadata, producer, sasl
from kafka.protocol.broker_version_data import BrokerVersionData
from kafka.protocol.parser import KafkaProtocol
from kafka.protocol.schemas import ArrayField
from kafka.protocol.schemas.fields.codecs import tagged_fields
from kafka.protocol.schemas.fields.codecs import types as codecs
from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder
from kafka.record.util import calc_crc32c
from kafka.structs import TopicPartition

from implementations import _records
from implementations._shared import SPELLED, distinct_tags, failed, read_whole

logging.getLogger("kafka").addHandler(logging.NullHandler())

name = "kafka-python"
version = installed_version("kafka-python")
dialects = ("kafka",)
#: The parser treats ValueError and struct.error as "unable to decode", and raises KafkaErrors. It does not expect an
#: IndexError or AssertionError: these escape the client's read loop, so they are no refusal here.
#: The decompressors' own exceptions reach the caller who reads records; RuntimeError is lz4's.
rejects = (
    ValueError,
    struct.error,
    KafkaError,
    *_records.REJECTS,
    snappy.UncompressError,
    zstandard.ZstdError,
    RuntimeError,
)
#: Tags in any order, kept in a dict; sizes of known tags and bytes after a body ignored; lengths below -1 are null, a
#: record's too. The writer leaves out what a version lacks. Any xerial header is read; compact text is as long as it
#: is; a structure is there if its marker is not negative. Its client drops unknown tags.
#: Records of a broken batch are delivered up to the fault. Wrappers have the time 0, and what becomes no smaller is not
#: compressed.
readings = {
    "R-K-1": "map",
    "R-K-2": "other",
    "R-K-3": {"ResponseFrame:ApiVersions": "other"},
    "R-K-7": "other",
    "R-K-9": "minus-1",
    "R-K-12": {"Record*": "other"},
    "R-K-13": "omits",
    "R-K-15": "other",
    "R-K-22": {"MessageSet": "other"},
    "R-K-22c": "other",
    "R-K-29": "other",
    "R-K-39": "before-the-fault",
    "R-K-37": "other",
    "R-K-38": "other",
    "R-K-63": "other",
    "R-K-64": "other",
}

#: Type → the codec's name. The codecs of texts, bytes and arrays have a flag for their compact form, but none for "not
#: nullable".
CODECS = {
    "BOOLEAN": "Boolean",
    "INT8": "Int8",
    "INT16": "Int16",
    "INT32": "Int32",
    "INT64": "Int64",
    "UINT16": "UnsignedInt16",
    "UINT32": "UnsignedInt32",
    "FLOAT64": "Float64",
    "UUID": "UUID",
    "UNSIGNED_VARINT": "UnsignedVarInt32",
    "VARINT": "VarInt32",
    "VARLONG": "VarInt64",
    **{f"{form}STRING": "String" for form in ("", "NULLABLE_", "COMPACT_", "COMPACT_NULLABLE_")},
    **{f"{form}BYTES": "Bytes" for form in ("", "NULLABLE_", "COMPACT_", "COMPACT_NULLABLE_")},
}
#: The library reads it as None.
NO_UUID = uuid.UUID(int=0)
ARRAYS = ("ARRAY", "NULLABLE_ARRAY", "COMPACT_ARRAY", "COMPACT_NULLABLE_ARRAY")
HEADERS = {header: getattr(api_header, header) for header in ("RequestHeader", "ResponseHeader")}
#: Where the messages' classes are.
MODULES = (admin, consumer, metadata, producer, sasl)
MESSAGES = {
    member.__name__: member
    for module in MODULES
    for member in vars(module).values()
    if isinstance(member, api_data.JsonSchemaData) and member._struct is not None
}
REQUESTS = {message.API_KEY: message for message in MESSAGES.values() if message.type == "request"}
RESPONSE_FRAMES = {
    f"ResponseFrame:{message.name.removesuffix('Response')}": message
    for message in MESSAGES.values()
    if message.type == "response"
}
#: Structure → the name in Kafka's schema of what the library renames to `authorized_operations`.
OPERATIONS = {
    "DescribeClusterResponse": "ClusterAuthorizedOperations",
    "MetadataResponse": "ClusterAuthorizedOperations",
    "MetadataResponseTopic": "TopicAuthorizedOperations",
}

types: dict[str, dict[str, tuple[int, int] | None]] = {
    "kafka": {
        **{sought: None for sought, codec in CODECS.items() if hasattr(codecs, codec)},
        **dict.fromkeys([*ARRAYS, "TAG_BUFFER", "RequestFrame"]),
        **{name: header._valid_versions for name, header in HEADERS.items()},
        **{name: message.valid_versions for name, message in {**MESSAGES, **RESPONSE_FRAMES}.items()},
        **_records.TYPES,
    }
}
RECORDS = _records.Classes(
    memory=MemoryRecords,
    batch=DefaultRecordBatch,
    batch_builder=DefaultRecordBatchBuilder,
    legacy_builder=LegacyRecordBatchBuilder,
    crc32c=calc_crc32c,
    leader_epoch=lambda batch: batch.leader_epoch,
)
rebuilds = dict.fromkeys(("RecordBatch", "RecordSet"), _records.REBUILDS)


class Pinned:
    """A codec in one of its two forms, with the two methods that `ArrayField` asks of its elements."""

    def __init__(self, codec: Any, compact: bool) -> None:
        self.codec, self.compact = codec, compact

    def encode(self, value: Any, **_: Any) -> Any:
        return self.codec.encode(value, compact=self.compact)

    def decode(self, data: io.BytesIO, **_: Any) -> Any:
        value = self.codec.decode(data, compact=self.compact)
        return NO_UUID if value is None and self.codec is codecs.UUID else value


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """The value, by the codec, header, message or record class of the library."""
    if type in _records.TYPES:
        return RECORDS.decode(type, data, version)
    if type in MESSAGES:
        if MESSAGES[type].type == "data":
            return _plain(read_whole(lambda stream: MESSAGES[type].decode(stream, version=version, header=False), data))
        return _plain(MESSAGES[type].decode(data, version=version))
    if type == "RequestFrame":
        return _read_request(data)
    if type in RESPONSE_FRAMES:
        return _read_response(RESPONSE_FRAMES[type], data, version)
    if type in HEADERS:
        flexible = _flexible(type, version)
        return _plain(read_whole(lambda stream: HEADERS[type].decode(stream, flexible=flexible), data))
    if type == "TAG_BUFFER":
        return _unknown_tags(read_whole(tagged_fields.TaggedFields([]).decode, data))
    return read_whole(_codec(type).decode, data)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    """The bytes, by the codec, header, message or record class of the library."""
    if type in _records.TYPES:
        return RECORDS.encode(type, _sent(value) if type == "Record" else value, version)
    if type in MESSAGES:
        return bytes(_native(MESSAGES[type], value, version).encode(header=False))
    if type in HEADERS:
        flexible = _flexible(type, version)
        return bytes(_native(HEADERS[type], value, version).encode(flexible=flexible))
    if type == "RequestFrame":
        asked = value["header"]
        body = _native(_request(asked["RequestApiKey"]), value["body"], asked["RequestApiVersion"])
        body._header = _native(HEADERS["RequestHeader"], asked)
        return bytes(body.encode(header=True, framed=True))
    if type in RESPONSE_FRAMES:
        body = _native(RESPONSE_FRAMES[type], value["body"], version)
        body._header = _native(HEADERS["ResponseHeader"], value["header"])
        return bytes(body.encode(header=True, framed=True))
    if type == "TAG_BUFFER":
        return bytes(tagged_fields.TaggedFields([]).encode(_named_tags(value)))
    return bytes(_codec(type).encode(value))


def negotiate(api_key: int, client: tuple[int, int], broker: tuple[int, int] | None, *, dialect: str) -> int | None:
    """The library's choice for a request whose client knows these versions."""
    listed = {} if broker is None else {api_key: tuple(broker)}
    operation = SimpleNamespace(name=f"api {api_key}", API_KEY=api_key, min_version=client[0], max_version=client[1])
    operation._min_version = operation._max_version = None
    try:
        chosen: int = BrokerVersionData(api_versions=listed).api_version(operation, client[0], client[1])
    except (IncompatibleBrokerVersion, ValueError):  # ValueError: the client's range is empty
        return None
    return chosen


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    """The outcome for a request of a connection and this response: of ApiVersions on a new one, of others later on."""
    header = api_header.RequestHeader.decode(io.BytesIO(request[4:]), flexible=False)
    message, number = _request(header.request_api_key), header.request_api_version
    if not message.min_version <= number <= message.max_version:
        raise NotImplementedError(f"kafka.protocol has no version {number} of {message.__name__}")
    connection = _connection(header.correlation_id)
    if message is metadata.ApiVersionsRequest:
        return _looked_up(connection, number, response)
    connection.initializing, connection.connected = False, True
    answer = connection.send_request(message.decode(request, version=number, header=True, framed=True))
    try:
        _receive(connection, response)
    except KafkaError as error:
        return failed(error, response)
    if not answer.succeeded():
        return failed(answer.exception, response)
    code = getattr(answer.value, "error_code", None) or 0  # what the library's own callers look at
    if for_code(code) is UnsupportedVersionError:
        return {"outcome": "unsupported", "request": message.__name__}
    return {"outcome": "error", "error": code} if code else {"outcome": "accepted"}


def _looked_up(connection: Any, version: int, response: bytes | None) -> dict[str, Any]:
    """The outcome for a new connection's ApiVersions request of this version."""
    connection._api_versions_idx = version
    lookup = connection._get_api_versions()
    lookup.send(None)  # runs up to the wait for the answer
    _receive(connection, response)
    try:
        lookup.send(None)
    except StopIteration:
        return {"outcome": "accepted"}
    except Exception as error:  # `KafkaConnection.initialize` closes
        return failed(error, response)
    lookup.close()
    return {"outcome": "retry", "version": connection._api_versions_idx}


def consume(
    data: bytes, *, position: int, isolation: str, aborted: list[dict[str, int]], dialect: str
) -> dict[str, Any]:
    """What the first `take` of a fetched partition gives, and its next offset. An error behind good records comes with
    the second one. The fetcher itself refuses bytes without a whole batch."""
    records = MemoryRecords(data)
    if data and not records.has_next():
        raise KafkaError("Failed to make progress reading messages: no complete records were found")
    fetched = Fetcher.PartitionRecords(
        position,
        TopicPartition("topic", 0),
        records,
        isolation_level=IsolationLevel[isolation.upper()],
        aborted_transactions=[SimpleNamespace(**transaction) for transaction in aborted],
    )
    got = fetched.take()
    if fetched:  # an error comes next
        with contextlib.suppress(*rejects):
            fetched.take()
    return _records.delivered(got, fetched.next_fetch_offset)


def produce(records: list[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str) -> bytes:
    """What the builder of the producer's batches makes of the records. It asserts that its format can hold what it is
    given, so that is its refusal."""
    try:
        builder = MemoryRecordsBuilder(magic, _records.CODECS[codec], _records.ROOM, **options)
        for record in records:
            headers = [tuple(pair) for pair in record["headers"]]
            builder.append(record["timestamp"], record["key"], record["value"], headers)
    except AssertionError as error:
        raise ValueError(f"AssertionError: {error}") from None
    builder.close()
    return bytes(builder.buffer())


def _receive(connection: Any, response: bytes | None) -> None:
    """Give the connection this response, and end it if that is none, or not all of one."""
    if response is not None:
        try:
            connection.data_received(response)
        except KafkaProtocolError as error:  # the one exception that the library's transport expects here
            connection.close(error)
    if connection.in_flight_requests:
        connection.close()


def _sent(record: dict[str, Any]) -> dict[str, Any]:
    """The record as `KafkaProducer.send` passes it to the writer, in a producer without a cluster."""
    handed: dict[str, Any] = {}

    def append(_: Any, timestamp: int, key: Any, value: Any, headers: Any, **__: Any) -> tuple[None, bool, bool, bool]:
        handed.update(record | {"timestampDelta": timestamp, "key": key, "value": value, "headers": headers})
        return None, False, False, False

    producer: Any = SimpleNamespace(
        _closed=False,
        _metadata=SimpleNamespace(partitions_for_topic=lambda _: {0}),
        _partition=lambda *_: 0,
        _serialize=lambda _serializer, _topic, _headers, item: item,
        _estimate_size_in_bytes=lambda *_: 0,
        _ensure_valid_record_size=lambda _: None,
        _transaction_manager=None,
        _accumulator=SimpleNamespace(append=append),
        config=KafkaProducer.DEFAULT_CONFIG | {"api_version": (3, 0)},
    )
    headers = [tuple(pair) for pair in record["headers"]]
    KafkaProducer.send(
        producer, "t", value=record["value"], key=record["key"], headers=headers, timestamp_ms=record["timestampDelta"]
    )
    return handed


def _connection(correlation_id: int) -> Any:
    """A new connection, on an event loop whose timers never fire and a socket without a peer."""
    if not 0 <= correlation_id < 2**31:
        raise NotImplementedError("kafka.protocol.parser.KafkaProtocol counts its correlation ids from 0 to 2**31 - 1")
    connection = KafkaConnection(SimpleNamespace(call_at=lambda *_: None, cancel=lambda *_: None))
    wire = SimpleNamespace(
        get_protocol=lambda: connection,
        resume_reading=lambda: None,
        getPeer=lambda: ("nowhere", 0),
        host_port=lambda: "nowhere:0",
        write=lambda *_: None,
        close=lambda: connection.connection_lost(None),
        abort=connection.connection_lost,
    )
    connection.connection_made(wire)
    connection.parser._correlation_id = correlation_id - 1
    return connection


def _codec(type_name: str) -> Pinned:
    form, _, element = type_name.partition("<")
    compact = form.startswith("COMPACT_")
    if form in ARRAYS and element:
        array = {"name": "array", "type": "[]", "versions": "0+"}
        return Pinned(ArrayField(array, array_of=_codec(element[:-1])), compact)
    sought = CODECS.get(type_name, "API")
    codec = getattr(codecs, sought, None)
    if codec is None:
        raise NotImplementedError(f"{codecs.__name__} has no {sought} for {type_name}")
    return Pinned(codec() if codec is codecs.String else codec, compact)


def _flexible(header: str, version: int | None) -> bool:
    """Whether a header of this version has tags: the form in which the library knows header versions."""
    low, high = HEADERS[header]._valid_versions
    if version is None or not low <= version <= high:
        raise NotImplementedError(f"kafka.protocol.api_header has no {header} of version {version}")
    return bool(version >= HEADERS[header]._flexible_versions[0])


def _request(api_key: int) -> Any:
    if api_key not in REQUESTS:
        raise NotImplementedError(f"kafka.protocol has no class that is offered here for requests of api key {api_key}")
    return REQUESTS[api_key]


def _read_request(data: bytes) -> dict[str, Any]:
    header = api_header.RequestHeader.decode(io.BytesIO(data[codecs.Int32.size :]), flexible=False)
    message = _request(header.request_api_key)
    body = message.decode(data, version=header.request_api_version, header=True, framed=True)
    return {"header": _plain(body.header), "body": _plain(body)}


def _read_response(message: Any, data: bytes, version: int | None) -> dict[str, Any]:
    """The client's parser, waiting for an answer with the correlation id that these bytes have."""
    parser = KafkaProtocol()
    sent = int.from_bytes(data[4:8], "big", signed=True)
    asked = {"request_api_key": message.API_KEY, "request_api_version": version, "correlation_id": sent}
    parser.in_flight_requests.append(api_header.RequestHeader(**asked))
    answers = parser.receive_bytes(data)
    if not answers:
        raise ValueError("the parser waits for the rest of the frame")
    [(correlation_id, body)] = answers
    return {"header": {"CorrelationId": correlation_id}, "body": _plain(body)}


def _unknown_tags(tags: dict[str, bytes]) -> list[tuple[int, bytes]]:
    """The library's names of unknown tags, "_5", as numbers. It keeps them in a dict, whose order means nothing."""
    return sorted((int(tag.removeprefix("_")), data) for tag, data in tags.items())


def _named_tags(tags: Any) -> dict[str, bytes]:
    return {f"_{tag}": data for tag, data in distinct_tags(tags).items()}


def _wire_name(container: Any, field: Any) -> str:
    """The field's name in Kafka's schema. `container` is the class of the structure, or a weak proxy of it."""
    structure = container._struct.type_str if container._struct.type_str in OPERATIONS else container._struct._name
    if field._name == "authorized_operations":
        return OPERATIONS[structure]
    named: str = SPELLED.get(structure, {}).get(field._name, field._name)
    return named


def _plain(item: Any) -> dict[str, Any]:
    """A DataContainer as a dict of the fields that its version has, by their names in the schema."""
    has = [field for field in item.fields.values() if field.for_version_q(item.version)]
    shown = {_wire_name(item, field): _plain_field(field, getattr(item, field.name)) for field in has}
    return shown | ({"_tags": _unknown_tags(item.unknown_tags)} if item.unknown_tags else {})


def _plain_field(field: Any, value: Any) -> Any:
    if field.is_array():
        if value is None:
            return None
        return [_plain(item) if field.is_struct_array() else _plain_field(field.array_of, item) for item in value]
    if field.is_struct():
        return None if value is None else _plain(value)
    if field.type_str == "bitfield":
        bits = codecs.BitField.to_32_bit_field({31} if value is None else value)
        return bits - (bits >> 31 << 32)
    return NO_UUID if value is None and field.type_str == "uuid" else value


def _native(container: Any, value: dict[str, Any], version: int | None = None) -> Any:
    """The DataContainer of a dict. An unknown name is passed on, so that the library refuses it."""
    known = {_wire_name(container, field): field for field in container.fields.values()}
    fields: dict[str, Any] = _named_tags(value.get("_tags", ()))
    for key, item in value.items():
        if key in known:
            fields[known[key].name] = _native_field(known[key], item)
        elif key != "_tags":
            fields[key] = item
    return container(version=version, **fields)


def _native_field(field: Any, value: Any) -> Any:
    if value is None:
        return None
    if field.is_struct():
        return _native(field.data_class, value)
    if field.is_array():
        return [_native_field(field.array_of, item) for item in value]
    if field.type_str == "bitfield":
        return codecs.BitField.decode(io.BytesIO(codecs.Int32.encode(value)))
    return None if field.type_str == "uuid" and value == NO_UUID else value
