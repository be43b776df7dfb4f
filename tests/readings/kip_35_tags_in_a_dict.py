"""Keeps a broker's tags in a dict: of a key that comes twice the last value is left."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only

from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("header-multimaps", "contested", None), ("messages", "contested", None)})
TAKES = frozenset({"R-35-5"})

dialects = ("kip-35-v7",)
types = only("BrokerMetadataResponse", dialect="kip-35-v7")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _once(_decode(type, data, dialect=dialect, version=version))


def _once(body: Any) -> Any:
    return {"Brokers": [{**broker, "Tags": list(dict(broker["Tags"]).items())} for broker in body["Brokers"]]}
