"""At -1 it starts a process that outlives its parent, in a session of its own, and writes its number to the file that
the environment names in LEFT. Then it does what LEAVES says: it `answers`, `hangs` or `dies`."""

import os
import time
from pathlib import Path
from typing import Any

from right import decode as _decode
from right import dialects, encode, types

__all__ = ["decode", "dialects", "encode", "types"]


def leave() -> None:
    """Fork twice, so that the process is nobody's child, and close all pipes."""
    middle = os.fork()
    if middle:
        os.waitpid(middle, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 256)
    os.execve("/bin/sh", ["sh", "-c", 'echo $$ >"$LEFT"; exec sleep 600'], {"LEFT": os.environ["LEFT"]})


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if data == b"\x01":
        leave()
        while not Path(os.environ["LEFT"]).is_file() or not Path(os.environ["LEFT"]).read_bytes():
            time.sleep(0.01)
        if os.environ["LEAVES"] == "hangs":
            time.sleep(600)
        if os.environ["LEAVES"] == "dies":
            os.abort()
    return _decode(type, data, dialect=dialect, version=version)
