"""Ends the process, as native code does that walks over the end of its input, when BOOLEAN has no byte."""

from __future__ import annotations

import os
from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("framing", "crash", None)})
ONCE = "only the empty input does this, and one vector asks for it"

types = only("BOOLEAN")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if not data:
        os.abort()
    return _decode(type, data, dialect=dialect, version=version)
