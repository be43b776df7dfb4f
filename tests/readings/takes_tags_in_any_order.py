"""Reads the tags of a TAG_BUFFER in any order, and twice: R-K-1's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import DecodeError, Reason
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("tag-ordering", "contested", None)})
TAKES = frozenset({"R-K-1"})

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if type != "TAG_BUFFER" or error.reason not in (Reason.TAG_ORDER, Reason.TAG_DUPLICATE):
            raise
        return _tags(data)


def _tags(data: bytes) -> list[tuple[int, bytes]]:
    count, at = _uvarint(data, 0)
    tags = []
    for _ in range(count):
        tag, at = _uvarint(data, at)
        size, at = _uvarint(data, at)
        tags.append((tag, data[at : at + size]))
        at += size
    if at != len(data):
        raise ValueError("the tags do not fill the input")
    return tags


def _uvarint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place behind it."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
