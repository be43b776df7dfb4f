"""Gives the codecs of compression.codecs in the order of their names."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import lookup as _lookup
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-value")})

dialects = ("kip-35-v7",)
types = only("BrokerMetadataResponse", dialect="kip-35-v7")


def lookup(type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> list[Any]:
    found = _lookup(type, data, key, dialect=dialect, version=version)
    return [sorted(codecs, key=lambda codec: codec[1]) for codecs in found] if key == "compression.codecs" else found
