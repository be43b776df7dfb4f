"""Topics in memory: the batches of their partitions, and what idempotent producers sent to them. Pure.

A partition keeps each batch with the bytes that came; only the fields that a broker sets are written anew, at their
places in the batch's header (message format 2). Memory is bounded: `Topics` counts what is kept, and refuses more.

Source: KIP-98 (batches, sequences), KIP-107 (the log's start), KIP-516 (ids); Apache Kafka 4.4 where they are silent.
"""

from __future__ import annotations

import struct
import uuid
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crc32c import crc32c

CORRUPT_MESSAGE = 2
MESSAGE_TOO_LARGE = 10
TOPIC_ALREADY_EXISTS = 36
INVALID_PARTITIONS = 37
OUT_OF_ORDER_SEQUENCE_NUMBER = 45
INVALID_PRODUCER_EPOCH = 47
KAFKA_STORAGE_ERROR = 56
INVALID_RECORD = 87

#: The most that is kept: bytes of all batches, and partitions of all topics.
MOST_BYTES, MOST_PARTITIONS = 256 << 20, 1000
#: What each batch is counted beside its own bytes.
BATCH_COSTS = 1024
#: A batch that is among the last so many of its producer is a repetition, and not appended again.
REMEMBERED = 5
#: The only epoch of all leaders.
LEADER_EPOCH = 0
LOG_APPEND_TIME = 0x08
_BASE_OFFSET, _EPOCH, _CRC, _ATTRIBUTES, _MAX_TIMESTAMP = 0, 12, 17, 21, 35
_NAMESPACE = uuid.UUID("77697265-7072-4f6f-a620-746f70696373")


class NotKeptError(Exception):
    """A batch or a topic that is refused. `error`: Kafka's code."""

    def __init__(self, error: int) -> None:
        super().__init__(error)
        self.error = error


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as it is kept. `base`: the offset of its first record; `end`: the one after its last record."""

    base: int
    end: int
    data: bytes


@dataclass(slots=True)
class Producer:
    """What an idempotent producer sent to a partition: (first sequence, base offset) of its last batches."""

    epoch: int
    next_sequence: int
    batches: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))


@dataclass(slots=True)
class Partition:
    """A log, from the offset `start` to the offset `end`."""

    start: int = 0
    batches: list[Batch] = field(default_factory=list)
    producers: dict[int, Producer] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.batches[-1].end if self.batches else self.start

    def from_offset(self, offset: int) -> Iterator[Batch]:
        """The batches from the one on that holds this offset."""
        first = bisect_right(self.batches, offset, key=lambda batch: batch.end)
        return iter(self.batches[first:])

    def read(self, offset: int, room: int, *, whole: bool) -> bytes:
        """The batches from an offset on that there is room for, in bytes; `whole`: the first one in any case."""
        data = bytearray()
        for batch in self.from_offset(offset):
            if len(data) + len(batch.data) > room and not (whole and not data):
                break
            data += batch.data
        return bytes(data)

    def available(self, offset: int, most: int) -> int:
        """How many bytes stand from an offset on, counted up to `most`."""
        size = 0
        for batch in self.from_offset(offset):
            size += len(batch.data)
            if size >= most:
                return most
        return size

    def repeated(self, batch: Mapping[str, Any]) -> int | None:
        """The base offset of a batch that its producer sent again; None of a new one. Raises NotKeptError."""
        producer_id, epoch, sequence = batch["producerId"], batch["producerEpoch"], batch["baseSequence"]
        if producer_id < 0:
            return None
        if sequence < 0:
            raise NotKeptError(INVALID_RECORD)
        known = self.producers.get(producer_id)
        if known is None:
            return None
        if epoch < known.epoch:
            raise NotKeptError(INVALID_PRODUCER_EPOCH)
        if epoch == known.epoch:
            for first, base in known.batches:
                if first == sequence:
                    return base
        if sequence != (known.next_sequence if epoch == known.epoch else 0):
            raise NotKeptError(OUT_OF_ORDER_SEQUENCE_NUMBER)
        return None

    def remember(self, batch: Mapping[str, Any], base: int) -> None:
        """Remember a batch that was appended, if its producer is idempotent."""
        if batch["producerId"] < 0:
            return
        known = self.producers.get(batch["producerId"])
        if known is None or known.epoch != batch["producerEpoch"]:
            known = self.producers[batch["producerId"]] = Producer(batch["producerEpoch"], 0)
        known.next_sequence = (batch["baseSequence"] + len(batch["records"])) % (1 << 31)
        known.batches.append((batch["baseSequence"], base))

    def delete_before(self, offset: int) -> None:
        """Move the log's start to an offset, which is at most its end."""
        self.start = max(self.start, offset)
        while self.batches and self.batches[0].end <= self.start:
            del self.batches[0]


def _rewritten(data: bytes, base: int, append_time: int | None) -> bytes:
    """A batch with what its broker sets. The CRC covers neither offset nor epoch, but all that follows it."""
    kept = bytearray(data)
    struct.pack_into(">q", kept, _BASE_OFFSET, base)
    struct.pack_into(">i", kept, _EPOCH, LEADER_EPOCH)
    if append_time is not None:
        (attributes,) = struct.unpack_from(">h", kept, _ATTRIBUTES)
        struct.pack_into(">h", kept, _ATTRIBUTES, attributes | LOG_APPEND_TIME)
        struct.pack_into(">q", kept, _MAX_TIMESTAMP, append_time)
        struct.pack_into(">I", kept, _CRC, crc32c(bytes(kept[_ATTRIBUTES:])))
    return bytes(kept)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic. `most`: the bytes of its largest batch; `by_append`: whether its records have the log's time."""

    name: str
    id: uuid.UUID
    partitions: tuple[Partition, ...]
    most: int = 1 << 20
    by_append: bool = False


class Topics:
    """All topics of a broker, or of several that share them. `leader`: the broker that leads all partitions; None:
    each that is asked."""

    def __init__(self) -> None:
        self.leader: int | None = None
        self.by_name: dict[str, Topic] = {}
        self._made = 0
        self._kept = 0
        self._producers = 0

    def by_id(self, identifier: uuid.UUID) -> Topic | None:
        return next((topic for topic in self.by_name.values() if topic.id == identifier), None)

    def create(self, name: str, partitions: int, *, only_to_see: bool = False, **settings: Any) -> Topic:
        """A new topic; `only_to_see`: that is not kept. Raises NotKeptError."""
        if name in self.by_name:
            raise NotKeptError(TOPIC_ALREADY_EXISTS)
        there = sum(len(topic.partitions) for topic in self.by_name.values())
        if not 0 < partitions <= MOST_PARTITIONS - there:
            raise NotKeptError(INVALID_PARTITIONS)
        identifier = uuid.uuid5(_NAMESPACE, f"{self._made} {name}")
        topic = Topic(name, identifier, tuple(Partition() for _ in range(partitions)), **settings)
        if not only_to_see:
            self._made += 1
            self.by_name[name] = topic
        return topic

    def delete(self, topic: Topic) -> None:
        del self.by_name[topic.name]
        self._kept -= sum(_costs(batch) for partition in topic.partitions for batch in partition.batches)

    def append(
        self, topic: Topic, partition: Partition, batch: Mapping[str, Any], data: bytes, now: float
    ) -> tuple[int, int]:
        """Append a batch that was read from `data`. Its base offset, and its append time or -1. `now`: in ms since
        1970. Raises NotKeptError."""
        append_time = int(now) if topic.by_append else None
        base = partition.repeated(batch)
        if base is None:
            base = partition.end
            rewritten = _rewritten(data, base, append_time)
            self.keep(partition, Batch(base, base + len(batch["records"]), rewritten))
            partition.remember(batch, base)
        return base, -1 if append_time is None else append_time

    def keep(self, partition: Partition, batch: Batch) -> None:
        """Add a batch at the end of a partition. Raises NotKeptError."""
        if self._kept + _costs(batch) > MOST_BYTES:
            raise NotKeptError(KAFKA_STORAGE_ERROR)
        partition.batches.append(batch)
        self._kept += _costs(batch)

    def delete_records(self, partition: Partition, offset: int) -> None:
        before = sum(map(_costs, partition.batches))
        partition.delete_before(offset)
        self._kept -= before - sum(map(_costs, partition.batches))

    def new_producer(self) -> int:
        """A producer's id that nobody has."""
        self._producers += 1
        return self._producers


def _costs(batch: Batch) -> int:
    return len(batch.data) + BATCH_COSTS
