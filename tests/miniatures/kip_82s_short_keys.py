"""Refuses header keys of more than 32,767 bytes: the page gives them a uintVar, and no limit."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import WireError
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import rejects as rejects
from wireproof.reference.errors import Reason

PRODUCES: Produces = frozenset(
    {
        ("resource-limits", "fail", "refused-valid"),
    }
)
HUGE = True

dialects = ("kip-82-string-keys",)
types = everything((), dialect="kip-82-string-keys")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    if type == "HEADER":
        _check(value[0])
    return value


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    if type == "HEADER":
        _check(value[0])
    return _encode(type, value, dialect=dialect, version=version)


def _check(key: str) -> None:
    if key is not None and len(key.encode()) > 32_767:
        raise WireError(Reason.STRING_TOO_LONG, "the key is too long")
