"""Reads and writes records by the classes of kafka-python and aiokafka, which have a common origin.

Bytes are read as in a fetch: `MemoryRecords` cuts them into batches; the CRC of each batch is checked, then its records
are read, with a check of their CRC where there is one. Such a reader stops silently at a partial batch. Bytes are
written by the producers' builders, which take records and set the rest themselves.

The classes have no way to express the following, so it is not asked. In both directions: record attributes (0 is shown)
and the timestamps of records before LogAppendTime. In writing: batch attributes other than the codec and the
transactional bit, a codec that makes the records no smaller, a base offset, a base timestamp that is not the first
record's, and the offset, timestamp and key of a compressed wrapper (the key is not shown in reading either). A single
record is put into a batch, whose header is made here. A key of a value without a field in its format is passed to the
builder, which may refuse it.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from implementations._shared import BATCH_FIELDS, RECORD_FIELDS, TrailingBytesError, others_than

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: The types offered; a `MessageSet`'s version is its magic.
TYPES: dict[str, tuple[int, int] | None] = {
    "Record": None,
    "RecordBatch": None,
    "RecordSet": None,
    "MessageSet": (0, 1),
}
#: The fields that the builder sets itself, or leaves to the broker.
REBUILDS = ("partitionLeaderEpoch", "lastOffsetDelta", "maxTimestamp")
#: The exceptions of the standard library's decompressors.
REJECTS = (zlib.error, EOFError, OSError)

#: The fields of a message, and of a compressed wrapper.
MESSAGE_FIELDS = frozenset(("magic", "offset", "attributes", "timestamp", "key", "value"))
WRAPPER_FIELDS = MESSAGE_FIELDS - {"value"} | {"messages"}

#: The batch size of the builders: no batch gets full.
ROOM = 1 << 30
CODEC, LOG_APPEND_TIME, TRANSACTIONAL = 0x07, 0x08, 0x10
BATCH_HEADER = struct.Struct(">qiibIhiqqqhii")
BASE_TIMESTAMP = 7  # its place in the header
LEGACY_HEADER = struct.Struct(">qiIBb")
TIMESTAMP = struct.Struct(">q")
#: The libraries' types of timestamps; magic 0 has none.
TIMESTAMP_TYPES = {0: "create", 1: "append", None: None}
#: The offset of the first byte that a batch's CRC covers; the offset after the length of a batch or message.
COVERED, LOG_OVERHEAD = 21, 12


@dataclass(frozen=True)
class Classes:
    """The classes of one library."""

    memory: Any
    batch: Any
    batch_builder: Any
    legacy_builder: Any
    crc32c: Callable[[bytes], int]
    #: A batch → its leader epoch; None where the library has no access to it.
    leader_epoch: Callable[[Any], int] | None

    def decode(self, type_name: str, data: bytes, version: int | None) -> Any:
        """The value of one of `TYPES`. Raises the library's exceptions, and ValueError where it finds no batch."""
        match type_name:
            case "Record":
                return self._record(data)
            case "RecordBatch":
                return self._batch(data)
            case "MessageSet":
                entries = list(self._entries(data))
                if any(entry.pop("magic") != version for entry in entries):
                    raise ValueError(f"not all of magic {version}")
                return entries
        return list(self._entries(data))

    def encode(self, type_name: str, value: Any, version: int | None) -> bytes:
        """The bytes of one of `TYPES`."""
        match type_name:
            case "Record":
                return self._built_record(value)
            case "RecordBatch":
                return self._built_batch(value)
            case "MessageSet":
                return b"".join(self._built_message(entry, version) for entry in value)
        return b"".join(
            self._built_batch(entry) if entry["magic"] == 2 else self._built_message(entry, entry["magic"])
            for entry in value
        )

    # --- Reading ---

    def _batches(self, data: bytes) -> Iterator[tuple[Any, bytes]]:
        """The batches that the reader finds, each with its bytes."""
        records = self.memory(data)
        position = 0
        while records.has_next():
            batch = records.next_batch()
            end = position + LOG_OVERHEAD + int.from_bytes(data[position + 8 : position + LOG_OVERHEAD], "big")
            if not batch.validate_crc():
                raise ValueError("validate_crc() of the batch is False")
            yield batch, data[position:end]
            position = end

    def _entries(self, data: bytes) -> Iterator[dict[str, Any]]:
        for batch, cut in self._batches(data):
            if isinstance(batch, self.batch):
                yield {"magic": batch.magic, **self._plain_batch(batch)}
            else:
                yield _plain_message(batch, cut)

    def _batch(self, data: bytes) -> dict[str, Any]:
        batches = self._batches(data)
        batch, cut = next(batches, (None, b""))
        if not isinstance(batch, self.batch):
            raise ValueError(f"MemoryRecords has {'a message' if batch else 'nothing'} here, and no batch")  # noqa: TRY004
        value = self._plain_batch(batch)
        if next(batches, None):
            raise TrailingBytesError(len(cut))
        return value

    def _plain_batch(self, batch: Any) -> dict[str, Any]:
        records = _checked(batch)
        if records and batch.timestamp_type:
            raise NotImplementedError("a record has the timestamp of its batch, and its own is lost")
        return {
            "baseOffset": batch.base_offset,
            **({"partitionLeaderEpoch": self.leader_epoch(batch)} if self.leader_epoch else {}),
            "attributes": batch.attributes,
            "lastOffsetDelta": batch.last_offset_delta,
            "baseTimestamp": batch.first_timestamp,
            "maxTimestamp": batch.max_timestamp,
            "producerId": batch.producer_id,
            "producerEpoch": batch.producer_epoch,
            "baseSequence": batch.base_sequence,
            "records": [_plain_record(record, batch) for record in records],
        }

    def _record(self, data: bytes) -> dict[str, Any]:
        header = (0, BATCH_HEADER.size - LOG_OVERHEAD + len(data), 0, 2, 0, 0, 0, 0, 0, -1, -1, -1, 1)
        made = bytearray(BATCH_HEADER.pack(*header) + data)
        made[COVERED - 4 : COVERED] = self.crc32c(bytes(made[COVERED:])).to_bytes(4, "big")
        [record] = self._batch(bytes(made))["records"]
        plain: dict[str, Any] = record
        return plain

    # --- Writing ---

    def _built_batch(self, batch: dict[str, Any]) -> bytes:
        records, attributes = batch["records"], batch["attributes"]
        if attributes & ~(CODEC | TRANSACTIONAL):
            raise NotImplementedError("the builder takes a codec and whether it is transactional, no other attributes")
        if batch["baseOffset"]:
            raise NotImplementedError("the builder leaves the base offset to the broker")
        if records and records[0]["timestampDelta"]:
            raise NotImplementedError("the builder takes the first record's timestamp for the base timestamp")
        producer = (batch["producerId"], batch["producerEpoch"], batch["baseSequence"])
        more = others_than(BATCH_FIELDS | {"magic"}, batch)
        builder = self.batch_builder(2, attributes & CODEC, bool(attributes & TRANSACTIONAL), *producer, ROOM, **more)
        for record in records:
            _append(builder, record, batch["baseTimestamp"])
        built = bytes(builder.build())
        if not records and BATCH_HEADER.unpack_from(built)[BASE_TIMESTAMP] != batch["baseTimestamp"]:
            raise NotImplementedError("the builder sets the base timestamp of a batch without records")
        if attributes & CODEC and not built[COVERED + 1] & CODEC:
            raise NotImplementedError("the builder leaves the codec out where it makes the records no smaller")
        return built

    def _built_record(self, record: dict[str, Any]) -> bytes:
        """A record's bytes. It is written after another record, which has the base timestamp."""
        builder = self.batch_builder(2, 0, False, -1, -1, -1, ROOM)
        builder.append(0, 0, key=None, value=None, headers=[])
        written = _append(builder, record, 0)
        return bytes(builder.build())[-written.size :]

    def _built_message(self, message: dict[str, Any], magic: int | None) -> bytes:
        inner = message.get("messages", [message])
        codec = message["attributes"]
        more = others_than(WRAPPER_FIELDS, message) if "messages" in message else {}
        builder = self.legacy_builder(magic, codec, ROOM, **more)
        if codec & ~CODEC or any(each["attributes"] for each in inner if each is not message):
            raise NotImplementedError("the builder takes a codec, and no other attributes")
        if "messages" in message and (message["offset"], message.get("timestamp", 0), message["key"]) != (0, 0, None):
            raise NotImplementedError("the builder writes wrappers of offset 0, timestamp 0 and no key")
        for each in inner:
            fields = {"key": each["key"], "value": each["value"]} | others_than(MESSAGE_FIELDS, each)
            builder.append(each["offset"], each.get("timestamp"), **fields)
        return bytes(builder.build())


#: The libraries' numbers of codecs.
CODECS = {name: number for number, name in enumerate(("none", "gzip", "snappy", "lz4", "zstd"))}


def delivered(records: Iterable[Any], position: int) -> dict[str, Any]:
    """What an application got, as the contract has it: `ConsumerRecord`s of either library, and where it reads on. A
    message of magic 0 has None as its time, which the contract writes as -1."""
    return {
        "records": [
            {
                "offset": record.offset,
                "timestamp": -1 if record.timestamp is None else record.timestamp,
                "timestamp_type": TIMESTAMP_TYPES[record.timestamp_type],
                "key": record.key,
                "value": record.value,
                "headers": [list(header) for header in record.headers],
            }
            for record in records
        ],
        "position": position,
    }


def _checked(batch: Any) -> list[Any]:
    """The records, checked. In kafka-python each record has a check: a batch does not know the CRC of inner
    messages."""
    records = list(batch)
    if not all(record.validate_crc() for record in records if hasattr(record, "validate_crc")):
        raise ValueError("validate_crc() of a record is False")
    return records


def _plain_record(record: Any, batch: Any) -> dict[str, Any]:
    return {
        "attributes": 0,
        "timestampDelta": record.timestamp - batch.first_timestamp,
        "offsetDelta": record.offset - batch.base_offset,
        "key": record.key,
        "value": record.value,
        "headers": record.headers,
    }


def _append(builder: Any, record: dict[str, Any], base: int) -> Any:
    if record["attributes"]:
        raise NotImplementedError("the builder takes no record attributes")
    headers = [tuple(pair) for pair in record["headers"]]  # the compiled builder takes no other pairs
    fields = {"key": record["key"], "value": record["value"], "headers": headers} | others_than(RECORD_FIELDS, record)
    return builder.append(record["offsetDelta"], base + record["timestampDelta"], **fields)


def _plain_message(batch: Any, cut: bytes) -> dict[str, Any]:
    """A message, or a wrapper. Fields of a wrapper that the batch class lacks are read from the bytes."""
    records = _checked(batch)
    offset, _, _, magic, attributes = LEGACY_HEADER.unpack_from(cut)
    time = {"timestamp": TIMESTAMP.unpack_from(cut, LEGACY_HEADER.size)[0]} if magic else {}
    whole = {"magic": magic, "offset": offset, "attributes": attributes, **time, "key": None}
    if not attributes & CODEC:
        [record] = records
        return whole | _plain_inner(record) | {"attributes": attributes}
    if magic and attributes & LOG_APPEND_TIME:
        raise NotImplementedError("a record has the timestamp of its wrapper, and its own is lost")
    return whole | {"messages": [_plain_inner(record) for record in records]}


def _plain_inner(record: Any) -> dict[str, Any]:
    time = {} if record.timestamp is None else {"timestamp": record.timestamp}
    return {"offset": record.offset, "attributes": 0, **time, "key": record.key, "value": record.value}
