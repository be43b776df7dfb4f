"""Holds headers in a dict: of a key that stands twice, the last value is left."""

from __future__ import annotations

from typing import Any

from miniatures import RECORDS, Produces, records
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode
from wireproof.reference import lookup as _lookup

PRODUCES: Produces = frozenset(
    (area, "fail", kind)
    for area in ("header-multimaps", "framing", "resource-limits")  # records of the others have headers, too
    for kind in ("wrong-value", "wrong-bytes")
)

HUGE = True  # only there it deviates in resource-limits
# So much is read slowly on a busy machine, and nothing here hangs.
LIMITS = {"timeout": 60.0}
types = RECORDS


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    for record in records(type, value):
        record["headers"] = [*dict(record["headers"]).items()]
    return value


def lookup(type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> list[Any]:
    return _lookup(type, data, key, dialect=dialect, version=version)[-1:]
