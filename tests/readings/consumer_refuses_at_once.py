"""A consumer that refuses a set with a batch that it cannot read, or with no whole one, before it delivers anything
(R-K-39, R-K-37). It tells no types of timestamps, as it may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces

from wireproof import reference

PRODUCES: Produces = frozenset({("delivery", "contested", None)})
TAKES = frozenset({"R-K-39", "R-K-37"})

_own = reference.Reference(reference.Rules(broken_batch="refused", cut_alone="refused"))


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    delivered = _own.consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
    for record in delivered["records"]:
        del record["timestamp_type"]
    return delivered
