"""Keeps the headers of a record in a map: of equal keys the last one is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    records = [record | {"headers": [*map(list, dict(record["headers"]).items())]} for record in records]
    return _produce(records, magic=magic, codec=codec, options=options, dialect=dialect)
