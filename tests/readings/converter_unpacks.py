"""Converts what is compressed to what is not, so zstd too, and refuses a set that is cut off (R-K-53, R-K-54)."""

from __future__ import annotations

from miniatures import CONVERTED, Produces

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None), ("header-multimaps", "contested", None)})
TAKES = frozenset({"R-K-53", "R-K-54"})

types = CONVERTED

_own = Reference(Rules(older_wrappers="messages", converted_partial="refused"))
convert = _own.convert
