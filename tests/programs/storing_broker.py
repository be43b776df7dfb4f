"""Brokers that store records in memory, each with one peculiarity: `python storing_broker.py NAME`, as the kit starts a
program.

All speak one catalogue of requests, at all its versions, with the reference's codec: topics, Produce, Fetch with long
polls, ListOffsets, DeleteRecords, producers' sequences. What differs is a method of a class, whose first line says what
it does.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import socket
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any, ClassVar

import crc32c

from wireproof import reference

PRODUCE, FETCH, LIST_OFFSETS, METADATA, API_VERSIONS = 0, 1, 2, 3, 18
ADD_PARTITIONS_TO_TXN, END_TXN = 24, 26
FIND_COORDINATOR, CREATE_TOPICS, DELETE_TOPICS, DELETE_RECORDS, INIT_PRODUCER_ID, DESCRIBE_CONFIGS = (
    10,
    19,
    20,
    21,
    22,
    32,
)
APIS = {
    PRODUCE: (3, 13),
    FETCH: (4, 18),
    LIST_OFFSETS: (1, 11),
    METADATA: (0, 13),
    API_VERSIONS: (0, 5),
    CREATE_TOPICS: (2, 7),
    DELETE_TOPICS: (1, 6),
    DELETE_RECORDS: (0, 2),
    INIT_PRODUCER_ID: (0, 6),
    FIND_COORDINATOR: (0, 6),
    DESCRIBE_CONFIGS: (1, 4),
}
#: The versions that can be written by `ignorable` fields: an answer has those of all versions.
_REFERENCE = reference.Reference()
_REFERENCE.configure({"removed": True}, dialect="kafka")
CODEC = _REFERENCE.under(reference.Rules(field_not_in_version="ignorable"))
NAMES = CODEC.dialect("kafka").apis()
Body = dict[str, Any]
_ARENA_MAX = -8


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Partition:
    """The batches of one partition: (base offset, entries behind the last, bytes)."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, int, bytes]] = []
        self.start = 0
        #: Producer → the next sequence, and the base offset of the last batch with its first sequence.
        self.producers: dict[int, tuple[int, int, int]] = {}

    @property
    def end(self) -> int:
        return self.batches[-1][1] if self.batches else 0


class Topic:
    def __init__(self, name: str, partitions: int, configs: dict[str, str]) -> None:
        self.name, self.id, self.configs = name, uuid.uuid4(), configs
        self.partitions = [Partition() for _ in range(partitions)]


class Storing:
    """Does what is demanded."""

    apis: ClassVar = APIS
    topics: ClassVar[dict[str, Topic]] = {}
    news: ClassVar = threading.Condition()
    producers: ClassVar = [1000]
    port: ClassVar = 0
    #: The error of a second batch for a partition, of which only messages of older formats may have several.
    second_batch: ClassVar = 87
    coordinator: ClassVar = 1
    #: The version of ListOffsets from which on there are times below -2.
    special_times: ClassVar = 7

    def __init__(self) -> None:
        self.rest = b""

    # --- One connection ---

    def serve(self, connection: socket.socket) -> None:
        while piece := self.receive(connection):
            self.rest += piece
            while len(self.rest) >= 4 and len(self.rest) >= 4 + int.from_bytes(self.rest[:4]):
                size = 4 + int.from_bytes(self.rest[:4])
                frame, self.rest = self.rest[:size], self.rest[size:]
                answer = self.answer(frame)
                if answer is None:
                    return
                if answer:
                    self.send(connection, answer)

    def receive(self, connection: socket.socket) -> bytes:
        return connection.recv(1 << 16)

    def send(self, connection: socket.socket, answer: bytes) -> None:
        connection.sendall(answer)

    def answer(self, frame: bytes) -> bytes | None:
        """The answer's bytes; none where no answer is due, None to close."""
        key, version = int.from_bytes(frame[4:6]), int.from_bytes(frame[6:8], signed=True)
        low, high = self.apis.get(key, (0, -1))
        if not low <= version <= high:
            return None
        request = CODEC.decode("RequestFrame", frame, dialect="kafka")
        body = getattr(self, snake_case(NAMES[key]))(request["body"], version)
        return b"" if body is None else self.written(key, version, request["header"]["CorrelationId"], body)

    def written(self, key: int, version: int, correlation_id: int, body: Body) -> bytes:
        whole = {"header": {"CorrelationId": correlation_id}, "body": body}
        return CODEC.encode(f"ResponseFrame:{NAMES[key]}", whole, dialect="kafka", version=version)

    # --- Its apis: the body of a request, to that of its answer ---

    def api_versions(self, _: Body, version: int) -> Body:
        keys = [{"ApiKey": key, "MinVersion": low, "MaxVersion": high} for key, (low, high) in self.apis.items()]
        return {"ErrorCode": 0, "ApiKeys": keys}

    def create_topics(self, body: Body, version: int) -> Body:
        return {"Topics": [self.created(one, body.get("validateOnly", False)) for one in body["Topics"]]}

    def created(self, one: Body, only_to_see: bool) -> Body:
        if one["Name"] in self.topics:
            return {"Name": one["Name"], "ErrorCode": 36, "ErrorMessage": None}
        configs = {entry["Name"]: entry["Value"] for entry in one["Configs"]}
        topic = Topic(one["Name"], max(one["NumPartitions"], 1), configs)
        if not only_to_see:
            self.topics[topic.name] = topic
        numbers = {"NumPartitions": len(topic.partitions), "ReplicationFactor": 1}
        return {"Name": topic.name, "TopicId": topic.id, "ErrorCode": 0, "ErrorMessage": None, "Configs": [], **numbers}

    def describe_configs(self, body: Body, version: int) -> Body:
        return {"Results": [self.of_configs(one) for one in body["Resources"]]}

    def of_configs(self, one: Body) -> Body:
        asked = one["ConfigurationKeys"]
        entries = [{"Name": name, "Value": "x"} for name in ("cleanup.policy", "retention.ms")]
        configs = [{**entry, "Synonyms": []} for entry in entries if asked is None or entry["Name"] in asked]
        named = {"ResourceType": one["ResourceType"], "ResourceName": one["ResourceName"], "Configs": configs}
        return {"ErrorCode": 0, "ErrorMessage": None, **named}

    def find_coordinator(self, body: Body, version: int) -> Body:
        found = {"NodeId": self.coordinator, "Host": "127.0.0.1", "Port": self.port}
        found |= {"ErrorCode": 0, "ErrorMessage": None}
        return found if version < 4 else {"Coordinators": [{"Key": key, **found} for key in body["CoordinatorKeys"]]}

    def delete_topics(self, body: Body, version: int) -> Body:
        names = body["TopicNames"] if version < 6 else [one["Name"] for one in body["Topics"]]
        there = [(name, self.topics.pop(name, None)) for name in names]
        return {"Responses": [{"Name": name, "ErrorCode": 3 if topic is None else 0} for name, topic in there]}

    def metadata(self, body: Body, version: int) -> Body:
        asked = body["Topics"]
        if asked is None or (version == 0 and not asked):
            found = [self.described(topic) for topic in [*self.topics.values()]]
        else:
            found = [self.described(*self.looked_up(one.get("Name"), one.get("TopicId"))) for one in asked]
        broker = {"NodeId": 1, "Host": "127.0.0.1", "Port": self.port}
        return {"Brokers": [broker], "ControllerId": 1, "Topics": found}

    def looked_up(self, name: str | None, identifier: uuid.UUID | None) -> tuple[Topic | None, Any]:
        if name is not None:
            return self.topics.get(name), {"ErrorCode": 3, "Name": name}
        topic = next((one for one in [*self.topics.values()] if one.id == identifier), None)
        return topic, {"ErrorCode": 100, "Name": None, "TopicId": identifier}

    def described(self, topic: Topic | None, unknown: Body | None = None) -> Body:
        if topic is None:
            return {**(unknown or {}), "Partitions": []}
        partitions = [
            {
                "PartitionIndex": index,
                "ErrorCode": 0,
                "LeaderId": 1,
                "LeaderEpoch": 0,
                "ReplicaNodes": [1],
                "IsrNodes": [1],
                "OfflineReplicas": [],
            }
            for index in range(len(topic.partitions))
        ]
        return {"ErrorCode": 0, "Name": topic.name, "TopicId": topic.id, "Partitions": partitions}

    def found(
        self, one: Body, name: str, index: int, version: int, by_id: int
    ) -> tuple[Topic | None, Partition | None, int]:
        """The topic and the partition that a request names, and the error if there is none."""
        if version >= by_id:
            topic = next((each for each in [*self.topics.values()] if each.id == one["TopicId"]), None)
            unknown = 100
        else:
            topic, unknown = self.topics.get(one[name]), 3
        if topic is None:
            return None, None, unknown
        return (topic, topic.partitions[index], 0) if index < len(topic.partitions) else (topic, None, 3)

    def produce(self, body: Body, version: int) -> Body | None:
        answers = []
        for one in body["TopicData"]:
            parts = [self.produced(one, part, version, body["Acks"]) for part in one["PartitionData"]]
            answers.append(
                {
                    "Name": one.get("Name", ""),
                    "TopicId": one.get("TopicId", uuid.UUID(int=0)),
                    "PartitionResponses": parts,
                }
            )
        with self.news:
            self.news.notify_all()
        return {"Responses": answers} if body["Acks"] else None

    def produced(self, one: Body, part: Body, version: int, acks: int) -> Body:
        topic, partition, error = self.found(one, "Name", part["Index"], version, 13)
        offset, append_time = -1, -1
        if topic is not None and partition is not None:
            error = 21 if acks not in (-1, 0, 1) else self.refused(topic, partition, part["Records"], version)
            if not error:
                with self.news:
                    offset, error = self.stored(partition, self.stamped(topic, part["Records"]))
                by_append = topic.configs.get("message.timestamp.type") == "LogAppendTime"
                append_time = int(time.time() * 1000) if by_append else -1
        return {
            "Index": part["Index"],
            "ErrorCode": error,
            "BaseOffset": offset,
            "LogAppendTimeMs": append_time,
            "LogStartOffset": 0,
            "RecordErrors": [],
            "ErrorMessage": None,
        }

    def refused(self, topic: Topic, partition: Partition, data: bytes, version: int) -> int:
        """The error of a batch that is not stored; 0 if it is."""
        if len(data) > int(topic.configs.get("max.message.bytes", 1 << 20)):
            return 10
        try:
            entries = CODEC.decode("RecordSet", data, dialect="kafka")
        except reference.WireError:
            return 2
        if version >= 3 and len(entries) > 1:
            return self.second_batch
        return 76 if version < 7 and any(one["attributes"] & 7 == 4 for one in entries) else 0

    def stamped(self, topic: Topic, data: bytes) -> Body:
        batch: Body = CODEC.decode("RecordSet", data, dialect="kafka")[0]
        if topic.configs.get("message.timestamp.type") == "LogAppendTime":
            batch |= {"attributes": batch["attributes"] | 8, "maxTimestamp": int(time.time() * 1000)}
        return batch

    def stored(self, partition: Partition, batch: Body) -> tuple[int, int]:
        """The base offset, and the error."""
        producer, sequence = batch["producerId"], batch["baseSequence"]
        if producer >= 0 and producer in partition.producers:
            following, base, first = partition.producers[producer]
            if sequence == first:
                return base, 0
            if sequence != following:
                return -1, 45
        base = partition.end
        if producer >= 0:
            partition.producers[producer] = (sequence + len(batch["records"]), base, sequence)
        kept = CODEC.encode("RecordSet", [{**batch, "baseOffset": base, "partitionLeaderEpoch": 0}], dialect="kafka")
        partition.batches.append((base, base + batch["lastOffsetDelta"] + 1, kept))
        return base, 0

    def fetch(self, body: Body, version: int) -> Body:
        deadline = time.monotonic() + body["MaxWaitMs"] / 1000
        while True:
            with self.news:
                answer, size, failed = self.fetched(body, version)
                left = deadline - time.monotonic()
                if size >= body["MinBytes"] or failed or left <= 0:
                    return answer
                self.news.wait(left)

    def fetched(self, body: Body, version: int) -> tuple[Body, int, bool]:
        if body.get("SessionId", 0):
            return {"ErrorCode": 70, "SessionId": 0, "Responses": []}, 0, True
        room, size, failed, topics = body.get("MaxBytes", 1 << 31), 0, False, []
        for one in body["Topics"]:
            parts = []
            for part in one["Partitions"]:
                _, partition, error = self.found(one, "Topic", part["Partition"], version, 13)
                data = b""
                if partition is not None:
                    if not partition.start <= part["FetchOffset"] <= partition.end:
                        error = 1
                    else:
                        data = self.read(
                            partition, part["FetchOffset"], min(room, part["PartitionMaxBytes"]), size == 0, version
                        )
                size, room, failed = size + len(data), room - len(data), failed or error != 0
                end = -1 if partition is None or error else partition.end
                parts.append(
                    {
                        "PartitionIndex": part["Partition"],
                        "ErrorCode": error,
                        "HighWatermark": end,
                        "LastStableOffset": end,
                        "LogStartOffset": 0 if partition is None else partition.start,
                        "AbortedTransactions": None,
                        "Records": data,
                    }
                )
            topics.append(
                {"Topic": one.get("Topic", ""), "TopicId": one.get("TopicId", uuid.UUID(int=0)), "Partitions": parts}
            )
        return {"ErrorCode": 0, "SessionId": 0, "Responses": topics}, size, failed

    def read(self, partition: Partition, offset: int, room: int, first: bool, version: int) -> bytes:
        """The batches from an offset on that there is room for; the first of an answer whatever its size."""
        data = b""
        for _, behind, kept in partition.batches:
            if behind > offset:
                if len(data) + len(kept) > room and not (first and not data):
                    break
                data += kept
        return data

    def list_offsets(self, body: Body, version: int) -> Body:
        topics = []
        for one in body["Topics"]:
            parts = []
            for part in one["Partitions"]:
                _, partition, error = self.found(one, "Name", part["PartitionIndex"], version, 99)
                offset, stamp = (-1, -1) if partition is None else self.listed(partition, part["Timestamp"])
                if part["Timestamp"] < -2 and version < self.special_times:
                    error = 35
                parts.append(
                    {"PartitionIndex": part["PartitionIndex"], "ErrorCode": error, "Offset": offset, "Timestamp": stamp}
                )
            topics.append({"Name": one["Name"], "Partitions": parts})
        return {"Topics": topics}

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        """The offset and its time."""
        if stamp in (-1, -2):
            return (partition.end if stamp == -1 else partition.start), -1
        batches = [CODEC.decode("RecordSet", kept, dialect="kafka")[0] for _, _, kept in partition.batches]
        records = [
            (one["baseOffset"] + each["offsetDelta"], one["baseTimestamp"] + each["timestampDelta"])
            for one in batches
            for each in one["records"]
        ]
        if stamp == -3:
            return max(records, key=lambda one: one[1], default=(-1, -1))
        return next((one for one in records if one[1] >= stamp), (-1, -1))

    def delete_records(self, body: Body, version: int) -> Body:
        topics = []
        for one in body["Topics"]:
            parts = []
            for part in one["Partitions"]:
                _, partition, error = self.found(one, "Name", part["PartitionIndex"], version, 99)
                low = -1
                if partition is not None:
                    offset = partition.end if part["Offset"] == -1 else part["Offset"]
                    error = 0 if offset <= partition.end else 1
                    if not error:
                        low = partition.start = max(partition.start, offset)
                parts.append({"PartitionIndex": part["PartitionIndex"], "LowWatermark": low, "ErrorCode": error})
            topics.append({"Name": one["Name"], "Partitions": parts})
        return {"Topics": topics}

    def init_producer_id(self, body: Body, version: int) -> Body:
        self.producers[0] += 1
        return {"ErrorCode": 0, "ProducerId": self.producers[0], "ProducerEpoch": 0}


# --- Those that store something else ---


class Rewriting(Storing):
    """Changes each record that it stores."""

    def stamped(self, topic: Topic, data: bytes) -> Body:
        batch = super().stamped(topic, data)
        return {**batch, "records": [self.changed(one) for one in batch["records"]]}

    def changed(self, record: Body) -> Body:
        return record


class LosesEqualHeaders(Rewriting):
    """Keeps the last header of each key alone, as in a map."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": [*dict(record["headers"]).items()]}


class LosesHeaders(Rewriting):
    """Stores no headers."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": []}


class NullHeaderIsEmpty(Rewriting):
    """Stores an empty value for a header whose value is null."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": [(key, value or b"") for key, value in record["headers"]]}


class EmptyIsNull(Rewriting):
    """Stores null for an empty key, and for an empty value."""

    def changed(self, record: Body) -> Body:
        return {**record, "key": record["key"] or None, "value": record["value"] or None}


class SortsHeaders(Rewriting):
    """Stores headers by their values."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": sorted(record["headers"], key=lambda header: header[1] or b"")}


class LosesTimes(Rewriting):
    """Gives all records of a batch the time of the first one."""

    def changed(self, record: Body) -> Body:
        return {**record, "timestampDelta": 0}


class TakesAnyCrc(Storing):
    """Stores a batch with a wrong CRC."""

    def refused(self, topic: Topic, partition: Partition, data: bytes, version: int) -> int:
        return 0

    def stamped(self, topic: Topic, data: bytes) -> Body:
        return super().stamped(topic, data[:17] + crc32c.crc32c(data[21:]).to_bytes(4) + data[21:])


# --- Those that count wrongly ---


class BaseOffsetIsNull(Storing):
    """Answers every Produce with the base offset 0."""

    def produced(self, one: Body, part: Body, version: int, acks: int) -> Body:
        said = super().produced(one, part, version, acks)
        return {**said, "BaseOffset": min(0, said["BaseOffset"])}


class HighWatermarkTooHigh(Storing):
    """Answers Fetch with a high watermark that is one too high."""

    def fetch(self, body: Body, version: int) -> Body:
        answer = super().fetch(body, version)
        for one in answer["Responses"]:
            for part in one["Partitions"]:
                part["HighWatermark"] += 1
        return answer


class LooksUpTheZeroId(Storing):
    """Looks up topics by their id in every version of Fetch, though there is none below 13."""

    def fetched(self, body: Body, version: int) -> tuple[Body, int, bool]:
        answer, size, failed = super().fetched(body, version)
        for part in (part for one in answer["Responses"] for part in one["Partitions"] if version < 13):
            part |= {"ErrorCode": 100, "HighWatermark": -1, "Records": b""}
        return answer, size, failed or version < 13


class EndIsTheLastOffset(Storing):
    """Answers ListOffsets -1 with the last record's offset."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        offset, at = super().listed(partition, stamp)
        return (max(0, offset - 1), at) if stamp == -1 else (offset, at)


class GreatestTimeOfTheBatch(Storing):
    """Answers ListOffsets -3 with the last offset of the batch."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        offset, at = super().listed(partition, stamp)
        return (partition.end - 1, at) if stamp == -3 else (offset, at)


class StoresTwice(Storing):
    """Stores a batch that an idempotent producer sends again."""

    def stored(self, partition: Partition, batch: Body) -> tuple[int, int]:
        return super().stored(partition, {**batch, "producerId": -1})


class StoresNothingWithoutAcks(Storing):
    """Forgets what comes with acks 0."""

    def produce(self, body: Body, version: int) -> Body | None:
        return super().produce(body, version) if body["Acks"] else None


class AnswersWithoutAcks(Storing):
    """Answers Produce with acks 0."""

    def produce(self, body: Body, version: int) -> Body | None:
        answer = super().produce(body, version)
        return {"Responses": []} if answer is None else answer


class TakesAnyAcks(Storing):
    """Takes acks 2 for acks 1."""

    def produced(self, one: Body, part: Body, version: int, acks: int) -> Body:
        return super().produced(one, part, version, min(acks, 1))


class DeletesNothing(Storing):
    """Answers DeleteRecords well, and keeps the records."""

    def delete_records(self, body: Body, version: int) -> Body:
        kept = {name: [part.start for part in topic.partitions] for name, topic in self.topics.items()}
        answer = super().delete_records(body, version)
        for name, starts in kept.items():
            for part, start in zip(self.topics[name].partitions, starts, strict=True):
                part.start = start
        return answer


# --- Those that fetch wrongly ---


class NeverWaits(Storing):
    """Answers every Fetch at once."""

    def fetch(self, body: Body, version: int) -> Body:
        return super().fetch({**body, "MaxWaitMs": 0}, version)


class SleepsOn(Storing):
    """Is not woken by a Produce: a Fetch that waits gets what is there in the end."""

    def fetch(self, body: Body, version: int) -> Body:
        answer, size, failed = self.fetched(body, version)
        if size >= body["MinBytes"] or failed:
            return answer
        time.sleep(body["MaxWaitMs"] / 1000)
        return self.fetched(body, version)[0]


class AlwaysWaits(Storing):
    """Lets each Fetch wait for its whole time."""

    def fetch(self, body: Body, version: int) -> Body:
        time.sleep(body["MaxWaitMs"] / 1000)
        return super().fetch(body, version)


class GivesNoBatchThatIsTooLarge(Storing):
    """Gives nothing where the first batch is larger than the limit."""

    def read(self, partition: Partition, offset: int, room: int, first: bool, version: int) -> bytes:
        return super().read(partition, offset, room, False, version)


class StartsOver(Storing):
    """Gives all records, whatever the offset."""

    def read(self, partition: Partition, offset: int, room: int, first: bool, version: int) -> bytes:
        return super().read(partition, 0, room, first, version)


class GivesNothingBehindTheEnd(Storing):
    """Gives nothing, and no error, behind the end of the log."""

    def fetched(self, body: Body, version: int) -> tuple[Body, int, bool]:
        answer, size, failed = super().fetched(body, version)
        for one in answer["Responses"]:
            for part in one["Partitions"]:
                part["ErrorCode"] = 0 if part["ErrorCode"] == 1 else part["ErrorCode"]
        return answer, size, failed


class ForgetsIds(Storing):
    """Answers Fetch without the topics' ids."""

    def fetch(self, body: Body, version: int) -> Body:
        answer = super().fetch(body, version)
        return {**answer, "Responses": [{**one, "TopicId": uuid.UUID(int=0)} for one in answer["Responses"]]}


class UnknownIdIsAnUnknownName(Storing):
    """Answers an unknown id with error 3."""

    def found(
        self, one: Body, name: str, index: int, version: int, by_id: int
    ) -> tuple[Topic | None, Partition | None, int]:
        topic, partition, error = super().found(one, name, index, version, by_id)
        return topic, partition, 3 if error == 100 else error


class CutsItsAnswer(Storing):
    """Closes in the middle of a Fetch answer with records."""

    def send(self, connection: socket.socket, answer: bytes) -> None:
        super().send(connection, answer[: len(answer) // 2] if len(answer) > 2000 else answer)
        if len(answer) > 2000:
            connection.shutdown(socket.SHUT_RDWR)


# --- Those that tell wrong things ---


class NamesNoController(Storing):
    """Names no controller."""

    def metadata(self, body: Body, version: int) -> Body:
        return {**super().metadata(body, version), "ControllerId": -1}


class NamesAnotherCoordinator(Storing):
    """Names a coordinator that is not in its Metadata."""

    coordinator: ClassVar = 2


class RepeatsTheNumbersAsked(Storing):
    """Answers CreateTopics with the numbers of the request."""

    def created(self, one: Body, only_to_see: bool) -> Body:
        numbers = {"NumPartitions": one["NumPartitions"], "ReplicationFactor": one["ReplicationFactor"]}
        return {**super().created(one, only_to_see), **numbers}


class DescribesAllConfigs(Storing):
    """Gives all entries, whichever are asked for."""

    def of_configs(self, one: Body) -> Body:
        return super().of_configs({**one, "ConfigurationKeys": None})


class TakesTimesOfLaterVersions(Storing):
    """Takes -3 for the greatest time in every version of ListOffsets."""

    special_times: ClassVar = 0


class NothingIsTheEnd(Storing):
    """Answers the end of the log where no record has a time."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        offset, found = super().listed(partition, stamp)
        return (partition.end if offset == -1 else offset), found


class LooksAtTheGreatestTimeFirst(Storing):
    """Passes over batches whose header says that no record is so late."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        late = Partition()
        late.batches = [one for one in partition.batches if self.greatest(one[2]) >= stamp]
        return super().listed(late if stamp >= 0 else partition, stamp)

    def greatest(self, data: bytes) -> int:
        entries: list[Body] = CODEC.decode("RecordSet", data, dialect="kafka")
        return int(entries[0]["maxTimestamp"])


class TrustsCounts(Storing):
    """Makes room for as many topics as a request announces, and ends for want of memory."""

    def answer(self, frame: bytes) -> bytes | None:
        if frame[4:8] == b"\0\3\0\1" and int.from_bytes(frame[14:18]) > 1 << 30:
            os._exit(9)
        return super().answer(frame)


# --- Those that mix up conversations ---


class OneAfterAnother(Storing):
    """Answers one client at a time: who waits holds up all others. Of a Fetch and what another client asks at the same
    moment, the Fetch is first."""

    busy: ClassVar = threading.Lock()

    def answer(self, frame: bytes) -> bytes | None:
        if int.from_bytes(frame[4:6]) == API_VERSIONS:
            time.sleep(0.2)
        with self.busy:
            return super().answer(frame)


class OvertakesAFetch(Storing):
    """Answers what comes behind a Fetch that waits before the Fetch."""

    def serve(self, connection: socket.socket) -> None:
        self.connection = connection
        super().serve(connection)

    def answer(self, frame: bytes) -> bytes | None:
        if int.from_bytes(frame[4:6]) != FETCH:
            return super().answer(frame)
        threading.Thread(target=self.answer_later, args=(frame,), daemon=True).start()
        return b""

    def answer_later(self, frame: bytes) -> None:
        self.send(self.connection, super().answer(frame) or b"")


class LosesCount(Storing):
    """From the hundredth request of a connection on it repeats a correlation id."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = 0

    def written(self, key: int, version: int, correlation_id: int, body: Body) -> bytes:
        self.answered += 1
        return super().written(key, version, min(correlation_id, 100) if self.answered > 100 else correlation_id, body)


class DiesAtARequest(Storing):
    """Ends at DeleteRecords."""

    def delete_records(self, body: Body, version: int) -> Body:
        sys.stderr.write("panic: no partition\n")
        sys.stderr.flush()
        os._exit(7)


class LogsIn(Storing):
    """Answers ApiVersions alone before "kit" has logged in with the password "secret"."""

    apis: ClassVar = {**APIS, 17: (0, 1), 36: (0, 2)}

    def __init__(self) -> None:
        super().__init__()
        self.may, self.raw, self.failed = False, False, False

    def answer(self, frame: bytes) -> bytes | None:
        if self.raw:
            self.may, self.raw = frame[4:] == b"\0kit\0secret", False
            return bytes(4) if self.may else None
        if self.failed or not (self.may or int.from_bytes(frame[4:6]) in (17, 18, 36)):
            return self.unknown(frame)
        return super().answer(frame)

    def unknown(self, frame: bytes) -> bytes | None:
        """What a request before the login is answered."""
        return None

    def sasl_handshake(self, body: Body, version: int) -> Body:
        known = body["Mechanism"] == "PLAIN"
        self.raw = known and version == 0
        return {"ErrorCode": 0 if known else 33, "Mechanisms": ["PLAIN"]}

    def sasl_authenticate(self, body: Body, version: int) -> Body:
        self.may = body["AuthBytes"] == b"\0kit\0secret"
        self.failed = not self.may
        return {"ErrorCode": 0 if self.may else 58, "ErrorMessage": None, "AuthBytes": b""}

    def send(self, connection: socket.socket, answer: bytes) -> None:
        super().send(connection, answer)
        if self.failed:
            connection.shutdown(socket.SHUT_RDWR)


class AnswersBeforeALogin(LogsIn):
    """Answers everything before the login."""

    def unknown(self, frame: bytes) -> bytes | None:
        return Storing.answer(self, frame)


class TakesAnyPassword(LogsIn):
    """Lets everybody in."""

    def sasl_authenticate(self, body: Body, version: int) -> Body:
        self.may = True
        return {"ErrorCode": 0, "ErrorMessage": None, "AuthBytes": b""}


# --- Those with older formats ---


class ConvertsFormats(Storing):
    """Takes messages of magic 0 and 1 where Produce has them, stores all as batches, and gives such messages to Fetch
    0 to 3."""

    apis: ClassVar = {**APIS, PRODUCE: (0, 13), FETCH: (0, 18)}

    def stamped(self, topic: Topic, data: bytes) -> Body:
        messages = [one for entry in self.sent(data) if entry["magic"] < 2 for one in entry.get("messages", [entry])]
        if not messages:
            return super().stamped(topic, data)
        times = [one.get("timestamp", -1) for one in messages]
        records = [
            {"offsetDelta": delta, "timestampDelta": stamp - times[0], "key": one["key"], "value": one["value"]}
            for delta, (one, stamp) in enumerate(zip(messages, times, strict=True))
        ]
        return {
            "magic": 2,
            "partitionLeaderEpoch": 0,
            "attributes": 0,
            "lastOffsetDelta": len(records) - 1,
            "baseTimestamp": times[0],
            "maxTimestamp": max(times),
            "producerId": -1,
            "producerEpoch": -1,
            "baseSequence": -1,
            "records": [{**record, "headers": []} for record in records],
        }

    def written(self, key: int, version: int, correlation_id: int, body: Body) -> bytes:
        if key in (PRODUCE, FETCH) and version < 4:  # schemas of that time, which had no ids of topics
            body |= {"Responses": [{name: one[name] for name in one if name != "TopicId"} for one in body["Responses"]]}
        return super().written(key, version, correlation_id, body)

    def sent(self, data: bytes) -> list[Body]:
        """What was produced."""
        entries: list[Body] = CODEC.decode("RecordSet", data, dialect="kafka")
        return entries

    def read(self, partition: Partition, offset: int, room: int, first: bool, version: int) -> bytes:
        data = super().read(partition, offset, room, first, version)
        return self.converted(data, int(version > 1)) if version < 4 else data

    def converted(self, data: bytes, magic: int) -> bytes:
        messages = [
            self.message(batch, record, magic)
            for batch in CODEC.decode("RecordSet", data, dialect="kafka")
            for record in self.kept(batch)
        ]
        return CODEC.encode("RecordSet", messages, dialect="kafka")

    def kept(self, batch: Body) -> list[Body]:
        records: list[Body] = batch["records"]
        return records

    def message(self, batch: Body, record: Body, magic: int) -> Body:
        made = {"magic": magic, "key": record["key"], "value": record["value"]}
        made["offset"] = batch["baseOffset"] + record["offsetDelta"]
        return made | ({"timestamp": batch["baseTimestamp"] + record["timestampDelta"]} if magic else {})


class GivesBatchesToAll(ConvertsFormats):
    """Gives magic 2 to Fetch 0 to 3, too."""

    def converted(self, data: bytes, magic: int) -> bytes:
        return data


class GivesNoOlderThanMagic1(ConvertsFormats):
    """Gives magic 1 to Fetch 0 and 1, too."""

    def converted(self, data: bytes, magic: int) -> bytes:
        return super().converted(data, 1)


class LosesWhatHasHeaders(ConvertsFormats):
    """Leaves out of older formats the records that have headers."""

    def kept(self, batch: Body) -> list[Body]:
        return [record for record in super().kept(batch) if not record["headers"]]


class TombstonesAreEmptyInOlderFormats(ConvertsFormats):
    """Gives an empty value in place of null to Fetch 0 to 3."""

    def message(self, batch: Body, record: Body, magic: int) -> Body:
        return super().message(batch, {**record, "value": record["value"] or b""}, magic)


class CountsFromNought(ConvertsFormats):
    """Gives the messages of each batch offsets from 0 on to Fetch 0 to 3."""

    def message(self, batch: Body, record: Body, magic: int) -> Body:
        return super().message({**batch, "baseOffset": 0}, record, magic)


class StampsOldMessages(ConvertsFormats):
    """Takes the time 0 for that of messages of magic 0, which have none."""

    def sent(self, data: bytes) -> list[Body]:
        return [
            {**one, "messages": [{"timestamp": 0, **each} for each in one.get("messages", [one])]}
            if one["magic"] < 2
            else one
            for one in super().sent(data)
        ]


class StoresOneEntry(ConvertsFormats):
    """Stores the first message or batch of a request alone, and says that it has stored all."""

    second_batch: ClassVar = 0

    def sent(self, data: bytes) -> list[Body]:
        return super().sent(data)[:1]


class MarkersWithoutAValue(Storing):
    """Has transactions, whose markers have an empty value."""

    apis: ClassVar = {**APIS, ADD_PARTITIONS_TO_TXN: (0, 3), END_TXN: (0, 4)}
    marker: ClassVar = b""
    #: By producer, the partitions of its transaction.
    begun: ClassVar[dict[int, list[Partition]]] = {}

    def add_partitions_to_txn(self, body: Body, version: int) -> Body:
        results, added = [], self.begun.setdefault(body["V3AndBelowProducerId"], [])
        for topic in body["V3AndBelowTopics"]:
            added += [self.topics[topic["Name"]].partitions[index] for index in topic["Partitions"]]
            parts = [{"PartitionIndex": index, "PartitionErrorCode": 0} for index in topic["Partitions"]]
            results.append({"Name": topic["Name"], "ResultsByPartition": parts})
        return {"ResultsByTopicV3AndBelow": results}

    def end_txn(self, body: Body, version: int) -> Body:
        record = {"offsetDelta": 0, "timestampDelta": 0, "value": self.marker, "headers": []}
        record["key"] = bytes([0, 0, 0, body["Committed"]])
        batch = {"magic": 2, "attributes": 0x30, "lastOffsetDelta": 0, "baseTimestamp": 1, "maxTimestamp": 1}
        batch |= {"partitionLeaderEpoch": 0, "producerId": body["ProducerId"], "producerEpoch": body["ProducerEpoch"]}
        for partition in self.begun.pop(body["ProducerId"], []):
            base = partition.end
            marked = {**batch, "baseSequence": -1, "baseOffset": base, "records": [record]}
            partition.batches.append((base, base + 1, CODEC.encode("RecordSet", [marked], dialect="kafka")))
        return {"ErrorCode": 0}


# --- Those that break no rule ---


class CommitsTransactions(MarkersWithoutAValue):
    """Has transactions, whose markers have what Kafka's have: version 0 and the coordinator's epoch."""

    marker: ClassVar = bytes(6)


class Slow(Storing):
    """Thinks for a third of a second before it looks at what came."""

    def receive(self, connection: socket.socket) -> bytes:
        piece = super().receive(connection)
        time.sleep(0.33)
        return piece


class ByteByByte(Storing):
    """Sends each byte alone."""

    def send(self, connection: socket.socket, answer: bytes) -> None:
        for at in range(len(answer)):
            connection.sendall(answer[at : at + 1])


class OlderRanges(Storing):
    """Has fewer versions."""

    apis: ClassVar = {**APIS, PRODUCE: (3, 8), FETCH: (4, 11), LIST_OFFSETS: (1, 5), METADATA: (0, 8)}


class ClosesIdleConnections(Storing):
    """Closes a connection on which nothing came for three seconds."""

    def receive(self, connection: socket.socket) -> bytes:
        connection.settimeout(3.0)
        try:
            return super().receive(connection)
        except TimeoutError:
            return b""


class MakesNoTopics(Storing):
    """Lets nobody make a topic."""

    def created(self, one: Body, only_to_see: bool) -> Body:
        return {"Name": one["Name"], "ErrorCode": 29, "ErrorMessage": "not authorized"}


class CompressesAnew(Storing):
    """Stores each batch with gzip: the records are the same."""

    def stamped(self, topic: Topic, data: bytes) -> Body:
        batch = super().stamped(topic, data)
        return {**batch, "attributes": batch["attributes"] & ~7 | 1}


def all_kinds(kind: type[Storing] = Storing) -> Iterator[type[Storing]]:
    yield kind
    for each in kind.__subclasses__():
        yield from all_kinds(each)


KINDS = {snake_case(kind.__name__): kind for kind in all_kinds()}


def serve(kind: type[Storing], connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):
        kind().serve(connection)


def listen(kind: type[Storing], listening: socket.socket) -> None:
    while True:
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(kind, connection), daemon=True).start()


def main(name: str) -> None:
    # Each thread takes 72 MiB of addresses else, and the kit limits these.
    threading.stack_size(1 << 18)
    ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
    sys.stdin.readline()
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        Storing.port = listening.getsockname()[1]
        described = {"name": name, "dialects": ["kafka"], "ops": ["serve"], "listens": f"127.0.0.1:{Storing.port}"}
        sys.stdout.write(f"{json.dumps(described)}\n")
        sys.stdout.flush()
        threading.Thread(target=listen, args=(KINDS[name], listening), daemon=True).start()
        sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
