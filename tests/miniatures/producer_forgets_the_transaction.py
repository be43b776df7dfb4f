"""Writes a batch of a transaction without bit 4 of the attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    return _produce(records, magic=magic, codec=codec, options=options | {"transactional": False}, dialect=dialect)
