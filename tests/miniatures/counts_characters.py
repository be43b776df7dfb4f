"""Writes keys, values and header values of records with lengths that count characters: P47 of the bugs."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-bytes")})

types = only("Record")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    headers = [(key, _cut(item)) for key, item in value["headers"]]
    counted = {**value, "key": _cut(value["key"]), "value": _cut(value["value"]), "headers": headers}
    return _encode(type, counted, dialect=dialect, version=version)


def _cut(content: bytes | None) -> bytes | None:
    """As many bytes as the text has characters; all of what is no text."""
    try:
        return None if content is None else content[: len(content.decode())]
    except UnicodeDecodeError:
        return content
