"""Reads and writes −1 as null, in every string."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    {
        ("null-encodings", "contested", None),
    }
)
TAKES = frozenset({"R-WF-9"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(rules_with(rulings("wire-format").values(), dict.fromkeys(sorted(TAKES), "other")))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
