"""Counts the CRC of a batch from its leader's epoch on, not from its attributes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crc32c import crc32c

from miniatures import Produces
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer"), ("header-multimaps", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    written = _produce(records, magic=magic, codec=codec, options=options, dialect=dialect)
    if magic != 2:
        return written
    return written[:17] + crc32c(written[12:17] + bytes(4) + written[21:]).to_bytes(4) + written[21:]
