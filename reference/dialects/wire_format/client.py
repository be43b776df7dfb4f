"""A client of the wire format proposals: how it understands responses, which may come in any order.

It is pure: frames in, outcomes out. `WireFormatConnection` is the proposal's text as code: a question has one request
and one response, so the kit does not ask for it.

Source: New wire format proposals, Common fields, ProduceResponse; R-WF-6, R-WF-11, R-WF-13, R-WF-15 to R-WF-17.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from wireproof.reference import codec
from wireproof.reference.codec import Codec
from wireproof.reference.dialects.wire_format.sets import pair
from wireproof.reference.dialects.wire_format.waiting import NO_ACKS
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.peers import framing
from wireproof.reference.rules import Rules

_MALFORMED = {"outcome": "malformed"}


class WireFormatClient:
    """`apis`: request_type_id → "Produce" or "Fetch"."""

    def __init__(self, codecs: Mapping[str, Codec], apis: Mapping[int, str], rules: Rules) -> None:
        self._codecs = codecs
        self._apis = apis
        self._rules = rules

    def request(self, frame: bytes) -> tuple[str, dict[str, Any]]:
        """The api and the value of a request frame. Raises EncodeError for bytes that are no request."""
        api = self._apis.get(int.from_bytes(frame[4:6], signed=True)) if len(frame) >= 6 else None
        if api is None:
            raise EncodeError(Reason.UNKNOWN_API, f"no request of this dialect: {frame[:6].hex()}…")
        try:
            return api, codec.decode(self._codecs[f"{api}Request"], frame, self._rules)
        except DecodeError as error:
            raise EncodeError(error.reason, f"no {api}Request: {error.detail}", error.path) from None

    def awaits(self, api: str, request: Mapping[str, Any]) -> bool:
        """Whether a request gets a response: all but a Produce with acks 0 (R-WF-15 ‡, other: that one too)."""
        return api != "Produce" or request["required_acks"] != NO_ACKS or self._rules.acks_0 == "answered"

    def interpret(self, request: bytes, response: bytes | None) -> dict[str, Any]:
        """The outcome of a request and its response (both whole frames; None: the connection was closed).

        Raises EncodeError when `request` is no request of this dialect.
        """
        api, asked = self.request(request)
        if response is None:
            return {"outcome": "error", "error": None}
        if not self.awaits(api, asked):
            return _MALFORMED  # a response to an id that is not open
        try:
            answer = self._answer(api, asked, response)
        except DecodeError:
            return _MALFORMED
        failed = answer["error"] != int(self._rules.no_request_error)
        return {"outcome": "error", "error": answer["error"]} if failed else {"outcome": "accepted"}

    def _answer(self, api: str, asked: Mapping[str, Any], response: bytes) -> dict[str, Any]:
        """The response to this request. Raises DecodeError, also for a version_id other than the request's."""
        answer: dict[str, Any] = codec.decode(self._codecs[f"{api}Response"], response, self._rules)
        correlation_id = answer["correlation_id"]
        if correlation_id != asked["correlation_id"]:
            detail = f"correlation_id {correlation_id}; the request has {asked['correlation_id']}"
            raise DecodeError(Reason.COUNT_MISMATCH, detail, framing.SIZE_BYTES, "correlation_id")
        if api == "Produce":
            pair(asked, answer)
        return answer


class WireFormatConnection:
    """The client's side of a connection: many requests may be open, and responses are matched by correlation id."""

    def __init__(self, client: WireFormatClient) -> None:
        self.client = client
        self.open: dict[int, bytes] = {}
        self._arrived = framing.Frames()

    def send(self, request: bytes) -> bytes:
        """The request frame, for the wire. Raises EncodeError when another open request has its correlation id."""
        api, value = self.client.request(request)
        correlation_id = value["correlation_id"]
        if correlation_id in self.open:
            raise EncodeError(
                Reason.OUT_OF_RANGE, f"correlation_id {correlation_id} is open; take another one", "correlation_id"
            )
        if self.client.awaits(api, value):
            self.open[correlation_id] = request
        return request

    def receive(self, chunk: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yields correlation id and outcome of every response that is complete now, in the order of arrival.

        Raises DecodeError at a frame whose size is impossible, or whose id is unknown or already answered: nothing
        after it on this connection can be trusted. All responses before it have been yielded.
        """
        self._arrived.add(chunk)
        while (inside := self._arrived.next()) is not None:
            if len(inside) < 4:
                detail = f"a response of {len(inside)} bytes, too few for a correlation_id"
                raise DecodeError(Reason.TRUNCATED, detail, None, "correlation_id")
            correlation_id = int.from_bytes(inside[:4], signed=True)
            request = self.open.pop(correlation_id, None)
            if request is None:
                detail = f"a response to correlation_id {correlation_id}, which is unknown or answered already"
                raise DecodeError(Reason.COUNT_MISMATCH, detail, None, "correlation_id")
            response = struct.pack(">i", len(inside)) + inside
            yield correlation_id, self.client.interpret(request, response)

    def close(self) -> list[tuple[int, dict[str, Any]]]:
        """The outcomes of the open requests, now that the broker has closed the connection."""
        requests, self.open = self.open, {}
        return [(correlation_id, self.client.interpret(request, None)) for correlation_id, request in requests.items()]
