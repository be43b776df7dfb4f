"""A disk without room, for this process."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator


@contextlib.contextmanager
def full_disk(size: int = 0) -> Iterator[None]:
    """No file may grow beyond this size in bytes: "File too large", as a full disk has "No space left on device"."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
