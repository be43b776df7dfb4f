"""Gives the text of every tag, builtin ones too."""

from __future__ import annotations

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import rejects

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-value")})

dialects = ("kip-35-v7",)
types = everything((), dialect="kip-35-v7")


def lookup(type: str, data: bytes, key: str, *, dialect: str, version: int | None = None) -> list[str]:
    brokers = _decode(type, data, dialect=dialect, version=version)["Brokers"]
    return [value for broker in brokers for name, value in broker["Tags"] if name == key]


__all__ = ["dialects", "lookup", "rejects", "types"]
