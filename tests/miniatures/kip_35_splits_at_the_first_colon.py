"""Takes what stands before the first colon as an endpoint's host: the colons of an IPv6 address belong to it."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import lookup as _lookup
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-value")})

dialects = ("kip-35-v7",)
types = everything((), dialect="kip-35-v7")


def lookup(type: str, data: bytes, key: str, *, dialect: str, version: int | None = None) -> list[Any]:
    found = _lookup(type, data, key, dialect=dialect, version=version)
    if key != "endpoints":
        return found
    return [[(protocol, host.partition(":")[0], port) for protocol, host, port in one] for one in found]
