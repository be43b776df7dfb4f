"""A client that finds an answer malformed in which a tag's key stands twice."""

from __future__ import annotations

from typing import Any

from miniatures import Produces

from wireproof.reference import decode as _decode
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset({("header-multimaps", "contested", None)})
TAKES = frozenset({"R-35-5"})

dialects = ("kip-35-v7",)


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    found = _interpret(request, response, dialect=dialect)
    if found["outcome"] == "accepted" and response is not None:
        body = _decode("ResponseFrame:BrokerMetadata", response, dialect=dialect, version=0)["body"]
        if any(len(dict(broker["Tags"])) < len(broker["Tags"]) for broker in body["Brokers"]):
            return {"outcome": "malformed"}
    return found
