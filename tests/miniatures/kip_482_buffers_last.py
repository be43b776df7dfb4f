"""Reads the optional-field buffer behind the fields of a body or structure, where the tags of today stand."""

from __future__ import annotations

from typing import Any
from unittest import mock

from miniatures import Produces, everything
from wireproof.reference import configure as configure
from wireproof.reference import decode as _decode
from wireproof.reference import message, rejects
from wireproof.reference.cursor import Reader
from wireproof.reference.optional_fields import read_buffer
from wireproof.reference.schema.plan import Struct

PRODUCES: Produces = frozenset(
    {
        ("tag-ordering", "fail", "accepted-invalid"),
        *(
            (area, "fail", "refused-valid")
            for area in (
                "tag-ordering",
                "null-encodings",
                "unsupported-versions",
                "framing",
                "resource-limits",
                "messages",
            )
        ),
    }
)

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")
__all__ = ["configure", "decode", "dialects", "rejects", "types"]
_read_struct = message._read_struct


def _read(node: Struct, reader: Reader) -> dict[str, Any] | None:
    if not node.optional:
        return _read_struct(node, reader)
    if node.marker != "none" and not message._read_marker(node, reader):
        return None
    value = message._unread(node, reader)
    for field in node.plain:
        value[field.name] = message._read(field.node, reader)
    unknown = read_buffer(reader, node.tagged, value, message._read)
    return {**value, "_tags": unknown} if unknown else value


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    with mock.patch.object(message, "_read_struct", _read):
        return _decode(type, data, dialect=dialect, version=version)
