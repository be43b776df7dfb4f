"""Writes the time of a batch's first record as `maxTimestamp`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces, rewritten
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    written = _produce(records, magic=magic, codec=codec, options=options, dialect=dialect)
    return rewritten(written, lambda batch: batch | {"maxTimestamp": batch["baseTimestamp"]})
