"""Offers messages by recode alone, as its `types` say, all else by decode and encode; messages have three faults."""

from __future__ import annotations

from typing import Any

from support.recoding import MESSAGES
from support.recoding import recode as _recode_message

from miniatures import Produces, Types, everything
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import recode as _recode

PRODUCES: Produces = frozenset(
    (area, "fail", "accepted-invalid")
    for area in ("tag-ordering", "null-encodings", "unsupported-versions", "framing", "resource-limits", "messages")
)

_RECODED = {name: {"versions": span, "ops": ["recode"]} for name, span in MESSAGES.items()}
types: Types = {"kafka": {**everything()["kafka"], **_RECODED}}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if type in MESSAGES:
        raise RuntimeError(f"decode of {type} is not offered, so nobody asks it")
    return _decode(type, data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    if type in MESSAGES:
        raise RuntimeError(f"encode of {type} is not offered, so nobody asks it")
    return _encode(type, value, dialect=dialect, version=version)


def recode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
    return (_recode_message if type in MESSAGES else _recode)(type, data, dialect=dialect, version=version)
