"""Writes INT8 as hex, which is no answer to encode."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("framing", "protocol-violation", None)})

types = only("INT8", "BOOLEAN")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> str | bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    return data.hex() if type == "INT8" else data
