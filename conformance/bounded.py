"""Reading files that a user names, up to a limit: a larger one is refused at once, and so is one that never ends."""

from __future__ import annotations

import errno
from pathlib import Path

MIB = 1 << 20
#: The largest file of settings, schemas, registers or known deviations that is read.
LARGEST_TEXT = 16 * MIB


def read_bytes(path: Path, largest: int = LARGEST_TEXT) -> bytes:
    """The content of a file of `largest` bytes at most. Raises OSError, for a larger one too."""
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it has more than {size_text(largest)}, the most that is read", str(path))
    return content


def read_text(path: Path, largest: int = LARGEST_TEXT) -> str:
    """The same as text. Raises OSError, and UnicodeDecodeError for what is not UTF-8."""
    return read_bytes(path, largest).decode("utf-8")


def size_text(size: int) -> str:
    """A size in whole MiB where it is one."""
    return f"{size // MIB} MiB" if size % MIB == 0 else f"{size} bytes"
