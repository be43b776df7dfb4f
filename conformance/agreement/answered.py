"""Rules about one answer beside its question: what was asked is answered, once, nothing else is, and what is named is
there.

An answer with an error for all of it says nothing else. Of a question that asks the same twice nothing is demanded.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from wireproof.conformance.agreement.exchange import Body, Exchange, Look, Rule

#: What stands for "not asked" in a field of authorised operations.
_NOT_ASKED = -(2**31)
_NONE = -1
#: Of a batch: its offset and length, where its magic and its last delta are.
_BEFORE, _MAGIC_AT, _LAST_DELTA_AT, _HEADER, _BATCH = 12, 16, 23, 61, 2

#: Per api: the fields of topics, their partitions and the index, of the request and of the answer.
_PARTITIONS: Mapping[str, tuple[tuple[str, str, str], tuple[str, str, str]]] = {
    "Produce": (("TopicData", "PartitionData", "Index"), ("Responses", "PartitionResponses", "Index")),
    "Fetch": (("Topics", "Partitions", "Partition"), ("Responses", "Partitions", "PartitionIndex")),
    "ListOffsets": (("Topics", "Partitions", "PartitionIndex"), ("Topics", "Partitions", "PartitionIndex")),
    "OffsetCommit": (("Topics", "Partitions", "PartitionIndex"), ("Topics", "Partitions", "PartitionIndex")),
    "DeleteRecords": (("Topics", "Partitions", "PartitionIndex"), ("Topics", "Partitions", "PartitionIndex")),
    "OffsetForLeaderEpoch": (("Topics", "Partitions", "Partition"), ("Topics", "Partitions", "Partition")),
}


def each(*apis: str) -> Callable[[Callable[[Exchange], Iterator[str]]], Look]:
    """A rule about every exchange of these apis alone."""

    def of(look: Callable[[Exchange], Iterator[str]]) -> Look:
        def every(exchanges: Sequence[Exchange]) -> Iterator[str]:
            for one in exchanges:
                if one.api in apis and not one.answer.get("ErrorCode"):
                    yield from (f"{one.named}: {fault}" for fault in look(one))

        return every

    return of


def topic_key(topic: Body) -> Hashable:
    """How a topic is named in this version: by its name, or by its id."""
    key: Hashable = next(topic[name] for name in ("Name", "Topic", "TopicId") if name in topic)
    return key


def partitions(body: Body, topics: str, inner: str, index: str) -> Iterator[tuple[Hashable, int, Body]]:
    """Each partition in a body: its topic, its index, its fields."""
    for topic in body[topics] or ():
        for one in topic[inner]:
            yield topic_key(topic), one[index], one


def answered_partitions(exchange: Exchange) -> Iterator[tuple[Hashable, int, Body]]:
    """The partitions in an answer."""
    return partitions(exchange.answer, *_PARTITIONS[exchange.api][1])


def asked_partitions(exchange: Exchange) -> Iterator[tuple[Hashable, int, Body]]:
    """The partitions in a request."""
    return partitions(exchange.request, *_PARTITIONS[exchange.api][0])


def _once(asked: Iterable[Hashable], answered: Iterable[Hashable], what: str) -> Iterator[str]:
    """What is not answered once, of what was asked once."""
    wanted, told = Counter(asked), Counter(answered)
    if any(times > 1 for times in wanted.values()):
        return
    for one in wanted:
        if told[one] != 1:
            yield f"{what} {_said(one)} was asked once, and is answered {_times(told[one])}"
    for one in told:
        if one not in wanted:
            yield f"{what} {_said(one)} is answered, and was not asked"


def _said(one: Hashable) -> str:
    return " ".join(map(str, one)) if isinstance(one, tuple) else repr(one) if isinstance(one, str) else str(one)


def _times(number: int) -> str:
    return ("not at all", "once", "twice")[number] if number <= 2 else f"{number} times"


@each(*_PARTITIONS)
def _partitions_once(one: Exchange) -> Iterator[str]:
    if one.api == "Fetch" and one.request.get("SessionEpoch", _NONE) > 0:
        return  # an answer in a session holds what has changed
    asked = [(topic, index) for topic, index, _ in asked_partitions(one)]
    return (yield from _once(asked, [(topic, index) for topic, index, _ in answered_partitions(one)], "the partition"))


@each("Metadata")
def _topics_once(one: Exchange) -> Iterator[str]:
    asked = one.request["Topics"]
    if asked is None or (one.version == 0 and not asked):
        return
    by_id = any(topic.get("Name") is None for topic in asked)
    field = "TopicId" if by_id else "Name"
    told = [topic.get(field) for topic in one.answer["Topics"]]
    yield from _once([topic.get(field) for topic in asked], told, "the topic")


@each("CreateTopics", "DeleteTopics", "DescribeConfigs", "FindCoordinator")
def _things_once(one: Exchange) -> Iterator[str]:
    request, answer = one.request, one.answer
    match one.api:
        case "CreateTopics":
            asked, told = _fields(request["Topics"], "Name"), _fields(answer["Topics"], "Name")
        case "DeleteTopics" if "TopicNames" in request:
            asked, told = list(request["TopicNames"]), _fields(answer["Responses"], "Name")
        case "DeleteTopics":
            if any(topic["Name"] is None for topic in request["Topics"]):
                return
            asked, told = _fields(request["Topics"], "Name"), _fields(answer["Responses"], "Name")
        case "DescribeConfigs":
            names = ("ResourceType", "ResourceName")
            asked = [tuple(each[name] for name in names) for each in request["Resources"]]
            told = [tuple(each[name] for name in names) for each in answer["Results"]]
        case _ if "CoordinatorKeys" in request:
            asked, told = list(request["CoordinatorKeys"]), _fields(answer["Coordinators"], "Key")
        case _:
            return
    yield from _once(asked, told, "what is named")


def _fields(bodies: Iterable[Body], name: str) -> list[Any]:
    return [body[name] for body in bodies]


@each("DescribeConfigs")
def _configs_asked(one: Exchange) -> Iterator[str]:
    asked = {
        (each["ResourceType"], each["ResourceName"]): each["ConfigurationKeys"] for each in one.request["Resources"]
    }
    for result in one.answer["Results"]:
        keys = asked.get((result["ResourceType"], result["ResourceName"]))
        if keys is not None:
            for config in result["Configs"]:
                if config["Name"] not in keys:
                    yield f"the config {config['Name']!r} is told, {', '.join(keys) or 'none'} was asked"


@each("Metadata", "DescribeGroups", "DescribeCluster")
def _operations_asked(one: Exchange) -> Iterator[str]:
    request, answer = one.request, one.answer
    told = []
    if not request.get("IncludeClusterAuthorizedOperations"):
        told.append(answer.get("ClusterAuthorizedOperations", _NOT_ASKED))
    if one.api == "Metadata" and not request.get("IncludeTopicAuthorizedOperations"):
        told += [topic.get("TopicAuthorizedOperations", _NOT_ASKED) for topic in answer["Topics"]]
    if one.api == "DescribeGroups" and not request.get("IncludeAuthorizedOperations"):
        told += [group.get("AuthorizedOperations", _NOT_ASKED) for group in answer["Groups"]]
    for value in told:
        if value != _NOT_ASKED:
            yield f"authorised operations were not asked, and {value} is told, not {_NOT_ASKED}"


@each("Metadata")
def _named_brokers(one: Exchange) -> Iterator[str]:
    listed = {broker["NodeId"] for broker in one.answer["Brokers"]}
    controller = one.answer.get("ControllerId", _NONE)
    if controller not in listed | {_NONE}:
        yield f"the controller is {controller}, which is none of its brokers"
    for topic in one.answer["Topics"]:
        for partition in topic["Partitions"]:
            if partition["LeaderId"] not in listed | {_NONE}:
                where = f"{topic.get('Name')!r} {partition['PartitionIndex']}"
                yield f"the leader of {where} is {partition['LeaderId']}, which is none of its brokers"


@each("Metadata")
def _brokers_once(one: Exchange) -> Iterator[str]:
    for node, times in Counter(broker["NodeId"] for broker in one.answer["Brokers"]).items():
        if times > 1:
            yield f"the broker {node} is listed {_times(times)}"


@each("Metadata")
def _replicas(one: Exchange) -> Iterator[str]:
    for topic in one.answer["Topics"]:
        for partition in topic["Partitions"]:
            replicas = {*partition["ReplicaNodes"], _NONE}
            others = ({*partition["IsrNodes"], *partition.get("OfflineReplicas", ()), partition["LeaderId"]}) - replicas
            if others:
                where = f"{topic.get('Name')!r} {partition['PartitionIndex']}"
                yield f"{min(others)} leads {where}, is in sync or offline there, and is none of its replicas"


@each("Metadata")
def _indexes_once(one: Exchange) -> Iterator[str]:
    for topic in one.answer["Topics"]:
        for index, times in Counter(partition["PartitionIndex"] for partition in topic["Partitions"]).items():
            if times > 1:
                yield f"the partition {index} of {topic.get('Name')!r} is listed {_times(times)}"


def _throttle_time(exchanges: Sequence[Exchange]) -> Iterator[str]:
    for one in exchanges:
        if one.answer.get("ThrottleTimeMs", 0) < 0:
            yield f"{one.named}: the throttle time is {one.answer['ThrottleTimeMs']}"


@each("ApiVersions")
def _ranges(one: Exchange) -> Iterator[str]:
    for key, times in Counter(api["ApiKey"] for api in one.answer["ApiKeys"]).items():
        if times > 1:
            yield f"the api {key} is listed {_times(times)}"
    for api in one.answer["ApiKeys"]:
        if api["MinVersion"] > api["MaxVersion"]:
            yield f"the versions of api {api['ApiKey']} are {api['MinVersion']} to {api['MaxVersion']}"


@each("Fetch")
def _marks(one: Exchange) -> Iterator[str]:
    for topic, index, told in answered_partitions(one):
        for name in ("LastStableOffset", "LogStartOffset"):
            if not told["ErrorCode"] and told.get(name, _NONE) > told["HighWatermark"]:
                yield f"of {topic} {index} the {name} is {told[name]}, the high watermark {told['HighWatermark']}"


@each("Fetch")
def _batches(one: Exchange) -> Iterator[str]:
    positions = {(topic, index): asked["FetchOffset"] for topic, index, asked in asked_partitions(one)}
    for topic, index, told in answered_partitions(one):
        least = positions.get((topic, index), 0)
        for first, last in _spans(told["Records"] or b""):
            if last < least:
                yield f"of {topic} {index} a batch of offsets {first} to {last} stands where {least} comes next"
            least = last + 1


def _spans(data: bytes) -> Iterator[tuple[int, int]]:
    """The first and the last offset of each whole batch of magic 2; nothing behind an entry of another format."""
    at = 0
    while at + _HEADER <= len(data) and data[at + _MAGIC_AT] == _BATCH:
        base, length = struct.unpack_from(">qi", data, at)
        (delta,) = struct.unpack_from(">i", data, at + _LAST_DELTA_AT)
        at += _BEFORE + length
        if length < _HEADER - _BEFORE or at > len(data):
            return
        yield base, base + delta


RULES = (
    Rule(
        "partitions-as-asked",
        "each partition of a request is answered once, and no other; in a session of Fetch no more than has changed",
        "the schemas of Produce, Fetch, ListOffsets, OffsetCommit, DeleteRecords, OffsetForLeaderEpoch",
        _partitions_once,
    ),
    Rule(
        "topics-as-asked",
        "Metadata answers each topic that was asked for once, and no other; for none it answers none",
        "schema MetadataRequest: null for all topics, an empty array for none",
        _topics_once,
    ),
    Rule(
        "answers-as-asked",
        "each topic, resource or key of a request has one result",
        "the schemas of CreateTopics, DeleteTopics, DescribeConfigs, FindCoordinator",
        _things_once,
    ),
    Rule(
        "configs-as-asked",
        "only configs that were asked for are told",
        "schema DescribeConfigsRequest: the keys to list, null for all",
        _configs_asked,
    ),
    Rule(
        "operations-as-asked",
        "authorised operations that nobody asked for are -2147483648",
        "KIP-430; the schemas of Metadata, DescribeGroups, DescribeCluster",
        _operations_asked,
    ),
    Rule(
        "named-brokers-are-listed",
        "a leader and the controller are among the brokers, or -1",
        "schema MetadataResponse: each broker in the response",
        _named_brokers,
    ),
    Rule(
        "brokers-once",
        "no broker is listed twice",
        "schema MetadataResponse: NodeId is the key of the brokers",
        _brokers_once,
    ),
    Rule(
        "replicas-host",
        "who leads a partition, is in sync or offline is one of its replicas",
        "schema MetadataResponse: the set of all nodes that host this partition",
        _replicas,
    ),
    Rule(
        "indexes-once",
        "no partition is listed twice",
        "schema MetadataResponse: each partition in the topic",
        _indexes_once,
    ),
    Rule(
        "throttle-time",
        "a throttle time is not below 0",
        "the schemas: a duration in milliseconds, or zero",
        _throttle_time,
    ),
    Rule(
        "ranges",
        "an api is listed once, and its lowest version is not above its highest",
        "KIP-35",
        _ranges,
    ),
    Rule(
        "marks-below-the-watermark",
        "neither the last stable offset nor the log start is above the high watermark",
        "KIP-98, KIP-107",
        _marks,
    ),
    Rule(
        "batches-in-order",
        "no batch ends before the offset that was asked for, or before one in front of it",
        "schema FetchRequest: the offset at which to begin",
        _batches,
    ),
)
