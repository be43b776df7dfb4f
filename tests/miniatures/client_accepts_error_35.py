"""A client that takes the one key of an answer with error 35 for all that the broker has."""

from __future__ import annotations

from typing import Any

from readings.client_accepts_the_full_table import keys_of_35

from miniatures import Produces
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset(
    {
        ("unsupported-versions", "fail", "wrong-answer"),
        # With the full table it may.
        ("unsupported-versions", "contested", None),
    }
)
TAKES = frozenset({"R-K-21"})


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any] | str:
    outcome = _interpret(request, response, dialect=dialect)
    if keys_of_35(request, response) > 0 and outcome["outcome"] != "malformed":
        return "accepted"
    return outcome
