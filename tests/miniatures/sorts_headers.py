"""Keeps headers sorted by key."""

from __future__ import annotations

import copy
from typing import Any

from miniatures import RECORDS, Produces, records
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import lookup as lookup

PRODUCES: Produces = frozenset(
    {("header-multimaps", "fail", "wrong-value"), ("header-multimaps", "fail", "wrong-bytes")}
)

types = RECORDS


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _sorted(type, _decode(type, data, dialect=dialect, version=version))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, _sorted(type, value), dialect=dialect, version=version)


def _sorted(type_name: str, value: Any) -> Any:
    value = copy.deepcopy(value)
    for record in records(type_name, value):
        if record["headers"] and all(key is not None for key, _ in record["headers"]):
            record["headers"] = sorted(record["headers"], key=lambda header: str(header[0]))
    return value
