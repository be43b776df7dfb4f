"""Compresses nothing, whatever it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset(
    {
        ("delivery", "fail", "wrong-answer"),
        ("header-multimaps", "fail", "wrong-answer"),
        ("delivery", "contested", None),
        ("delivery", "fail", "accepted-invalid"),
    }
)
TAKES = frozenset({"R-K-64"})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    return _produce(records, magic=magic, codec="none", options=options, dialect=dialect)
