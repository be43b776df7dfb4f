"""Refuses everything; a refusal of what is wrong then counts for nothing."""

from __future__ import annotations

from typing import Any, NoReturn

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
PRODUCES: Produces = frozenset(
    {(area, "fail", "refused-valid") for area in _AREAS}
    | {
        # Some valid bytes and values may be refused: overlong varints, tags of later versions, large tags, many tags,
        # linked blocks.
        ("varints", "contested", None),
        ("tag-ordering", "contested", None),
        ("null-encodings", "contested", None),
        ("framing", "contested", None),
        ("resource-limits", "contested", None),
    }
)
TAKES = frozenset({"R-K-4", "R-K-5", "R-K-15c", "R-K-10p", "R-K-22b"})

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> NoReturn:
    raise ValueError("no")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> NoReturn:
    raise ValueError("no")
