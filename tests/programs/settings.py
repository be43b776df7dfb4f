"""A Python implementation that adds what it was configured to add, and dies at the culprit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

_add = 0


def configure(settings: Mapping[str, Any], *, dialect: str) -> None:
    """Take up the number to add."""
    global _add
    _add = settings["add"]


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> int:
    """The number, and what is to be added."""
    if data == b"\xff\xff\xff\xff":
        os.abort()
    return int.from_bytes(data, signed=True) + _add
