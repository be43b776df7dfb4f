"""Skips a batch that it cannot read, in silence, and goes on behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces, batches
from wireproof.reference import consume as _consume

PRODUCES: Produces = frozenset(
    {
        ("delivery", "fail", "accepted-invalid"),
        ("delivery", "fail", "wrong-answer"),
        ("delivery", "contested", None),  # where nothing of the batch is for the consumer (R-K-39)
    }
)
TAKES = frozenset({"R-K-39"})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    readable = bytearray()
    for batch in batches(data):
        try:
            _consume(batch, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
        except ValueError:
            position = max(position, int.from_bytes(batch[:8]) + 1)
        else:
            readable += batch
    return _consume(bytes(readable), position=position, isolation=isolation, aborted=aborted, dialect=dialect)
