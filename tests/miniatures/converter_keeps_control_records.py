"""Makes messages of markers of transactions, too."""

from __future__ import annotations

from miniatures import CONVERTED, Produces, batch_attributes, batches, with_attributes
from wireproof import reference
from wireproof.reference.records.control import CONTROL

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    if to == "magic-2":
        return reference.convert(type, data, to, dialect=dialect)
    shown = b"".join(with_attributes(batch, batch_attributes(batch) & ~CONTROL) for batch in batches(data))
    return reference.convert(type, shown, to, dialect=dialect)
