"""Lets new versions go without optional fields."""

from __future__ import annotations

from typing import Any

import pytest

from miniatures import Produces
from wireproof.reference import evolution
from wireproof.reference import evolve as _evolve

PRODUCES: Produces = frozenset({("schema-evolution", "fail", "wrong-answer")})

dialects = ("kip-482-v1",)


def evolve(old: Any, new: Any, *, dialect: str) -> list[dict[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evolution._Pair, "_going_forward", lambda self: ())
        return _evolve(old, new, dialect=dialect)
