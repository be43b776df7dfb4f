"""Refuses records with headers where the older format has none, in place of dropping them."""

from __future__ import annotations

from miniatures import CONVERTED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "refused-valid")})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    entries = reference.decode("RecordSet", data, dialect=dialect)
    if to != "magic-2" and any(record["headers"] for entry in entries for record in entry.get("records", ())):
        raise ValueError("the format has no headers")
    return reference.convert(type, data, to, dialect=dialect)
