"""Stops reading at the end of a gzip or LZ4 stream, whatever follows: R-K-22's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import RECORDS, Produces

from wireproof.reference import Reference, Rules
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "contested", None)})
TAKES = frozenset({"R-K-22"})

types = RECORDS
_lenient = Reference(Rules(after_stream="ignored"))


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _lenient.decode(type, data, dialect=dialect, version=version)
