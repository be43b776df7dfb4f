"""A broker that lists a node id that no broker has: the other reading of R-35-18."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("messages", "contested", None)})
TAKES = frozenset({"R-35-18"})

dialects = ("kip-35-v7",)
readings = {"R-35-18": "other"}

_own = Reference(rules_with(rulings("kip-35-v7").values(), readings))
configure = _own.configure
serve = _own.serve
