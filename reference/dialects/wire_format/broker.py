"""A broker of the wire format proposals: what it answers, and when.

It has every topic, and leads every partition. Offsets count the messages appended to a partition, from 0; a fetch gets
all that stand from its offset on. A replica is whoever fetches with a replica's id; each one that has fetched a
partition is in sync there.

Source: New wire format proposals, Request Details; R-WF-4, R-WF-5, R-WF-13, R-WF-15, R-WF-17, R-WF-18,
R-WF-22, R-WF-23.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireproof.reference import codec
from wireproof.reference.codec import Codec
from wireproof.reference.dialects.wire_format.layouts import VERSION
from wireproof.reference.dialects.wire_format.messages import PARTIAL
from wireproof.reference.dialects.wire_format.sets import message_sets
from wireproof.reference.dialects.wire_format.waiting import (
    INVALID_REQUIRED_ACKS,
    NO_ACKS,
    BrokerAction,
    MeaninglessError,
    Partition,
    Place,
    Produced,
    enough_acks,
    fetch_is_due,
)
from wireproof.reference.errors import DecodeError, EncodeError
from wireproof.reference.peers import framing
from wireproof.reference.peers.connection import Answer, Connection, Wait
from wireproof.reference.peers.topics import BATCH_COSTS, KAFKA_STORAGE_ERROR, MOST_BYTES
from wireproof.reference.rules import Rules

Request = Mapping[str, Any]
Body = dict[str, Any]


class Logs:
    """The messages of all partitions, shared by all connections, and how far replicas have fetched them. Memory is
    bounded."""

    def __init__(self) -> None:
        self._kept = 0
        self.partitions: dict[Place, Partition] = {}
        self._messages: dict[Place, list[Any]] = {}

    def partition(self, place: Place) -> Partition:
        return self.partitions.get(place, Partition(0))

    def takes(self, cost: int) -> bool:
        """Whether there is room for so many bytes more, which are then taken."""
        if self._kept + cost > MOST_BYTES:
            return False
        self._kept += cost
        return True

    def append(self, place: Place, messages: list[Any]) -> int:
        """The offset of an appended set. A partial last message is not appended."""
        log = self._messages.setdefault(place, [])
        offset = len(log)
        log += [message for message in messages if PARTIAL not in message]
        self.partitions[place] = dataclasses.replace(self.partition(place), end=len(log))
        return offset

    def fetched(self, place: Place, replica_id: int, offset: int) -> None:
        """A replica's fetch acknowledges what stands before its offset."""
        before = self.partition(place)
        after = before.fetched(replica_id, offset)
        if after != before and (replica_id in before.followers or self.takes(BATCH_COSTS)):
            self.partitions[place] = dataclasses.replace(after, in_sync=frozenset(after.followers))

    def from_offset(self, place: Place, offset: int) -> list[Any]:
        """The messages of a partition from an offset on; none from one that it has not."""
        return self._messages.get(place, [])[offset:] if offset >= 0 else []


class WireFormatBroker(Connection):
    """The broker's side of one connection. `apis`: request_type_id → "Produce" or "Fetch"."""

    def __init__(self, codecs: Mapping[str, Codec], apis: Mapping[int, str], rules: Rules, logs: Logs) -> None:
        super().__init__()
        self._codecs = codecs
        self._apis = apis
        self._rules = rules
        self._logs = logs

    def answer(self, frame: bytes, now: float) -> Answer:
        """The answer to the request that is a frame's content. The broker closes on what is none (R-WF-13), and where
        the response can't be encoded."""
        name = self._apis.get(int.from_bytes(frame[:2], signed=True)) if len(frame) >= 2 else None
        if name is None:
            return None
        request = self._request(f"{name}Request", frame)
        if request is None:
            return None
        return self._produced(request, len(frame), now) if name == "Produce" else self._fetched(request, now)

    def last_first(self, chunks: Iterable[bytes]) -> list[bytes]:
        """The same requests in the order of R-WF-23's other reading: the last first, and those behind that may wait
        for what others produce."""
        data = b"".join(map(bytes, chunks))
        frames, rest = _whole_frames(data)
        frames.reverse()
        return [*sorted(frames, key=self._may_wait), rest]

    def _may_wait(self, frame: bytes) -> bool:
        request = self._request("FetchRequest", frame[framing.SIZE_BYTES :])
        return request is not None and request["min_bytes"] > 0 and request["max_wait"] > 0

    def _request(self, type_name: str, frame: bytes) -> Request | None:
        whole = len(frame).to_bytes(framing.SIZE_BYTES) + frame
        try:
            request: Request = codec.decode(self._codecs[type_name], whole, self._rules)
        except DecodeError:
            return None
        return request

    def _framed(self, name: str, request: Request, body: Body) -> bytes | None:
        """A response; None where it can't be encoded."""
        error = int(self._rules.no_request_error)
        response = {"correlation_id": request["correlation_id"], "version_id": VERSION, "error": error, **body}
        try:
            return codec.encode(self._codecs[f"{name}Response"], response, self._rules)
        except EncodeError:  # for example more message sets, over all topics, than a count can hold
            return None

    # --- Produce ---

    def _produced(self, request: Request, size: int, now: float) -> Answer:
        acks, sets = request["required_acks"], list(message_sets(request))
        try:
            for topic, number, _ in sets or [("", 0, [])]:
                enough_acks(acks, self._logs.partition((topic, number)), 0, self._rules)
        except MeaninglessError:
            if self._rules.required_acks == "replicas-or-closed":
                return None
            return self._framed("Produce", request, _refused(INVALID_REQUIRED_ACKS, len(sets)))
        if not self._logs.takes(size + BATCH_COSTS * len(sets)):
            return self._framed("Produce", request, _refused(KAFKA_STORAGE_ERROR, len(sets)))
        offsets, ends = [], []
        for topic, number, messages in sets:
            offsets.append(self._logs.append((topic, number), messages))
            ends.append(((topic, number), self._logs.partition((topic, number)).end))
        produced = Produced(acks, request["ack_timeout"], now, tuple(ends))
        if acks == NO_ACKS and self._rules.acks_0 == "silent":
            return b""
        partitions = self._logs.partitions
        return Wait(
            now + produced.ack_timeout,
            lambda: produced.answer(partitions, now, self._rules) is not BrokerAction.WAIT,
            lambda: self._framed(
                "Produce", request, {"errors": produced.errors(partitions, self._rules), "offsets": offsets}
            ),
        )

    # --- Fetch ---

    def _fetched(self, request: Request, now: float) -> Answer:
        for topic, number, offset in _asked(request):
            self._logs.fetched((topic, number), request["replica_id"], offset)
        return Wait(
            now + request["max_wait"],
            lambda: fetch_is_due(self._available(request), request["min_bytes"], request["max_wait"], now, now),
            lambda: self._framed("Fetch", request, self._data(request)),
        )

    def _available(self, request: Request) -> Iterator[int]:
        """How many bytes there are for each partition of a fetch."""
        for topic, number, offset in _asked(request):
            messages = self._logs.from_offset((topic, number), offset)
            yield len(codec.encode(self._codecs["MESSAGE_SET"], messages, self._rules))

    def _data(self, request: Request) -> Body:
        data = []
        for row in request["topic_offsets"]:
            topic = row["topic"]
            found = [
                {"partition": partition, "messages": self._logs.from_offset((topic, partition), offset)}
                for partition, offset in zip(row["partitions"], row["offsets"], strict=True)
            ]
            if self._rules.empty_partitions == "left-out":
                found = [partition for partition in found if partition["messages"]]
                if not found:
                    continue
            data.append({"topic": topic, "partition_data": found})
        return {"data": data}


def _asked(request: Request) -> Iterator[tuple[str, int, int]]:
    """Topic, partition and offset of all that a fetch asks for."""
    for row in request["topic_offsets"]:
        for partition, offset in zip(row["partitions"], row["offsets"], strict=True):
            yield row["topic"], partition, offset


def _refused(error: int, sets: int) -> Body:
    """A response that means that nothing was appended, also where the request has no message set."""
    return {"error": error, "errors": [error] * sets, "offsets": [-1] * sets}


def _whole_frames(data: bytes) -> tuple[list[bytes], bytes]:
    """The frames that are complete, and what stands behind them."""
    arrived = framing.Frames()
    arrived.add(data)
    frames = []
    try:
        while (frame := arrived.next()) is not None:
            frames.append(len(frame).to_bytes(framing.SIZE_BYTES) + frame)
    except DecodeError:  # a size that no frame has
        pass
    return frames, data[len(data) - len(arrived) :]
