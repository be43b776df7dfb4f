"""Puts optional fields into a map, in which the last of equal tags counts: a reading of R-482-5."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("tag-ordering", "contested", None)})
TAKES = frozenset({"R-482-5"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")

_own = Reference(rules_with(rulings("kip-482-v1").values(), {"R-482-5": "map"}))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
