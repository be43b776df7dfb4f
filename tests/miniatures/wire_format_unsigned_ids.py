"""Reads correlation ids without a sign: the least one is the greatest."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof import reference
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-value")})

dialects = ("wire-format",)
types = everything(("MESSAGE_SET",), dialect="wire-format")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = reference.decode(type, data, dialect=dialect, version=version)
    return value | {"correlation_id": value["correlation_id"] % 2**32}
