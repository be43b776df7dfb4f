"""A broker that answers every unsupported request with error 35: R-K-18's other reading."""

from __future__ import annotations

from miniatures import Produces

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-K-18"})

_broker = Reference(Rules(unsupported_request="error-35"))
configure = _broker.configure
serve = _broker.serve
