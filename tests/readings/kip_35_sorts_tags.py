"""Writes a broker's tags in the order of their keys."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only

from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("header-multimaps", "contested", None), ("messages", "contested", None)})
TAKES = frozenset({"R-35-5"})

dialects = ("kip-35-v7",)
types = only("BrokerMetadataResponse", dialect="kip-35-v7")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    brokers = value["Brokers"]
    if brokers:
        brokers = [{**broker, "Tags": broker["Tags"] and sorted(broker["Tags"], key=_key)} for broker in brokers]
    return _encode(type, {**value, "Brokers": brokers}, dialect=dialect, version=version)


def _key(tag: Any) -> str:
    return str(tag[0])
