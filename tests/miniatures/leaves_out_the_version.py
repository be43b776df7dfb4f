"""Writes messages of ConsumerProtocol without the version that has to stand before them."""

from __future__ import annotations

from typing import Any

from miniatures import PREFIXED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-bytes")})

types = PREFIXED

decode = reference.decode


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return reference.encode(type, value, dialect=dialect, version=version)[2:]
