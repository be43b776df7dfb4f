"""Keeps unknown tags in a map: any order is read, the last of equal ones stays, and they are written ascending."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof import reference

PRODUCES: Produces = frozenset({("tag-ordering", "contested", None)})
TAKES = frozenset({"R-K-1"})

types = everything()

_own = reference.Reference(reference.rules_with(reference.rulings("kafka").values(), {"R-K-1": "map"}))
decode = _own.decode
encode = _own.encode
recode = _own.recode
