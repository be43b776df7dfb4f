"""A wrong CRC has a name in the finding: its polynomial, its byte order, what it was computed over."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import pytest
from crc32c import crc32c

from wireproof import reference
from wireproof.conformance.judging import checksums

#: An empty batch's bytes before its CRC and behind it; a message's of magic 1.
BEFORE, COVERED = struct.pack(">qiib", 7, 49, 3, 2), struct.pack(">hiqqqhii", 0, 0, 0, 0, -1, -1, -1, 0)
MESSAGE = struct.pack(">bbqii", 1, 0, 9, -1, 1) + b"v"
SIZED = struct.pack(">qi", 0, 4 + len(MESSAGE))

BATCHES: list[tuple[str, Callable[[], bytes]]] = [
    ("CRC-32 (IEEE), not CRC-32C", lambda: zlib.crc32(COVERED).to_bytes(4, "big")),
    ("little-endian", lambda: crc32c(COVERED).to_bytes(4, "little")),
    ("computed over the magic too", lambda: crc32c(BEFORE[16:] + COVERED).to_bytes(4, "big")),
    ("computed over the length too", lambda: crc32c(BEFORE[8:] + COVERED).to_bytes(4, "big")),
    (
        "CRC-32 (IEEE), not CRC-32C, little-endian, computed over all of the entry",
        lambda: zlib.crc32(BEFORE + COVERED).to_bytes(4, "little"),
    ),
    ("0", lambda: bytes(4)),
    ("", lambda: b"\1\2\3\4"),
]
MESSAGES: list[tuple[str, Callable[[], bytes]]] = [
    ("CRC-32C, not CRC-32 (IEEE)", lambda: crc32c(MESSAGE).to_bytes(4, "big")),
    ("computed over what follows the magic", lambda: zlib.crc32(MESSAGE[1:]).to_bytes(4, "big")),
    ("computed over the length too", lambda: zlib.crc32(SIZED[8:] + MESSAGE).to_bytes(4, "big")),
]


def identified(type_name: str, data: bytes) -> str:
    with pytest.raises(reference.DecodeError) as caught:
        reference.decode(type_name, data, dialect="kafka", version=1 if type_name == "MessageSet" else None)
    assert caught.value.reason is reference.Reason.CRC_MISMATCH
    return checksums.identify(data, caught.value)


@pytest.mark.parametrize(("name", "crc"), BATCHES, ids=[name or "no name" for name, _ in BATCHES])
def test_a_batch(name: str, crc: Callable[[], bytes]) -> None:
    assert identified("RecordBatch", BEFORE + crc() + COVERED) == name


@pytest.mark.parametrize(("name", "crc"), MESSAGES, ids=[name for name, _ in MESSAGES])
def test_a_message(name: str, crc: Callable[[], bytes]) -> None:
    assert identified("MessageSet", SIZED + crc() + MESSAGE) == name
