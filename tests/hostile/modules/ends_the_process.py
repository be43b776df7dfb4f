"""Ends the process, with the exit code of a success, at the first value of more than three bytes."""

import os
from typing import Any

from right import decode as _decode
from right import dialects, encode, types

__all__ = ["decode", "dialects", "encode", "types"]


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if len(data) > 3:
        os._exit(0)
    return _decode(type, data, dialect=dialect, version=version)
