"""Reads a tag that only later versions know into their field, and then has nowhere to write it."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

PRODUCES: Produces = frozenset({("tag-ordering", "fail", "wrong-value"), ("tag-ordering", "fail", "refused-valid")})

types = only("FetchRequest", "FetchResponse")
_TAG, _SIZE = 1, 13
_SINCE = 15


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    value = _decode(type, data, dialect=dialect, version=version)
    if type != "FetchRequest" or version is None or version >= _SINCE or "_tags" not in value:
        return value
    for tag, content in value["_tags"]:
        if tag == _TAG and len(content) == _SIZE:
            state = {"ReplicaId": int.from_bytes(content[:4]), "ReplicaEpoch": int.from_bytes(content[4:12])}
            return value | {"ReplicaState": state, "_tags": [pair for pair in value["_tags"] if pair[0] != tag]}
    return value
