"""Tells the type of a timestamp only where the broker has set it; a type is told of all records or of none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import consume as _consume

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})
ONCE = "one vector has timestamps of both types"


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    delivered = _consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
    for record in delivered["records"]:
        if record["timestamp_type"] != "append":
            del record["timestamp_type"]
    return delivered
