"""Refuses messages of ConsumerProtocol behind a version that it does not know (R-K-58)."""

from __future__ import annotations

from miniatures import PREFIXED, Produces

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset({("messages", "contested", None)})
TAKES = frozenset({"R-K-58"})

types = PREFIXED

_own = Reference(Rules(newer_version="refused"))
decode = _own.decode
encode = _own.encode
