"""Makes room for as many elements as a classic array announces before it reads the first."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode

PRODUCES: Produces = frozenset({("resource-limits", "oom", None)})
LIMITS = {"memory": 256}

types = only("ARRAY<INT32>", "NULLABLE_ARRAY<INT32>")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    room = [None] * int.from_bytes(data[:4], signed=True)
    value = _decode(type, data, dialect=dialect, version=version)
    del room
    return value
