"""Reads and writes correlation_id before version_id in a FetchRequest, as its section lists them."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    (area, "contested", None) for area in ("messages", "null-encodings", "unsupported-versions")
)
TAKES = frozenset({"R-WF-1"})

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(rules_with(rulings("wire-format").values(), dict.fromkeys(sorted(TAKES), "other")))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
