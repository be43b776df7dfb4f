"""Groups of files that are judged by one Spark job each, and kept.

A group ends after a file whose name decides so, or when it is full. How probable the first is grows with the file's
size, so groups have about the same number of bytes. Because the name decides, a new or deleted file changes its own
group, and perhaps the next one, but not all those after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from wireproof.pipeline.audit.files import CaptureFile, LogFile

#: The usual size of a group, in bytes, and the largest size and number of files that are not exceeded by another file.
_USUAL = 512 << 20
_MOST_BYTES = 2 << 30
_MOST_FILES = 2000

_File = TypeVar("_File", LogFile, CaptureFile)


def of_segments(logs: Sequence[LogFile]) -> list[list[LogFile]]:
    """The groups of segments, in their order."""
    return _groups(logs)


def of_captures(captures: Sequence[CaptureFile]) -> list[list[CaptureFile]]:
    """The groups of captures, in their order."""
    return _groups(captures)


def _groups(files: Sequence[_File]) -> list[list[_File]]:
    groups: list[list[_File]] = []
    open_group: list[_File] = []
    size = 0
    for file in files:
        if open_group and (size + file.size > _MOST_BYTES or len(open_group) == _MOST_FILES):
            groups.append(open_group)
            open_group, size = [], 0
        open_group.append(file)
        size += file.size
        if _ends(file):
            groups.append(open_group)
            open_group, size = [], 0
    if open_group:
        groups.append(open_group)
    return groups


def _ends(file: LogFile | CaptureFile) -> bool:
    """Whether a group ends after this file: with a probability of its size divided by the usual size of a group."""
    dice = int.from_bytes(hashlib.sha256(file.path.encode("utf-8", "surrogateescape")).digest()[:4], "big")
    return dice * _USUAL < file.size << 32
