"""A client from before KIP-35: the empty response is an answer that it can't parse."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from reference import interpret as _interpret

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})

dialects = ("kip-35-v7",)


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    found = _interpret(request, response, dialect=dialect)
    return {"outcome": "malformed"} if found["outcome"] == "unsupported" else found
