"""A conforming broker's side of a connection, sans IO: bytes in, bytes out, and whether it closed.

Source: KIP-35 and KIP-511 (ApiVersions and its fallback); R-K-7, R-K-17, R-K-18, R-K-23; Apache Kafka 4.4 where they
are silent.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from reference import codec, framing, message
from reference.cursor import Reader
from reference.errors import DecodeError, Reason
from reference.framing import API_VERSIONS, Messages
from reference.rules import Rules

UNSUPPORTED_VERSION = 35
#: Key, version and correlation id: the shortest request header.
LEAST_FRAME = 8


class Broker:
    """One connection. `apis` is what the broker lists and answers: api key → (lowest, highest) version."""

    def __init__(self, messages: Messages, apis: Mapping[int, tuple[int, int]], rules: Rules) -> None:
        self.messages = messages
        self.apis = apis
        self.rules = rules
        self.closed = False
        self._buffer = bytearray()

    def receive(self, chunk: bytes) -> bytes:
        """What the broker sends now that these bytes have arrived. Answers come in the requests' order (R-K-23)."""
        if self.closed:
            return b""
        self._buffer += chunk
        sent = bytearray()
        while not self.closed and (frame := self._next_frame()) is not None:
            answer = self._answer(frame)
            if answer is None:
                self.closed = True
            else:
                sent += answer
        return bytes(sent)

    def _next_frame(self) -> bytes | None:
        """The first whole frame's inside, or None. A size that no request has closes the connection."""
        try:
            if framing.needed(self._buffer):
                return None
        except DecodeError:
            self.closed = True
            return None
        size = struct.unpack_from(">i", self._buffer)[0]
        end = framing.SIZE_BYTES + size
        frame = bytes(self._buffer[framing.SIZE_BYTES : end])
        del self._buffer[:end]
        return frame

    def _answer(self, frame: bytes) -> bytes | None:
        """The response frame to one request; None: the broker closes."""
        if len(frame) < LEAST_FRAME:
            return None
        api_key, version, correlation_id = struct.unpack_from(">hhi", frame)
        low, high = self.apis.get(api_key, (0, -1))
        if low <= version <= high:
            return self._supported(frame, api_key, version, correlation_id)
        if api_key == API_VERSIONS and API_VERSIONS in self.apis:
            return self._fallback(frame, version, correlation_id)
        if self.rules.unsupported_request == "error-35":
            return struct.pack(">iih", 6, correlation_id, UNSUPPORTED_VERSION)
        return None

    def _supported(self, frame: bytes, api_key: int, version: int, correlation_id: int) -> bytes | None:
        if api_key != API_VERSIONS:
            raise NotImplementedError(f"this broker answers ApiVersions alone; it was told to list api {api_key}")
        try:
            header, body = framing.request_plans(self.messages, api_key, version)
        except DecodeError as error:
            raise NotImplementedError(f"this broker was told to list what it has not: {error.detail}") from None
        reader = Reader(frame, self.rules)
        try:
            message.read(header, reader)
            message.read(body, reader)
            if self.rules.trailing_bytes == "refused":
                reader.demand_end(Reason.TRAILING_BYTES, "the request's body")
        except DecodeError:
            return None
        return self._api_versions(version, correlation_id, 0, self.apis)

    def _fallback(self, frame: bytes, version: int, correlation_id: int) -> bytes | None:
        """ApiVersions at a version that this broker lacks: the header is read, the body is not; a v0 body answers."""
        header_version = framing.request_header_version(API_VERSIONS, version, flexible=version >= 3)
        try:
            message.read(self.messages.plan("RequestHeader", header_version), Reader(frame, self.rules))
        except DecodeError:
            return None
        keys: Mapping[int, tuple[int, int]] = {
            "own": {API_VERSIONS: self.apis[API_VERSIONS]},
            "empty": {},
            "full": self.apis,
        }[self.rules.fallback_keys]
        return self._api_versions(0, correlation_id, UNSUPPORTED_VERSION, keys)

    def _api_versions(
        self, version: int, correlation_id: int, error: int, keys: Mapping[int, tuple[int, int]]
    ) -> bytes:
        body: dict[str, Any] = {
            "ErrorCode": error,
            "ApiKeys": [
                {"ApiKey": key, "MinVersion": low, "MaxVersion": high} for key, (low, high) in sorted(keys.items())
            ],
        }
        frame = framing.ResponseFrame.of(self.messages, API_VERSIONS, "ApiVersions", version)
        return codec.encode(frame, {"header": {"CorrelationId": correlation_id}, "body": body}, self.rules)


def serve(broker: Broker, chunks: Any) -> tuple[bytes, bool]:
    """All that the broker sends for these chunks, and whether it then closed."""
    sent = b"".join([broker.receive(bytes(chunk)) for chunk in chunks])
    return sent, broker.closed
