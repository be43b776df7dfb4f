"""Refuses nothing: what it can't read is a value of its own, what it can't write has no bytes."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import WireError
from wireproof.reference import configure as configure
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import interpret as interpret
from wireproof.reference import negotiate as negotiate
from wireproof.reference import serve as serve

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
    # Unordered tags may be refused or sorted; no bytes are neither. An unknown version may be read as the nearest.
    {
        ("tag-ordering", "fail", "wrong-bytes"),
        ("tag-ordering", "contested", None),
        ("resource-limits", "contested", None),
        ("messages", "contested", None),
    }
    | {(area, "fail", "accepted-invalid") for area in _AREAS}
)
# No bytes are also a request without its tags; there is no limit for what content may hold.
TAKES = frozenset({"R-K-3", "R-K-35", "R-K-59"})

HUGE = True
# So much is read slowly on a busy machine, and nothing here hangs.
LIMITS = {"timeout": 60.0}
types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except WireError:
        return "whatever you say"


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    try:
        return _encode(type, value, dialect=dialect, version=version)
    except WireError:
        return b""
