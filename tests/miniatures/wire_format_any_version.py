"""Does not look at version_id: there is only one anyway."""

from __future__ import annotations

from support.altered_parts import ops

from miniatures import Produces, everything
from wireproof.reference import Reason
from wireproof.reference import rejects as rejects
from wireproof.reference.dialects.wire_format.parts import Fixed, Part, Scalar
from wireproof.reference.primitives import PRIMITIVES

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "accepted-invalid"),
        ("unsupported-versions", "fail", "accepted-invalid"),
    }
)

dialects = ("wire-format",)
types = everything((), dialect="wire-format")


def _any(part: Part) -> Part:
    versions = isinstance(part, Fixed) and part.reason is Reason.UNSUPPORTED_VERSION
    return Scalar(PRIMITIVES["INT16"]) if versions else part


decode, encode = ops(_any)
