"""Delivers the records of aborted transactions, whatever the isolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import consume as _consume

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    return _consume(data, position=position, isolation="read_uncommitted", aborted=(), dialect=dialect)
