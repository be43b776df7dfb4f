"""Offers messages by recode alone, and tells so only when it is asked to decode one; its messages have three faults."""

from __future__ import annotations

from typing import Any

from support.recoding import MESSAGES
from support.recoding import recode as _recode_message

from miniatures import everything
from miniatures.messages_by_recode_as_declared import PRODUCES as PRODUCES
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import recode as _recode

types = everything()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if type in MESSAGES:
        raise NotImplementedError("the library reads a message and writes it again, and shows no values")
    return _decode(type, data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    if type in MESSAGES:
        raise NotImplementedError("the library reads a message and writes it again, and takes no values")
    return _encode(type, value, dialect=dialect, version=version)


def recode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
    return (_recode_message if type in MESSAGES else _recode)(type, data, dialect=dialect, version=version)
