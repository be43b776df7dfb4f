"""Gives a wrapper the time of its last message in place of the greatest one."""

from __future__ import annotations

from miniatures import CONVERTED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    entries = reference.decode("RecordSet", reference.convert(type, data, to, dialect=dialect), dialect=dialect)
    for entry in entries:
        if "messages" in entry and entry["magic"] == 1:
            entry["timestamp"] = entry["messages"][-1]["timestamp"]
    return reference.encode("RecordSet", entries, dialect=dialect)
