"""A client with one request at a time, which does not look at the correlation id of what comes."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "wrong-answer"),
        ("messages", "fail", "wrong-answer"),
    }
)

dialects = ("wire-format",)


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    if response is not None and len(response) >= 8:
        response = response[:4] + request[8:12] + response[8:]
    return _interpret(request, response, dialect=dialect)
