"""Gives each record the time of its producer, though the broker has set one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces, batch_attributes, batches, with_attributes
from wireproof.reference import consume as _consume
from wireproof.reference.records import LOG_APPEND_TIME

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    data = b"".join(with_attributes(batch, batch_attributes(batch) & ~LOG_APPEND_TIME) for batch in batches(data))
    return _consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
