"""Records: the formats that Produce and Fetch carry, one module for each.

record       a record of magic 2: varints, headers
batch        a batch of records: magic 2
message_set  messages of magic 0 and 1, alone and in compressed wrappers
record_set   batches and messages of any magic, one after another
compression  gzip, snappy, lz4, zstd, with a limit on the inflated size
control      the content of control records
convert      conversion between formats, and its losses
consume      what an application is given of a partition's records
produce      what a producer writes of the records that it is given
fields       integers and bytes in records; `codecs` makes each format a type
values       the values of each type, for generated cases
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireproof.reference.errors import join

#: type name → (lowest, highest) version; a MessageSet's version is its magic.
TYPES: Mapping[str, tuple[int, int] | None] = {
    "Record": None,
    "RecordBatch": None,
    "RecordSet": None,
    "MessageSet": (0, 1),
}
#: The fields of messages that hold records: those of the type `records`.
FIELDS = frozenset({"Records", "UnalignedRecords"})
#: type name → the area of its generated cases.
AREAS: Mapping[str, str] = {**dict.fromkeys(TYPES, "framing"), "Record": "header-multimaps"}
#: Bits 0–2 of the attributes of a batch or a message: its codec.
CODEC = 0x07
#: Bit 3 of the attributes of a batch, or of a message of magic 1: the timestamp is the broker's time of appending.
LOG_APPEND_TIME = 0x08
#: The CRC's offset in a message, and in a batch of magic 2.
MESSAGE_CRC, BATCH_CRC = 12, 17
_MAGIC, _BATCH = 16, 2
#: The size of an entry's offset and size fields together.
_HEAD = 12


def fields_in(value: Any, path: str = "") -> Iterator[tuple[str, bytes]]:
    """The fields of a message's value that hold records and are not null, with their paths."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            where = join(path, name)
            if name in FIELDS and item is not None:
                yield where, item
            yield from fields_in(item, where)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from fields_in(item, f"{path}[{index}]")


def guarded_from(crc: int, data: bytes) -> range:
    """The range from the first entry's CRC to its end. An entry begins with its offset (8 bytes) and its size (4)."""
    return range(crc, _HEAD + int.from_bytes(data[8:_HEAD], "big"))


def guarded(data: bytes) -> range:
    """The same for an entry of any magic."""
    return guarded_from(BATCH_CRC if data[_MAGIC] == _BATCH else MESSAGE_CRC, data)


def ends_partially(data: bytes) -> bool:
    """Whether a valid set ends with an incomplete entry. Each entry is an offset, a size, and as many bytes as the size
    says."""
    at = 0
    while len(data) - at >= _HEAD:
        at += _HEAD + int.from_bytes(data[at + 8 : at + _HEAD], "big")
    return at != len(data)


def is_compressed(entries: Iterable[Mapping[str, Any]]) -> bool:
    """Whether any of these batches or messages has a codec."""
    return any(entry["attributes"] & CODEC for entry in entries)
