"""Leaves offsets inside of wrappers relative in magic 0."""

from __future__ import annotations

from miniatures import CONVERTED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset(
    {("unsupported-versions", "fail", "wrong-bytes"), ("header-multimaps", "fail", "wrong-bytes")}
)
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    entries = reference.decode("RecordSet", reference.convert(type, data, to, dialect=dialect), dialect=dialect)
    for entry in entries:
        if "messages" in entry and entry["magic"] == 0:
            first = entry["messages"][0]["offset"]
            for message in entry["messages"]:
                message["offset"] -= first
    return reference.encode("RecordSet", entries, dialect=dialect)
