"""Compares each release with the new one, and does not see that a tag was away in between."""

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
        patch.setattr(evolution, "_taken_up_again", lambda old, new: ())
        return _evolve(old, new, dialect=dialect)
