"""Keeps the numbers of the tags that it does not know, and forgets their content."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

#: Tags are in everything that is flexible; a broker and a client look at none.
PRODUCES: Produces = frozenset(
    (area, "fail", kind)
    for area in ("varints", "tag-ordering", "framing", "resource-limits", "messages")
    for kind in ("wrong-value", "wrong-bytes")
)

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    return _empty(value) if type == "TAG_BUFFER" else _without_content(value)


def _empty(tags: Any) -> Any:
    return [(tag, b"") for tag, _ in tags]


def _without_content(value: Any) -> Any:
    match value:
        case dict():
            return {key: _empty(item) if key == "_tags" else _without_content(item) for key, item in value.items()}
        case list():
            return [_without_content(item) for item in value]
    return value
