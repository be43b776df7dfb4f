"""Writes a batch's count of records one too high, with the right CRC."""

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
    covered = written[21:57] + (len(records) + 1).to_bytes(4) + written[61:]
    return written[:17] + crc32c(covered).to_bytes(4) + covered
