"""Compression codecs, with a limit on the inflated size. Source: the Kafka protocol guide, Record Batch; R-K-22.

gzip: one or more members. snappy: raw, or in xerial's frame (snappy-java's SnappyOutputStream), which Kafka writes.
lz4: one frame. zstd: one or more frames. Bytes after the stream are refused (R-K-22 ‡, other: they are ignored after
gzip and lz4, except the beginning of another gzip member, and fewer than the four of a block's size after xerial's
blocks)."""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Callable
from typing import Any, Protocol

import cramjam
import lz4.frame  # type: ignore[import-untyped]
import xxhash

from wireproof.reference.errors import Reason
from wireproof.reference.records import CODEC
from wireproof.reference.rules import Rules

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
#: Codec names, by the number in bits 0–2 of the attributes.
NAMES = ("none", "gzip", "snappy", "lz4", "zstd")
MASK = CODEC

#: The first bytes of a gzip member: its magic, and deflate.
_GZIP_MEMBER = b"\x1f\x8b\x08"
#: The number of bytes inflated at once.
_CHUNK = 1 << 16

# xerial => magic:8 bytes version:INT32 compatible:INT32 *(size:INT32 raw snappy of `size` bytes)
# R-K-22c ‡: a version below 1 is refused (other: it is ignored); the compatible version is always ignored.
_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL + struct.pack(">ii", 1, 1)
_XERIAL_BLOCK = 1 << 15

#: The element of raw snappy that gives the most: a copy of three bytes gives 64.
_SNAPPY_COPY = (3, 64)

#: R-K-22d ‡: the greatest window that a zstd decoder of Kafka's accepts, as a power of two; other: all that zstd can.
_ZSTD_WINDOWS = {"128-mib": 27, "any": 31}


class CompressionError(Exception):
    """Compressed content that is refused; the caller knows its offset."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class _Stream(Protocol):
    """A decompressor of one member or frame, as in zlib, lz4 and zstd."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes | None: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def inflate(codec: int, content: bytes, rules: Rules, magic: int = 2) -> bytes:
    """The content of a batch or of a wrapper of this magic. Raises CompressionError."""
    match codec:
        case 1:
            return _streams(_Gzip, content, rules, several=True, name="gzip", lenient=True)
        case 2:
            return _unsnappy(content, rules)
        case 3:
            if rules.linked_blocks == "refused":
                _refuse_dependent(content)
            plain = _mended(content) if magic == 0 else content
            return _streams(_Lz4, plain, rules, several=False, name="lz4", lenient=True)
        case 4:
            window = _ZSTD_WINDOWS[rules.zstd_window]
            return _streams(lambda: _Zstd(window), content, rules, several=True, name="zstd", lenient=False)
    raise ValueError(f"codec {codec}")


def deflate(codec: int, content: bytes, magic: int = 2) -> bytes:
    """The content, compressed as Kafka does. Other compressed bytes for the same content are right too."""
    match codec:
        case 1:
            packer = zlib.compressobj(wbits=31)
            return packer.compress(content) + packer.flush()
        case 2:
            return _snappy(content)
        case 3:
            frame: bytes = lz4.frame.compress(content, block_linked=False, store_size=False)
            return _broken(frame) if magic == 0 else frame
        case 4:
            return zstd.compress(content)
    raise ValueError(f"codec {codec}")


def _too_large(rules: Rules) -> CompressionError:
    return CompressionError(Reason.RESOURCE_LIMIT, f"the content inflates to more than {rules.inflate_limit} bytes")


# --- Streams: gzip, lz4, zstd -----------------------------------------------------------------------------------------


class _Gzip:
    """zlib's decompressor returns input that it has not used yet; this class passes it in again."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._inner.decompress(data or self._inner.unconsumed_tail, max_length)


class _Lz4:
    def __init__(self) -> None:
        self._inner = lz4.frame.LZ4FrameDecompressor()

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data or b""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return bytes(self._inner.decompress(data, max_length))


class _Zstd:
    def __init__(self, window: int) -> None:
        self._inner = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: window})

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._inner.decompress(data, max_length)


#: The libraries' exceptions for a broken stream; lz4's raises RuntimeError.
_BROKEN: tuple[type[Exception], ...] = (zlib.error, zstd.ZstdError, RuntimeError)


def _streams(
    make: Callable[[], _Stream], content: bytes, rules: Rules, *, several: bool, name: str, lenient: bool
) -> bytes:
    """The content of one stream, or of `several` back to back. `lenient`: bytes after it may be ignored."""
    out = bytearray()
    rest = content
    while True:
        rest = _stream(make(), rest, out, rules, name)
        if not rest:
            return bytes(out)
        if lenient and rules.after_stream == "ignored" and not (several and rest.startswith(_GZIP_MEMBER)):
            return bytes(out)
        if not several:
            raise CompressionError(Reason.CORRUPT_COMPRESSION, f"{len(rest)} bytes follow the {name} stream")


def _stream(stream: _Stream, data: bytes, out: bytearray, rules: Rules, name: str) -> bytes:
    """Inflate one stream into `out`. Returns the bytes after it."""
    rest = data
    while not stream.eof:
        try:
            part = stream.decompress(rest, min(_CHUNK, rules.inflate_limit + 1 - len(out)))
        except _BROKEN as error:
            raise CompressionError(Reason.CORRUPT_COMPRESSION, f"{name}: {error}") from None
        if not part and not rest and not stream.eof:
            raise CompressionError(Reason.CORRUPT_COMPRESSION, f"the {name} stream is cut off")
        rest = b""
        out += part
        if len(out) > rules.inflate_limit:
            raise _too_large(rules)
    return stream.unused_data or b""


# --- LZ4's header -----------------------------------------------------------------------------------------------------
# frame => magic:4 bytes FLG:1 BD:1 [contentSize:8] [dictionary id:4] HC:1 …; HC is byte 1 of the xxHash-32 of what is
# between the magic and it.
# Kafka before message format 1 hashed the magic too (KAFKA-3160): such frames have a header checksum of their own.

_LZ4_CONTENT_SIZE = 0x08
_LZ4_INDEPENDENT = 0x20
_LZ4_DICTIONARY = 0x01


def _checksum_at(frame: bytes) -> int | None:
    """HC's offset; None when the frame is too short."""
    flags = frame[4] if len(frame) > 4 else 0
    at = 6 + 8 * bool(flags & _LZ4_CONTENT_SIZE) + 4 * bool(flags & _LZ4_DICTIONARY)
    return at if len(frame) > at else None


def _with_checksum(frame: bytes, hashed_from: int) -> bytes:
    at = _checksum_at(frame)
    if at is None:
        return frame
    checksum = xxhash.xxh32_intdigest(frame[hashed_from:at]) >> 8 & 0xFF
    return frame[:at] + bytes([checksum]) + frame[at + 1 :]


def _mended(frame: bytes) -> bytes:
    """The frame of a magic-0 wrapper with the right header checksum, so that an LZ4 library reads it."""
    return _with_checksum(frame, 4)


def _broken(frame: bytes) -> bytes:
    return _with_checksum(frame, 0)


def _refuse_dependent(frame: bytes) -> None:
    """R-K-22b's other reading, and R-K-22e."""
    if len(frame) > 4 and not frame[4] & _LZ4_INDEPENDENT:
        raise CompressionError(Reason.CORRUPT_COMPRESSION, "lz4: its blocks depend on each other")
    if len(frame) > 4 and frame[4] & _LZ4_DICTIONARY:
        raise CompressionError(Reason.CORRUPT_COMPRESSION, "lz4: it names a dictionary")


# --- Snappy -----------------------------------------------------------------------------------------------------------


def _unsnappy(content: bytes, rules: Rules) -> bytes:
    if not content.startswith(_XERIAL):
        return _raw_snappy(content, rules.inflate_limit, rules)
    out = bytearray()
    at = 0
    while at < len(content):
        if content[at : at + len(_XERIAL)] == _XERIAL:  # another stream may follow
            if len(content) < at + len(_XERIAL_HEADER):
                raise CompressionError(Reason.CORRUPT_COMPRESSION, "snappy: xerial's header is cut off")
            (version,) = struct.unpack_from(">i", content, at + len(_XERIAL))
            if version < 1 and rules.xerial_version == "from-1":
                raise CompressionError(Reason.CORRUPT_COMPRESSION, f"snappy: xerial's version {version} is below 1")
            at += len(_XERIAL_HEADER)
            continue
        if len(content) < at + 4:
            if rules.after_stream == "ignored":
                break
            raise CompressionError(Reason.CORRUPT_COMPRESSION, "snappy: a block's size is cut off")
        (size,) = struct.unpack_from(">i", content, at)
        at += 4
        if not 0 <= size <= len(content) - at:
            raise CompressionError(Reason.CORRUPT_COMPRESSION, f"snappy: a block of {size} bytes is not there")
        out += _raw_snappy(content[at : at + size], rules.inflate_limit - len(out), rules)
        at += size
    return bytes(out)


def _raw_snappy(block: bytes, limit: int, rules: Rules) -> bytes:
    """One raw block. The length that it declares is checked before memory is allocated."""
    try:
        declared = cramjam.snappy.decompress_raw_len(block)
        if declared * _SNAPPY_COPY[0] > len(block) * _SNAPPY_COPY[1]:
            raise CompressionError(Reason.CORRUPT_COMPRESSION, f"snappy: {len(block)} bytes cannot hold {declared}")
        if declared > limit:
            raise _too_large(rules)
        return bytes(cramjam.snappy.decompress_raw(block))
    except cramjam.DecompressionError as error:
        raise CompressionError(Reason.CORRUPT_COMPRESSION, f"snappy: {error}") from None


def _snappy(content: bytes) -> bytes:
    out = bytearray(_XERIAL_HEADER)
    for start in range(0, len(content), _XERIAL_BLOCK):
        block: Any = bytes(cramjam.snappy.compress_raw(content[start : start + _XERIAL_BLOCK]))
        out += struct.pack(">i", len(block)) + block
    return bytes(out)
