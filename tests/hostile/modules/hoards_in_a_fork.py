"""Takes 400 MiB at -1, in a process of its own, so that its own limit of memory does not meet it."""

import os
import time
from typing import Any

from right import decode as _decode
from right import dialects, encode, types

__all__ = ["decode", "dialects", "encode", "types"]
MOST = 50 << 20


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if data == b"\x01":
        for _ in range(8):
            if os.fork() == 0:
                taken = bytearray(MOST)
                taken[::4096] = b"x" * len(taken[::4096])
                time.sleep(60)
                os._exit(0)
        time.sleep(60)
    return _decode(type, data, dialect=dialect, version=version)
