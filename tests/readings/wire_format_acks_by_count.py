"""A broker that knows no required_acks below 0, and closes."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    {
        ("messages", "contested", None),
    }
)
TAKES = frozenset({"R-WF-4"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(rules_with(rulings("wire-format").values(), {"R-WF-4": "closed"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
