"""A conforming broker's side of a connection, sans IO: bytes in, bytes out, and whether it closed.

This module decides which requests are answered, in which order, and when the connection closes; `answers` has the
answers.
Source: KIP-35 and KIP-511 (ApiVersions and its fallback), KIP-896 (Produce 0 to 2); R-K-7, R-K-17, R-K-18, R-K-23;
Apache Kafka 4.4 where they are silent.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterable
from typing import Any

from wireproof.reference import codec, message
from wireproof.reference.cursor import Reader
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.peers import answers, framing
from wireproof.reference.peers.answers import ALONE, ANSWERS, PRODUCE, UNSUPPORTED_VERSION, Apis, Cluster, Facts
from wireproof.reference.peers.framing import API_VERSIONS
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import MessagePlans, Struct

#: Key, version and correlation id: the shortest request header.
LEAST_FRAME = 8
#: Kafka 4 lists Produce from 0 on, for old clients, but closes the connection on these versions (KIP-896, R-K-18).
PRODUCE_LISTED_ALONE = range(3)


class Broker:
    """One connection. `apis` is what the broker lists and answers: api key → (lowest, highest) version."""

    def __init__(self, messages: MessagePlans, apis: Apis, rules: Rules, cluster: Cluster = ALONE) -> None:
        self.messages = messages
        self.apis = apis
        self.rules = rules
        # Its answers have the fields of all versions: each version takes its own.
        self.writing = dataclasses.replace(rules, field_not_in_version="ignorable")
        self.cluster = cluster
        self.closed = False
        self._arrived = framing.Frames()

    def receive(self, chunk: bytes) -> bytes:
        """The bytes that the broker sends after these have arrived. Answers come in the requests' order (R-K-23)."""
        if self.closed:
            return b""
        self._arrived.add(chunk)
        sent = bytearray()
        while not self.closed and (frame := self._next_frame()) is not None:
            answer = self._answer(frame)
            if answer is None:
                self.closed = True
            else:
                sent += answer
        return bytes(sent)

    def _next_frame(self) -> bytes | None:
        """The content of the first whole frame, or None. A size that no request can have closes the connection."""
        try:
            return self._arrived.next()
        except DecodeError:
            self.closed = True
            return None

    def _answer(self, frame: bytes) -> bytes | None:
        """The response frame to one request, empty where none is sent; None: the broker closes."""
        if len(frame) < LEAST_FRAME:
            return None
        api_key, version, correlation_id = struct.unpack_from(">hhi", frame)
        low, high = self.apis.get(api_key, (0, -1))
        if low <= version <= high:
            try:
                header, body = framing.request_plans(self.messages, api_key, version)
            except DecodeError as error:
                if api_key == PRODUCE and version in PRODUCE_LISTED_ALONE:
                    return self._unsupported(correlation_id)
                raise NotImplementedError(f"this broker can't answer what it has to list: {error.detail}") from None
            return self._supported(frame, header, body, api_key, version, correlation_id)
        if api_key == API_VERSIONS and API_VERSIONS in self.apis:
            return self._fallback(frame, version, correlation_id)
        return self._unsupported(correlation_id)

    def _supported(
        self, frame: bytes, header: Struct, body: Struct, api_key: int, version: int, correlation_id: int
    ) -> bytes | None:
        if api_key not in ANSWERS:
            names = ", ".join(sorted(filter(None, map(self.messages.api_name, ANSWERS))))
            raise NotImplementedError(f"this broker has to list api {api_key}, but it can only answer {names}")
        reader = Reader(frame, self.rules)
        try:
            message.read(header, reader)
            request = message.read(body, reader)
            if self.rules.trailing_bytes == "refused":
                reader.demand_end(Reason.TRAILING_BYTES, "the request's body")
        except DecodeError:
            return None
        said = ANSWERS[api_key](Facts(self.apis, self.cluster), request, version)
        return b"" if said is None else self._frame(api_key, version, correlation_id, said)

    def _fallback(self, frame: bytes, version: int, correlation_id: int) -> bytes | None:
        """Answers ApiVersions at a version that this broker does not have: it reads the header, not the body, and
        answers with a body of version 0."""
        header_version = framing.request_header_version(API_VERSIONS, version, flexible=version >= 3)
        try:
            message.read(self.messages.plan("RequestHeader", header_version), Reader(frame, self.rules))
        except DecodeError:
            return None
        keys: Apis = {
            "own": {API_VERSIONS: self.apis[API_VERSIONS]},
            "empty": {},
            "full": self.apis,
        }[self.rules.fallback_keys]
        return self._frame(API_VERSIONS, 0, correlation_id, answers.listed(keys, UNSUPPORTED_VERSION))

    def _unsupported(self, correlation_id: int) -> bytes | None:
        if self.rules.unsupported_request == "error-35":
            return struct.pack(">iih", 6, correlation_id, UNSUPPORTED_VERSION)
        return None

    def _frame(self, api_key: int, version: int, correlation_id: int, body: dict[str, Any]) -> bytes | None:
        """The answer in the layout of `version`."""
        frame = framing.ResponseFrame.of(self.messages, api_key, str(self.messages.api_name(api_key)), version)
        try:
            return codec.encode(frame, {"header": {"CorrelationId": correlation_id}, "body": body}, self.writing)
        except EncodeError as error:
            # Invalid text in a topic's name was replaced, and the name is too long now (R-K-11).
            if error.reason is Reason.STRING_TOO_LONG:
                return None
            raise


def serve(broker: Broker, chunks: Iterable[bytes]) -> tuple[bytes, bool]:
    """All that the broker sends for these chunks, and whether it then closed."""
    sent = b"".join([broker.receive(bytes(chunk)) for chunk in chunks])
    return sent, broker.closed
