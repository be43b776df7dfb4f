"""Converts zstd to gzip, and leaves the times in what is compressed as they are stored (R-K-56, R-K-57)."""

from __future__ import annotations

from miniatures import CONVERTED, Produces

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-K-56", "R-K-57"})

types = CONVERTED

_own = Reference(Rules(converted_zstd="gzip", converted_append_time="stored"))
convert = _own.convert
