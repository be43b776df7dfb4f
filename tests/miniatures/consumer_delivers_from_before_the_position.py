"""Delivers what stands in the first batch before the position again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import consume as _consume

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    delivered = _consume(data, position=0, isolation=isolation, aborted=aborted, dialect=dialect)
    return {**delivered, "position": max(position, delivered["position"])}
