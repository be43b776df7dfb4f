"""A consumer that asks for what it could have passed at once, and never loses a record by it: offsets that compaction
took away (R-K-45), and the other format of a set (R-K-43). It gives the whole records of a cut batch (R-K-42), and
leaves out what is listed as aborted, under each isolation (R-K-44)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces

from wireproof import reference

PRODUCES: Produces = frozenset({("delivery", "contested", None)})
TAKES = frozenset({"R-K-42", "R-K-43", "R-K-44", "R-K-45"})

_own = reference.Reference(
    reference.Rules(
        compacted_end="behind-the-last-record",
        cut_batch="whole-records",
        mixed_formats="first-alone",
        aborted_list="always",
    )
)


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    return _own.consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
