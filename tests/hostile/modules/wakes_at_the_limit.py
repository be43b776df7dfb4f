"""Waits at -1 until it is asked for its stack, and answers then, after its time was up."""

import signal
import threading
from typing import Any

from right import decode as _decode
from right import dialects, encode, types

__all__ = ["decode", "dialects", "encode", "types"]
asked = threading.Event()


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if data == b"\x01":
        signal.signal(signal.SIGQUIT, lambda *_: asked.set())
        while not asked.wait(0.01):
            pass
    return _decode(type, data, dialect=dialect, version=version)
