"""Puts U+FFFD where a broker's text is no UTF-8."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset((area, "contested", None) for area in ("header-multimaps", "messages", "framing"))
TAKES = frozenset({"R-D-2"})

dialects = ("kip-35-v7",)
types = everything((), dialect="kip-35-v7")

_own = Reference(rules_with(rulings("kip-35-v7").values(), {"R-D-2": "other"}))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
