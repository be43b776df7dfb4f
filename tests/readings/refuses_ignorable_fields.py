"""Refuses to write a field that the version lacks, whether it may be ignored or not: R-K-13's reading `refuses`."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only

from wireproof import reference
from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("messages", "contested", None)})
TAKES = frozenset({"R-K-13"})

types = only("ListGroupsResponse", "OffsetCommitRequest", "DeleteTopicsRequest")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    surplus = set(value) - set(reference.complete(type, {}, dialect=dialect, version=version)) - {"_tags"}
    if surplus:
        raise ValueError(f"{type} {version} has no {', '.join(sorted(surplus))}")
    return _encode(type, value, dialect=dialect, version=version)
