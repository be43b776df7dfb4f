"""Takes more and more memory, of a kind that no limit of data counts, when BOOLEAN has no byte."""

from __future__ import annotations

import mmap
import time
from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode

PRODUCES: Produces = frozenset({("framing", "oom", None)})
ONCE = "only the empty input does this, and one vector asks for it"
LIMITS = {"memory": 64}

types = only("BOOLEAN")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if not data:
        hoard = mmap.mmap(-1, 1 << 28)
        for offset in range(0, 1 << 28, mmap.PAGESIZE):
            hoard[offset] = 1
        time.sleep(600)
    return _decode(type, data, dialect=dialect, version=version)
