"""Reads files from a user, up to a size limit. Larger files, and files without an end, are refused at once."""

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
        raise OSError(errno.EFBIG, f"it has more than {size_text(largest)}, the limit for such a file", str(path))
    return content


def read_text(path: Path, largest: int = LARGEST_TEXT) -> str:
    """A file's content as text. Raises OSError, and UnicodeDecodeError for a file that is not UTF-8."""
    return read_bytes(path, largest).decode("utf-8")


def size_text(size: int) -> str:
    """A size in MiB, or in bytes if it is not a whole number of MiB."""
    return f"{size // MIB} MiB" if size % MIB == 0 else f"{size} bytes"
