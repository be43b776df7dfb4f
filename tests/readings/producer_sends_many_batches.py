"""A producer that sends each record in a batch or wrapper of its own. What a broker assigns it leaves at 100."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces

from wireproof.reference import produce as _produce

PRODUCES: Produces = frozenset({})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    written = b""
    for index, record in enumerate(records):
        sequence = options["base_sequence"]
        own = options if sequence < 0 else options | {"base_sequence": sequence + index}
        one = _produce([record], magic=magic, codec=codec, options=own, dialect=dialect)
        written += (100).to_bytes(8) + one[8:]
    return written
