"""Gives messages the times of their producer, though the broker has set one."""

from __future__ import annotations

from miniatures import CONVERTED, Produces, batch_attributes, batches, with_attributes
from wireproof import reference
from wireproof.reference.records import LOG_APPEND_TIME

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})
types = CONVERTED


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    timed = b"".join(with_attributes(batch, batch_attributes(batch) & ~LOG_APPEND_TIME) for batch in batches(data))
    return reference.convert(type, timed, to, dialect=dialect)
