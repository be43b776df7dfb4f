"""The answers about a broker, its cluster and its topics: bodies in, bodies out. `logs` has those about records.

Source: Kafka's message schemas; KIP-35 (ApiVersions), KIP-516 (topics by id); Apache Kafka 4.4 where they are silent.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference.peers.connection import Wait
from wireproof.reference.peers.topics import LEADER_EPOCH, NotKeptError, Topic, Topics

UNKNOWN_TOPIC_OR_PARTITION = 3
NOT_LEADER_OR_FOLLOWER = 6
INVALID_TOPIC = 17
UNSUPPORTED_VERSION = 35
INVALID_REPLICATION_FACTOR = 38
INVALID_REPLICA_ASSIGNMENT = 39
INVALID_CONFIG = 40
INVALID_REQUEST = 42
TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53
UNKNOWN_TOPIC_ID = 100

#: MetadataRequest has topic ids from version 10 on, and brokers read them from version 12 on.
METADATA_BY_ID = 12
#: DeleteTopicsRequest names topics by name or id from version 6 on.
DELETE_BY_ID = 6
_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
NO_ID = uuid.UUID(int=0)

Apis = Mapping[int, tuple[int, int]]
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Node:
    """A broker as Metadata names it."""

    node_id: int
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """All brokers, and the id of the one that answers."""

    this_broker: int
    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, setting: Mapping[str, Any]) -> Cluster:
        """From the contract's setting `cluster`: {"self": id, "brokers": [{"NodeId", "Host", "Port", …}]}."""
        nodes = (Node(broker["NodeId"], broker["Host"], broker["Port"]) for broker in setting["brokers"])
        return cls(setting["self"], tuple(nodes))


#: The default cluster: one broker.
ALONE = Cluster(0, (Node(0, "localhost", 9092),))


@dataclass(frozen=True, slots=True)
class Facts:
    """What a broker knows: the apis that it lists, its cluster, its topics, and the time in ms since 1970."""

    apis: Apis
    cluster: Cluster
    topics: Topics
    now: float

    @property
    def leader(self) -> int:
        """The broker that leads all partitions."""
        return self.cluster.this_broker if self.topics.leader is None else self.topics.leader

    @property
    def controller(self) -> int:
        """The broker that calls itself the controller: of several that share their topics the first."""
        return self.cluster.this_broker if self.topics.leader is None else self.cluster.nodes[0].node_id


#: The answer's body to a request's body in some version; None: no answer is sent.
Respond = Callable[[Facts, Body, int], Body | Wait[Body] | None]


def listed(apis: Apis, error: int = 0) -> Body:
    """The body of an ApiVersions response that lists these keys, in this order (KIP-35)."""
    keys = [{"ApiKey": key, "MinVersion": low, "MaxVersion": high} for key, (low, high) in sorted(apis.items())]
    return {"ErrorCode": error, "ApiKeys": keys}


def api_versions(facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG001 (R-K-25: names and ids are not looked at)
    """All apis that the broker lists."""
    return listed(facts.apis)


def metadata(facts: Facts, request: Body, version: int) -> Body:
    """The cluster, and the requested topics (by name or id)."""
    cluster, asked = facts.cluster, request["Topics"]
    if asked is None or (version == 0 and not asked):
        found = [_described(topic, facts) for topic in facts.topics.by_name.values()]
    else:
        found = [_looked_up(topic, facts, version) for topic in asked]
    return {
        "Brokers": [{"NodeId": node.node_id, "Host": node.host, "Port": node.port} for node in cluster.nodes],
        "ControllerId": facts.controller,
        "Topics": found,
    }


def _looked_up(asked: Body, facts: Facts, version: int) -> Body:
    name, topic_id = asked["Name"], asked.get("TopicId", NO_ID)
    by_id = name is None or topic_id != NO_ID
    if by_id and version < METADATA_BY_ID:  # the answer's name is not nullable there
        return {"ErrorCode": INVALID_REQUEST, "Name": name or "", "TopicId": topic_id}
    topic = facts.topics.by_id(topic_id) if by_id else facts.topics.by_name.get(name)
    if topic is not None:
        return _described(topic, facts)
    if by_id:
        return {"ErrorCode": UNKNOWN_TOPIC_ID, "Name": None, "TopicId": topic_id}
    return {"ErrorCode": UNKNOWN_TOPIC_OR_PARTITION, "Name": name}


def _described(topic: Topic, facts: Facts) -> Body:
    leader = facts.leader
    partitions = [
        {
            "PartitionIndex": index,
            "LeaderId": leader,
            "LeaderEpoch": LEADER_EPOCH,
            "ReplicaNodes": [leader],
            "IsrNodes": [leader],
        }
        for index in range(len(topic.partitions))
    ]
    return {"Name": topic.name, "TopicId": topic.id, "Partitions": partitions}


def create_topics(facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG001 (all versions alike)
    """The topics that were made, each with its error. A name that stands twice in the request is refused (KIP-4)."""
    names = [topic["Name"] for topic in request["Topics"]]
    return {
        "Topics": [
            _error(topic, INVALID_REQUEST, "the name stands twice in the request")
            if names.count(topic["Name"]) > 1
            else _created(topic, facts, only_to_see=request["validateOnly"])
            for topic in request["Topics"]
        ]
    }


def _created(asked: Body, facts: Facts, *, only_to_see: bool) -> Body:
    name, partitions, configs = asked["Name"], asked["NumPartitions"], _configs(asked)
    assigned = [one["BrokerIds"] for one in asked["Assignments"]]
    if not _NAME.fullmatch(name) or name in {".", ".."}:
        return _error(asked, INVALID_TOPIC, "a name has 1 to 249 letters, digits, dots, dashes or underscores")
    if asked["ReplicationFactor"] not in {-1, 1}:
        return _error(asked, INVALID_REPLICATION_FACTOR, "there is one broker")
    if assigned and any(brokers != [facts.cluster.this_broker] for brokers in assigned):
        return _error(asked, INVALID_REPLICA_ASSIGNMENT, "there is one broker")
    if configs is None:
        return _error(asked, INVALID_CONFIG, "the value of max.message.bytes or message.timestamp.type is none")
    count = len(assigned) or (1 if partitions == -1 else partitions)
    try:
        topic = facts.topics.create(name, count, only_to_see=only_to_see, **configs)
    except NotKeptError as error:
        return _error(asked, error.error, None)
    return {
        "Name": name,
        "TopicId": topic.id,
        "ErrorMessage": None,
        "NumPartitions": count,
        "ReplicationFactor": 1,
        "Configs": [],
    }


def _error(asked: Body, error: int, why: str | None) -> Body:
    return {"Name": asked["Name"], "ErrorCode": error, "ErrorMessage": why, "Configs": None}


def _configs(asked: Body) -> dict[str, Any] | None:
    """The settings of a topic that have an effect here; None if one has a wrong value."""
    settings: dict[str, Any] = {}
    for config in asked["Configs"]:
        match config["Name"], config["Value"]:
            case "max.message.bytes", str() as value if value.isdecimal():
                settings["most"] = int(value)
            case "message.timestamp.type", "CreateTime" | "LogAppendTime" as value:
                settings["by_append"] = value == "LogAppendTime"
            case "max.message.bytes" | "message.timestamp.type", _:
                return None
    return settings


def delete_topics(facts: Facts, request: Body, version: int) -> Body:
    """The topics that were deleted, each with its error."""
    if version < DELETE_BY_ID:
        return {"Responses": [_deleted(facts.topics, {"Name": name}) for name in request["TopicNames"]]}
    return {"Responses": [_deleted(facts.topics, topic) for topic in request["Topics"]]}


def _deleted(topics: Topics, asked: Body) -> Body:
    name, topic_id = asked["Name"], asked.get("TopicId", NO_ID)
    topic = topics.by_id(topic_id) if name is None else topics.by_name.get(name)
    if topic is None:
        error = UNKNOWN_TOPIC_ID if name is None else UNKNOWN_TOPIC_OR_PARTITION
        return {"Name": name, "TopicId": topic_id, "ErrorCode": error}
    topics.delete(topic)
    return {"Name": topic.name, "TopicId": topic.id}


def init_producer_id(facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG001 (all versions alike)
    """A new id for an idempotent producer. There are no transactions: nobody may have a transactional id."""
    if request["TransactionalId"] is not None:
        return {"ErrorCode": TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "ProducerId": -1, "ProducerEpoch": -1}
    return {"ProducerId": facts.topics.new_producer(), "ProducerEpoch": 0}
