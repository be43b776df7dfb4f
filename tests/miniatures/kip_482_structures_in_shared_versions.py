"""Compares what stands under a tag in the versions that both releases have, and in no other."""

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
        patch.setattr(evolution._Pair, "_is_replaced", lambda self, was, found: False)
        return _evolve(old, new, dialect=dialect)
