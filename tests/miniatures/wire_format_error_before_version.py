"""Puts a response's error before its version_id, as a comment proposed and earlier formats had it."""

from __future__ import annotations

from support.altered_parts import ops

from miniatures import Produces, only
from wireproof.reference import rejects as rejects
from wireproof.reference.dialects.wire_format.parts import NamedParts, Part

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "accepted-invalid"),
        ("messages", "fail", "refused-valid"),
        ("messages", "fail", "wrong-bytes"),
        ("unsupported-versions", "fail", "accepted-invalid"),
    }
)

dialects = ("wire-format",)
types = only("ProduceResponse", "FetchResponse", dialect="wire-format")

_FIRST = ("correlation_id", "error", "version_id")


def _error_first(part: Part) -> Part:
    if not isinstance(part, NamedParts) or "error" not in part.parts:
        return part
    return NamedParts({name: part.parts[name] for name in dict.fromkeys((*_FIRST, *part.parts))})


decode, encode = ops(_error_first)
