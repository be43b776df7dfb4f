"""An unsigned FieldLength that counts the tag: the other readings of R-482-1 and R-482-2 together."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    (area, "contested", None)
    for area in ("varints", "tag-ordering", "null-encodings", "framing", "resource-limits", "messages")
)
TAKES = frozenset({"R-482-10", "R-482-1", "R-482-2"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")
readings = {"R-482-1": "other", "R-482-2": "other"}

_own = Reference(rules_with(rulings("kip-482-v1").values(), readings))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
evolve = _own.evolve
