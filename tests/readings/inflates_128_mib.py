"""Inflates compressed content up to 128 MiB, and so reads what the kit's limit refuses: R-K-35's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import RECORDS, Produces

from wireproof.reference import Reference, Rules
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("resource-limits", "contested", None)})
TAKES = frozenset({"R-K-35"})
HUGE = True

types = RECORDS
_generous = Reference(Rules(inflate_limit=128 << 20))


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _generous.decode(type, data, dialect=dialect, version=version)
