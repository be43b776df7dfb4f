"""All its errors are refusals, those of its bugs too."""

from typing import Any

types = {"kafka": {"INT32": None}}
rejects = (Exception,)


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return int.from_bytes(bytes([data[0], data[1], data[2], data[3]]), signed=True)
