"""Compares a schema with the last release alone, and so lets a tag be used again that an earlier one gave away."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from wireproof.reference import evolve as _evolve

PRODUCES: Produces = frozenset(
    {("schema-evolution", "fail", "wrong-answer"), ("schema-evolution", "fail", "accepted-invalid")}
)

dialects = ("kip-482-v1",)


def evolve(old: Any, new: Any, *, dialect: str) -> list[dict[str, str]]:
    return _evolve(old[-1] if isinstance(old, list) else old, new, dialect=dialect)
