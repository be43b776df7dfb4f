"""A client that expects an error and an offset for each topic, not for each message set."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from wireproof.reference import WireError
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "wrong-answer"),
    }
)

dialects = ("wire-format",)


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    """As the reference, of a request with one empty set for each topic."""
    try:
        asked = _decode("ProduceRequest", request, dialect=dialect)
    except WireError:
        return _interpret(request, response, dialect=dialect)
    for topic in asked["data"]:
        topic["partition_data"] = [{"partition": 0, "messages": []}]
    return _interpret(_encode("ProduceRequest", asked, dialect=dialect), response, dialect=dialect)
