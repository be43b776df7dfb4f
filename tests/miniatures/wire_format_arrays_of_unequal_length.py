"""Reads and writes the errors and offsets of a response, the partitions and offsets of a request, without counting."""

from __future__ import annotations

from support.altered_parts import ops

from miniatures import Produces, everything
from wireproof.reference import rejects as rejects
from wireproof.reference.dialects.wire_format.parts import Part, Several

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "accepted-invalid"),
    }
)

dialects = ("wire-format",)
types = everything((), dialect="wire-format")


def _alone(part: Part) -> Part:
    return Several(part.element) if isinstance(part, Several) else part


decode, encode = ops(_alone)
