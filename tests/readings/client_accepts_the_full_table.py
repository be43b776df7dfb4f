"""A client that goes on with the full table of an answer with error 35: R-K-21's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces

from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-K-21"})


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any] | str:
    outcome = _interpret(request, response, dialect=dialect)
    if keys_of_35(request, response) > 1 and outcome["outcome"] != "malformed":
        return "accepted"
    return outcome


def keys_of_35(request: bytes, response: bytes | None) -> int:
    """How many keys an answer to ApiVersions with error 35 lists; 0 for any other: behind size, correlation id and
    error, 10 bytes, stands their count."""
    if request[4:6] != b"\x00\x12" or response is None or response[8:10] != b"\x00\x23":
        return 0
    return int.from_bytes(response[10:14], signed=True)
