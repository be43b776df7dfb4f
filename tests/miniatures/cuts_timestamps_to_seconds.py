"""Holds the timestamps of batches and messages in whole seconds."""

from __future__ import annotations

import copy
from typing import Any

from miniatures import RECORDS, Produces
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "wrong-value"),
        ("framing", "fail", "wrong-bytes"),
        # Kafka's own records have milliseconds wherever they stand.
        ("null-encodings", "fail", "wrong-value"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("header-multimaps", "fail", "wrong-value"),
        ("header-multimaps", "fail", "wrong-bytes"),
        # The least INT64 is cut to less than one holds, and 2^63 to one that it does.
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "accepted-invalid"),
    }
)

types = RECORDS
_TIMESTAMPS = ("baseTimestamp", "maxTimestamp", "timestamp")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _cut(_decode(type, data, dialect=dialect, version=version))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _encode(type, _cut(copy.deepcopy(value)), dialect=dialect, version=version)


def _cut(value: Any) -> Any:
    for entry in value if isinstance(value, list) else [value]:
        for name in _TIMESTAMPS:
            if name in entry:
                entry[name] -= entry[name] % 1000
    return value
