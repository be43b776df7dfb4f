"""Ignores what follows a value, a body, or a body inside its frame, as Java's codec does: R-K-7's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, everything

from wireproof.reference import DecodeError, Reason, Reference, Rules
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode
from wireproof.reference import negotiate as negotiate

PRODUCES: Produces = frozenset(
    {
        (area, "contested", None)
        for area in (
            "varints",
            "tag-ordering",
            "null-encodings",
            "header-multimaps",
            "unsupported-versions",
            "framing",
            "messages",
        )
    }
)
TAKES = frozenset({"R-K-7"})

types = everything()
_ends = Reference(Rules(trailing_bytes="ignored"))
configure = _ends.configure
serve = _ends.serve
interpret = _ends.interpret


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    try:
        return _decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        if error.reason is not Reason.TRAILING_BYTES or error.offset is None:
            raise
        kept = data[: error.offset]
        if "Frame" in type:
            kept = (len(kept) - 4).to_bytes(4) + kept[4:]
        return decode(type, kept, dialect=dialect, version=version)
