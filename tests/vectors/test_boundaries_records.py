"""Every boundary of records, batches and sets has a vector, by op, as test_boundaries.py has it of the other types.

A vector fills a cell by its bytes, its value or its reason, never by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.boundaries import BOTH_WAYS, DECODE, ENCODE, READ, Fits, Row, both, refused, rows, unwritable, valid

from wireproof.conformance.model import Op
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference import Reason, records

LOOKUP = (Op.LOOKUP,)
CODECS = {1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}


def bound(wanted: Any, test: Callable[[Any, Any], Any]) -> Callable[[Any], bool]:
    """A test of what is found against what is wanted."""
    return lambda found: bool(test(wanted, found))


def value(test: Callable[[Any], bool]) -> Fits:
    """Valid, with such a value."""
    return valid(lambda vector: test(vector.value))


def canonical(test: Callable[[Any], bool]) -> Fits:
    """Valid, with such a value, in its canonical form."""
    return valid(lambda vector: vector.data == vector.canonical_data and test(vector.value))


def field(name: str, wanted: Any) -> Fits:
    return canonical(lambda found: found[name] == wanted and type(found[name]) is type(wanted))


# --- Record -----------------------------------------------------------------------------------------------------------


def _keys(found: Any) -> list[str]:
    return [key for key, _ in found["headers"]]


def _values(found: Any) -> list[bytes | None]:
    return [item for _, item in found["headers"]]


def record() -> Iterator[Row]:
    for bits, name in ((63, "timestampDelta"), (31, "offsetDelta")):
        for number in (0, -1, 63, 64, -64, -65, (1 << bits) - 1, -(1 << bits)):
            yield f"{name} {number}", BOTH_WAYS, field(name, number)
        for number in (1 << bits, -(1 << bits) - 1):
            fits: Fits = lambda vector, name=name, number=number: vector.value[name] == number  # type: ignore[misc] # noqa: E731
            yield f"{name} {number}", ENCODE, unwritable(Reason.OUT_OF_RANGE, fits)
    for key in (None, b"", b"k"):
        for item in (None, b"", b"v"):
            pair = both(field("key", key), field("value", item))
            yield f"key {key!r}, value {item!r}", BOTH_WAYS, pair
    yield "unused attributes", BOTH_WAYS, canonical(lambda found: found["attributes"] != 0)
    for reason in (Reason.NEGATIVE_LENGTH, Reason.TRUNCATED, Reason.VARINT_OVERFLOW, Reason.TRAILING_BYTES):
        yield f"{reason}", DECODE, refused(reason)
    overlong = valid(lambda vector: len(vector.data) > len(vector.canonical_data))
    yield "overlong", READ, overlong
    yield from headers()
    yield from lookups()


def headers() -> Iterator[Row]:
    for count in (0, 1, 2, 3, 64):
        fits = canonical(bound(count, lambda count, found: len(found["headers"]) == count))
        yield f"{count} headers", BOTH_WAYS, fits
    twice = canonical(lambda found: len(_keys(found)) == 2 and len(set(_keys(found))) == 1)
    yield "a key twice, adjacent", BOTH_WAYS, twice
    apart = canonical(lambda found: [*map(_keys(found).index, _keys(found))] == [0, 1, 0])
    yield "a key twice, apart", BOTH_WAYS, apart
    yield "keys descending", BOTH_WAYS, canonical(lambda found: _keys(found) > sorted(_keys(found)))
    yield "an empty key", BOTH_WAYS, canonical(lambda found: "" in _keys(found))
    for length in (2, 4):
        fits = canonical(
            bound(length, lambda n, found: any(len(key) == 1 and len(key.encode()) == n for key in _keys(found)))
        )
        yield f"a character of {length} bytes", BOTH_WAYS, fits
    for length in (63, 64, 8192, 32768):
        fits = canonical(bound(length, lambda n, found: any(len(key.encode()) == n for key in _keys(found))))
        yield f"a key of {length} bytes", BOTH_WAYS, fits
    for item in (None, b""):
        yield f"a value {item!r}", BOTH_WAYS, canonical(bound(item, lambda item, found: item in _values(found)))
    yield "headers on a tombstone", BOTH_WAYS, canonical(lambda found: found["value"] is None and _keys(found) != [])
    for reason in (Reason.INVALID_UTF8, Reason.LENGTH_MISMATCH):
        yield f"{reason}", DECODE, refused(reason)
    yield "a key null", ENCODE, unwritable(Reason.NULL_NOT_ALLOWED, lambda vector: bool(vector.value["headers"]))
    yield "headers null", ENCODE, unwritable(Reason.NULL_NOT_ALLOWED, lambda vector: vector.value["headers"] is None)


def lookups() -> Iterator[Row]:
    for count in (0, 1, 3):
        fits = bound(count, lambda n, vector: vector.kind is VectorKind.LOOKUP and len(vector.expected) == n)
        yield f"{count} values", LOOKUP, fits
    for item in (None, b""):
        fits = bound(item, lambda item, vector: vector.kind is VectorKind.LOOKUP and item in vector.expected)
        yield f"a value {item!r}", LOOKUP, fits
    yield "the empty key", LOOKUP, lambda vector: vector.kind is VectorKind.LOOKUP and vector.args["key"] == ""


# --- RecordBatch ------------------------------------------------------------------------------------------------------


def batch() -> Iterator[Row]:
    for count in (0, 1, 2):
        yield f"{count} records", BOTH_WAYS, canonical(bound(count, lambda n, found: len(found["records"]) == n))
    for bit in (8, 16, 32, 64, 128):
        yield f"attribute {bit}", BOTH_WAYS, canonical(bound(bit, lambda bit, found: bool(found["attributes"] & bit)))
    for name in ("baseTimestamp", "maxTimestamp"):
        for number in (-1, 2**63 - 1, -(2**63)):
            yield f"{name} {number}", BOTH_WAYS, field(name, number)
    gaps = canonical(lambda found: found["records"] and found["records"][-1]["offsetDelta"] < found["lastOffsetDelta"])
    yield "gaps of compaction", BOTH_WAYS, gaps
    for codec, name in CODECS.items():
        of_codec = bound(codec, lambda codec, vector: vector.data[22] & 7 == codec)
        yield name, BOTH_WAYS, both(value(lambda found: bool(found["records"])), of_codec)
        yield f"{name}, empty", BOTH_WAYS, both(value(lambda found: not found["records"]), of_codec)
        yield f"{name}, broken", DECODE, refused(Reason.CORRUPT_COMPRESSION, of_codec)
        yield f"{name}, too much", DECODE, refused(Reason.RESOURCE_LIMIT, of_codec)
    for codec in (5, 6, 7):
        unknown = bound(codec, lambda codec, vector: vector.data[22] & 7 == codec)
        yield f"codec {codec}", DECODE, refused(Reason.UNSUPPORTED_COMPRESSION, unknown)
    for magic in (-1, 0, 1, 3):
        there = bound(magic, lambda n, vector: vector.data[16] == n & 0xFF)
        yield f"magic {magic}", DECODE, refused(Reason.UNSUPPORTED_MAGIC, there)
    yield "CRC", DECODE, refused(Reason.CRC_MISMATCH)
    yield "bytes behind", DECODE, refused(Reason.TRAILING_BYTES)
    for count, more in ((1, "more"), (3, "fewer"), (0, "one")):
        counted = bound(count, lambda n, vector: int.from_bytes(vector.data[57:61]) == n)
        yield f"a count of {count}, {more} there", DECODE, refused(Reason.COUNT_MISMATCH, counted)
    for size in (-1, -(2**31)):
        sized = bound(size, lambda n, vector: vector.data[8:12] == n.to_bytes(4, signed=True))
        yield f"batchLength {size}", DECODE, refused(Reason.NEGATIVE_LENGTH, sized)
    yield (
        "batchLength 2³¹ − 1",
        DECODE,
        refused(Reason.TRUNCATED, lambda vector: vector.data[8:12] == bytes.fromhex("7fffffff")),
    )
    yield "an unknown codec", ENCODE, unwritable(Reason.UNSUPPORTED_COMPRESSION)
    yield "out of range", ENCODE, unwritable(Reason.OUT_OF_RANGE)


# --- Sets -------------------------------------------------------------------------------------------------------------

#: Where a tail is cut: in the offset, behind the size, before and behind the magic, in the CRC, before the records.
CUTS = (1, 8, 11, 12, 16, 17, 20, 57, 61)


def _entries(data: bytes) -> Iterator[bytes]:
    """The entries of a set, the last of which may be partial."""
    while data:
        size = 12 + int.from_bytes(data[8:12], signed=True) if len(data) >= 12 else len(data)
        yield data[:size]
        data = data[size:]


def _tail(vector: Vector) -> bytes:
    """The partial last entry of what is valid; empty where there is none."""
    *_, last = (b"", *_entries(vector.data))
    whole = len(last) >= 12 and len(last) == 12 + int.from_bytes(last[8:12], signed=True)
    return b"" if whole else last


def _magics(found: Any) -> list[int]:
    return [entry["magic"] for entry in found]


def record_set() -> Iterator[Row]:
    yield "empty", BOTH_WAYS, canonical(lambda found: found == [])
    for magics in ([2], [0], [2, 2], [0, 1, 2], [2, 1, 0]):
        yield f"magics {magics}", BOTH_WAYS, canonical(bound(magics, lambda magics, found: _magics(found) == magics))
    for length in CUTS:
        cut = valid(bound(length, lambda n, vector: len(_tail(vector)) == n and vector.value != []))
        yield f"a tail of {length} bytes", DECODE, cut
    yield "a tail alone", DECODE, valid(lambda vector: vector.value == [] and vector.data != b"")
    for magic in (0, 1, 2):
        cut = valid(bound(magic, lambda n, vector: len(_tail(vector)) > 17 and _tail(vector)[16] == n))
        yield f"a tail of magic {magic}", DECODE, cut
    for reason in (Reason.NEGATIVE_LENGTH, Reason.TRUNCATED, Reason.UNSUPPORTED_MAGIC, Reason.CRC_MISMATCH):
        yield f"{reason}", DECODE, refused(reason)
    in_tail = refused(Reason.UNSUPPORTED_MAGIC, lambda vector: len([*_entries(vector.data)][-1]) == 17)
    yield "an unknown magic in a tail", DECODE, in_tail


def message_set(magic: int) -> Iterator[Row]:
    wrapped = {1: "gzip", 2: "snappy", 3: "lz4"}
    yield "empty", BOTH_WAYS, canonical(lambda found: found == [])
    yield "two", BOTH_WAYS, canonical(lambda found: len(found) == 2)
    for key in (None, b""):
        yield f"key {key!r}", BOTH_WAYS, canonical(bound(key, lambda key, found: found and found[0]["key"] == key))
    for item in (None, b""):
        plain = canonical(bound(item, lambda item, found: found and found[0].get("value", 0) == item))
        yield f"value {item!r}", BOTH_WAYS, plain
    for codec, name in wrapped.items():
        inside = value(
            bound(codec, lambda n, found: found and found[0]["attributes"] & 7 == n and "messages" in found[0])
        )
        yield f"{name} wrapper", BOTH_WAYS, inside
    for length in (1, 12, 17):
        cut = valid(bound(length, lambda n, vector: len(_tail(vector)) == n))
        yield f"a tail of {length} bytes", DECODE, cut
    for other in ({0, 1} - {magic}) | {2, 3, -1}:
        there = bound(other, lambda n, vector: vector.data[16] == n & 0xFF)
        yield f"magic {other}", DECODE, refused(Reason.UNSUPPORTED_MAGIC, there)
    for reason in (
        Reason.CRC_MISMATCH,
        Reason.NEGATIVE_LENGTH,
        Reason.LENGTH_MISMATCH,
        Reason.TRUNCATED,
        Reason.INVALID_WRAPPER,
        Reason.CORRUPT_COMPRESSION,
        Reason.UNSUPPORTED_COMPRESSION,
    ):
        yield f"{reason}", DECODE, refused(reason)
    if magic:
        yield from rebased()


def rebased() -> Iterator[Row]:
    """Offsets and timestamps of magic 1."""
    zero = value(lambda found: found and "messages" in found[0] and found[0]["offset"] == 0)
    yield "a wrapper under offset 0", BOTH_WAYS, zero
    many = value(lambda found: found and len(found[0].get("messages", ())) > 2 and found[0]["offset"] > 0)
    yield "a wrapper of several", BOTH_WAYS, many
    for number in (-1, 2**63 - 1, -(2**63)):
        yield (
            f"timestamp {number}",
            BOTH_WAYS,
            canonical(bound(number, lambda n, found: found and found[0]["timestamp"] == n)),
        )
    yield "a wrapper without messages", ENCODE, unwritable(Reason.INVALID_WRAPPER)
    yield "zstd", ENCODE, unwritable(Reason.UNSUPPORTED_COMPRESSION)


TABLES: dict[str, Callable[[], Iterator[Row]]] = {"Record": record, "RecordBatch": batch, "RecordSet": record_set}


def test_every_type_has_a_table() -> None:
    assert {*TABLES, "MessageSet"} == {*records.TYPES}


@pytest.mark.parametrize("name", TABLES)
def test_every_boundary_has_a_vector(name: str) -> None:
    table = list(rows(name, None, TABLES[name]()))
    assert len(table) > 20
    assert [str(cell) for cell in table if not cell.filled()] == []


@pytest.mark.parametrize("magic", [0, 1])
def test_every_boundary_of_a_message_set_has_a_vector(magic: int) -> None:
    table = list(rows("MessageSet", magic, message_set(magic)))
    assert len(table) > 20
    assert [str(cell) for cell in table if not cell.filled()] == []
