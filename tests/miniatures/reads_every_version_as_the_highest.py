"""Passes over the version before a message, and reads each as the highest one."""

from __future__ import annotations

from typing import Any

from miniatures import PREFIXED, Produces
from wireproof import reference

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "refused-valid"),
        ("messages", "fail", "wrong-value"),
        ("messages", "fail", "wrong-bytes"),
        ("messages", "contested", None),
    }
)
TAKES = frozenset({"R-K-58", "R-K-59"})

types = PREFIXED

encode = reference.encode


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    _, highest = reference.types[dialect][type.removeprefix("VersionPrefixed:")] or (0, 0)
    return reference.decode(type, highest.to_bytes(2) + data[2:], dialect=dialect, version=version)
