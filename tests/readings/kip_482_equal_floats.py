"""Leaves out −0.0 where 0.0 is the default, for they are equal numbers: another reading of R-482-16."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("null-encodings", "contested", None)})
TAKES = frozenset({"R-482-16"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")
readings = {"R-482-16": "number"}

_own = Reference(rules_with(rulings("kip-482-v1").values(), readings))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
evolve = _own.evolve
