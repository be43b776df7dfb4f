"""Leaves out a set's last message where it was cut off, as Kafka 0.7's reader did: the other reading of R-WF-19."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("framing", "contested", None), ("messages", "contested", None)})
TAKES = frozenset({"R-WF-19"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(rules_with(rulings("wire-format").values(), {"R-WF-19": "dropped"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
