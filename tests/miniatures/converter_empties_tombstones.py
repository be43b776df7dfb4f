"""Makes an empty value of null, so that a tombstone is none any more."""

from __future__ import annotations

from miniatures import CONVERTED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    entries = reference.decode("RecordSet", reference.convert(type, data, to, dialect=dialect), dialect=dialect)
    for entry in entries:
        for record in (entry, *entry.get("messages", ()), *entry.get("records", ())):
            if "value" in record and record["value"] is None:
                record["value"] = b""
    return reference.encode("RecordSet", entries, dialect=dialect)
