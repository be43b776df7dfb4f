"""Takes the page at its word: nothing says how long a message set is. It ends with the frame."""

from __future__ import annotations

from support.altered_parts import ops

from miniatures import Produces, everything
from wireproof.reference import rejects as rejects
from wireproof.reference.dialects.wire_format.parts import MessageSet, Part

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("messages", "contested", None),
        ("messages", "fail", "accepted-invalid"),
        ("messages", "fail", "refused-valid"),
        ("messages", "fail", "wrong-bytes"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-WF-19", "R-WF-21"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")


def _bare(part: Part) -> Part:
    return MessageSet(sized=False) if isinstance(part, MessageSet) else part


decode, encode = ops(_bare)
