"""The answers of a broker without topics, for the requests that this kit's broker answers. Pure: bodies in, bodies out.

Source: Kafka's message schemas; KIP-35 (ApiVersions), KIP-516 (topics by id); Apache Kafka 4.4 where they are silent.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference.peers.framing import API_VERSIONS

PRODUCE = 0
METADATA = 3

UNKNOWN_TOPIC_OR_PARTITION = 3
UNSUPPORTED_VERSION = 35
INVALID_REQUEST = 42
UNKNOWN_TOPIC_ID = 100

#: MetadataRequest has topic ids from version 10 on, and brokers read them from version 12 on.
METADATA_BY_ID = 12
_NO_ID = uuid.UUID(int=0)

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
    """What a broker knows: the apis that it lists, and its cluster."""

    apis: Apis
    cluster: Cluster


def listed(apis: Apis, error: int = 0) -> Body:
    """The body of an ApiVersions response that lists these keys, in this order (KIP-35)."""
    keys = [{"ApiKey": key, "MinVersion": low, "MaxVersion": high} for key, (low, high) in sorted(apis.items())]
    return {"ErrorCode": error, "ApiKeys": keys}


def api_versions(facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG001 (R-K-25: names and ids are not looked at)
    """All apis that the broker lists."""
    return listed(facts.apis)


def metadata(facts: Facts, request: Body, version: int) -> Body:
    """The cluster, and the requested topics (by name or id), all of them unknown."""
    cluster = facts.cluster
    return {
        "Brokers": [{"NodeId": node.node_id, "Host": node.host, "Port": node.port} for node in cluster.nodes],
        "ControllerId": cluster.this_broker,
        "Topics": [_no_topic(topic, version) for topic in request["Topics"] or ()],
    }


def _no_topic(topic: Body, version: int) -> Body:
    name, topic_id = topic["Name"], topic.get("TopicId", _NO_ID)
    by_id = name is None or topic_id != _NO_ID
    if not by_id:
        return {"ErrorCode": UNKNOWN_TOPIC_OR_PARTITION, "Name": name}
    if version < METADATA_BY_ID:  # the answer's name is not nullable there
        return {"ErrorCode": INVALID_REQUEST, "Name": name or "", "TopicId": topic_id}
    return {"ErrorCode": UNKNOWN_TOPIC_ID, "Name": None, "TopicId": topic_id}


def produce(facts: Facts, request: Body, version: int) -> Body | None:  # noqa: ARG001 (all clusters and versions alike)
    """An error for each partition, because there is no topic. None with acks 0: nothing is sent."""
    if request["Acks"] == 0:
        return None
    return {"Responses": [_not_appended(topic) for topic in request["TopicData"]]}


def _not_appended(topic: Body) -> Body:
    known_by: Body = {key: topic[key] for key in ("Name", "TopicId") if key in topic}
    error = UNKNOWN_TOPIC_ID if "TopicId" in known_by else UNKNOWN_TOPIC_OR_PARTITION
    partitions = [
        {"Index": partition["Index"], "ErrorCode": error, "BaseOffset": -1} for partition in topic["PartitionData"]
    ]
    return {**known_by, "PartitionResponses": partitions}


#: By api key: the answer's body to a request's body in some version; None: no answer is sent.
ANSWERS: Mapping[int, Callable[[Facts, Body, int], Body | None]] = {
    PRODUCE: produce,
    METADATA: metadata,
    API_VERSIONS: api_versions,
}
