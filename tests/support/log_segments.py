"""Log segments, written byte by byte from the specification, without the reference's codec."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from crc32c import crc32c

from wireproof.pipeline.audit.logs.batches import Entry, judge
from wireproof.pipeline.audit.logs.segments import Bytes, Range, ranges
from wireproof.reference.records.compression import deflate

#: Offsets of a batch's fields.
LENGTH, EPOCH, MAGIC, CRC, ATTRIBUTES, LAST_DELTA, BASE_TIME = 8, 12, 16, 17, 21, 23, 27
MAX_TIME, PRODUCER, PRODUCER_EPOCH, SEQUENCE, COUNT, RECORDS = 35, 43, 51, 53, 57, 61
#: One record of `batch` takes so many bytes, its length among them.
RECORD_SIZE = 24
#: Offsets of the fields of such a record.
R_ATTRIBUTES, R_TIME, R_DELTA, R_KEY, R_VALUE, R_HEADERS, R_HEADER_KEY, R_HEADER_VALUE = 1, 2, 3, 4, 8, 13, 14, 19


def varint(number: int) -> bytes:
    """A zigzag varint."""
    number = number << 1 if number >= 0 else (-number << 1) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def record(delta: int) -> bytes:
    """A record with the key `key`, a value of four bytes and two headers, the second one null."""
    body = b"\x00" + varint(delta) + varint(delta)
    body += varint(3) + b"key" + varint(4) + b"abcd"
    body += varint(2) + varint(4) + b"kind" + varint(1) + b"x" + varint(1) + b"k" + varint(-1)
    return varint(len(body)) + body


def raw_batch(base: int, last_delta: int, count: int, content: bytes, attributes: int = 0, producer: int = -1) -> bytes:
    """A batch of magic 2 with this content, already compressed."""
    covered = (
        struct.pack(">hiqqqhii", attributes, last_delta, 1000, 1000 + last_delta, producer, -1, -1, count) + content
    )
    head = struct.pack(">qiib", base, 9 + len(covered), 0, 2)
    return head + struct.pack(">I", crc32c(covered)) + covered


def batch(base: int, count: int = 4, codec: int = 0, attributes: int = 0) -> bytes:
    """A batch of records with the offsets from `base` on."""
    content = b"".join(map(record, range(count)))
    return raw_batch(base, count - 1, count, deflate(codec, content) if codec else content, attributes | codec)


def marker(base: int, key: bytes | None = b"\0\0\0\1", value: bytes | None = b"\0\0\0\0\0\7") -> bytes:
    """A control batch with one end-of-transaction marker: a commit by the coordinator of epoch 7."""
    body = b"\x00\x00\x00"
    for part in (key, value):
        body += varint(-1) if part is None else varint(len(part)) + part
    body += varint(0)
    return raw_batch(base, 0, 1, varint(len(body)) + body, 0x30, 4000)


def message(offset: int, magic: int, value: bytes | None = b"value", codec: int = 0) -> bytes:
    """A message of magic 0 or 1."""
    covered = bytes([magic, codec]) + (struct.pack(">q", 1000) if magic else b"")
    for part in (b"key", value):
        covered += struct.pack(">i", -1) if part is None else struct.pack(">i", len(part)) + part
    return struct.pack(">qiI", offset, 4 + len(covered), zlib.crc32(covered)) + covered


def wrapper(last: int, magic: int, codec: int, count: int = 3) -> bytes:
    """A wrapper of messages, whose last one has the offset `last`."""
    begin = 0 if magic else last - count + 1
    inner = b"".join(message(begin + number, magic) for number in range(count))
    return message(last, magic, deflate(codec, inner, magic), codec)


def sealed(data: bytes | bytearray) -> bytes:
    """A batch of magic 2 with the right CRC of its bytes."""
    return bytes(data[:CRC]) + struct.pack(">I", crc32c(bytes(data[ATTRIBUTES:]))) + bytes(data[ATTRIBUTES:])


@dataclass
class Segment:
    """Batches one after another, in which bytes can be replaced."""

    parts: list[bytes] = field(default_factory=list)

    @property
    def starts(self) -> list[int]:
        return [sum(map(len, self.parts[:index])) for index in range(len(self.parts) + 1)]

    def patch(self, index: int, at: int, new: bytes, *, seal: bool = False) -> None:
        """Replace bytes of one batch; `seal`: with the right CRC afterwards."""
        part = bytearray(self.parts[index])
        part[at : at + len(new)] = new
        self.parts[index] = sealed(part) if seal else bytes(part)

    def flip(self, index: int, at: int, bit: int = 0) -> None:
        """Flip one bit."""
        self.patch(index, at, bytes([self.parts[index][at] ^ 1 << bit]))

    @property
    def data(self) -> bytes:
        return b"".join(self.parts)


#: The offsets of a segment's six batches.
BASES = (100, 104, 108, 112, 116, 120)
NAME = "00000000000000000100.log"


def clean() -> Segment:
    """Six batches of four records each."""
    return Segment([batch(base) for base in BASES])


def entries(data: Bytes, part: Range | None = None, first: int = 0, below: int | None = None) -> list[Entry]:
    """All entries of a file, judged."""
    blocks = judge(data, part or Range(0, len(data), 0), first, below)
    return [entry for block in blocks for entry in block.entries]


def told(found: list[Entry]) -> list[tuple[int, str, str, int]]:
    """What is not a pass: start, verdict, reason, offset at fault."""
    return [
        (entry.start, entry.trouble.verdict, entry.trouble.reason, entry.trouble.offset)
        for entry in found
        if entry.trouble is not None
    ]


def by_ranges(data: bytes, size: int, first: int = 0) -> list[Entry]:
    """The same, range by range, as different cores do it."""
    return [entry for part in ranges(data, size) for entry in entries(data, part, first)]


def write(folder: Path, data: bytes, name: str = NAME, topic: str = "orders-0") -> Path:
    """A segment in its partition's folder."""
    path = folder / topic / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
