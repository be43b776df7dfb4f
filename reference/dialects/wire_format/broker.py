"""A broker of the wire format proposals: what it answers on one connection. Pure: frames in, frames out.

It has every topic and keeps no message: offsets count the messages that came to a partition, from 0, and fetches are
answered with empty sets. Source: New wire format proposals, Request Details; R-WF-4, R-WF-5, R-WF-13, R-WF-15.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

from reference import codec, framing
from reference.codec import Codec
from reference.dialects.wire_format.layouts import VERSION
from reference.dialects.wire_format.messages import PARTIAL
from reference.dialects.wire_format.sets import message_sets
from reference.dialects.wire_format.waiting import NO_ACKS
from reference.errors import DecodeError, EncodeError
from reference.rules import Rules


class Broker:
    """The broker's side of one connection. `apis`: request_type_id → "Produce" or "Fetch"."""

    def __init__(self, codecs: Mapping[str, Codec], apis: Mapping[int, str], rules: Rules) -> None:
        self._codecs = codecs
        self._apis = apis
        self._rules = rules
        self._ends: dict[tuple[str, int], int] = {}

    def answer(self, frame: bytes) -> bytes | None:
        """The response to a whole request frame, empty where none is sent; None: the broker closes (R-WF-13), as it
        does where the layouts have no answer."""
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
        response = {"correlation_id": request["correlation_id"], "version_id": VERSION, "error": 0, **body}
        try:
            return codec.encode(self._codecs[f"{name}Response"], response, self._rules)
        except EncodeError:  # such as of more message sets, over all topics, than the count of errors can say
            return None

    def _produced(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Nothing with acks 0; None: required_acks mean nothing (R-WF-4's other reading)."""
        if request["required_acks"] < 0 and self._rules.required_acks == "replicas":
            return None
        offsets = [self._append(topic, partition, messages) for topic, partition, messages in message_sets(request)]
        if request["required_acks"] == NO_ACKS:
            return {}
        return {"errors": [int(self._rules.no_error)] * len(offsets), "offsets": offsets}

    def _append(self, topic: str, partition: int, messages: list[Any]) -> int:
        """The offset at which a set is available. What was cut off of its last message is not taken."""
        offset = self._ends.get((topic, partition), 0)
        self._ends[topic, partition] = offset + sum(PARTIAL not in message for message in messages)
        return offset

    @staticmethod
    def _fetched(request: Mapping[str, Any]) -> dict[str, Any]:
        data = [
            {"topic": row["topic"], "partition_data": [_empty(partition) for partition in row["partitions"]]}
            for row in request["topic_offsets"]
        ]
        return {"data": data}


def _empty(partition: int) -> dict[str, Any]:
    return {"partition": partition, "messages": []}


def serve(broker: Broker, chunks: Iterable[bytes]) -> tuple[bytes, bool]:
    """All that the broker sends for these chunks on a fresh connection, and whether it then closed."""
    arrived, sent = framing.Frames(), bytearray()
    for chunk in chunks:
        arrived.add(chunk)
        try:
            while (frame := arrived.next()) is not None:
                answer = broker.answer(struct.pack(">i", len(frame)) + frame)
                if answer is None:
                    return bytes(sent), True
                sent += answer
        except DecodeError:  # a size that no frame has
            return bytes(sent), True
    return bytes(sent), False
