"""What a wrong CRC of a batch or message is in truth: the CRC of another polynomial, byte order or span.

batch   => baseOffset:8 length:4 leaderEpoch:4 magic:1 crc:4 covered   CRC-32C
message => offset:8 size:4 crc:4 covered                               CRC-32 (IEEE)
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping
from typing import Literal

from crc32c import crc32c

from wireproof.reference.errors import DecodeError

_IEEE, _CASTAGNOLI = "CRC-32 (IEEE)", "CRC-32C"
_POLYNOMIALS = {_IEEE: zlib.crc32, _CASTAGNOLI: crc32c}
_ORDERS: tuple[Literal["big", "little"], ...] = ("big", "little")
#: The bytes of a length, and those before it.
_LENGTH, _BEFORE = 4, 8


def identify(data: bytes, error: DecodeError) -> str:
    """What the CRC is that `error` refuses in `data`, in words, such as "CRC-32 (IEEE), not CRC-32C"; empty if it is
    none that is tried."""
    at = error.offset
    if at is None or len(data) < at + 4:
        return ""
    right = _CASTAGNOLI if error.detail.startswith(_CASTAGNOLI) else _IEEE
    stored = data[at : at + 4]
    if stored == bytes(4):
        return "0"
    tried = itertools.product(_spans(data, at, batch=right == _CASTAGNOLI).items(), _POLYNOMIALS, _ORDERS)
    for (span, covered), polynomial, order in tried:
        if _POLYNOMIALS[polynomial](covered).to_bytes(4, order) == stored:
            said = (f"{polynomial}, not {right}" if polynomial != right else "", "little-endian" * (order == "little"))
            return ", ".join(filter(None, (*said, span)))
    return ""


def _spans(data: bytes, at: int, *, batch: bool) -> Mapping[str, bytes]:
    """The right span and wrong ones, by their names; the right one has none."""
    length = at - (9 if batch else 4)
    start = length - _BEFORE
    if start < 0:
        return {}
    end = length + _LENGTH + int.from_bytes(data[length : length + _LENGTH], "big")
    before, covered = data[:at], data[at + 4 : end]
    spans = {"": covered}
    if batch:
        spans["computed over the magic too"] = before[-1:] + covered
        spans["computed over leader epoch and magic too"] = before[-5:] + covered
        spans["computed over what follows the attributes"] = covered[2:]
        spans["computed over the records alone"] = covered[40:]
    else:
        spans["computed over what follows the magic"] = covered[1:]
        spans["computed over what follows magic and attributes"] = covered[2:]
    spans["computed over the length too"] = before[length:] + covered
    spans["computed over the length too, and a CRC of 0"] = before[length:] + bytes(4) + covered
    spans["computed over all of the entry"] = before[start:] + covered
    spans["computed over all of the entry, with a CRC of 0"] = before[start:] + bytes(4) + covered
    return spans
