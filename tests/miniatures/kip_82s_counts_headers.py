"""Writes and expects a count before a message's headers, as an array has it: one of R-82s-4's other readings."""

from __future__ import annotations

from miniatures import Produces

PRODUCES: Produces = frozenset(
    {
        ("varints", "contested", None),
        ("null-encodings", "contested", None),
        ("header-multimaps", "contested", None),
        ("unsupported-versions", "contested", None),
        ("framing", "contested", None),
        ("resource-limits", "contested", None),
    }
)
TAKES = frozenset({"R-82s-4"})
