"""Keeps the headers of a record in a map: of equal keys the last one counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import consume as _consume

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-answer")})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    delivered = _consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
    for record in delivered["records"]:
        record["headers"] = [[key, value] for key, value in dict(record["headers"]).items()]
    return delivered
