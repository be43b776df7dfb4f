"""Turns a null header value of the record that shipped into an empty one, where it can't be expressed."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof import reference

DIALECT = "kip-82-string-keys"
PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "accepted-invalid")})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)
decode, encode, lookup = reference.decode, reference.encode, reference.lookup


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    if type == "RecordSet":
        entries = reference.decode(type, data, dialect="kafka")
        for record in (record for entry in entries for record in entry.get("records", ())):
            record["headers"] = [(key, value or b"") for key, value in record["headers"]]
        data = reference.encode(type, entries, dialect="kafka") if _has(entries) else data
    return reference.convert(type, data, to, dialect=dialect, version=version)


def _has(entries: list[dict[str, Any]]) -> bool:
    """Whether there are headers at all: other bytes stay as they are."""
    return any(record["headers"] for entry in entries for record in entry.get("records", ()))
