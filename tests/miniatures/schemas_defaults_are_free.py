"""Takes another default of a tagged field, or another nullability, for no break."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from wireproof.reference import SchemaError, evolution
from wireproof.reference import schema as schemas

PRODUCES: Produces = frozenset({("schema-evolution", "fail", "wrong-answer")})

dialects = ("kafka",)
rejects = (SchemaError,)


def evolve(old: Any, new: Any, *, dialect: str) -> list[str]:
    releases = [schemas.from_json(release) for release in (old if isinstance(old, list) else [old])]
    breaks = evolution.compare(releases, schemas.from_json(new), evolution.Policy(null_by_version=True)).breaks
    return [change.path for change in breaks if change.kind is not evolution.Break.NULLABILITY_CHANGED]
