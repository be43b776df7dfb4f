"""Puts U+FFFD where a topic's name is no UTF-8."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("messages", "contested", None)})
TAKES = frozenset({"R-D-2"})

dialects = ("kip-82-int-keys",)
types = everything((), dialect="kip-82-int-keys")

_own = Reference(rules_with(rulings("kip-82-int-keys").values(), {"R-D-2": "other"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
