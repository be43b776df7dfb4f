"""Bombs: whole streams that every library inflates to the announced number of zeros, and that are cheap to make."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from typing import Any

import cramjam
import lz4.frame  # type: ignore[import-untyped]
import pytest

from wireproof import reference
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import compression_bombs
from wireproof.reference import Reason

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def _unsnapped(content: bytes) -> bytes:
    return bytes(cramjam.snappy.decompress_raw(content))


INFLATE: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "snappy": _unsnapped,
    "lz4": lz4.frame.decompress,
    "zstd": zstd.decompress,
}
#: Around the sizes of blocks and copies, and where a value's length takes one byte more.
COUNTS = [
    0,
    1,
    2,
    5,
    62,
    63,
    64,
    65,
    66,
    127,
    128,
    2**17 - 2,
    2**17 - 1,
    2**17,
    2**20 - 1,
    2**20,
    2**22 - 1,
    2**22,
    2**22 + 77,
]
GIB = 2**30


def test_there_is_one_for_every_codec() -> None:
    assert [*compression_bombs.CODECS] == [*INFLATE] == ["gzip", "snappy", "lz4", "zstd"]


@pytest.mark.parametrize("codec", INFLATE)
@pytest.mark.parametrize("zeros", COUNTS)
def test_the_content_is_what_the_library_makes_of_it(codec: str, zeros: int) -> None:
    (_, _), (content, label) = compression_bombs.pieces(codec, zeros)
    inflated = INFLATE[codec](content)
    assert inflated.endswith(bytes(zeros + 1))
    assert len(inflated) - zeros <= 16
    assert label == f"a value of {zeros} zeros, compressed"


@pytest.mark.parametrize("codec", INFLATE)
@pytest.mark.parametrize("zeros", COUNTS)
def test_the_batch_is_read(codec: str, zeros: int) -> None:
    data = b"".join(piece for piece, _ in compression_bombs.pieces(codec, zeros))
    found = reference.decode("RecordBatch", data, dialect="kafka")
    assert equal(compression_bombs.value(codec, zeros), found)


def _stream(codec: str) -> Any:
    match codec:
        case "gzip":
            return zlib.decompressobj(wbits=31)
        case "lz4":
            return lz4.frame.LZ4FrameDecompressor()
    return zstd.ZstdDecompressor()


@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd"])
def test_a_gibibyte_is_a_whole_stream(codec: str) -> None:
    """Its checksum too, which for gzip is computed without the zeros."""
    content = compression_bombs.pieces(codec, GIB)[1][0]
    assert len(content) < 2**23
    stream, given, total = _stream(codec), content, 0
    while not stream.eof:
        total += len(stream.decompress(given, 2**22))
        given = stream.unconsumed_tail if codec == "gzip" else b""
    assert GIB < total < GIB + 32


@pytest.mark.parametrize("codec", INFLATE)
def test_a_bomb_is_refused(codec: str) -> None:
    data = b"".join(piece for piece, _ in compression_bombs.pieces(codec, 2**26))
    with pytest.raises(reference.DecodeError) as caught:
        reference.decode("RecordBatch", data, dialect="kafka")
    assert (caught.value.reason, caught.value.offset) == (Reason.RESOURCE_LIMIT, 61)


def test_one_is_made_once() -> None:
    assert compression_bombs.pieces("zstd", 77) is compression_bombs.pieces("zstd", 77)
