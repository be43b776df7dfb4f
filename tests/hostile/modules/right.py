"""A right codec of a few types, as small as can be: what the hostile modules beside it are made of."""

from typing import Any

from wireproof import reference

name = "right"
version = "1"
dialects = ("kafka",)
types = {"kafka": {"VARINT": None}}


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return reference.decode(type, data, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return reference.encode(type, value, dialect=dialect, version=version)
