"""Every negative length is null where −1 is: the other reading of R-D-6."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("null-encodings", "contested", None)})
TAKES = frozenset({"R-D-6"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")

_own = Reference(rules_with(rulings("kip-482-v1").values(), {"R-D-6": "other"}))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
