"""A broker that stores records in memory, and does what is demanded.

It speaks one catalogue of requests, at all its versions, with the reference's codec: topics, Produce, Fetch with long
polls, ListOffsets, DeleteRecords, producers' sequences. All others here are classes of it.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
import uuid
from typing import Any, ClassVar

from wireproof import reference

PRODUCE, FETCH, LIST_OFFSETS, METADATA, API_VERSIONS = 0, 1, 2, 3, 18
OFFSET_COMMIT, OFFSET_FETCH = 8, 9
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

    def delete_topics(self, body: Body, version: int) -> Body | None:
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


def serve(kind: type[Storing], connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):
        kind().serve(connection)


def listen(kind: type[Storing], listening: socket.socket) -> None:
    while True:
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(kind, connection), daemon=True).start()
