"""Rules of agreement: each is broken by one change of a conversation that breaks none."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from wireproof.conformance.agreement import book
from wireproof.conformance.agreement.exchange import DIALECT, Exchange, exchanges
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.script import Action, Event, Receive, Send

A, B = uuid.UUID(int=1), uuid.UUID(int=2)
BROKERS = [{"NodeId": 1, "Host": "a", "Port": 1}, {"NodeId": 2, "Host": "b", "Port": 1}]
NOT_ASKED = -(2**31)

#: api, version, request, answer, and the seconds of both if they are not one after another.
Said = tuple[Any, ...]


def held(said: Sequence[Said]) -> list[Exchange]:
    found = []
    for number, (api, version, request, answer, *times) in enumerate(said):
        bodies = (
            reference_codec().complete(f"{api}{half}", body, dialect=DIALECT, version=version)
            for half, body in (("Request", request), ("Response", answer))
        )
        asked, answered = times or (number, number + 0.5)
        found.append(Exchange(api, version, asked, answered, *bodies))
    return found


def batch(base: int, delta: int = 0) -> bytes:
    head = bytearray(61)
    struct.pack_into(">qi", head, 0, base, 49)
    head[16] = 2
    struct.pack_into(">i", head, 23, delta)
    return bytes(head)


def metadata(**changed: Any) -> Said:
    partition = {"PartitionIndex": 0, "LeaderId": 1, "LeaderEpoch": 3, "ReplicaNodes": [1, 2], "IsrNodes": [1]}
    topic = {"Name": "t", "TopicId": A, "Partitions": [partition | changed.pop("partition", {})]}
    topic |= changed.pop("topic", {})
    answer = {"Brokers": BROKERS, "ControllerId": 1, "Topics": [topic]} | changed
    return "Metadata", 10, {"Topics": [{"Name": "t"}]}, answer


def fetch(**changed: Any) -> Said:
    told = {"PartitionIndex": 0, "HighWatermark": 9, "LastStableOffset": 9, "LogStartOffset": 2, "Records": batch(5, 2)}
    asked = {"Topic": "t", "Partitions": [{"Partition": 0, "FetchOffset": 6}]}
    topics = [{"Topic": "t", "Partitions": [told | changed]}]
    return "Fetch", 11, {"SessionEpoch": -1, "Topics": [asked]}, {"Responses": topics}


def listed(time: int, offset: int, **request: Any) -> Said:
    asked = {"Topics": [{"Name": "t", "Partitions": [{"PartitionIndex": 0, "Timestamp": time}]}], "ReplicaId": -1}
    told = [{"Name": "t", "Partitions": [{"PartitionIndex": 0, "Offset": offset}]}]
    return "ListOffsets", 6, asked | request, {"Topics": told}


def produced(base: int, acks: int = -1) -> Said:
    asked = {"Acks": acks, "TopicData": [{"Name": "t", "PartitionData": [{"Index": 0, "Records": b""}]}]}
    told = [{"Name": "t", "PartitionResponses": [{"Index": 0, "BaseOffset": base, "LogStartOffset": 0}]}]
    return "Produce", 9, asked, {"Responses": told}


def created(partitions: int, name: str = "t") -> Said:
    asked = [{"Name": "t", "NumPartitions": partitions, "ReplicationFactor": 1}]
    return "CreateTopics", 7, {"Topics": asked}, {"Topics": [{"Name": name, "TopicId": A}]}


def committed(offset: int, **changed: Any) -> Said:
    asked = {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": "m", **changed}
    request = {"GroupId": "g", "Topics": [{"Name": "t", "Partitions": [asked]}]}
    return "OffsetCommit", 6, request, {"Topics": [{"Name": "t", "Partitions": [{"PartitionIndex": 0}]}]}


def offset_fetched(offset: int, metadata: str = "m", epoch: int = -1) -> Said:
    told = {"PartitionIndex": 0, "CommittedOffset": offset, "Metadata": metadata, "CommittedLeaderEpoch": epoch}
    asked = {"GroupId": "g", "Topics": [{"Name": "t", "PartitionIndexes": [0]}]}
    return "OffsetFetch", 6, asked, {"Topics": [{"Name": "t", "Partitions": [told]}]}


def configs(*names: str) -> Said:
    asked = {"ResourceType": 2, "ResourceName": "t", "ConfigurationKeys": ["a"]}
    told = {"ResourceType": 2, "ResourceName": "t", "Configs": [{"Name": name} for name in names]}
    return "DescribeConfigs", 4, {"Resources": [asked]}, {"Results": [told]}


def coordinator(node: int, key: str = "g") -> Said:
    answer = {"Coordinators": [{"Key": key, "NodeId": node, "Host": "a", "Port": 1}]}
    return "FindCoordinator", 4, {"CoordinatorKeys": ["g"]}, answer


#: A conversation that breaks no rule.
RIGHT: Sequence[Said] = (
    *(created(1), metadata(), listed(-2, 0), produced(4), fetch(), listed(-1, 9), configs("a"), coordinator(2)),
    *(committed(7), offset_fetched(7), metadata()),
    ("ApiVersions", 3, {}, {"ApiKeys": [{"ApiKey": 0, "MinVersion": 0, "MaxVersion": 9}]}),
)

#: By rule: conversations that break it, and none of those before it in the book.
WRONG: Mapping[str, tuple[Sequence[Said], ...]] = {
    "partitions-as-asked": (
        [(*fetch()[:3], {"Responses": []})],
        [fetch(PartitionIndex=1)],
        [(*produced(4)[:3], {"Responses": 2 * produced(4)[3]["Responses"]})],
    ),
    "topics-as-asked": (
        [metadata(Topics=[])],
        [("Metadata", 4, {"Topics": []}, metadata(topic={"Name": "t"})[3])],
        [metadata(topic={"Name": "u"})],
    ),
    "answers-as-asked": ([created(1, "u")], [coordinator(1, "h")], [(*configs("a")[:3], {"Results": []})]),
    "configs-as-asked": ([configs("a", "b")],),
    "operations-as-asked": (
        [metadata(topic={"TopicAuthorizedOperations": 0})],
        [metadata(ClusterAuthorizedOperations=0)],
    ),
    "named-brokers-are-listed": (
        [metadata(ControllerId=7)],
        [metadata(partition={"LeaderId": 7, "ReplicaNodes": [7]})],
    ),
    "brokers-once": ([metadata(Brokers=[*BROKERS, BROKERS[0]])],),
    "replicas-host": (
        [metadata(partition={"IsrNodes": [3]})],
        [metadata(partition={"LeaderId": 1, "ReplicaNodes": [2]})],
    ),
    "indexes-once": ([metadata(topic={"Partitions": 2 * metadata()[3]["Topics"][0]["Partitions"]})],),
    "throttle-time": ([metadata(ThrottleTimeMs=-1)],),
    "ranges": (
        [("ApiVersions", 3, {}, {"ApiKeys": [{"ApiKey": 0, "MinVersion": 3, "MaxVersion": 2}]})],
        [("ApiVersions", 3, {}, {"ApiKeys": 2 * [{"ApiKey": 0, "MinVersion": 0, "MaxVersion": 2}]})],
    ),
    "marks-below-the-watermark": ([fetch(LastStableOffset=10)], [fetch(LogStartOffset=10)]),
    "batches-in-order": ([fetch(Records=batch(4, 1))], [fetch(Records=batch(6) + batch(6))]),
    "ids-stay": ([metadata(), metadata(topic={"TopicId": B})],),
    "epochs-stay": ([metadata(), metadata(partition={"LeaderEpoch": 2})],),
    "watermarks-stay": ([fetch(), fetch(HighWatermark=8, LastStableOffset=8)], [fetch(), listed(-1, 8)]),
    "starts-stay": ([fetch(), fetch(LogStartOffset=1)], [fetch(), listed(-2, 1)]),
    "starts-are-below-ends": ([listed(-2, 10), listed(-1, 9)],),
    "written-is-there": ([produced(9), fetch()], [produced(9), listed(-1, 9)]),
    "created-is-described": ([created(2), metadata()],),
    "coordinators-are-listed": ([metadata(), coordinator(3)],),
    "committed-is-fetched": (
        [committed(7), offset_fetched(-1)],
        [committed(7), committed(8), offset_fetched(7)],
        [committed(7), offset_fetched(7, "")],
        [committed(7, CommittedLeaderEpoch=3), offset_fetched(7, epoch=4)],
    ),
}


def test_every_rule_can_be_broken() -> None:
    assert [*WRONG] == [rule.name for rule in book.RULES]


def test_a_conversation_that_agrees_breaks_none() -> None:
    assert book.broken_by(held(RIGHT)) is None


@pytest.mark.parametrize(("name", "said"), [(name, said) for name, all_said in WRONG.items() for said in all_said])
def test_a_rule_is_broken(name: str, said: Sequence[Said]) -> None:
    found = book.broken_by(held(said))
    assert found is not None
    assert found.rule.name == name, found.text


@pytest.mark.parametrize(
    "said",
    [
        # Under way at the same time: a long poll may tell what was before.
        [(*fetch(), 0, 5), (*fetch(HighWatermark=8, LastStableOffset=8), 1, 6)],
        [(*committed(7), 0, 1), (*committed(8), 2, 4), (*offset_fetched(7), 3, 5)],
        # A topic made anew.
        [metadata(topic={"TopicId": B}, partition={"LeaderEpoch": 9}), created(1), metadata()],
        # An error says nothing else; -1 neither.
        [fetch(), fetch(ErrorCode=6, HighWatermark=-1, LastStableOffset=-1, LogStartOffset=-1, Records=b"")],
        [fetch(ErrorCode=1, HighWatermark=3)],
        # The last stable offset may lie before the beginning of the log.
        [fetch(LastStableOffset=1)],
        [fetch(), listed(-1, 1, IsolationLevel=1)],
        # In a session only what has changed is told; the same twice is nobody's question.
        [("Fetch", 11, {**fetch()[2], "SessionEpoch": 2, "SessionId": 1}, {"Responses": []})],
        [("Fetch", 11, {**fetch()[2], "Topics": 2 * fetch()[2]["Topics"]}, {"Responses": []})],
        [("Fetch", 11, fetch()[2], {"ErrorCode": 70, "Responses": []})],
        # Null and, in version 0, empty ask for all topics.
        [("Metadata", 10, {"Topics": None}, metadata()[3]), ("Metadata", 0, {"Topics": []}, metadata()[3])],
        # Operations that were asked for; a leader that there is none of.
        [
            (
                "Metadata",
                10,
                {"Topics": None, "IncludeTopicAuthorizedOperations": True},
                metadata(topic={"TopicAuthorizedOperations": 0})[3],
            )
        ],
        [metadata(partition={"LeaderId": -1}, ControllerId=-1)],
        # A batch that begins before the position, and holes.
        [fetch(Records=batch(0, 6) + batch(100))],
        # Only who waits for all replicas knows that records are there.
        [produced(9, acks=1), fetch()],
    ],
)
def test_what_texts_leave_open_breaks_none(said: Sequence[Said]) -> None:
    assert book.broken_by(held(said)) is None


def test_frames_are_paired_by_their_ids() -> None:
    def frame(kind: str, number: int, body: Mapping[str, Any], version: int = 1) -> bytes:
        if kind == "RequestFrame":
            header = {"RequestApiKey": 3, "RequestApiVersion": version, "CorrelationId": number}
            return reference_codec().encode(kind, {"header": header, "body": body}, dialect=DIALECT)
        value = {"header": {"CorrelationId": number}, "body": body}
        return reference_codec().encode(kind, value, dialect=DIALECT, version=version)

    def answer(number: int) -> bytes:
        return frame("ResponseFrame:Metadata", number, {"Brokers": [], "ControllerId": number, "Topics": []})

    both = frame("RequestFrame", 1, {"Topics": None}) + frame("RequestFrame", 2, {"Topics": []})
    events: list[tuple[Action, Event]] = [
        (Send("a", both), Event("done", b"", 1.0)),
        (Send("b", b"\0\0\0\x0cgarbage"), Event("done", b"", 1.0)),
        (Receive("a"), Event("frame", answer(2), 2.0)),
        (Receive("a"), Event("frame", answer(1), 3.0)),
        (Receive("a"), Event("frame", answer(7), 4.0)),
        (Receive("b"), Event("frame", b"\0\0\0\x04\0\0\0\x01", 4.0)),
    ]
    found = exchanges(events)
    assert [(one.asked, one.answered, one.answer["ControllerId"]) for one in found] == [(1.0, 2.0, 2), (1.0, 3.0, 1)]
    assert [one.request["Topics"] for one in found] == [[], None]
    broken = book.broken(events)
    assert broken is not None
    assert "the controller is 2" in broken.text
