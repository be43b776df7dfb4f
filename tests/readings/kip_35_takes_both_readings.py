"""Takes the other reading of two contested rulings: "Length=0" word by word, U+FFFD for what is no UTF-8."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    (area, "contested", None) for area in ("unsupported-versions", "framing", "header-multimaps", "messages")
)
TAKES = frozenset({"R-35-3", "R-D-2"})

dialects = ("kip-35-v7",)
types = everything((), dialect="kip-35-v7")

_own = Reference(rules_with(rulings("kip-35-v7").values(), dict.fromkeys(sorted(TAKES), "other")))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
