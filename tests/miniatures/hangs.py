"""Waits for more when BOOLEAN has no byte, and nothing comes."""

from __future__ import annotations

import time
from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "hang", None)})
ONCE = "only the empty input does this, and one vector asks for it"
LIMITS = {"timeout": 0.5}

types = only("BOOLEAN")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    while not data:
        time.sleep(0.01)
    return _decode(type, data, dialect=dialect, version=version)
