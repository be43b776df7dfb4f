"""Connects to the first address that a broker tells, whatever protocol is wanted, and sends messages of any size."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import lookup as _lookup
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-value")})

dialects = ("kip-35-v7",)
types = only("ENDPOINT", "LARGEST_MESSAGE", "PROPERTIES", dialect="kip-35-v7")


def lookup(type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> list[Any]:
    match type:
        case "LARGEST_MESSAGE":
            return [key]
        case "PROPERTIES":  # "tag." is cut wherever it stands
            data = data.replace(b"tag.tag.", b"tag.")
        case "ENDPOINT":
            told = _lookup("BrokerMetadataResponse", data, "endpoints", dialect=dialect, version=version)
            return [[*one[0]] for one in told]
    return _lookup(type, data, key, dialect=dialect, version=version)
