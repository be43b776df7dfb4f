"""Accepts everything, and gives back the bytes that it was given: it has read none of them."""

from __future__ import annotations

from miniatures import Produces, everything

_AREAS = (
    "varints",
    "tag-ordering",
    "null-encodings",
    "header-multimaps",
    "unsupported-versions",
    "framing",
    "resource-limits",
    "messages",
)
_CONTESTED = ("tag-ordering", "null-encodings", "header-multimaps", "framing", "messages", "resource-limits")
PRODUCES: Produces = frozenset(
    {(area, "fail", "accepted-invalid") for area in _AREAS}
    # What is not canonical is not written canonically.
    | {(area, "fail", "wrong-bytes") for area in ("varints", "tag-ordering", "null-encodings", "framing")}
    # To keep bytes that are no text, tags at their default and long texts, and to read inner messages of any magic, are
    # readings.
    | {(area, "contested", None) for area in _CONTESTED}
)
TAKES = frozenset({"R-K-8", "R-K-11", "R-K-27", "R-K-29", "R-K-35", "R-K-59"})

types = everything()


def recode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
    return data
