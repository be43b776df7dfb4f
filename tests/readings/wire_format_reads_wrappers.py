"""Inflates and reads what a wrapper holds, as Kafka 0.7's deep iterator did."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    {
        ("messages", "contested", None),
        ("resource-limits", "contested", None),
    }
)
TAKES = frozenset({"R-WF-14"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(rules_with(rulings("wire-format").values(), {"R-WF-14": "other"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
