"""Takes what there is of a message also where no whole one stands before it: a reader that asks again makes no way."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode
from wireproof.reference import rejects as rejects
from wireproof.reference.dialects.wire_format.messages import is_partial

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("framing", "fail", "accepted-invalid"),
        ("resource-limits", "fail", "accepted-invalid"),
    }
)
TAKES = frozenset({"R-WF-10"})

dialects = ("wire-format",)
types = only("MESSAGE_SET", dialect="wire-format")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if data and is_partial(data[:4], len(data)):
        return [{"partial": data}]
    return _decode(type, data, dialect=dialect, version=version)
