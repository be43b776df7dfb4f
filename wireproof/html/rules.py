"""What a kind of bytes is by the protocol, for a field of an input: a sentence, and the rulings about it.

The kinds are those of the reference's spans. They are described for the dialect `kafka`: other dialects use the same
words for other forms.
"""

from __future__ import annotations

from collections.abc import Mapping

_VARINT = ("R-K-5", "R-K-6", "R-K-6c")
_LENGTH = ("R-K-10", "R-K-15", "R-K-16")
_COMPACT = ("R-K-10", "R-K-15b", "R-K-16", "R-K-5")
_INTEGER = "{} {}, most significant first{}"
_ZIGZAG = "LEB128 of the zigzag form: 0, −1, 1, −2 … are 0, 1, 2, 3 …; seven bits a byte, the least significant first"
_CODEC = "the records, compressed"


def _integer(size: int, signed: bool = True) -> str:
    return _INTEGER.format(size, "byte" if size == 1 else "bytes", ", two's complement" if signed else ", unsigned")


#: Kind → what it is, and its rulings.
KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "INT8": (_integer(1), ()),
    "INT16": (_integer(2), ()),
    "INT32": (_integer(4), ()),
    "INT64": (_integer(8), ()),
    "UINT16": (_integer(2, signed=False), ()),
    "UINT32": (_integer(4, signed=False), ()),
    "BOOLEAN": ("1 byte; 0 is false, anything else true; written 0 or 1", ()),
    "FLOAT64": ("8 bytes, IEEE 754 double", ()),
    "UUID": ("16 bytes, most significant first; the zero UUID stands for none", ()),
    "UNSIGNED_VARINT": ("unsigned LEB128 of 32 bits: seven bits a byte, the least significant first", _VARINT),
    "VARINT": (_ZIGZAG, _VARINT),
    "VARLONG": (f"{_ZIGZAG}; 64 bits", _VARINT),
    "frame size": ("INT32: the bytes of the frame after this size", ("R-K-31",)),
    "length": ("the bytes that follow; −1 is null where null is allowed", _LENGTH),
    "length + 1": ("UNSIGNED_VARINT: the bytes that follow, plus one; 0 is null", _COMPACT),
    "count": ("INT32: the elements that follow; −1 is null where null is allowed", _LENGTH),
    "count + 1": ("UNSIGNED_VARINT: the elements that follow, plus one; 0 is null", _COMPACT),
    "text": ("UTF-8, at most 32,767 bytes", ("R-K-11", "R-K-29")),
    "bytes": ("any bytes", ()),
    "marker": ("INT8 before a nullable structure: −1 is null, 1 is present", ("R-K-9",)),
    "tag count": ("UNSIGNED_VARINT: the tagged fields that follow", ("R-K-10", "R-K-10p")),
    "tag": ("UNSIGNED_VARINT: the tag's number; tags are strictly ascending", ("R-K-1", "R-K-4", "R-K-15c")),
    "tag size": ("UNSIGNED_VARINT: the bytes of the tag's value, which must fill them", ("R-K-2", "R-K-3")),
    "unknown tag's data": ("the value of a tag that this version does not know; kept as it is", ("R-K-3",)),
    "attributes": ("bits for the codec, the kind of timestamp, transactions and control batches", ("R-K-12c",)),
    "magic": ("INT8: the version of the record format", ("R-K-30",)),
    "crc": ("UINT32: CRC-32C of a batch from its attributes on; CRC-32 of a message from its magic on", ("R-K-19",)),
    "size": ("the bytes of the message that follow", ("R-K-31",)),
    "batchLength": ("INT32: the bytes of the batch after this length", ("R-K-31",)),
    "recordsCount": ("INT32: the number of records in the batch", ("R-K-19b", "R-K-31")),
    "lastOffsetDelta": ("INT32: the last record's offset minus the base offset", ("R-K-20",)),
    "headersCount": (f"VARINT: the number of headers. {_ZIGZAG}", ("R-K-12b", *_VARINT)),
    "key length": (f"VARINT: the bytes of the header's key. {_ZIGZAG}", ("R-K-12b", *_VARINT)),
    "timestampDelta": (f"VARLONG: milliseconds after the batch's base timestamp. {_ZIGZAG}", _VARINT),
    "offsetDelta": (f"VARINT: the record's offset minus the base offset. {_ZIGZAG}", _VARINT),
    "baseOffset": ("INT64: the offset of the first record", ()),
    "offset": ("INT64: the message's offset", ()),
    "partitionLeaderEpoch": ("INT32: the epoch of the partition's leader; the CRC does not cover it", ()),
    "baseTimestamp": ("INT64: the first record's timestamp, milliseconds since 1970", ()),
    "maxTimestamp": ("INT64: the largest timestamp of the records", ()),
    "timestamp": ("INT64: milliseconds since 1970", ()),
    "producerId": ("INT64: the producer's id; −1 for none", ()),
    "producerEpoch": ("INT16: the producer's epoch; −1 for none", ()),
    "baseSequence": ("INT32: the sequence number of the first record; −1 for none", ()),
    "gzip content": (_CODEC, ("R-K-22",)),
    "snappy content": (_CODEC, ("R-K-22", "R-K-22c")),
    "lz4 content": (_CODEC, ("R-K-22", "R-K-22b")),
    "zstd content": (_CODEC, ("R-K-22", "R-K-22d")),
    "partial entry, dropped": ("an entry that the end of the set cuts off; a reader passes over it", ("R-K-26",)),
    "version": ("INT16: the version of the message behind it; of a coordinator's key, its type", ("R-K-58",)),
    "of a newer version, ignored": ("what a newer version has behind the fields that are known", ("R-K-58",)),
    "what follows": ("bytes of an entry whose magic or length nobody can read on from", ("R-K-30", "R-K-31")),
}
DIALECT = "kafka"


def rule_of(kind: str, dialect: str) -> tuple[str, tuple[str, ...]]:
    """What bytes of this kind are, and the ids of the rulings about them; ("", ()) for a kind of another dialect."""
    return KINDS.get(kind, ("", ())) if dialect == DIALECT else ("", ())
