"""Does not look at what stands behind a message or a body: the other reading of R-D-5."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset((area, "contested", None) for area in ("framing", "header-multimaps"))
TAKES = frozenset({"R-D-5"})

dialects = ("kip-82-int-keys",)
types = everything((), dialect="kip-82-int-keys")

_own = Reference(rules_with(rulings("kip-82-int-keys").values(), {"R-D-5": "other"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
convert = _own.convert
