"""Keeps a few bytes of a size where no whole message stands before them."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("messages", "contested", None),
    }
)
TAKES = frozenset({"R-WF-10"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(rules_with(rulings("wire-format").values(), {"R-WF-10": "other"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
