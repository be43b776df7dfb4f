"""Compresses a batch with LZ4 blocks that depend on each other, as the library does by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lz4.frame  # type: ignore[import-untyped]
from crc32c import crc32c

from miniatures import Produces
from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    written = _produce(records, magic=magic, codec=codec, options=options, dialect=dialect)
    if magic != 2 or codec != "lz4":
        return written
    covered: bytes = written[21:61] + lz4.frame.compress(lz4.frame.decompress(written[61:]), block_linked=True)
    return written[:8] + (len(covered) + 9).to_bytes(4) + written[12:17] + crc32c(covered).to_bytes(4) + covered
