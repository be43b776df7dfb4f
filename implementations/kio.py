"""kio, whose entities are generated from Kafka's schemas, read by a Rust core, and written in Python.

Offered are the readers and writers of `kio.serial.readers` and `kio.serial.writers`, and all entities in
`kio.schema.index` (`entity_reader`, `entity_writer`), with a module for each version, imported at its first use. One
array reader of each form serves nullable and other fields, as in kio's own entities. A reader returns how much it has
read, so bytes left over are refused. Records are those of `kio.records`: batches of magic 2, not compressed; a new
batch has the base offset and timestamp of its first record. `produce` writes a `NewRecordBatch`, as kio calls one that
is about to be produced; the offsets of its records are counted here, for kio has no producer. Error codes, durations
and points in time are members of an enumeration, timedeltas and datetimes; numbers that these can't hold can't be
asked. kio has no tag buffers alone, no unknown tags, no frames, no sets of batches or messages, no negotiation and no
part of a broker.
"""

from __future__ import annotations

import io
import uuid
from dataclasses import Field, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Any

from kio import index
from kio.records import readers as record_readers
from kio.records import writers as record_writers
from kio.records.schema import NewRecordBatch, Record, RecordBatch, RecordHeader
from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer, errors, readers, writers
from kio.serial._introspect import EntityField, EntityTupleField, classify_field, is_optional
from kio.static.primitive import TZAwareMicros, i16, i32, i64

from implementations._shared import BATCH_FIELDS, RECORD_FIELDS, SPELLED, TrailingBytesError, others_than, wire_name

if TYPE_CHECKING:
    from collections.abc import Callable

name = "kio"
version = installed_version("kio")
dialects = ("kafka",)
#: The core raises KeyError for "Unknown tagged field tag", and ValueError for "Varint is too long" and the like.
rejects = (errors.SerialError, index.KioIndexError, ValueError, KeyError)
#: Tags are read in any order, and their sizes are ignored; one of later versions is refused, one of 2³¹−1 and more when
#: it is written. Bits above 64 are dropped. A structure is there if its marker is not negative. A header's key is not
#: decoded. The class of a version has no place for a field that it lacks. LZ4 with linked blocks is refused; compact
#: text is as long as it is.
readings = {
    "R-K-1": "other",
    "R-K-2": "other",
    "R-K-4": "other",
    "R-K-6": {"VARLONG": "other"},
    "R-K-9": "minus-1",
    "R-K-11": {"Record*": "kept"},
    "R-K-13": "refuses",
    "R-K-15c": "other",
    "R-K-22b": "other",
    "R-K-29": "other",
}

#: Type → the names in `kio.serial.readers` and `kio.serial.writers`.
PRIMITIVES = {
    "BOOLEAN": ("read_boolean", "write_boolean"),
    "INT8": ("read_int8", "write_int8"),
    "INT16": ("read_int16", "write_int16"),
    "INT32": ("read_int32", "write_int32"),
    "INT64": ("read_int64", "write_int64"),
    "UINT16": ("read_uint16", "write_uint16"),
    "UINT32": ("read_uint32", "write_uint32"),
    "FLOAT64": ("read_float64", "write_float64"),
    "UUID": ("read_uuid", "write_uuid"),
    "UNSIGNED_VARINT": ("read_unsigned_varint", "write_unsigned_varint"),
    "VARINT": ("read_signed_varint", "write_signed_varint"),
    "VARLONG": ("read_signed_varlong", "write_signed_varlong"),
    "STRING": ("read_legacy_string", "write_legacy_string"),
    "NULLABLE_STRING": ("read_nullable_legacy_string", "write_nullable_legacy_string"),
    "COMPACT_STRING": ("read_compact_string", "write_compact_string"),
    "COMPACT_NULLABLE_STRING": ("read_compact_string_nullable", "write_nullable_compact_string"),
    "BYTES": ("read_legacy_bytes", "write_legacy_bytes"),
    "NULLABLE_BYTES": ("read_nullable_legacy_bytes", "write_nullable_legacy_bytes"),
    # The writers of compact strings also take bytes: kio's entities use them for both.
    "COMPACT_BYTES": ("read_compact_string_as_bytes", "write_compact_string"),
    "COMPACT_NULLABLE_BYTES": ("read_compact_string_as_bytes_nullable", "write_nullable_compact_string"),
    "TAG_BUFFER": ("read_tagged_fields", "write_tagged_fields"),
}
#: Array form → these names for arrays; each function gets the element's reader or writer.
ARRAYS = {
    "ARRAY": ("legacy_array_reader", "legacy_array_writer"),
    "NULLABLE_ARRAY": ("legacy_array_reader", "legacy_array_writer"),
    "COMPACT_ARRAY": ("compact_array_reader", "compact_array_writer"),
    "COMPACT_NULLABLE_ARRAY": ("compact_array_reader", "compact_array_writer"),
}
#: The protocol value for None in kio's types that have no null in the protocol.
NULLS = {"uuid": uuid.UUID(int=0), "datetime_i64": -1}
#: Classes whose values are protocol values as they are.
AS_THEY_ARE = frozenset({bool, bytes, float, int, str, uuid.UUID})
EPOCH, MILLISECOND = datetime.fromtimestamp(0, UTC), timedelta(milliseconds=1)


def _entities() -> dict[str, dict[int, tuple[str, Any]]]:
    """Entity → version → its schema's name and kind, as `kio.index` takes them. Imports none of their modules."""
    entities: dict[str, dict[int, tuple[str, Any]]] = {}
    for schema, versions in schema_name_map.items():
        for number, kinds in versions.items():
            for kind, path in kinds.items():
                entities.setdefault(path.partition(":")[2], {})[number] = (schema, kind)
    return entities


ENTITIES = _entities()

types: dict[str, dict[str, tuple[int, int] | None]] = {
    "kafka": {
        **{
            sought: None
            for sought, (reader, writer) in {**PRIMITIVES, **ARRAYS}.items()
            if hasattr(readers, reader) and hasattr(writers, writer)
        },
        **{entity: (min(versions), max(versions)) for entity, versions in ENTITIES.items()},
        "Record": None,
        "RecordBatch": None,
    }
}
#: The fields that the writer sets itself.
rebuilds = {"RecordBatch": ("lastOffsetDelta", "maxTimestamp")}
#: Bits of a batch's attributes.
CODEC, TRANSACTIONAL = 0x07, 0x10


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """The value, by `kio.serial.readers`, `kio.serial.entity_reader` or `kio.records.readers`."""
    value, size = _reader(type, version)(data, 0)
    if size != len(data):
        raise TrailingBytesError(size)
    match value:
        case Record():
            return _plain_record(value, 0, 0)
        case RecordBatch():
            return _plain_batch(value)
    return _plain(value)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    """The bytes, by `kio.serial.writers`, `kio.serial.entity_writer` or `kio.records.writers`."""
    out = io.BytesIO()
    if type == "RecordBatch":
        record_writers.write_batch(out, _native_batch(value))
        return out.getvalue()
    if type == "Record":
        record_writers.write_record(out, _native_record(value, 0, 0), i64(0), i64(0))
        return out.getvalue()
    if type in ENTITIES:
        entity = _entity(type, version)
        entity_writer(entity)(out, _native(value, entity))
    else:
        _codec(type, 1)(out, value)
    return out.getvalue()


def produce(records: list[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str) -> bytes:
    """What `kio.records.writers` makes of the records. A `NewRecordBatch` has no place for a magic or a codec."""
    if magic != RecordBatch.magic:
        raise NotImplementedError(f"kio.records.schema.NewRecordBatch has the magic {RecordBatch.magic} alone")
    if codec != "none":
        raise NotImplementedError("kio.records.writers has no compression")
    batch = NewRecordBatch(
        producer_id=i64(options["producer_id"]),
        producer_epoch=i16(options["producer_epoch"]),
        base_sequence=i32(options["base_sequence"]),
        attributes=i16(TRANSACTIONAL if options["transactional"] else 0),
        records=tuple(_sent(record, offset) for offset, record in enumerate(records)),
    )
    out = io.BytesIO()
    record_writers.write_batch(out, batch)
    return out.getvalue()


def _sent(record: dict[str, Any], offset: int) -> Record:
    """The record as an application makes it."""
    relative = {"attributes": 0, "timestampDelta": record["timestamp"], "offsetDelta": offset}
    return _native_record(relative | {name: record[name] for name in ("key", "value", "headers")}, 0, 0)


def _reader(type_name: str, version: int | None) -> Any:
    if type_name == "RecordBatch":
        return record_readers.read_batch
    if type_name == "Record":
        return lambda data, offset: record_readers.read_record(data, i64(0), i64(0), offset)
    return entity_reader(_entity(type_name, version)) if type_name in ENTITIES else _codec(type_name, 0)


def _codec(type_name: str, side: int) -> Callable[..., Any]:
    """The reader (side 0) or writer (side 1) of a primitive or an array."""
    form, _, element = type_name.partition("<")
    module = (readers, writers)[side]
    sought = {**PRIMITIVES, **ARRAYS}.get(form)
    function = getattr(module, sought[side], None) if sought else None
    if function is None:
        what = sought[side] if sought else "API"
        raise NotImplementedError(f"{module.__name__} has no {what} for {type_name}")
    if function is readers.read_uuid:
        return _read_uuid
    codec: Callable[..., Any] = function(_codec(element[:-1], side)) if element else function
    return codec


def _read_uuid(data: bytes, offset: int) -> tuple[Any, int]:
    value, size = readers.read_uuid(data, offset)
    return _plain(value, NULLS["uuid"]), size


def _entity(type_name: str, version: int | None) -> Any:
    """The class of a version. `kio.index` refuses one that it lacks."""
    load: Any = index.load_entity_schema
    places = ENTITIES[type_name]
    schema, kind = next((place for number, place in places.items() if number == version), places[max(places)])
    return load(schema, version, kind)


@cache
def _names(entity: Any) -> dict[str, Field[Any]]:
    """Kafka's name → field of an entity. kio uses snake case, and drops "Ms" from the names of times."""
    spelled = SPELLED.get(entity.__name__, {})
    named = {}
    for one in fields(entity):
        timed = one.metadata.get("kafka_type", "").startswith(("timedelta", "datetime"))
        usual = wire_name(one.name) + ("Ms" if timed else "")
        named[spelled.get(usual, usual)] = one
    return named


def _plain(value: Any, null: Any = None) -> Any:
    """kio's value as a protocol value; `null`: the protocol value of None."""
    if type(value) in AS_THEY_ARE:
        return value
    match value:
        case None:
            return null
        case ErrorCode():
            return value.value
        case timedelta():
            return value // MILLISECOND
        case datetime():
            return (value - EPOCH) // MILLISECOND
        case tuple():
            return [item if type(item) in AS_THEY_ARE else _plain(item, null) for item in value]
    if is_dataclass(value):
        entity: Any = type(value)
        return {key: _plain_field(getattr(value, one.name), one) for key, one in _names(entity).items()}
    return value


def _plain_field(value: Any, field: Field[Any]) -> Any:
    if value is None and classify_field(field).is_array:
        return None
    return _plain(value, NULLS.get(field.metadata.get("kafka_type", "")))


def _native(value: dict[str, Any], entity: Any) -> Any:
    """The entity of a dict. An unknown key is passed on, so that the entity refuses it."""
    known = _names(entity)
    items = {key: item for key, item in value.items() if key != "_tags" or item}
    return entity(
        **{known[key].name if key in known else key: _native_field(item, known.get(key)) for key, item in items.items()}
    )


def _native_field(value: Any, field: Field[Any] | None) -> Any:
    if field is None or value is None:
        return value
    match classify_field(field), field.metadata.get("kafka_type"):
        case EntityTupleField(entity), _:
            return tuple(_native(item, entity) for item in value)
        case EntityField(entity), _:
            return _native(value, entity)
        case _, "error_code":
            return ErrorCode(value)
        case _, "timedelta_i32" | "timedelta_i64":
            return value * MILLISECOND
        case _, "uuid":
            return tuple(map(_native_uuid, value)) if isinstance(value, list) else _native_uuid(value)
        case _, "datetime_i64":
            return None if value == NULLS["datetime_i64"] and is_optional(field) else EPOCH + value * MILLISECOND
    return tuple(value) if isinstance(value, list) else value


def _native_uuid(value: uuid.UUID) -> uuid.UUID | None:
    return None if value == NULLS["uuid"] else value


def _plain_batch(batch: RecordBatch) -> dict[str, Any]:
    return {
        "baseOffset": batch.base_offset,
        "partitionLeaderEpoch": batch.partition_leader_epoch,
        "attributes": batch.attributes,
        "lastOffsetDelta": batch.last_offset_delta,
        "baseTimestamp": batch.base_timestamp,
        "maxTimestamp": batch.max_timestamp,
        "producerId": batch.producer_id,
        "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence,
        "records": [_plain_record(record, batch.base_offset, batch.base_timestamp) for record in batch.records],
    }


def _plain_record(record: Record, base_offset: int, base_timestamp: int) -> dict[str, Any]:
    return {
        "attributes": record.attributes,
        "timestampDelta": (record.timestamp - EPOCH) // MILLISECOND - base_timestamp,
        "offsetDelta": record.offset - base_offset,
        "key": record.key,
        "value": record.value,
        "headers": [(header.key, header.value) for header in record.headers],
    }


def _native_batch(batch: dict[str, Any]) -> NewRecordBatch:
    typed: Any = batch
    if typed["attributes"] & CODEC:
        raise NotImplementedError("kio.records.writers has no compression")
    records = typed["records"]
    if records and (records[0]["offsetDelta"] or records[0]["timestampDelta"]):
        raise NotImplementedError("kio.records.schema.NewRecordBatch takes its bases from its first record")
    return NewRecordBatch(
        producer_id=typed["producerId"],
        producer_epoch=typed["producerEpoch"],
        partition_leader_epoch=typed["partitionLeaderEpoch"],
        base_sequence=typed["baseSequence"],
        attributes=typed["attributes"],
        records=tuple(_native_record(record, typed["baseOffset"], typed["baseTimestamp"]) for record in records),
        **others_than(BATCH_FIELDS, typed),
    )


def _native_record(record: dict[str, Any], base_offset: int, base_timestamp: int) -> Record:
    typed: Any = record
    return Record(
        attributes=typed["attributes"],
        timestamp=TZAwareMicros.parse(EPOCH + (base_timestamp + typed["timestampDelta"]) * MILLISECOND),
        offset=i64(base_offset + typed["offsetDelta"]),
        key=typed["key"],
        value=typed["value"],
        headers=tuple(RecordHeader(key=_octets(key), value=value) for key, value in typed["headers"]),
        **others_than(RECORD_FIELDS, typed),
    )


def _octets(key: str | bytes | None) -> bytes | None:
    """A header key as kio has it."""
    return key.encode() if isinstance(key, str) else key
