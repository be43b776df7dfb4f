"""Compression bombs: small batches that inflate to very large ones.

They are built by hand from repeated compressed blocks, without a compression library. The large content is never in
memory.

    batch   => a RecordBatch of one record: null key, a value of zeros, no headers
    content => the record's bytes up to its value, uncompressed; then zeros, the last of which is the number of headers

Source: RFC 1951 and 1952 (gzip), Snappy's format description, LZ4's frame format, RFC 8878 (zstd).
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from crc32c import crc32c

from wireproof.conformance.vectors.leb128 import leb128


def value(codec: str, zeros: int) -> dict[str, Any]:
    """The content of `pieces`."""
    record: dict[str, Any] = {
        "attributes": 0,
        "timestampDelta": 0,
        "offsetDelta": 0,
        "key": None,
        "value": bytes(zeros),
        "headers": [],
    }
    return {
        "baseOffset": 0,
        "partitionLeaderEpoch": 0,
        "attributes": [*CODECS].index(codec) + 1,
        "lastOffsetDelta": 0,
        "baseTimestamp": 0,
        "maxTimestamp": 0,
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "records": [record],
    }


@functools.cache
def pieces(codec: str, zeros: int) -> tuple[tuple[bytes, str], ...]:
    """The bytes of a batch whose record has a value of this many zeros, as pieces with labels."""
    fields = bytes.fromhex("00 00 00 01") + leb128(2 * zeros)  # attributes, deltas, null key, value length
    head = leb128(2 * (len(fields) + zeros + 1)) + fields
    content = CODECS[codec](head, zeros + 1)
    number = [*CODECS].index(codec) + 1
    covered = struct.pack(">hiqqqhii", number, 0, 0, 0, -1, -1, -1, 1) + content
    start = struct.pack(">qiibI", 0, 9 + len(covered), 0, 2, crc32c(covered))
    header = start + covered[: -len(content)]
    return (header, f"a batch of one record, {codec}"), (content, f"a value of {zeros} zeros, compressed")


# --- Each codec: `head`, then `zeros` zeros ----------------------------------------------------------------------

_MIB = 1 << 20
#: The number of zeros in a block of each format.
_LZ4_BLOCK = 4 * _MIB
_ZSTD_BLOCK = 1 << 17
_SNAPPY_COPY = 64
#: LZ4's shortest match, the size of the literal end of a block, and the smallest block with a match.
_LZ4_MATCH, _LZ4_LAST, _LZ4_WORTH = 4, 5, 64


def _gzip(head: bytes, zeros: int) -> bytes:
    whole, rest = divmod(zeros, _MIB)
    stored = b"\0" + struct.pack("<HH", len(head), len(head) ^ 0xFFFF) + head
    last = b"\x03\0"  # an empty block with fixed codes
    trailer = struct.pack("<II", _crc32(head, zeros), (len(head) + zeros) & 0xFFFFFFFF)
    start = bytes.fromhex("1f8b08 00 00000000 00 ff")
    return start + stored + _deflated(_MIB) * whole + _deflated(rest) + last + trailer


def _deflated(zeros: int) -> bytes:
    """Blocks that end at a byte and copy from nothing before them, so that they can be repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(bytes(zeros)) + packer.flush(zlib.Z_FULL_FLUSH)


_ONES = 0xFFFFFFFF


def _crc32(head: bytes, zeros: int) -> int:
    """The CRC-32 of `head` followed by `zeros` zeros. A step over zeros is linear, so it can be doubled."""
    register = zlib.crc32(head) ^ _ONES
    step = [zlib.crc32(b"\0", (1 << bit) ^ _ONES) ^ _ONES for bit in range(32)]  # over one zero, bit by bit
    while zeros:
        if zeros & 1:
            register = _stepped(step, register)
        step = [_stepped(step, column) for column in step]
        zeros >>= 1
    return register ^ _ONES


def _stepped(step: list[int], register: int) -> int:
    out = 0
    for bit, column in enumerate(step):
        if register >> bit & 1:
            out ^= column
    return out


def _snappy(head: bytes, zeros: int) -> bytes:
    """Raw: the whole length, two literals, then copies from one byte before."""
    whole, rest = divmod(zeros - 1, _SNAPPY_COPY)
    out = leb128(len(head) + zeros) + bytes([len(head) - 1 << 2]) + head + b"\0\0"
    return out + _copy(_SNAPPY_COPY) * whole + (_copy(rest) if rest else b"")


def _copy(length: int) -> bytes:
    return bytes([length - 1 << 2 | 2]) + struct.pack("<H", 1)


def _lz4(head: bytes, zeros: int) -> bytes:
    """Version 1, independent blocks of up to 4 MiB, no checksums but the header's."""
    whole, rest = divmod(zeros, _LZ4_BLOCK)
    out = bytes.fromhex("04224d18 60 70 73") + _plain_block(head)
    out += _matched_block(_LZ4_BLOCK) * whole
    out += _plain_block(bytes(rest)) if rest < _LZ4_WORTH else _matched_block(rest)
    return out + bytes(4)


def _plain_block(data: bytes) -> bytes:
    return struct.pack("<I", len(data) | 1 << 31) + data if data else b""


def _matched_block(zeros: int) -> bytes:
    """One literal zero, a match from one byte before, and the literal end."""
    more, last = divmod(zeros - 1 - _LZ4_LAST - _LZ4_MATCH - 15, 255)
    block = b"\x1f\0" + struct.pack("<H", 1) + b"\xff" * more + bytes([last])
    block += bytes([_LZ4_LAST << 4]) + bytes(_LZ4_LAST)
    return struct.pack("<I", len(block)) + block


def _zstd(head: bytes, zeros: int) -> bytes:
    """A frame of unknown size with a window of 2 MiB: a raw block, then run-length ones."""
    whole, rest = divmod(zeros, _ZSTD_BLOCK)
    out = bytes.fromhex("28b52ffd 00 58") + _zstd_block(0, len(head)) + head
    out += (_zstd_block(1, _ZSTD_BLOCK) + b"\0") * whole
    out += _zstd_block(1, rest) + b"\0" if rest else b""
    return out + _zstd_block(0, 0, last=True)


def _zstd_block(kind: int, size: int, *, last: bool = False) -> bytes:
    return (size << 3 | kind << 1 | last).to_bytes(3, "little")


#: Codec names, in the order of their numbers from 1 on.
CODECS: Mapping[str, Callable[[bytes, int], bytes]] = {"gzip": _gzip, "snappy": _snappy, "lz4": _lz4, "zstd": _zstd}
