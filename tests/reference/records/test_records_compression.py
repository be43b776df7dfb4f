"""Compression: streams of other libraries, broken streams, and the limit on bombs."""

from __future__ import annotations

import gzip
import struct
import subprocess
import sys

import cramjam
import lz4.frame  # type: ignore[import-untyped]
import pytest

from wireproof.reference.records.compression import GZIP, LZ4, SNAPPY, ZSTD, CompressionError, deflate, inflate
from wireproof.reference.rules import Rules

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CODECS = (GZIP, SNAPPY, LZ4, ZSTD)
TEXT = b"the quick brown fox " * 5000


def xerial(*blocks: bytes) -> bytes:
    packed = [bytes(cramjam.snappy.compress_raw(block)) for block in blocks]
    return b"\x82SNAPPY\0\0\0\0\1\0\0\0\1" + b"".join(struct.pack(">i", len(block)) + block for block in packed)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize("content", [b"", b"a", TEXT])
def test_what_is_packed_comes_back(codec: int, magic: int, content: bytes) -> None:
    assert inflate(codec, deflate(codec, content, magic), Rules(), magic) == content


@pytest.mark.parametrize(
    ("codec", "content"),
    [
        (GZIP, gzip.compress(TEXT) + gzip.compress(TEXT)),
        (ZSTD, zstd.compress(TEXT) + zstd.compress(TEXT)),
        (SNAPPY, xerial(TEXT[:99], TEXT[99:]) + xerial(TEXT)),
        (SNAPPY, bytes(cramjam.snappy.compress_raw(TEXT + TEXT))),
        (LZ4, lz4.frame.compress(TEXT + TEXT, block_linked=True, block_size=lz4.frame.BLOCKSIZE_MAX64KB)),
        (LZ4, lz4.frame.compress(TEXT + TEXT, content_checksum=True, block_checksum=True)),
    ],
)
def test_streams_of_others_are_read(codec: int, content: bytes) -> None:
    assert inflate(codec, content, Rules()) == TEXT + TEXT


@pytest.mark.parametrize("codec", CODECS)
def test_what_is_cut_off_or_followed_is_refused(codec: int) -> None:
    whole = deflate(codec, TEXT)
    for broken in (whole[:-1], whole[: len(whole) // 2], whole[:3], whole + b"\0", b"\xff" * 20):
        with pytest.raises(CompressionError) as caught:
            inflate(codec, broken, Rules())
        assert caught.value.reason == "corrupt-compression"


def test_a_second_lz4_frame_is_no_part_of_the_first() -> None:
    frame = deflate(LZ4, TEXT)
    with pytest.raises(CompressionError, match="bytes follow the lz4 stream"):
        inflate(LZ4, frame + frame, Rules())


@pytest.mark.parametrize(("codec", "ignored"), [(GZIP, True), (LZ4, True), (ZSTD, False), (SNAPPY, False)])
def test_what_follows_is_ignored_under_the_other_reading(codec: int, ignored: bool) -> None:
    rules = Rules(after_stream="ignored")
    followed = deflate(codec, TEXT) + b"\0\0\0\0\0"
    if ignored:
        assert inflate(codec, followed, rules) == TEXT
    else:
        with pytest.raises(CompressionError):
            inflate(codec, followed, rules)


def test_linked_blocks_are_refused_under_the_other_reading() -> None:
    linked = lz4.frame.compress(TEXT, block_linked=True)
    assert inflate(LZ4, linked, Rules()) == TEXT
    with pytest.raises(CompressionError, match="depend on each other"):
        inflate(LZ4, linked, Rules(linked_blocks="refused"))
    assert inflate(LZ4, deflate(LZ4, TEXT), Rules(linked_blocks="refused")) == TEXT


@pytest.mark.parametrize(
    ("window", "read"),
    [(0x58, "128-mib"), (0x88, "128-mib"), (0x89, "any"), (0x90, "any"), (0xFF, None)],
    ids=["2 MiB", "128 MiB", "144 MiB", "256 MiB", "3.75 TiB"],
)
def test_a_zstd_frame_may_ask_for_a_window_of_128_mib(window: int, read: str | None) -> None:
    frame = bytes.fromhex("28b52ffd00") + bytes([window]) + bytes.fromhex("090000") + b"a"  # one raw block, the last
    for rules in (Rules(), Rules(zstd_window="any")):
        if read in ("128-mib", rules.zstd_window):
            assert inflate(ZSTD, frame, rules) == b"a"
        else:
            with pytest.raises(CompressionError, match="zstd"):
                inflate(ZSTD, frame, rules)


def test_lz4_of_magic_0_has_a_header_checksum_of_its_own() -> None:
    broken, right = deflate(LZ4, TEXT, magic=0), deflate(LZ4, TEXT, magic=1)
    assert broken[:6] + broken[7:] == right[:6] + right[7:]
    assert broken[6] != right[6]
    assert inflate(LZ4, right, Rules(), magic=0) == TEXT
    with pytest.raises(CompressionError, match="header"):
        inflate(LZ4, broken, Rules(), magic=1)


@pytest.mark.parametrize("codec", CODECS)
def test_the_bound_is_exact(codec: int) -> None:
    packed = deflate(codec, TEXT)
    assert inflate(codec, packed, Rules(inflate_limit=len(TEXT))) == TEXT
    with pytest.raises(CompressionError) as caught:
        inflate(codec, packed, Rules(inflate_limit=len(TEXT) - 1))
    assert caught.value.reason == "resource-limit"


@pytest.mark.parametrize(("size", "reason"), [(64, "resource-limit"), (65, "corrupt-compression")])
def test_three_bytes_of_snappy_hold_no_more_than_64(size: int, reason: str) -> None:
    """What a raw block declares cannot be there: it is no question of a limit."""
    block = bytes([size, 0xFE, 1])
    with pytest.raises(CompressionError) as caught:
        inflate(SNAPPY, block, Rules(inflate_limit=10))
    assert caught.value.reason == reason


def test_fewer_bytes_than_a_size_behind_xerial_blocks() -> None:
    packed = deflate(SNAPPY, TEXT) + bytes(3)
    with pytest.raises(CompressionError, match="cut off"):
        inflate(SNAPPY, packed, Rules())
    assert inflate(SNAPPY, packed, Rules(after_stream="ignored")) == TEXT


_BOMB = """
import resource, sys
from wireproof.reference.records.compression import CompressionError, inflate
from wireproof.reference.rules import Rules
codec, packed = int(sys.argv[1]), sys.stdin.buffer.read()
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
before = peak()
try:
    inflate(codec, packed, Rules())
except CompressionError as error:
    print(error.reason, peak() - before)
"""


def bomb(codec: int) -> bytes:
    """About 256 MiB of zeros, packed."""
    chunk = bytes(1 << 20)
    if codec == GZIP:
        return gzip.compress(chunk) * 256
    if codec == ZSTD:
        return zstd.compress(chunk) * 256
    if codec == SNAPPY:
        return xerial(*[chunk] * 256)
    frame = lz4.frame.LZ4FrameCompressor(block_linked=False)
    return b"".join([frame.begin(), *(frame.compress(chunk) for _ in range(256)), frame.flush()])


@pytest.mark.parametrize("codec", CODECS)
def test_a_bomb_is_refused_before_it_costs_64_mib(codec: int) -> None:
    done = subprocess.run([sys.executable, "-c", _BOMB, str(codec)], input=bomb(codec), capture_output=True, check=True)
    reason, kib = done.stdout.split()
    assert reason == b"resource-limit"
    assert int(kib) < 64 * 1024
