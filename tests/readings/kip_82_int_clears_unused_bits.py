"""Writes the bits of attributes that mean nothing as 0: the other reading of R-82i-17."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({(area, "contested", None) for area in ("header-multimaps", "unsupported-versions")})
TAKES = frozenset({"R-82i-17"})

dialects = ("kip-82-int-keys",)
readings = {"R-82i-17": "other"}

_own = Reference(rules_with(rulings("kip-82-int-keys").values(), readings))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
convert = _own.convert
