"""A client of KIP-35: how it understands a response, and which ProtocolVersion it uses.

It is pure: frames in, outcomes out. `Kip35Connection` and `explain` are the proposal's text as code: a question has one
request and one response, and no texts, so the kit asks for neither.

Source: KIP-35 version 7, Improved handling of unsupported requests on broker, and ProtocolVersion; R-35-3, R-35-7,
R-35-8.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wireproof.errors import WireproofError
from wireproof.reference import codec
from wireproof.reference.codec import Codec
from wireproof.reference.dialects.kip_35.broker import LEAST_FRAME
from wireproof.reference.dialects.kip_35.layouts import API, VERSION, EmptyResponse, Layouts, MetadataFrame
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.peers import framing
from wireproof.reference.peers.framing import SIZE_BYTES
from wireproof.reference.rules import DEMANDED, Rules

#: Kafka 0.9's request types by api key, under the names that their schemas have today.
REQUESTS = (
    "Produce",
    "Fetch",
    "ListOffsets",
    "Metadata",
    "LeaderAndIsr",
    "StopReplica",
    "UpdateMetadata",
    "ControlledShutdown",
    "OffsetCommit",
    "OffsetFetch",
    "FindCoordinator",
    "JoinGroup",
    "Heartbeat",
    "LeaveGroup",
    "SyncGroup",
    "DescribeGroups",
    "ListGroups",
)


class NotSupportedError(WireproofError):
    """The broker does not support a request. The text is for the application."""


@dataclass(frozen=True, slots=True)
class Kip35Client:
    """A client that knows the empty response, or an older one (R-35-8 ‡)."""

    layouts: Layouts
    rules: Rules

    def interpret(self, request: bytes, response: bytes | None) -> dict[str, Any]:
        """The outcome of a request and its response (both whole frames; None: the connection was closed).

        Raises EncodeError when `request` is no request frame, and NotImplementedError for a non-empty response that
        this draft has no layout for.
        """
        if len(request) < SIZE_BYTES + LEAST_FRAME:
            raise EncodeError(Reason.TRUNCATED, "the request frame has no whole header")
        api_key, version, correlation_id = struct.unpack_from(">hhi", request, SIZE_BYTES)
        if response is None:
            return {"outcome": "error", "error": None}
        updated = self.rules.empty_response_means == "unsupported"
        if updated and self._is_empty(response, correlation_id):
            return {"outcome": "unsupported", "request": self.request_name(api_key)}
        if not _belongs(response, correlation_id):
            return {"outcome": "malformed"}
        if len(response) == SIZE_BYTES + 4:  # no answer of Kafka 0.9 has an empty body
            return {"outcome": "malformed", "request": self.request_name(api_key)}
        if (api_key, version) != (self.layouts.api_key, VERSION):
            raise NotImplementedError(f"KIP-35 has no layout for an answer to {self.request_name(api_key)} {version}")
        answer = self._read(MetadataFrame.of(self.layouts, api_key, API, version), response)
        return {"outcome": "malformed" if answer is None else "accepted"}

    def request_name(self, api_key: int) -> str:
        """The name of requests with this key, for the application: the schema's name, or `api 99` without one."""
        if api_key == self.layouts.api_key:
            return f"{API}Request"
        return f"{REQUESTS[api_key]}Request" if 0 <= api_key < len(REQUESTS) else f"api {api_key}"

    def explain(self, request: bytes, outcome: dict[str, Any]) -> str:
        """An error text for the application, which names the request."""
        api_key, version = struct.unpack_from(">hh", request, SIZE_BYTES)
        name = f"{self.request_name(api_key)} v{version}"
        match outcome["outcome"]:
            case "unsupported":
                return f"{name}: request not supported by server"
            case "malformed":
                return f"{name}: its response cannot be parsed"
            case "error":
                return f"{name}: the connection was closed"
        return f"{name}: answered"

    def _is_empty(self, response: bytes, correlation_id: int) -> bool:
        """Whether this is the empty response, in the form of the rules in force or in the demanded one."""
        if len(response) != SIZE_BYTES + 4:
            return False
        answer = self._read(EmptyResponse(), response)
        if answer is None and self.rules.empty_response == "literal":
            return _belongs(response, correlation_id)
        return answer is not None and answer["header"]["CorrelationId"] == correlation_id

    def _read(self, form: Codec, response: bytes) -> Any:
        try:
            return codec.decode(form, response, self.rules)
        except DecodeError:
            return None


def _belongs(response: bytes, correlation_id: int) -> bool:
    """Whether size and correlation id are right."""
    if len(response) < SIZE_BYTES + 4:
        return False
    size, answered_id = struct.unpack_from(">ii", response)
    return (size, answered_id) == (len(response) - SIZE_BYTES, correlation_id)


class Kip35Connection:
    """The client's side of a connection: the requests that it sent, and the outcome of each.

    After an answer that cannot be parsed, or that means "not supported", the connection goes on: the frame's size says
    where the next answer begins (R-35-8).
    """

    def __init__(self, client: Kip35Client) -> None:
        self.client = client
        self.open: deque[bytes] = deque()
        self._arrived = framing.Frames()

    def send(self, request: bytes) -> bytes:
        """The request frame, for the wire. Answers are expected in the order of the requests."""
        self.open.append(request)
        return request

    def receive(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """Yields the outcome of each request whose answer is complete, in order.

        Raises DecodeError when a frame's size is impossible, or no request is open: the connection can't be read any
        more. Raises NotImplementedError for an answer that this draft has no layout for: the next call goes on after
        it.
        """
        self._arrived.add(chunk)
        return self._outcomes()

    def _outcomes(self) -> Iterator[dict[str, Any]]:
        while (frame := self._arrived.next()) is not None:
            if not self.open:
                raise DecodeError(Reason.COUNT_MISMATCH, "a response arrived, and no request is open", None)
            yield self.client.interpret(self.open.popleft(), struct.pack(">i", len(frame)) + frame)

    def close(self) -> list[dict[str, Any]]:
        """The outcomes of the open requests, now that the broker has closed the connection."""
        requests, self.open = self.open, deque()
        return [self.client.interpret(request, None) for request in requests]


def common(ranges: Iterable[tuple[int, int] | None], rules: Rules = DEMANDED) -> int | None:
    """The highest ProtocolVersion in all ranges: of a client and its broker, or of several brokers (R-35-15 ‡).

    None when there is none. A range with low > high is empty; a range that is None is unknown.
    """
    known = []
    for one in ranges:
        if one is None:
            return None
        known.append(one)
    lowest, highest = max((low for low, _ in known), default=0), min((high for _, high in known), default=-1)
    chosen = highest if rules.protocol_version == "highest" else lowest
    return chosen if lowest <= highest else None


def agree(ranges: Iterable[tuple[int, int] | None]) -> int:
    """As `common`, but raises NotSupportedError, which names the ranges, when there is none."""
    all_ranges = list(ranges)
    chosen = common(all_ranges)
    if chosen is None:
        said = ", ".join("none" if one is None else f"{one[0]} to {one[1]}" for one in all_ranges)
        raise NotSupportedError(f"not supported by server: no ProtocolVersion is in all of these ranges: {said}")
    return chosen
