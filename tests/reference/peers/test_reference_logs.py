"""A broker that keeps records, request by request, with a clock that the test moves."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from wireproof.reference import Reference, Rules
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.peers import broker as peer
from wireproof.reference.peers import connection, topics
from wireproof.reference.peers.connection import Connection

KAFKA = "kafka"
CODEC = Reference(Rules(field_not_in_version="ignorable"))
NAMES = DIALECTS[KAFKA].apis()
KEYS = {name: key for key, name in NAMES.items()}
NO_ID = uuid.UUID(int=0)
Body = dict[str, Any]


def opened(**made: int) -> Callable[[], Connection]:
    return DIALECTS[KAFKA].broker(("localhost", 9092), made)


def frame(api: str, version: int, body: Body) -> bytes:
    header = {"RequestApiKey": KEYS[api], "RequestApiVersion": version, "CorrelationId": 7, "ClientId": None}
    return CODEC.encode("RequestFrame", {"header": header, "body": body}, dialect=KAFKA)


def read(api: str, version: int, sent: bytes) -> Body:
    body: Body = CODEC.decode(f"ResponseFrame:{api}", sent, dialect=KAFKA, version=version)["body"]
    return body


def ask(at: Connection, api: str, version: int, body: Body, now: float = 0.0) -> Body:
    """The answer to a request, which comes at once."""
    return read(api, version, at.receive(frame(api, version, body), now))


def batch(*values: bytes, **fields: Any) -> bytes:
    """A batch whose records have these values, and times that go back."""
    records: list[Body] = [
        {
            "attributes": 0,
            "timestampDelta": -number,
            "offsetDelta": number,
            "key": None,
            "value": value,
            "headers": [],
        }
        for number, value in enumerate(values)
    ]
    whole = {
        "baseOffset": 0,
        "partitionLeaderEpoch": -1,
        "attributes": 0,
        "lastOffsetDelta": len(values) - 1,
        "baseTimestamp": 1000,
        "maxTimestamp": 1000,
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "records": records,
        "magic": 2,
    }
    return CODEC.encode("RecordSet", [{**whole, **fields}], dialect=KAFKA)


def produce(at: Connection, data: bytes | None, *, acks: int = 1, version: int = 12, now: float = 0.0) -> Body:
    """The answer for partition 0 of the topic `t`."""
    asked = {"Name": "t", "PartitionData": [{"Index": 0, "Records": data}]}
    body = {"TransactionalId": None, "Acks": acks, "TimeoutMs": 1000, "TopicData": [asked]}
    answer = ask(at, "Produce", version, body, now)
    partition: Body = answer["Responses"][0]["PartitionResponses"][0]
    return partition


def wanted(offset: int = 0, *, wait: int = 0, least: int = 0, most: int = 1 << 20, **more: Any) -> Body:
    """A fetch of partition 0 of the topic `t`, in version 12."""
    partition = {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 1 << 20}
    return {
        "MaxWaitMs": wait,
        "MinBytes": least,
        "MaxBytes": most,
        "IsolationLevel": 0,
        "SessionId": 0,
        "SessionEpoch": -1,
        "Topics": [{"Topic": "t", "Partitions": [{**partition, **more}]}],
        "ForgottenTopicsData": [],
        "RackId": "",
    }


def first(answer: Body) -> Body:
    partition: Body = answer["Responses"][0]["Partitions"][0]
    return partition


def values(partition: Body) -> list[bytes]:
    kept = CODEC.decode("RecordSet", partition["Records"], dialect=KAFKA)
    return [record["value"] for one in kept for record in one["records"]]


# --- Long polls ---


def test_a_fetch_waits_until_its_time_has_passed() -> None:
    at = opened(t=1)()
    assert at.receive(frame("Fetch", 12, wanted(wait=500, least=1)), 1000.0) == b""
    assert at.deadline == 1500.0
    assert at.poll(1499.9) == b""
    answer = read("Fetch", 12, at.poll(1500.0))
    assert (first(answer)["ErrorCode"], values(first(answer))) == (0, [])
    assert at.deadline is None


def test_a_produce_on_another_connection_wakes_it() -> None:
    connect = opened(t=1)
    waiting, other = connect(), connect()
    data = batch(b"1")
    waiting.receive(frame("Fetch", 12, wanted(wait=500, least=len(data) + 1)), 0.0)
    produce(other, data, now=10.0)
    assert waiting.poll(10.0) == b"", "a byte is missing"
    produce(other, data, now=20.0)
    assert values(first(read("Fetch", 12, waiting.poll(20.0)))) == [b"1", b"1"]


def test_an_error_is_answered_at_once() -> None:
    at = opened(t=1)()
    assert first(ask(at, "Fetch", 12, wanted(offset=1, wait=500, least=1)))["ErrorCode"] == 1
    assert first(ask(at, "Fetch", 12, wanted(CurrentLeaderEpoch=1, wait=500, least=1)))["ErrorCode"] == 75
    assert ask(at, "Fetch", 12, wanted(wait=500, least=1) | {"SessionId": 5, "SessionEpoch": 1})["ErrorCode"] == 70


def test_what_is_behind_a_fetch_that_waits_is_answered_behind_it() -> None:
    at = opened(t=1)()
    metadata = frame("Metadata", 12, {"Topics": [], "AllowAutoTopicCreation": False})
    assert at.receive(frame("Fetch", 12, wanted(wait=500, least=1)) + metadata, 0.0) == b""
    assert at.held == len(metadata)
    sent = at.poll(500.0)
    assert sent[4:8] == sent[4 + 4 + int.from_bytes(sent[:4]) :][:4] == (7).to_bytes(4)
    assert at.held == 0


def test_time_passes_in_a_pure_question() -> None:
    fetch = frame("Fetch", 12, wanted(wait=500, least=1))
    sent, closed = connection.serve(opened(t=1)(), [fetch + fetch[:9], fetch[9:]])
    assert not closed
    assert len(sent) == 2 * (4 + int.from_bytes(sent[:4]))


@pytest.mark.parametrize("bound", ["MOST_AT_ONCE", "MOST_REQUESTS"])
def test_answers_of_one_call_are_bounded(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, bound, 1)
    at = opened(t=1)()
    fetch = frame("Fetch", 12, wanted())
    sent = at.receive(fetch * 3)
    assert at.deadline == float("-inf")
    assert at.poll(0.0) + at.poll(0.0) == sent * 2
    assert at.poll(0.0) == b""
    assert at.deadline is None


# --- What is kept ---


def test_what_is_too_much_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "MOST_BYTES", 3 * topics.BATCH_COSTS)
    at, data = opened(t=1)(), batch(b"1")
    assert [produce(at, data)["ErrorCode"] for _ in range(3)] == [0, 0, 56]
    body = {"Topics": [{"Name": "t", "Partitions": [{"PartitionIndex": 0, "Offset": 1}]}], "TimeoutMs": 0}
    assert ask(at, "DeleteRecords", 2, body)["Topics"][0]["Partitions"][0]["LowWatermark"] == 1
    assert produce(at, data)["BaseOffset"] == 2
    assert produce(at, data)["ErrorCode"] == 56
    assert ask(at, "DeleteTopics", 5, {"TopicNames": ["t"], "TimeoutMs": 0})["Responses"][0]["ErrorCode"] == 0
    assert created(at, Name="t")["ErrorCode"] == 0
    assert produce(at, data)["BaseOffset"] == 0


def test_a_log_that_was_emptied_goes_on_at_its_end() -> None:
    at = opened(t=1)()
    produce(at, batch(b"1", b"2"))
    body = {"Topics": [{"Name": "t", "Partitions": [{"PartitionIndex": 0, "Offset": -1}]}], "TimeoutMs": 0}
    assert ask(at, "DeleteRecords", 2, body)["Topics"][0]["Partitions"][0]["LowWatermark"] == 2
    assert first(ask(at, "Fetch", 12, wanted(offset=1)))["ErrorCode"] == 1
    assert values(first(ask(at, "Fetch", 12, wanted(offset=2)))) == []
    assert produce(at, batch(b"3"))["BaseOffset"] == 2
    assert values(first(ask(at, "Fetch", 12, wanted(offset=2)))) == [b"3"]


def test_the_first_batch_comes_whole_and_others_only_if_there_is_room() -> None:
    at, data = opened(t=1)(), batch(b"1")
    for _ in range(3):
        produce(at, data)
    sizes = [len(first(ask(at, "Fetch", 12, wanted(most=most)))["Records"]) for most in (1, len(data) * 2, 1 << 20)]
    assert sizes == [len(data), len(data) * 2, len(data) * 3]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (None, 87),
        (b"", 87),
        (batch(b"1") * 2, 87),
        (batch(b"1", attributes=0x20), 87),
        (batch(b"1", attributes=0x10), 48),
        (batch(b"1")[:-1], 87),
        (batch(b"1")[:17] + bytes(4) + batch(b"1")[21:], 2),
        (batch(b"1", producerId=1, producerEpoch=0, baseSequence=-1), 87),
    ],
)
def test_a_batch_that_is_none_is_refused(data: bytes | None, error: int) -> None:
    at = opened(t=1)()
    assert produce(at, data)["ErrorCode"] == error
    assert produce(at, batch(b"1"))["BaseOffset"] == 0


def test_records_have_the_log_s_time_where_the_topic_wants_it() -> None:
    at = opened()()
    assert created(at, Name="t", Configs=[config("message.timestamp.type", "LogAppendTime")])["ErrorCode"] == 0
    assert produce(at, batch(b"1"), now=5000.5)["LogAppendTimeMs"] == 5000
    (kept,) = CODEC.decode("RecordSet", first(ask(at, "Fetch", 12, wanted()))["Records"], dialect=KAFKA)
    assert (kept["attributes"], kept["maxTimestamp"], kept["baseTimestamp"]) == (8, 5000, 1000)


# --- Producers ---


def of(producer: int, epoch: int, sequence: int) -> bytes:
    return batch(b"1", b"2", producerId=producer, producerEpoch=epoch, baseSequence=sequence)


def test_a_producer_s_batches_are_in_sequence() -> None:
    at = opened(t=1)()
    told = [produce(at, of(1, 0, sequence)) for sequence in (0, 2, 2, 5, 4)]
    assert [(one["ErrorCode"], one["BaseOffset"]) for one in told] == [(0, 0), (0, 2), (0, 2), (45, -1), (0, 4)]
    assert produce(at, of(2, 0, 7))["BaseOffset"] == 6, "another producer begins anywhere"
    assert produce(at, of(1, 1, 6))["ErrorCode"] == 45, "a new epoch begins with 0"
    assert produce(at, of(1, 1, 0))["BaseOffset"] == 8
    assert produce(at, of(1, 0, 6))["ErrorCode"] == 47


def test_five_batches_are_remembered() -> None:
    at = opened(t=1)()
    for sequence in range(0, 12, 2):
        produce(at, of(1, 0, sequence))
    assert produce(at, of(1, 0, 2))["BaseOffset"] == 2
    assert produce(at, of(1, 0, 0))["ErrorCode"] == 45


def test_sequences_begin_anew_behind_the_greatest() -> None:
    at = opened(t=1)()
    assert produce(at, of(1, 0, 2**31 - 2))["ErrorCode"] == 0
    assert produce(at, of(1, 0, 0))["ErrorCode"] == 0


def test_each_producer_gets_an_id_and_nobody_a_transaction() -> None:
    at = opened()()
    body = {"TransactionalId": None, "TransactionTimeoutMs": 1, "ProducerId": -1, "ProducerEpoch": -1}
    told = [ask(at, "InitProducerId", 4, body) for _ in range(2)]
    assert len({one["ProducerId"] for one in told}) == 2
    assert ask(at, "InitProducerId", 4, {**body, "TransactionalId": "x"})["ErrorCode"] == 53


# --- Topics ---


def config(name: str, value: str | None) -> Body:
    return {"Name": name, "Value": value}


def created(at: Connection, **fields: Any) -> Body:
    topic = {"Name": "x", "NumPartitions": 1, "ReplicationFactor": 1, "Assignments": [], "Configs": [], **fields}
    answer = ask(at, "CreateTopics", 7, {"Topics": [topic], "timeoutMs": 0, "validateOnly": False})
    told: Body = answer["Topics"][0]
    return told


@pytest.mark.parametrize(
    ("error", "fields"),
    [
        (0, {"NumPartitions": -1, "ReplicationFactor": -1}),
        (0, {"Configs": [config("retention.ms", "-1")]}),
        (0, {"NumPartitions": -1, "Assignments": [{"PartitionIndex": 0, "BrokerIds": [0]}]}),
        (17, {"Name": "a b"}),
        (17, {"Name": ""}),
        (17, {"Name": ".."}),
        (17, {"Name": "x" * 250}),
        (36, {"Name": "t"}),
        (37, {"NumPartitions": 0}),
        (37, {"NumPartitions": 2**31 - 1}),
        (37, {"NumPartitions": topics.MOST_PARTITIONS}),
        (38, {"ReplicationFactor": 3}),
        (39, {"NumPartitions": -1, "Assignments": [{"PartitionIndex": 0, "BrokerIds": [0, 1]}]}),
        (40, {"Configs": [config("max.message.bytes", "many")]}),
        (40, {"Configs": [config("message.timestamp.type", None)]}),
    ],
)
def test_topics_that_are_made_and_that_are_not(error: int, fields: Body) -> None:
    assert created(opened(t=1)(), **fields)["ErrorCode"] == error


def test_a_name_that_stands_twice_is_made_never() -> None:
    at = opened()()
    topic = {"Name": "x", "NumPartitions": 1, "ReplicationFactor": 1, "Assignments": [], "Configs": []}
    answer = ask(at, "CreateTopics", 7, {"Topics": [topic, topic], "timeoutMs": 0, "validateOnly": False})
    assert [one["ErrorCode"] for one in answer["Topics"]] == [42, 42]
    assert ask(at, "Metadata", 12, {"Topics": None, "AllowAutoTopicCreation": False})["Topics"] == []


def test_a_topic_that_is_made_again_has_another_id() -> None:
    at = opened()()
    ids = []
    for _ in range(2):
        ids.append(created(at)["TopicId"])
        asked = [{"Name": None, "TopicId": ids[-1]}]
        assert ask(at, "DeleteTopics", 6, {"Topics": asked, "TimeoutMs": 0})["Responses"][0]["Name"] == "x"
    assert len({*ids, NO_ID}) == 3
    asked = [{"Name": None, "TopicId": ids[0]}]
    assert ask(at, "DeleteTopics", 6, {"Topics": asked, "TimeoutMs": 0})["Responses"][0]["ErrorCode"] == 100


# --- Every version ---


@pytest.mark.parametrize("api", sorted(NAMES[key] for key in peer.WITH_TOPICS))
def test_every_version_is_answered_with_topics_that_are_there_and_not(api: str) -> None:
    """The answers are read again as what they are: no version misses a field, none has one too many."""
    at = opened(t=2)()
    produce(at, batch(b"1"))
    (topic,) = ask(at, "Metadata", 12, {"Topics": None, "AllowAutoTopicCreation": False})["Topics"]
    low, high = DIALECTS[KAFKA].types[f"{api}Request"] or (0, -1)
    for version in range(low, high + 1):
        assert ask(at, api, version, every(topic["TopicId"], version)[api])


def both(name: str, **partition: Any) -> list[Body]:
    return [{name: topic, "Partitions": [partition]} for topic in ("t", "nowhere")]


def every(identifier: uuid.UUID, version: int) -> dict[str, Body]:
    """A request of each api, about a topic that is there and one that is not; with the fields of all versions."""
    data = [{"Index": 0, "Records": batch(b"1")}]
    fetched = [{"PartitionMaxBytes": 1000}]
    return {
        "Produce": {
            "Acks": 1,
            "TopicData": [
                {"Name": "t", "TopicId": identifier, "PartitionData": data},
                {"Name": "u", "PartitionData": data},
            ],
        },
        "Fetch": {
            "MinBytes": 0,
            "MaxBytes": 1000,
            "Topics": [
                {"Topic": "t", "TopicId": identifier, "Partitions": fetched},
                {"Topic": "u", "Partitions": fetched},
            ],
        },
        "ListOffsets": {"Topics": both("Name", Timestamp=1)},
        "Metadata": {"Topics": [{"Name": "t"}, {"Name": "nowhere"}]},
        "ApiVersions": {"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"},
        "CreateTopics": {
            "Topics": [{"Name": name, "NumPartitions": 1, "ReplicationFactor": 1} for name in ("t", "u")],
            "validateOnly": True,
        },
        "DeleteTopics": {"Topics": [{"Name": "u"}]} if version >= 6 else {"TopicNames": ["u"]},
        "DeleteRecords": {"Topics": both("Name")},
        "InitProducerId": {"TransactionalId": None, "ProducerId": -1, "ProducerEpoch": -1},
        "OffsetForLeaderEpoch": {"Topics": both("Topic", CurrentLeaderEpoch=-1)},
    }
