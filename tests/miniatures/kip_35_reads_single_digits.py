"""Reads a single digit of the bits of a codec, and of a message format's number."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import lookup as _lookup
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-value")})

dialects = ("kip-35-v7",)
types = everything((), dialect="kip-35-v7")


def lookup(type: str, data: bytes, key: str, *, dialect: str, version: int | None = None) -> list[Any]:
    found = _lookup(type, data, key, dialect=dialect, version=version)
    match key:
        case "message.formats":
            return [[_digit(number) for number in one] for one in found]
        case "compression.codecs":
            return [[[_digit(bits), name] for bits, name in one] for one in found]
    return found


def _digit(number: int) -> int:
    return int(str(number)[0])
