"""A broker for messages of another format than Kafka's: it keeps them as produced, and gives them in the format
that the version of Fetch carries. Pure.

The other requests are Kafka's own, as far as they do not look into records.
Source: KIP-32, Compatibility, which the drafts of KIP-82 follow; KIP-74.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from wireproof.reference.errors import DecodeError, EncodeError
from wireproof.reference.peers import answers, logs
from wireproof.reference.peers.answers import Body, Facts, Respond
from wireproof.reference.peers.broker import (
    CREATE_TOPICS,
    DELETE_TOPICS,
    FETCH,
    METADATA,
    PRODUCE,
)
from wireproof.reference.peers.connection import Wait
from wireproof.reference.peers.framing import API_VERSIONS
from wireproof.reference.peers.topics import CORRUPT_MESSAGE, Batch, NotKeptError


class MessageFormat(Protocol):
    """The messages of a dialect's requests."""

    def numbered(self, records: bytes, version: int, base: int) -> tuple[bytes, int]:
        """What is kept of the records of a Produce request in this version, with offsets from `base` on, and the
        offset behind the last. Raises DecodeError, and EncodeError for what cannot be kept."""
        ...

    def as_asked(self, kept: bytes, version: int) -> bytes:
        """What was kept, in the format that this version of Fetch carries."""
        ...


def responses(messages: MessageFormat) -> Mapping[int, Respond]:
    """How a broker with messages of this format answers, by api key."""
    return {
        PRODUCE: partial(_produce, messages),
        FETCH: partial(_fetch, messages),
        METADATA: answers.metadata,
        API_VERSIONS: answers.api_versions,
        CREATE_TOPICS: answers.create_topics,
        DELETE_TOPICS: answers.delete_topics,
    }


def _produce(messages: MessageFormat, facts: Facts, request: Body, version: int) -> Body | None:
    def produced(topic: Body, data: Body) -> Body:
        _, partition, error = logs.find(facts, topic, "Name", data["Index"])
        answer = {"Index": data["Index"], "ErrorCode": error, "BaseOffset": -1}
        if partition is None:
            return answer
        if request["Acks"] not in {-1, 0, 1}:
            return {**answer, "ErrorCode": logs.INVALID_REQUIRED_ACKS}
        base = partition.end
        try:
            kept, end = messages.numbered(data["Records"] or b"", version, base)
            facts.topics.keep(partition, Batch(base, end, kept))
        except (DecodeError, EncodeError):
            return {**answer, "ErrorCode": CORRUPT_MESSAGE}
        except NotKeptError as refused:
            return {**answer, "ErrorCode": refused.error}
        return {**answer, "BaseOffset": base}

    answered = [
        {
            **logs.named(topic, "Name"),
            "PartitionResponses": [produced(topic, partition) for partition in topic["PartitionData"]],
        }
        for topic in request["TopicData"]
    ]
    return {"Responses": answered} if request["Acks"] else None


def _fetch(messages: MessageFormat, facts: Facts, request: Body, version: int) -> Body | Wait[Body]:
    said = logs.fetch(facts, request, version)

    def converted(body: Body) -> Body:
        for topic in body["Responses"]:
            topic["Partitions"] = [
                {
                    "PartitionIndex": partition["PartitionIndex"],
                    "ErrorCode": partition["ErrorCode"],
                    "HighWatermark": partition["HighWatermark"],
                    "Records": messages.as_asked(partition["Records"], version),
                }
                for partition in topic["Partitions"]
            ]
        return body

    if isinstance(said, Wait):
        later = said.answer
        return Wait(said.until, said.ready, lambda: converted(later()))
    return converted(said)
