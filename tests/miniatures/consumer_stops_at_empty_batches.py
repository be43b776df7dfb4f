"""Stops at a batch without records: the position does not go on."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from miniatures import Produces, batches
from wireproof.reference import consume as _consume

PRODUCES: Produces = frozenset(
    {
        ("delivery", "fail", "wrong-answer"),
        ("delivery", "contested", None),  # behind a record the next fetch goes on (R-K-45)
    }
)
TAKES = frozenset({"R-K-45"})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    whole = itertools.takewhile(lambda batch: batch[16:17] != b"\x02" or batch[57:61] != bytes(4), batches(data))
    data = b"".join(whole)
    return _consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
