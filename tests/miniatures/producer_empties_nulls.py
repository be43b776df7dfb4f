"""Writes null keys, values and values of headers as if they were empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer"), ("header-multimaps", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    records = [
        {
            **record,
            "key": record["key"] or b"",
            "value": record["value"] or b"",
            "headers": [[key, value or b""] for key, value in record["headers"]],
        }
        for record in records
    ]
    return _produce(records, magic=magic, codec=codec, options=options, dialect=dialect)
