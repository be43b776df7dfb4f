"""A broker that lists all its apis with error 35: R-K-17's third reading. Only a broker of several shows it."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-K-17"})

_broker = Reference(Rules(fallback_keys="full"))
configure = _broker.configure
serve = _broker.serve
