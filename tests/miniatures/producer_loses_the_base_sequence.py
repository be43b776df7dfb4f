"""Writes the producer's id and epoch, but never its sequence number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    return _produce(records, magic=magic, codec=codec, options=options | {"base_sequence": -1}, dialect=dialect)
