"""A host, a tag's key and its value can be null, as every string of that time: the other reading of R-35-17."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("null-encodings", "contested", None)})
TAKES = frozenset({"R-35-17"})

dialects = ("kip-35-v7",)
types = everything((), dialect="kip-35-v7")

_own = Reference(rules_with(rulings("kip-35-v7").values(), {"R-35-17": "other"}))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
serve = _own.serve
interpret = _own.interpret
