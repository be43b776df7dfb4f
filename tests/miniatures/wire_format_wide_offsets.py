"""Fetches from offsets of eight bytes: what is produced has such ones."""

from __future__ import annotations

from support.altered_parts import ops

from miniatures import Produces, only
from wireproof.reference import rejects as rejects
from wireproof.reference.dialects.wire_format.parts import NamedParts, Part, Scalar, Several
from wireproof.reference.primitives import PRIMITIVES

PRODUCES: Produces = frozenset(
    {
        ("messages", "contested", None),
        ("messages", "fail", "accepted-invalid"),
        ("messages", "fail", "refused-valid"),
        ("messages", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-WF-21"})

dialects = ("wire-format",)
types = only("FetchRequest", dialect="wire-format")


def _wide(part: Part) -> Part:
    if not isinstance(part, NamedParts) or "partitions" not in part.parts:
        return part
    return NamedParts({**part.parts, "offsets": Several(Scalar(PRIMITIVES["INT64"]), beside="partitions")})


decode, encode = ops(_wide)
