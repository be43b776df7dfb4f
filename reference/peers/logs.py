"""The answers about records: what is produced is appended to a partition's log, and fetched from there. Pure.

A record set is decoded to be checked, and kept as its bytes. There are neither transactions nor fetch sessions, and
one epoch of leaders.

Source: Kafka's message schemas; KIP-74 (the first batch comes whole), KIP-79 and KIP-734 (offsets by time), KIP-98,
KIP-107, KIP-110 (zstd), KIP-227 (sessions), KIP-320, KIP-516; Apache Kafka 4.4 where they are silent.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from typing import Any

from wireproof.reference.codec import Codec, decode
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.peers.answers import (
    NOT_LEADER_OR_FOLLOWER,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
    Body,
    Facts,
)
from wireproof.reference.peers.connection import Wait
from wireproof.reference.peers.topics import (
    CORRUPT_MESSAGE,
    INVALID_RECORD,
    LEADER_EPOCH,
    LOG_APPEND_TIME,
    MESSAGE_TOO_LARGE,
    NotKeptError,
    Partition,
    Topic,
)
from wireproof.reference.records.compression import MASK, ZSTD
from wireproof.reference.rules import DEMANDED

OFFSET_OUT_OF_RANGE = 1
INVALID_REQUIRED_ACKS = 21
UNSUPPORTED_VERSION = 35
INVALID_TXN_STATE = 48
FETCH_SESSION_ID_NOT_FOUND = 70
FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH = 74, 75
UNSUPPORTED_COMPRESSION_TYPE = 76

#: The first version in which Produce may have zstd.
PRODUCE_ZSTD = 7
#: The first version of ListOffsets that tells a leader's epoch.
OFFSET_EPOCH = 4
#: The bits of a batch's attributes for a transaction and for control records.
TRANSACTIONAL, CONTROL = 0x10, 0x20
#: An answer to Fetch has no more bytes of records than these, unless its first batch has (Kafka's fetch.max.bytes).
MOST_FETCHED = 55 << 20
#: Timestamps that ask for a place in the log, by the first version that has them: -1 is the end, -2 the start, -3 the
#: greatest timestamp; -4 the start on the broker's own disk, -5 and -6 places elsewhere, which there are none of.
SINCE = {-1: 1, -2: 1, -3: 7, -4: 8, -5: 9, -6: 11}


@functools.cache
def _record_set() -> Codec:
    from wireproof.reference.records import codecs  # takes its time to load, and most answers do without

    return codecs.codec("RecordSet", None)


def find(
    facts: Facts, asked: Body, name: str, index: int, *, epoch: int = -1
) -> tuple[Topic | None, Partition | None, int]:
    """The topic and the partition that a request names, by id where it has one; the error if there is none. `epoch`:
    that of the leader that the client knows."""
    if "TopicId" in asked:
        topic, unknown = facts.topics.by_id(asked["TopicId"]), UNKNOWN_TOPIC_ID
    else:
        topic, unknown = facts.topics.by_name.get(asked[name]), UNKNOWN_TOPIC_OR_PARTITION
    if topic is None:
        return None, None, unknown
    if not 0 <= index < len(topic.partitions):
        return topic, None, UNKNOWN_TOPIC_OR_PARTITION
    if facts.leader != facts.cluster.this_broker:
        return topic, None, NOT_LEADER_OR_FOLLOWER
    if epoch not in {-1, LEADER_EPOCH}:
        return topic, None, UNKNOWN_LEADER_EPOCH if epoch > LEADER_EPOCH else FENCED_LEADER_EPOCH
    return topic, topic.partitions[index], 0


def named(asked: Body, name: str) -> Body:
    """What an answer names a topic by: as the request does."""
    return {key: asked[key] for key in (name, "TopicId") if key in asked}


# --- Produce ---


def produce(facts: Facts, request: Body, version: int) -> Body | None:
    """Each partition's base offset, or error. None with acks 0: nothing is sent."""
    answered = [
        {
            **named(topic, "Name"),
            "PartitionResponses": [
                _produced(facts, topic, partition, request["Acks"], version) for partition in topic["PartitionData"]
            ],
        }
        for topic in request["TopicData"]
    ]
    return {"Responses": answered} if request["Acks"] else None


def _produced(facts: Facts, asked: Body, data: Body, acks: int, version: int) -> Body:
    topic, partition, error = find(facts, asked, "Name", data["Index"])
    answer: Body = {"Index": data["Index"], "ErrorCode": error, "BaseOffset": -1}
    if topic is None or partition is None:
        return answer
    if acks not in {-1, 0, 1}:
        return {**answer, "ErrorCode": INVALID_REQUIRED_ACKS}
    try:
        batch = _read_batch(data["Records"] or b"", topic, version)
        base, append_time = facts.topics.append(topic, partition, batch, data["Records"], facts.now)
    except NotKeptError as refused:
        return {**answer, "ErrorCode": refused.error}
    return {**answer, "BaseOffset": base, "LogAppendTimeMs": append_time, "LogStartOffset": partition.start}


def _read_batch(data: bytes, topic: Topic, version: int) -> Body:
    """The batch of a produce request: exactly one, of message format 2. Raises NotKeptError."""
    if len(data) > topic.most:
        raise NotKeptError(MESSAGE_TOO_LARGE)
    try:
        entries = decode(_record_set(), data, DEMANDED)
    except DecodeError as error:
        invalid = error.reason in {Reason.COUNT_MISMATCH, Reason.UNSUPPORTED_MAGIC}
        raise NotKeptError(INVALID_RECORD if invalid else CORRUPT_MESSAGE) from None
    if len(entries) != 1 or entries[0]["magic"] != 2:
        raise NotKeptError(INVALID_RECORD)
    batch: Body = entries[0]
    attributes, deltas = batch["attributes"], [record["offsetDelta"] for record in batch["records"]]
    if attributes & MASK == ZSTD and version < PRODUCE_ZSTD:
        raise NotKeptError(UNSUPPORTED_COMPRESSION_TYPE)
    if attributes & CONTROL or not deltas or deltas != [*range(batch["lastOffsetDelta"] + 1)]:
        raise NotKeptError(INVALID_RECORD)
    if attributes & TRANSACTIONAL:
        raise NotKeptError(INVALID_TXN_STATE)
    return batch


# --- Fetch ---


def fetch(facts: Facts, request: Body, version: int) -> Body | Wait[Body]:  # noqa: ARG001 (all versions alike)
    """The records from some offsets on; it waits until there are enough of them, or its time has passed."""
    if request.get("SessionEpoch", -1) > 0:
        return {"ErrorCode": FETCH_SESSION_ID_NOT_FOUND, "Responses": []}

    def is_due() -> bool:
        return _is_due(facts, request)

    def body() -> Body:
        return _fetched(facts, request)

    if request["MinBytes"] <= 0 or request["MaxWaitMs"] <= 0:
        return body()
    return Wait(facts.now + request["MaxWaitMs"], is_due, body)


def _asked(facts: Facts, request: Body) -> Iterator[tuple[Body, list[tuple[Body, Partition | None, int]]]]:
    """The topics of a fetch, each with its partitions: what is asked, the partition, the error."""
    for topic in request["Topics"]:
        found = []
        for asked in topic["Partitions"]:
            epoch = asked.get("CurrentLeaderEpoch", -1)
            _, partition, error = find(facts, topic, "Topic", asked["Partition"], epoch=epoch)
            if partition is not None and not partition.start <= asked["FetchOffset"] <= partition.end:
                partition, error = None, OFFSET_OUT_OF_RANGE
            found.append((asked, partition, error))
        yield topic, found


def _is_due(facts: Facts, request: Body) -> bool:
    """Whether there is an error, or as many bytes as the fetch waits for."""
    least: int = min(request["MinBytes"], request.get("MaxBytes", MOST_FETCHED))
    size = 0
    for _, partitions in _asked(facts, request):
        for asked, partition, _ in partitions:
            if partition is None:
                return True
            size += partition.available(asked["FetchOffset"], max(0, asked["PartitionMaxBytes"]))
    return size >= least


def _fetched(facts: Facts, request: Body) -> Body:
    room, size, answered = min(request.get("MaxBytes", MOST_FETCHED), MOST_FETCHED), 0, []
    for topic, partitions in _asked(facts, request):
        told = []
        for asked, partition, error in partitions:
            one: Body = {"PartitionIndex": asked["Partition"], "ErrorCode": error}
            if partition is None:
                told.append({**one, "HighWatermark": -1, "AbortedTransactions": [], "Records": b""})
                continue
            most = min(room - size, asked["PartitionMaxBytes"])
            data = partition.read(asked["FetchOffset"], most, whole=not size)
            size += len(data)
            one |= {"HighWatermark": partition.end, "LastStableOffset": partition.end}
            one |= {"LogStartOffset": partition.start, "Records": data}
            told.append({**one, "AbortedTransactions": [] if request.get("IsolationLevel") else None})
        answered.append({**named(topic, "Topic"), "Partitions": told})
    return {"Responses": answered}


# --- Offsets ---


def _each(request: Body, name: str, answer: Any) -> Body:
    """A body with an answer for each partition of each topic: `answer(topic, partition)`."""
    return {
        "Topics": [
            {name: topic[name], "Partitions": [answer(topic, asked) for asked in topic["Partitions"]]}
            for topic in request["Topics"]
        ]
    }


def list_offsets(facts: Facts, request: Body, version: int) -> Body:
    """For each partition the offset at one of its ends, or of the first record that is not before a time."""

    def listed(topic: Body, asked: Body) -> Body:
        index, stamp, epoch = asked["PartitionIndex"], asked["Timestamp"], asked.get("CurrentLeaderEpoch", -1)
        _, partition, error = find(facts, topic, "Name", index, epoch=epoch)
        answer = {"PartitionIndex": index, "ErrorCode": error}
        if partition is None:
            return answer
        if stamp < 0 and version < SINCE.get(stamp, sys.maxsize):
            return {**answer, "ErrorCode": UNSUPPORTED_VERSION}
        offset, time = _offset(partition, stamp)
        answer |= {"Offset": offset, "Timestamp": time}
        return answer if offset < 0 or version < OFFSET_EPOCH else {**answer, "LeaderEpoch": LEADER_EPOCH}

    return _each(request, "Name", listed)


def _offset(partition: Partition, stamp: int) -> tuple[int, int]:
    """The offset that a timestamp asks for, and its record's time; (-1, -1) where there is none."""
    match stamp:
        case -1:
            return partition.end, -1
        case -2 | -4:
            return partition.start, -1
        case -3:
            return max(_times(partition), key=lambda record: record[1], default=(-1, -1))
        case _ if stamp < 0:
            return -1, -1
    return next((record for record in _times(partition) if record[1] >= stamp), (-1, -1))


def _times(partition: Partition) -> Iterator[tuple[int, int]]:
    """The offset and the time of each record, from the log's start on."""
    for kept in partition.from_offset(partition.start):
        (batch,) = decode(_record_set(), kept.data, DEMANDED)
        by_append = batch["attributes"] & LOG_APPEND_TIME
        for record in batch["records"]:
            offset = kept.base + record["offsetDelta"]
            time = batch["maxTimestamp"] if by_append else batch["baseTimestamp"] + record["timestampDelta"]
            if offset >= partition.start:
                yield offset, time


def delete_records(facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG001 (all versions alike)
    """For each partition the offset at which its log now starts."""

    def deleted(topic: Body, asked: Body) -> Body:
        _, partition, error = find(facts, topic, "Name", asked["PartitionIndex"])
        answer = {"PartitionIndex": asked["PartitionIndex"], "LowWatermark": -1, "ErrorCode": error}
        if partition is None:
            return answer
        offset = partition.end if asked["Offset"] == -1 else asked["Offset"]
        if not 0 <= offset <= partition.end:
            return {**answer, "ErrorCode": OFFSET_OUT_OF_RANGE}
        facts.topics.delete_records(partition, offset)
        return {**answer, "LowWatermark": partition.start}

    return _each(request, "Name", deleted)


def offset_for_leader_epoch(facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG001 (all versions alike)
    """For each partition the offset behind a leader's epoch: that of the log, for there is one epoch."""

    def ends(topic: Body, asked: Body) -> Body:
        _, partition, error = find(facts, topic, "Topic", asked["Partition"], epoch=asked["CurrentLeaderEpoch"])
        answer = {"Partition": asked["Partition"], "ErrorCode": error}
        if partition is None or asked["LeaderEpoch"] != LEADER_EPOCH:
            return answer
        return {**answer, "LeaderEpoch": LEADER_EPOCH, "EndOffset": partition.end}

    return _each(request, "Topic", ends)
