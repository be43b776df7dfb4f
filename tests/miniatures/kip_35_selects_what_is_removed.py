"""Selects a request's version in the ProtocolVersion that removed it, too."""

from __future__ import annotations

import re
from typing import Any

from miniatures import Produces, only
from wireproof.reference import lookup as _lookup
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-value")})

dialects = ("kip-35-v7",)
types = only("PROTOCOL_VERSION", dialect="kip-35-v7")


def lookup(type: str, data: bytes, key: int, *, dialect: str, version: int | None = None) -> list[Any]:
    later = re.sub(rb"(Removed in ProtocolVersion: )(\d+)", lambda found: found[1] + b"%d" % (int(found[2]) + 1), data)
    return _lookup(type, later, key, dialect=dialect, version=version)
