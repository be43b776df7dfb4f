"""Wants a ProtocolVersion for each addition: the other reading of R-35-7."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("schema-evolution", "contested", None)})
TAKES = frozenset({"R-35-7"})

dialects = ("kip-35-v7",)

_own = Reference(rules_with(rulings("kip-35-v7").values(), {"R-35-7": "other"}))
rejects = _own.rejects
evolve = _own.evolve
negotiate = _own.negotiate
