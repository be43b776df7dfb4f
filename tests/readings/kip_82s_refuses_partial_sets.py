"""Refuses to convert a set that ends with a part of a message: the other reading of R-82s-17."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-82s-17"})

dialects = ("kip-82-string-keys",)
readings = {"R-82s-17": "other"}

_own = Reference(rules_with(rulings("kip-82-string-keys").values(), readings))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
convert = _own.convert
