"""Calls another name under a tag a reuse: the other reading of R-482-13."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("schema-evolution", "contested", None)})
TAKES = frozenset({"R-482-13"})

dialects = ("kip-482-v1",)

_own = Reference(rules_with(rulings("kip-482-v1").values(), {"R-482-13": "other"}))
rejects = _own.rejects
evolve = _own.evolve
