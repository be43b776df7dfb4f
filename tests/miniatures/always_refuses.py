"""Refuses everything: no refusal of what is wrong counts then, and none is another reading."""

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
PRODUCES: Produces = frozenset((area, "fail", "refused-valid") for area in _AREAS)

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> NoReturn:
    raise ValueError("no")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> NoReturn:
    raise ValueError("no")


def lookup(type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> NoReturn:
    raise ValueError("no")
