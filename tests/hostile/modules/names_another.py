"""Tells the kit that another process answers for it, and then hangs: the kit ends what hangs."""

import contextlib
import os
import time
from typing import Any

from right import decode as _decode
from right import dialects, encode, types

__all__ = ["decode", "dialects", "encode", "types"]


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if data == b"\x01":
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b'{"began":%d}\n' % int(os.environ["BYSTANDER"]))
        time.sleep(600)
    return _decode(type, data, dialect=dialect, version=version)
