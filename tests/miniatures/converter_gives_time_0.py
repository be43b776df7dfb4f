"""Gives messages of magic 0, which have no time, the time 0."""

from __future__ import annotations

from miniatures import CONVERTED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    entries = reference.decode("RecordSet", reference.convert(type, data, to, dialect=dialect), dialect=dialect)
    for entry in entries:
        for message in (entry, *entry.get("messages", ())):
            if message.get("timestamp") == -1:
                message["timestamp"] = 0
        if entry.get("baseTimestamp") == -1:
            entry["baseTimestamp"] = entry["maxTimestamp"] = 0
    return reference.encode("RecordSet", entries, dialect=dialect)
