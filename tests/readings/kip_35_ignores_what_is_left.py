"""Broker and client do not look at what stands behind a body: the other reading of R-D-5."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    (area, "contested", None) for area in ("header-multimaps", "unsupported-versions", "framing", "messages")
)
TAKES = frozenset({"R-D-5"})

dialects = ("kip-35-v7",)
types = everything((), dialect="kip-35-v7")

_own = Reference(rules_with(rulings("kip-35-v7").values(), {"R-D-5": "other"}))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
