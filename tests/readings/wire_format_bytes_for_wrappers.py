"""Has no codec at all: what is compressed are bytes to it, on read and on write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from miniatures import Produces, everything

from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import rejects as rejects
from wireproof.reference.dialects.wire_format import messages

PRODUCES: Produces = frozenset()

dialects = ("wire-format",)
types = everything((), dialect="wire-format")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _structural(lambda: _decode(type, data, dialect=dialect, version=version))


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    written: bytes = _structural(lambda: _encode(type, value, dialect=dialect, version=version))
    return written


def _structural(act: Callable[[], Any]) -> Any:
    """With no content of a wrapper ever inflated."""
    kept = messages.unwrap
    messages.unwrap = lambda *_: [{}]
    try:
        return act()
    finally:
        messages.unwrap = kept
