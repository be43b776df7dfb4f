"""Produce and Fetch of one partition, for brokers of drafts whose bodies are types, or Kafka's."""

from __future__ import annotations

from typing import Any

from wireproof import reference
from wireproof.reference import Rules
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.peers.connection import Connection

WRITER = reference.Reference(Rules(field_not_in_version="ignorable"))
WRITER.configure({"removed": True}, dialect="kafka")


def opened(dialect: str, **topics: int) -> Connection:
    return DIALECTS[dialect].broker(("localhost", 9092), topics)()


def ask(at: Connection, bodies: str, key: int, version: int, body: dict[str, Any], tags: int = 0) -> dict[str, Any]:
    """The body of an answer. `bodies`: the dialect whose type the bodies are; `tags`: bytes of empty tag buffers in
    both headers."""
    name = {0: "Produce", 1: "Fetch", 3: "Metadata"}[key]
    head = key.to_bytes(2) + version.to_bytes(2) + bytes(4) + b"\xff\xff" + bytes(tags)
    content = head + WRITER.encode(f"{name}Request", body, dialect=bodies, version=version)
    sent = at.receive(len(content).to_bytes(4) + content)
    answer: dict[str, Any] = WRITER.decode(f"{name}Response", sent[8 + tags :], dialect=bodies, version=version)
    return answer


def produce(at: Connection, bodies: str, version: int, records: bytes, acks: int = 1) -> dict[str, Any]:
    """What is answered for partition 0 of `t`."""
    asked = {"Name": "t", "PartitionData": [{"Index": 0, "Records": records}]}
    answer = ask(at, bodies, 0, version, {"Acks": acks, "TimeoutMs": 0, "TopicData": [asked]}, version >= 9)
    partition: dict[str, Any] = answer["Responses"][0]["PartitionResponses"][0]
    return partition


def fetch(at: Connection, bodies: str, version: int, offset: int = 0) -> dict[str, Any]:
    partition = {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 1 << 20}
    body = {"ReplicaId": -1, "MaxWaitMs": 0, "MinBytes": 0, "Topics": [{"Topic": "t", "Partitions": [partition]}]}
    if bodies == "kafka" and version >= 3:
        body["MaxBytes"] = 1 << 20
    answer = ask(at, bodies, 1, version, body, version >= 12)
    found: dict[str, Any] = answer["Responses"][0]["Partitions"][0]
    return found
