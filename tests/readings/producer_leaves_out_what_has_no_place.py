"""A producer that leaves out what an older format can't hold (R-K-60), but refuses times there (R-K-61), tells the last
time as the greatest (R-K-62), leaves a wrapper's time to the broker (R-K-63), and compresses only what becomes
smaller (R-K-64)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces

from wireproof import reference

PRODUCES: Produces = frozenset({("delivery", "contested", None), ("header-multimaps", "contested", None)})
TAKES = frozenset({"R-K-60", "R-K-61", "R-K-62", "R-K-63", "R-K-64"})

_own = reference.Reference(
    reference.Rules(
        unheld="left-out",
        timestamp_in_magic_0="refused",
        max_timestamp="last",
        wrapper_timestamp="zero",
        small_content="plain",
    )
)


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    return _own.produce(records, magic=magic, codec=codec, options=options, dialect=dialect)
