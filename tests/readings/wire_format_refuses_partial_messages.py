"""Refuses a set whose last message was cut off: another reading of R-WF-19."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import WireError
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode
from wireproof.reference import rejects as rejects
from wireproof.reference.errors import Reason

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("messages", "contested", None),
    }
)
TAKES = frozenset({"R-WF-19"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    if "'partial'" in repr(value):
        raise WireError(Reason.TRUNCATED, "a message is cut off")
    return value
