"""Calls another default of a plain field a break too: the other reading of R-K-24."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("schema-evolution", "contested", None)})
TAKES = frozenset({"R-K-24"})

dialects = ("kafka",)

_own = Reference(rules_with(rulings("kafka").values(), {"R-K-24": "other"}))
rejects = _own.rejects
evolve = _own.evolve
