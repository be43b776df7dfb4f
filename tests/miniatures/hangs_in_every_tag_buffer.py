"""Never comes back from a tag buffer that has a tag: what comes after the first few of a kind is not asked any more."""

from __future__ import annotations

import time
from typing import Any
from unittest import mock

from miniatures import Produces, only
from wireproof.reference import decode as readable_decode
from wireproof.reference import encode as encode
from wireproof.reference import message

#: Which of them are waited for in full is a matter of their order: those that come first.
PRODUCES: Produces = frozenset(
    {
        ("varints", "hang", None),
        *(
            (area, "not-asked", None)
            for area in ("varints", "tag-ordering", "null-encodings", "resource-limits", "messages")
        ),
    }
)
LIMITS = {"timeout": 0.5}

types = only(
    "TAG_BUFFER", "RequestHeader", "ResponseHeader", "ApiVersionsRequest", "ApiVersionsResponse", "MetadataResponse"
)
_read_tags = message._read_tags


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    with mock.patch.object(message, "_read_tags", _read_or_hang):
        return readable_decode(type, data, dialect=dialect, version=version)


def _read_or_hang(node: Any, reader: Any, value: Any) -> Any:
    at = reader.pos
    while reader.data[at : at + 1] not in (b"", b"\x00"):
        time.sleep(60)
    return _read_tags(node, reader, value)
