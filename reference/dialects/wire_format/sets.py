"""The message sets of a ProduceRequest, and the error and offset of each in the response (R-WF-6, R-WF-16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference.errors import DecodeError, Reason


@dataclass(frozen=True, slots=True)
class Answered:
    """The response for one message set: an error code, and its offset on the broker."""

    topic: str
    partition: int
    error: int
    offset: int


def message_sets(request: Mapping[str, Any]) -> Iterator[tuple[str, int, list[Any]]]:
    """Topic, partition and messages of every set of a ProduceRequest, in its order. A topic may have none."""
    for topic in request["data"]:
        for row in topic["partition_data"]:
            yield topic["topic"], row["partition"], row["messages"]


def pair(request: Mapping[str, Any], response: Mapping[str, Any]) -> list[Answered]:
    """Pairs the Nth error and offset of a ProduceResponse with the Nth message set of its request.

    Raises DecodeError(count-mismatch) when their numbers differ.
    """
    sets = list(message_sets(request))
    for name in ("errors", "offsets"):
        if len(response[name]) != len(sets):
            detail = f"{len(response[name])} {name} for the {len(sets)} message sets of the request"
            raise DecodeError(Reason.COUNT_MISMATCH, detail, None, name)
    rows = zip(sets, response["errors"], response["offsets"], strict=True)
    return [Answered(topic, partition, error, offset) for (topic, partition, _), error, offset in rows]
