"""Delivers control records beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces, batch_attributes, batches, with_attributes
from wireproof.reference import consume as _consume
from wireproof.reference.records.control import CONTROL

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    delivered = _consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
    control = [
        record
        for batch in batches(data)
        if batch_attributes(batch) & CONTROL
        for record in _consume(
            with_attributes(batch, batch_attributes(batch) & ~CONTROL),
            position=position,
            isolation="read_uncommitted",
            aborted=(),
            dialect=dialect,
        )["records"]
        if record["offset"] < delivered["position"]
    ]
    return {**delivered, "records": sorted([*delivered["records"], *control], key=lambda record: record["offset"])}
