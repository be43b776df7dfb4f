"""A client that knows header and body, but reads the error before the throttle time wherever an answer has both in
this order at its beginning."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from miniatures.client_reads_behind_the_correlation_id import API_VERSIONS, concluded
from wireproof.reference import decode as _decode
from wireproof.reference import dialect_named
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any] | str:
    outcome = _interpret(request, response, dialect=dialect)
    name = dialect_named(dialect).apis().get(int.from_bytes(request[4:6]))
    if name is None or request[4:6] == API_VERSIONS or response is None or outcome["outcome"] == "malformed":
        return outcome
    version = int.from_bytes(request[6:8])
    body = _decode(f"ResponseFrame:{name}", response, dialect=dialect, version=version)["body"]
    if list(body)[:2] != ["ThrottleTimeMs", "ErrorCode"]:
        return outcome
    return concluded(int.from_bytes(body["ThrottleTimeMs"].to_bytes(4)[:2], signed=True))
