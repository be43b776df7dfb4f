"""Checks a ledger of ProtocolVersions, and takes numbers that leave one out."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from wireproof.reference import evolve as _evolve

PRODUCES: Produces = frozenset({("schema-evolution", "fail", "wrong-answer")})

dialects = ("kip-35-v7",)


def evolve(old: Any, new: Any, *, dialect: str) -> list[dict[str, str]]:
    return [found for found in _evolve(old, new, dialect=dialect) if found["kind"] != "number-skipped"]
