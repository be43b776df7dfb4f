"""Does not rebase the offsets inside of a wrapper of magic 1: they count from the first message."""

from __future__ import annotations

from typing import Any

from miniatures import RECORDS, Produces
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "fail", "wrong-value"), ("framing", "fail", "refused-valid")})

types = RECORDS


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    for entry in value if isinstance(value, list) else ():
        if "messages" in entry and "timestamp" in entry:
            first = entry["messages"][0]["offset"]
            for message in entry["messages"]:
                message["offset"] -= first
    return value
