"""A client that takes the two bytes behind the correlation id for the error, as in an answer to ApiVersions: it does
not see the header's tag byte, nor the throttle time, nor that some answers have no error."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})

API_VERSIONS = b"\x00\x12"
UNSUPPORTED_VERSION = 35


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any] | str:
    outcome = _interpret(request, response, dialect=dialect)
    if request[4:6] == API_VERSIONS or response is None or outcome["outcome"] == "malformed":
        return outcome
    return concluded(int.from_bytes(response[8:10], signed=True))


def concluded(error: int) -> dict[str, Any] | str:
    """What a client makes of this error, without a request's name."""
    if error == UNSUPPORTED_VERSION:
        return "unsupported"
    return {"outcome": "error", "error": error} if error else "accepted"
