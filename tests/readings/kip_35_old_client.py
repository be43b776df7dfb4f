"""A client from before KIP-35: the empty response is an answer that it can't parse, and it says to which request."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-35-8"})

dialects = ("kip-35-v7",)

_own = Reference(rules_with(rulings("kip-35-v7").values(), {"R-35-8": "other"}))
rejects = _own.rejects
configure = _own.configure
interpret = _own.interpret
