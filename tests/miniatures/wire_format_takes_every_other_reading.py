"""Takes the other reading of every contested ruling of the page."""

from __future__ import annotations

from miniatures import Produces, everything
from reference import Reference, rulings, take

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("messages", "contested", None),
        ("null-encodings", "contested", None),
        ("unsupported-versions", "contested", None),
    }
)
TAKES = frozenset({"R-WF-1", "R-WF-4", "R-WF-5", "R-WF-9", "R-D-2"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(take(rulings("wire-format").values(), dict.fromkeys(sorted(TAKES), "other")))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
