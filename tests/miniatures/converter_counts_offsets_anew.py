"""Gives the records of a batch consecutive offsets, though compaction left gaps."""

from __future__ import annotations

from miniatures import CONVERTED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    entries = reference.decode("RecordSet", data, dialect=dialect)
    for entry in entries:
        if to != "magic-2":
            for number, record in enumerate(entry.get("records", ())):
                record["offsetDelta"] = number
    return reference.convert(type, reference.encode("RecordSet", entries, dialect=dialect), to, dialect=dialect)
