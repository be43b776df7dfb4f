"""A broker of the wire format proposals, on one connection. It is pure: frames in, frames out.

It has every topic, and leads every partition alone. Offsets count the messages appended to a partition, from 0; a fetch
gets all that stand from its offset on. It never waits, because nothing can arrive meanwhile: an answer that has to come
after max_wait or ack_timeout comes at once.

Source: New wire format proposals, Request Details; R-WF-4, R-WF-5, R-WF-13, R-WF-15, R-WF-17, R-WF-18,
R-WF-22, R-WF-23.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

from wireproof.reference import codec
from wireproof.reference.codec import Codec
from wireproof.reference.dialects.wire_format.layouts import VERSION
from wireproof.reference.dialects.wire_format.messages import PARTIAL
from wireproof.reference.dialects.wire_format.sets import message_sets
from wireproof.reference.dialects.wire_format.waiting import (
    INVALID_REQUIRED_ACKS,
    NO_ACKS,
    REQUEST_TIMED_OUT,
    MeaninglessError,
    Partition,
    enough_acks,
)
from wireproof.reference.errors import DecodeError, EncodeError
from wireproof.reference.peers import framing
from wireproof.reference.rules import Rules


class WireFormatBroker:
    """The broker's side of one connection. `apis`: request_type_id → "Produce" or "Fetch"."""

    def __init__(self, codecs: Mapping[str, Codec], apis: Mapping[int, str], rules: Rules) -> None:
        self._codecs = codecs
        self._apis = apis
        self._rules = rules
        self._logs: dict[tuple[str, int], list[Any]] = {}
        #: The order in which requests are handled (R-WF-23 ‡).
        self.last_first = rules.pipelined == "last-first"

    def answer(self, frame: bytes) -> bytes | None:
        """The response to a whole request frame, empty where none is sent; None: the broker closes (R-WF-13), also
        where the response can't be encoded."""
        name = self._apis.get(int.from_bytes(frame[4:6], signed=True)) if len(frame) >= 6 else None
        if name is None:
            return None
        try:
            request = codec.decode(self._codecs[f"{name}Request"], frame, self._rules)
        except DecodeError:
            return None
        body = self._produced(request) if name == "Produce" else self._fetched(request)
        if body is None:
            return None
        if not body:
            return b""
        error = int(self._rules.no_request_error)
        response = {"correlation_id": request["correlation_id"], "version_id": VERSION, "error": error, **body}
        try:
            return codec.encode(self._codecs[f"{name}Response"], response, self._rules)
        except EncodeError:  # for example more message sets, over all topics, than a count can hold
            return None

    def may_wait(self, frame: bytes) -> bool:
        """Whether it is a fetch that waits for what others produce."""
        try:
            request = codec.decode(self._codecs["FetchRequest"], frame, self._rules)
        except DecodeError:
            return False
        return bool(request["min_bytes"] > 0 and request["max_wait"] > 0)

    def _produced(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The response; empty where none is sent. None: the broker closes on invalid required_acks (R-WF-4's other
        reading)."""
        acks = request["required_acks"]
        sets = list(message_sets(request))
        try:
            enough_acks(acks, Partition(0), 0, self._rules)
        except MeaninglessError:
            return None if self._rules.required_acks == "replicas-or-closed" else _meaningless(len(sets))
        errors, offsets = [], []
        for topic, partition, messages in sets:
            offset, end = self._append(topic, partition, messages)
            offsets.append(offset)
            enough = enough_acks(acks, Partition(end), end, self._rules)
            errors.append(int(self._rules.no_error) if enough else REQUEST_TIMED_OUT)
        if acks == NO_ACKS and self._rules.acks_0 == "silent":
            return {}
        return {"errors": errors, "offsets": offsets}

    def _append(self, topic: str, partition: int, messages: list[Any]) -> tuple[int, int]:
        """The offset of an appended set, and the offset after it. A partial last message is not appended."""
        log = self._logs.setdefault((topic, partition), [])
        offset = len(log)
        log += [message for message in messages if PARTIAL not in message]
        return offset, len(log)

    def _fetched(self, request: Mapping[str, Any]) -> dict[str, Any]:
        data = []
        for row in request["topic_offsets"]:
            topic = row["topic"]
            found = [
                {"partition": partition, "messages": self._from(topic, partition, offset)}
                for partition, offset in zip(row["partitions"], row["offsets"], strict=True)
            ]
            if self._rules.empty_partitions == "left-out":
                found = [partition for partition in found if partition["messages"]]
                if not found:
                    continue
            data.append({"topic": topic, "partition_data": found})
        return {"data": data}

    def _from(self, topic: str, partition: int, offset: int) -> list[Any]:
        """The messages of a partition from an offset on; none from one that it has not."""
        return self._logs.get((topic, partition), [])[offset:] if offset >= 0 else []


def _meaningless(sets: int) -> dict[str, Any]:
    """A response that means that nothing was appended, also where the request has no message set."""
    return {"error": INVALID_REQUIRED_ACKS, "errors": [INVALID_REQUIRED_ACKS] * sets, "offsets": [-1] * sets}


def serve(broker: WireFormatBroker, chunks: Iterable[bytes]) -> tuple[bytes, bool]:
    """All that the broker sends for these chunks on a fresh connection, and whether it then closed."""
    frames, closed = _whole_frames(chunks)
    if broker.last_first:
        frames.reverse()
        frames.sort(key=broker.may_wait)
    sent = bytearray()
    for frame in frames:
        answer = broker.answer(frame)
        if answer is None:
            return bytes(sent), True
        sent += answer
    return bytes(sent), closed


def _whole_frames(chunks: Iterable[bytes]) -> tuple[list[bytes], bool]:
    """The frames that are complete, and whether a size that no frame has stands behind them."""
    arrived = framing.Frames()
    for chunk in chunks:
        arrived.add(chunk)
    frames = []
    try:
        while (frame := arrived.next()) is not None:
            frames.append(struct.pack(">i", len(frame)) + frame)
    except DecodeError:
        return frames, True
    return frames, False
