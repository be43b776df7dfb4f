"""Drops the bits of a varint above its width, as Java's reader does: a reading of R-D-1."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("varints", "contested", None)})
TAKES = frozenset({"R-D-1"})

dialects = ("kip-82-string-keys",)
types = everything((), dialect="kip-82-string-keys")

_own = Reference(rules_with(rulings("kip-82-string-keys").values(), {"R-D-1": "high-bits"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
