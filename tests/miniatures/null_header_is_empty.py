"""Has no null for a header's value: reads it as empty, and writes it so."""

from __future__ import annotations

import copy
from typing import Any

from miniatures import RECORDS, Produces, records
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import lookup as _lookup

PRODUCES: Produces = frozenset(
    (area, "fail", kind)
    for area in ("header-multimaps", "resource-limits")  # records of the others have headers, too
    for kind in ("wrong-value", "wrong-bytes")
)

types = RECORDS


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _without_nulls(type, _decode(type, data, dialect=dialect, version=version))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, _without_nulls(type, value), dialect=dialect, version=version)


def lookup(type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> list[Any]:
    return [value or b"" for value in _lookup(type, data, key, dialect=dialect, version=version)]


def _without_nulls(type_name: str, value: Any) -> Any:
    value = copy.deepcopy(value)
    for record in records(type_name, value):
        if record["headers"]:
            record["headers"] = [(key, item or b"") for key, item in record["headers"]]
    return value
