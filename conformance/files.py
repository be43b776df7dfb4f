"""Reads files from a user, up to a size limit. Larger files, and files without an end, are refused at once; so are
FIFOs in a folder, since nobody may ever write into one."""

from __future__ import annotations

import errno
import stat
from pathlib import Path
from typing import IO

from wireproof.conformance.decoding import DecodingError, decode_text

MIB = 1 << 20
#: The largest file of settings, schemas, registers or known deviations that is read.
LARGEST_TEXT = 16 * MIB
#: Where the pipes of a shell have names.
_STREAMS = (("/", "dev"), ("/", "proc"))


def read_bytes(path: Path, largest: int = LARGEST_TEXT) -> bytes:
    """The content of a file of `largest` bytes at most. Raises OSError, for a larger one and for a FIFO too."""
    with opened(path) as file:
        return limited(file, path, largest)


def opened(path: Path) -> IO[bytes]:
    """A file, to be read. Raises OSError, for a FIFO too."""
    if stat.S_ISFIFO(path.stat().st_mode) and path.parts[:2] not in _STREAMS:
        raise OSError(errno.EINVAL, "it is no regular file, but a FIFO", str(path))
    return path.open("rb")


def limited(file: IO[bytes], path: Path, largest: int) -> bytes:
    """The content of an open file, as `read_bytes`."""
    content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it has more than {size_text(largest)}, the limit for such a file", str(path))
    return content


def read_text(path: Path, largest: int = LARGEST_TEXT) -> str:
    """A file's content as text. Raises OSError, also for a file that is not UTF-8."""
    try:
        return decode_text(read_bytes(path, largest))
    except DecodingError as error:
        raise OSError(errno.EILSEQ, str(error), str(path)) from None


def is_file(path: Path) -> bool:
    """Whether it is a regular file, or a link to one. False for a name that no file can have, as a very long one."""
    try:
        return path.is_file()
    except OSError:
        return False


def size_text(size: int) -> str:
    """A size in MiB, or in bytes if it is not a whole number of MiB."""
    return f"{size // MIB} MiB" if size % MIB == 0 else f"{size} bytes"
