"""A conforming client: how it understands a response, and which version it uses. Pure: frames in, outcomes out.

Source: KIP-35, KIP-511; R-K-17, R-K-18, R-K-21, R-K-21b, R-K-28.
"""

from __future__ import annotations

import struct
from typing import Any

from wireproof.reference import codec
from wireproof.reference.cursor import Reader
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.peers import framing
from wireproof.reference.peers.answers import UNSUPPORTED_VERSION
from wireproof.reference.peers.broker import LEAST_FRAME
from wireproof.reference.peers.framing import API_VERSIONS, ResponseFrame
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import MessagePlans

#: The versions of ApiVersions that this client has.
OWN_API_VERSIONS = (0, 5)


def negotiate(client: tuple[int, int], broker: tuple[int, int] | None) -> int | None:
    """The highest version inside both ranges; None when the broker lists none or nothing is common.

    A range with low > high is empty. The one answer to every `api_key` (KIP-35).
    """
    if broker is None:
        return None
    low, high = max(client[0], broker[0]), min(client[1], broker[1])
    if client[0] > client[1] or broker[0] > broker[1] or low > high:
        return None
    return high


def interpret(messages: MessagePlans, request: bytes, response: bytes | None, rules: Rules) -> dict[str, Any]:
    """The outcome of a request and its response (both whole frames; None: the connection was closed).

    Raises EncodeError when `request` is no request frame.
    """
    if len(request) < framing.SIZE_BYTES + LEAST_FRAME:
        raise EncodeError(Reason.TRUNCATED, "the request frame has no whole header")
    api_key, version, correlation_id = struct.unpack_from(">hhi", request, framing.SIZE_BYTES)
    if response is None:
        if api_key == API_VERSIONS and rules.closed_api_versions == "retry-0" and version != 0:
            return {"outcome": "retry", "version": 0}
        return {"outcome": "error", "error": None}
    try:
        behind = _behind_correlation_id(response, correlation_id)
        if api_key == API_VERSIONS:
            return _api_versions(messages, version, _int16(behind), response, rules)
        name = messages.api_name(api_key)
        if name is None:
            # Of this api nothing is known. The error is read where it would stand without tags and throttle time.
            return _of_error(_int16(behind), f"api {api_key}")
        body = codec.decode(ResponseFrame.of(messages, api_key, name, version), response, rules)["body"]
        return _of_error(body.get("ErrorCode", 0), f"{name}Request")
    except DecodeError:
        return {"outcome": "malformed"}


def _behind_correlation_id(response: bytes, correlation_id: int) -> Reader:
    """A reader of the bytes after the correlation id. Checks the id and the size."""
    reader = Reader(response, Rules())
    size, answered_id = struct.unpack(">ii", reader.take(8, 0, "size and correlation id"))
    if size != len(response) - framing.SIZE_BYTES:
        raise reader.error(Reason.LENGTH_MISMATCH, f"size {size}, but {len(response) - 4} bytes follow", 0)
    if answered_id != correlation_id:
        raise reader.error(Reason.COUNT_MISMATCH, f"correlation id {answered_id} answers no open request", 4)
    return reader


def _int16(reader: Reader) -> int:
    return int.from_bytes(reader.take(2, reader.pos, "error"), signed=True)


def _api_versions(messages: MessagePlans, version: int, error: int, response: bytes, rules: Rules) -> dict[str, Any]:
    # Error 35 comes in a v0 body whatever was asked: the broker does not know the version (KIP-511).
    answered = 0 if error == UNSUPPORTED_VERSION else version
    frame = ResponseFrame.of(messages, API_VERSIONS, "ApiVersions", answered)
    keys = codec.decode(frame, response, rules)["body"]["ApiKeys"]
    if error == 0:
        return {"outcome": "accepted"}
    if error != UNSUPPORTED_VERSION:
        return {"outcome": "error", "error": error}
    if len(keys) > 1 and rules.full_table == "accepted":
        return {"outcome": "accepted"}
    if version == 0:
        return {"outcome": "unsupported", "request": "ApiVersionsRequest"}
    supported = next(((key["MinVersion"], key["MaxVersion"]) for key in keys if key["ApiKey"] == API_VERSIONS), (0, 0))
    chosen = negotiate(OWN_API_VERSIONS, supported)
    if chosen is None or chosen >= version:
        # No common version, or the broker refuses a version that it lists: retries would never end.
        return {"outcome": "unsupported", "request": "ApiVersionsRequest"}
    return {"outcome": "retry", "version": chosen}


def _of_error(error: int, request: str) -> dict[str, Any]:
    """The outcome for a top-level error: `unsupported` for 35, else `error`. Codes deeper in the body do not count
    (R-K-28)."""
    if error == UNSUPPORTED_VERSION:
        return {"outcome": "unsupported", "request": request}
    return {"outcome": "error", "error": error} if error else {"outcome": "accepted"}
