"""Writes the bits of attributes above the codec as 0: the other reading of R-WF-24."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({(area, "contested", None) for area in ("messages", "unsupported-versions")})
TAKES = frozenset({"R-WF-24"})

dialects = ("wire-format",)
readings = {"R-WF-24": "other"}

_own = Reference(rules_with(rulings("wire-format").values(), readings))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
convert = _own.convert
