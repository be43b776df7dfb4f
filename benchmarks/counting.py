"""The reference, with counters for how deep inputs go: an implementation for `benchmarks/campaigns.py`.

The file named by COUNTING holds the counts: inputs read, accepted inputs, and inputs past the CRC of a batch. The first
SKIPPED inputs, the seeds of a campaign, are not counted.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from wireproof import reference
from wireproof.reference import DecodeError, WireError
from wireproof.reference import encode as encode

name = "counting"
types = reference.types
dialects = reference.dialects
rejects = (WireError,)

#: What a RecordBatch has up to its CRC, which is looked at before anything behind it.
_CRC_END = 21
_WRITTEN = 500
_path = Path(os.environ["COUNTING"])
_skipped = int(os.environ["SKIPPED"])
_counts = [0, 0, 0]


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """As the reference does."""
    _counts[0] += 1
    counted = _counts[0] > _skipped
    if _counts[0] % _WRITTEN == 0:
        _path.write_text(f"{_counts[0] - _skipped} {_counts[1]} {_counts[2]}")
    try:
        value = reference.decode(type, data, dialect=dialect, version=version)
    except DecodeError as error:
        _counts[2] += counted and (error.offset or 0) >= _CRC_END
        raise
    _counts[1] += counted
    _counts[2] += counted
    return value
