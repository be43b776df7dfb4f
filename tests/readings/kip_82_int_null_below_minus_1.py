"""Every negative length of a message's key or value is null: a reading of R-82i-4."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("null-encodings", "contested", None)})
TAKES = frozenset({"R-82i-4"})

dialects = ("kip-82-int-keys",)
types = everything((), dialect="kip-82-int-keys")

_own = Reference(rules_with(rulings("kip-82-int-keys").values(), {"R-82i-4": "below"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
