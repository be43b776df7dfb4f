"""Refuses optional structures that hold an array of structures: the other reading of R-482-10."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

# Messages with such a structure are refused whole, their valid ones too: a refusal beside nothing accepted is skipped.
PRODUCES: Produces = frozenset({("schema-evolution", "contested", None)})
TAKES = frozenset({"R-482-10"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")
readings = {"R-482-10": "other"}

_own = Reference(rules_with(rulings("kip-482-v1").values(), readings))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
evolve = _own.evolve
