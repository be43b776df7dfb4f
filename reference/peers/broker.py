"""A conforming broker's side of a connection: which requests are answered, and when the connection closes.

`answers` and `logs` have the answers.
Source: KIP-35 and KIP-511 (ApiVersions and its fallback), KIP-896 (Produce 0 to 2); R-K-7, R-K-17, R-K-18, R-K-23;
Apache Kafka 4.4 where they are silent.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from wireproof.reference import codec, message
from wireproof.reference.cursor import Reader
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.peers import answers, framing, logs
from wireproof.reference.peers.answers import ALONE, UNSUPPORTED_VERSION, Apis, Body, Cluster, Facts, Node, Respond
from wireproof.reference.peers.connection import Answer, Connection, Wait
from wireproof.reference.peers.framing import API_VERSIONS
from wireproof.reference.peers.topics import Topics
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import MessagePlans, Struct

#: Key, version and correlation id: the shortest request header.
LEAST_FRAME = 8
PRODUCE, FETCH, LIST_OFFSETS, METADATA = 0, 1, 2, 3
CREATE_TOPICS, DELETE_TOPICS, DELETE_RECORDS, INIT_PRODUCER_ID, OFFSET_FOR_LEADER_EPOCH = 19, 20, 21, 22, 23
#: Kafka 4 lists Produce from 0 on, for old clients, but closes the connection on these versions (KIP-896, R-K-18).
PRODUCE_LISTED_ALONE = range(3)
#: The first versions that a broker answers which has message format 2 alone, and offsets one at a time.
FIRST = {PRODUCE: 3, FETCH: 4, LIST_OFFSETS: 1}
#: How a broker without topics answers, by api key.
ANSWERS: Mapping[int, Respond] = {
    PRODUCE: logs.produce,
    METADATA: answers.metadata,
    API_VERSIONS: answers.api_versions,
}
#: How a broker answers in which topics can be made.
WITH_TOPICS: Mapping[int, Respond] = {
    **ANSWERS,
    FETCH: logs.fetch,
    LIST_OFFSETS: logs.list_offsets,
    CREATE_TOPICS: answers.create_topics,
    DELETE_TOPICS: answers.delete_topics,
    DELETE_RECORDS: logs.delete_records,
    INIT_PRODUCER_ID: answers.init_producer_id,
    OFFSET_FOR_LEADER_EPOCH: logs.offset_for_leader_epoch,
}


class Broker(Connection):
    """One connection. `apis` is what the broker lists and answers: api key → (lowest, highest) version; `responses`:
    how it answers them; `topics`: those that it has, shared by all its connections."""

    def __init__(
        self,
        messages: MessagePlans,
        apis: Apis,
        rules: Rules,
        cluster: Cluster = ALONE,
        responses: Mapping[int, Respond] = ANSWERS,
        topics: Topics | None = None,
    ) -> None:
        super().__init__()
        self.messages = messages
        self.apis = apis
        self.rules = rules
        # Its answers have the fields of all versions: each version takes its own.
        self.writing = dataclasses.replace(rules, field_not_in_version="ignorable")
        self.cluster = cluster
        self.responses = responses
        self.topics = Topics() if topics is None else topics

    def answer(self, frame: bytes, now: float) -> Answer:
        """The answer to the request that is a frame's content."""
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
            request = self._request(frame, header, body, api_key)
            return None if request is None else self._supported(request, api_key, version, correlation_id, now)
        if api_key == API_VERSIONS and API_VERSIONS in self.apis:
            return self._fallback(frame, version, correlation_id)
        return self._unsupported(correlation_id)

    def _request(self, frame: bytes, header: Struct, body: Struct, api_key: int) -> Body | None:
        """The body of a request; None where it is malformed."""
        if api_key not in self.responses:
            names = ", ".join(sorted(filter(None, map(self.messages.api_name, self.responses))))
            raise NotImplementedError(f"this broker has to list api {api_key}, but it can only answer {names}")
        reader = Reader(frame, self.rules)
        try:
            message.read(header, reader)
            request: Body = message.read(body, reader)
            if self.rules.trailing_bytes == "refused":
                reader.demand_end(Reason.TRAILING_BYTES, "the request's body")
        except DecodeError:
            return None
        return request

    def _supported(self, request: Body, api_key: int, version: int, correlation_id: int, now: float) -> Answer:
        said = self.responses[api_key](Facts(self.apis, self.cluster, self.topics, now), request, version)
        if said is None:
            return b""
        written = partial(self._frame, api_key, version, correlation_id)
        if isinstance(said, Wait):
            later = said.answer
            return Wait(said.until, said.ready, lambda: written(later()))
        return written(said)

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


def opened(
    messages: MessagePlans,
    apis: Apis,
    rules: Rules,
    address: tuple[str, int],
    topics: Mapping[str, int],
    responses: Mapping[int, Respond],
) -> Callable[[], Connection]:
    """A broker that is its own cluster, with these topics (name → partitions): the function gives its side of a new
    connection. `address`: its host and port."""
    kept = Topics()
    for name, partitions in topics.items():
        kept.create(name, partitions)
    return partial(Broker, messages, apis, rules, Cluster(0, (Node(0, *address),)), responses, kept)
