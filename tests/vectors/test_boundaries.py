"""Every boundary of every type has a vector for each op; `boundaries` defines which vectors count."""

from __future__ import annotations

import functools
import math
import struct
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from support.boundaries import (
    BOTH_WAYS,
    DECODE,
    DIALECT,
    ENCODE,
    OWN,
    READ,
    Cell,
    Fits,
    Row,
    begins,
    both,
    bytes_are,
    canonical,
    meaning,
    of_length,
    read_uvarint,
    refused,
    request_of,
    rows,
    unwritable,
    uvarint,
    valid,
    value_is,
    zigzag,
)

from wireproof import reference
from wireproof.conformance.model import Op
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference import catalog, records
from wireproof.reference.dialects.kafka import prefixed
from wireproof.reference.errors import Reason

# --- Fixed widths -----------------------------------------------------------------------------------------------------

#: type → (bytes, signed)
INTEGERS = {
    "INT8": (1, True),
    "INT16": (2, True),
    "INT32": (4, True),
    "INT64": (8, True),
    "UINT16": (2, False),
    "UINT32": (4, False),
}


def ends(width: int) -> Iterator[Row]:
    """Of what has a fixed width: cut after each byte, and a byte too many."""
    for length in range(width):
        yield f"cut after {length} bytes", DECODE, refused(Reason.TRUNCATED, of_length(length))
    yield "a byte more", DECODE, refused(Reason.TRAILING_BYTES, of_length(width + 1))


def integer(width: int, signed: bool) -> Iterator[Row]:
    low = -(1 << 8 * width - 1) if signed else 0
    high = (1 << 8 * width - (1 if signed else 0)) - 1
    for number in sorted({low, high, 0, 1, -1 if signed else 1}):
        yield f"{number}", BOTH_WAYS, canonical(number.to_bytes(width, signed=signed))
    for number in (low - 1, high + 1):
        yield f"{number}, out of range", ENCODE, unwritable(Reason.OUT_OF_RANGE, value_is(number))
    yield from ends(width)


def boolean() -> Iterator[Row]:
    yield "false", BOTH_WAYS, canonical(b"\0")
    yield "true", BOTH_WAYS, canonical(b"\1")
    for byte in (b"\2", b"\x7f", b"\x80", b"\xff"):
        yield f"true as {byte.hex()}", READ, valid(bytes_are(byte))
    yield from ends(1)


FLOATS = (0.0, -0.0, 1.0, math.inf, -math.inf, 1.7976931348623157e308, 5e-324)


def float64() -> Iterator[Row]:
    for number in FLOATS:
        yield f"{number}", BOTH_WAYS, canonical(struct.pack(">d", number))
    yield "the usual NaN", BOTH_WAYS, canonical(bytes.fromhex("7ff8000000000000"))
    others = valid(lambda vector: math.isnan(vector.value) and vector.data != bytes.fromhex("7ff8000000000000"))
    yield "a NaN of other bits", BOTH_WAYS, others
    yield from ends(8)


def uuids() -> Iterator[Row]:
    yield "zero", BOTH_WAYS, meaning(uuid.UUID(int=0))
    yield "all ones", BOTH_WAYS, meaning(uuid.UUID(int=2**128 - 1))
    different = valid(lambda vector: len(set(vector.data)) == 16)
    yield "sixteen different bytes", BOTH_WAYS, different
    yield from ends(16)


# --- Varints ----------------------------------------------------------------------------------------------------------

#: type → (bits, zigzag)
VARINTS = {"UNSIGNED_VARINT": (32, False), "VARINT": (32, True), "VARLONG": (64, True)}


def varint(width: int, signed: bool) -> Iterator[Row]:
    longest = -(-width // 7)
    for length in range(1, longest + 1):
        first = 1 << 7 * (length - 1) if length > 1 else 0
        last = min((1 << 7 * length) - 1, (1 << width) - 1)
        for code in {first, first + 1, last - 1, last} if signed else {first, last}:
            number = zigzag(code) if signed else code
            fits = both(canonical(uvarint(code)), meaning(number))
            yield f"{number}, at an end of {length} bytes", BOTH_WAYS, fits
        if length > 1:
            yield f"overlong in {length} bytes", READ, _overlong(length)
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    for number in (low - 1, high + 1):
        yield f"{number}, out of range", ENCODE, unwritable(Reason.OUT_OF_RANGE, value_is(number))
    for bit in range(width % 7, 7):
        fits = refused(Reason.VARINT_OVERFLOW, _high_bit(longest, bit))
        yield f"bit {7 * (longest - 1) + bit} in the last byte", DECODE, fits
    more = refused(Reason.VARINT_OVERFLOW, lambda vector: _continued(vector.data, longest))
    yield f"byte {longest} says that another follows", DECODE, more
    for length in range(longest):
        yield f"cut after {length} bytes", DECODE, refused(Reason.TRUNCATED, of_length(length))
    yield "a byte more", DECODE, refused(Reason.TRAILING_BYTES)


def _overlong(length: int) -> Fits:
    return valid(lambda vector: len(vector.data) == length > len(vector.canonical_data))


def _continued(data: bytes, count: int) -> bool:
    return len(data) > count and all(byte >= 0x80 for byte in data[:count])


def _high_bit(longest: int, bit: int) -> Fits:
    return lambda vector: len(vector.data) == longest and vector.data[-1] < 0x80 and bool(vector.data[-1] >> bit & 1)


# --- Text, bytes, arrays ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sized:
    """A type with a length or a count in front."""

    name: str

    @property
    def nullable(self) -> bool:
        return "NULLABLE" in self.name

    @property
    def compact(self) -> bool:
        return self.name.startswith("COMPACT")

    @property
    def text(self) -> bool:
        return self.name.endswith("STRING")

    @property
    def array(self) -> bool:
        return self.name.endswith("ARRAY")

    @property
    def width(self) -> int:
        """Bytes of a classic prefix."""
        return 2 if self.text else 4

    def prefix(self, length: int) -> bytes:
        """The prefix of a length; −1 is null."""
        return uvarint(length + 1) if self.compact else length.to_bytes(self.width, signed=True)

    def announced(self, data: bytes) -> tuple[int, int]:
        """The length that the prefix announces, and how many bytes are left behind it."""
        if self.compact:
            number, end = read_uvarint(data, 0)
            return number - 1, len(data) - end
        return int.from_bytes(data[: self.width], signed=True), len(data) - self.width

    @property
    def bombs(self) -> tuple[int, ...]:
        """The largest lengths, announced and not there."""
        if not self.compact:
            return (2**15 - 1,) if self.text else (2**31 - 1,)
        return 2**31 - 1, 2**31, 2**32 - 2


SIZED = [
    Sized(compact + nullable + content)
    for compact in ("", "COMPACT_")
    for nullable in ("", "NULLABLE_")
    for content in ("STRING", "BYTES", "ARRAY")
]


def sized(of: Sized) -> Iterator[Row]:
    null = of.prefix(-1)
    if of.nullable:
        yield "null", BOTH_WAYS, both(canonical(null), meaning(None))
    else:
        yield "null", DECODE, refused(Reason.NULL_NOT_ALLOWED, bytes_are(null))
        yield "null", ENCODE, unwritable(Reason.NULL_NOT_ALLOWED, value_is(None))
    yield "empty", BOTH_WAYS, canonical(of.prefix(0))
    yield "one element", BOTH_WAYS, _holds(of, (1).__eq__)
    yield "several elements", BOTH_WAYS, _holds(of, lambda length: 1 < length < 100)
    yield "nothing at all", DECODE, refused(Reason.TRUNCATED, of_length(0))
    yield "a byte more", DECODE, refused(Reason.TRAILING_BYTES)
    yield "one more announced than there is", DECODE, refused(Reason.TRUNCATED, _lacks(of, one=True))
    yield from (_compact if of.compact else _classic)(of)
    for bomb in of.bombs:
        yield f"{bomb} announced, and not there", DECODE, refused(Reason.TRUNCATED, _announces(of, bomb))
    if of.text:
        yield from _text(of)
    elif not of.array:
        yield "more than a string has", BOTH_WAYS, _holds(of, lambda length: length > 2**15 - 1)
    else:
        yield from _array(of)


def _announces(of: Sized, length: int) -> Fits:
    def fits(vector: Vector) -> bool:
        announced, left = of.announced(vector.data)
        return announced == length > left

    return fits


def _holds(of: Sized, test: Callable[[int], bool]) -> Fits:
    def fits(vector: Vector) -> bool:
        return vector.kind is VectorKind.VALID and vector.value is not None and test(_length(vector.value))

    return fits


def _length(value: str | bytes | list[object]) -> int:
    return len(value.encode()) if isinstance(value, str) else len(value)


def _lacks(of: Sized, one: bool) -> Fits:
    def fits(vector: Vector) -> bool:
        announced, left = of.announced(vector.data)
        return announced == left + 1 if one else 0 < left < announced

    return fits


def _classic(of: Sized) -> Iterator[Row]:
    for length in range(1, of.width):
        yield f"a prefix cut after {length} bytes", DECODE, refused(Reason.TRUNCATED, of_length(length))
    for number in (-2, -(1 << 8 * of.width - 1)):
        prefix = number.to_bytes(of.width, signed=True)
        yield f"length {number}", DECODE, refused(Reason.NEGATIVE_LENGTH, begins(prefix))


def _compact(of: Sized) -> Iterator[Row]:
    cut = refused(Reason.TRUNCATED, lambda vector: bool(vector.data) and all(byte >= 0x80 for byte in vector.data))
    yield "a prefix cut after a byte", DECODE, cut
    overlong = valid(lambda vector: vector.data != vector.canonical_data)
    yield "an overlong prefix", READ, overlong
    high = refused(Reason.VARINT_OVERFLOW)
    yield "bits above the width of the prefix", DECODE, high
    if not of.nullable:
        for length in (126, 127, 16382, 16383):
            fits = _holds(of, length.__eq__)
            yield f"{length} long, at an end of the prefix's length", BOTH_WAYS, fits


def _text(of: Sized) -> Iterator[Row]:
    yield (
        "text of more than one byte a character",
        BOTH_WAYS,
        valid(lambda vector: isinstance(vector.value, str) and not vector.value.isascii()),
    )
    yield "no UTF-8", DECODE, refused(Reason.INVALID_UTF8)
    yield "the longest", BOTH_WAYS, _holds(of, (2**15 - 1).__eq__)
    too_long = unwritable(Reason.STRING_TOO_LONG, lambda vector: _length(vector.value) == 2**15)
    yield "longer than the longest", ENCODE, too_long
    if of.compact:
        fits = refused(Reason.STRING_TOO_LONG, lambda vector: of.announced(vector.data)[0] == 2**15)
        yield "longer than the longest, and there", DECODE, fits


def _array(of: Sized) -> Iterator[Row]:
    nested = valid(lambda vector: (vector.type or "").count("<") > 1 and bool(vector.value))
    yield "an array of arrays", BOTH_WAYS, nested
    cut = refused(Reason.TRUNCATED, lambda vector: vector.reject is not None and bool(vector.reject.offset))
    yield "cut inside an element", DECODE, cut


# --- Tag buffers ------------------------------------------------------------------------------------------------------

Tags = list[tuple[int, bytes]]


def _tags(vector: Vector) -> Tags:
    """A valid vector's tags."""
    return [(int(tag), bytes(data)) for tag, data in vector.value] if vector.kind is VectorKind.VALID else []


def some_tags(test: Callable[[Tags], bool]) -> Fits:
    return lambda vector: vector.kind is VectorKind.VALID and test(_tags(vector))


def _numbers(tags: Tags) -> list[int]:
    return [tag for tag, _ in tags]


def tag_buffer() -> Iterator[Row]:
    yield "none", BOTH_WAYS, canonical(b"\0")
    yield "one", BOTH_WAYS, some_tags(lambda tags: len(tags) == 1)
    yield "neighbours, ascending", BOTH_WAYS, some_tags(lambda tags: _numbers(tags)[:2] == [0, 1])
    gap = some_tags(lambda tags: len(tags) > 1 and _numbers(tags)[1] > _numbers(tags)[0] + 1)
    yield "a gap", BOTH_WAYS, gap
    for tag in (0, 127, 128, 16383, 16384, 2**31 - 1, 2**31, 2**32 - 1):
        yield f"tag {tag}", BOTH_WAYS, _has_tag(tag)
    for size in (0, 1, 127, 128):
        yield f"size {size}", BOTH_WAYS, _has_size(size)
    for count in (127, 128):
        yield f"{count} tags", BOTH_WAYS, _has_count(count)
    yield "tags twice", DECODE, refused(Reason.TAG_DUPLICATE)
    yield "tags descending", DECODE, refused(Reason.TAG_ORDER)
    yield "a size beyond the input", DECODE, refused(Reason.TRUNCATED, lambda vector: _short_by(vector) > 1)
    yield "a size one beyond the input", DECODE, refused(Reason.TRUNCATED, lambda vector: _short_by(vector) == 1)
    yield "a size of 2³² − 1", DECODE, refused(Reason.TRUNCATED, lambda vector: _short_by(vector) > 2**32 - 100)
    for count in (2**31 - 1, 2**32 - 1):
        yield f"{count} tags announced", DECODE, refused(Reason.TRUNCATED, begins(uvarint(count)))
    missing = refused(Reason.TRUNCATED, lambda vector: vector.data in (b"\1", b"\2"))
    yield "a tag announced, and nothing there", DECODE, missing
    yield "nothing at all", DECODE, refused(Reason.TRUNCATED, of_length(0))
    yield "cut behind a tag's number", DECODE, refused(Reason.TRUNCATED, lambda vector: len(vector.data) == 2)
    yield "a byte more", DECODE, refused(Reason.TRAILING_BYTES)
    for place in ("count", "tag", "size"):
        yield f"an overlong {place}", READ, valid(_overlong_at(place))
        yield f"a {place} with bits above its width", DECODE, refused(Reason.VARINT_OVERFLOW, _overlong_at(place))
    yield "given out of order", ENCODE, lambda vector: vector.or_reject is not None
    yield "given twice", ENCODE, unwritable(Reason.TAG_DUPLICATE)
    yield "a tag of 2³²", ENCODE, unwritable(Reason.OUT_OF_RANGE)


def _has_tag(tag: int) -> Fits:
    return some_tags(lambda tags: tag in _numbers(tags))


def _has_size(size: int) -> Fits:
    return some_tags(lambda tags: size in [len(data) for _, data in tags])


def _has_count(count: int) -> Fits:
    return some_tags(lambda tags: len(tags) == count)


def _overlong_at(place: str) -> Fits:
    return lambda vector: _overlong_place(vector) == place


def _first_tag(data: bytes) -> tuple[int, int, int]:
    """Where the first tag, its size and its content begin."""
    _, tag = read_uvarint(data, 0)
    _, size = read_uvarint(data, tag)
    _, content = read_uvarint(data, size)
    return tag, size, content


def _short_by(vector: Vector) -> int:
    """By how much the first tag's size is beyond the input."""
    _, size, content = _first_tag(vector.data)
    return read_uvarint(vector.data, size)[0] - (len(vector.data) - content)


def _overlong_place(vector: Vector) -> str:
    """Which of the first tag's three varints has more bytes than it needs."""
    tag, size, content = _first_tag(vector.data)
    for name, start, end in (("count", 0, tag), ("tag", tag, size), ("size", size, content)):
        if end - start > len(uvarint(read_uvarint(vector.data, start)[0] & 0xFFFFFFFF)):
            return name
    return ""


# --- Headers, bodies, frames ------------------------------------------------------------------------------------------

#: Nothing of them could be missing.
WITHOUT_BYTES = {("ApiVersionsRequest", version) for version in (0, 1, 2)}
FLEXIBLE = {
    "RequestHeader": {2},
    "ResponseHeader": {1},
    "ApiVersionsRequest": {3, 4, 5},
    "ApiVersionsResponse": {3, 4, 5},
}


def at_version(name: str, version: int) -> Iterator[Row]:
    """A structure, or a frame, of one version."""
    yield "valid", BOTH_WAYS, valid(lambda _: True)
    yield "a byte more", DECODE, refused(Reason.TRAILING_BYTES)
    if (name, version) not in WITHOUT_BYTES:
        yield "cut", DECODE, refused(Reason.TRUNCATED)
    if version in FLEXIBLE.get(name, ()):
        yield "an unknown tag", BOTH_WAYS, valid(lambda vector: bool(vector.value.get("_tags")))
    if name == "RequestHeader" and version > 0:
        yield from client_id()


def outside() -> Iterator[Row]:
    """Of a version that there is not."""

    def fits(vector: Vector) -> bool:
        return vector.reject is not None and vector.reject.reason is Reason.UNSUPPORTED_VERSION

    yield "no such version", DECODE, fits
    yield "no such version", ENCODE, fits


def of_any_version(name: str) -> Iterator[Row]:
    """What has no more to do with one version than with another."""
    if name.startswith("ResponseFrame"):
        yield from frame()
        return
    yield "a field that no version has", ENCODE, unwritable(Reason.UNKNOWN_FIELD)
    yield "tags in a version that lacks them", ENCODE, unwritable(Reason.TAGS_NOT_ALLOWED)
    yield "tags twice", DECODE, refused(Reason.TAG_DUPLICATE)
    yield "tags descending", DECODE, refused(Reason.TAG_ORDER)
    yield "tags twice", ENCODE, unwritable(Reason.TAG_DUPLICATE)
    yield "without its tag buffer", DECODE, refused(Reason.TRUNCATED, _at_end)
    if name == "ApiVersionsResponse":
        yield from known_tags()


def _at_end(vector: Vector) -> bool:
    return vector.reject is not None and vector.reject.offset == len(vector.data)


def client_id() -> Iterator[Row]:
    yield "client id null", BOTH_WAYS, valid(lambda vector: vector.value["ClientId"] is None)
    yield "client id empty", BOTH_WAYS, valid(lambda vector: vector.value["ClientId"] == "")
    yield "client id of a negative length", DECODE, refused(Reason.NEGATIVE_LENGTH)
    yield "client id that is no UTF-8", DECODE, refused(Reason.INVALID_UTF8)


def known_tags() -> Iterator[Row]:
    """The response's body has tags that it knows."""
    for field in ("SupportedFeatures", "FinalizedFeaturesEpoch", "FinalizedFeatures", "ZkMigrationReady"):
        yield f"{field}, in its tag", BOTH_WAYS, _holds_no_default(field)
    explicit = valid(lambda vector: len(vector.data) > len(vector.canonical_data))
    yield "an explicit default", READ, explicit
    yield "a size larger than the value", DECODE, refused(Reason.LENGTH_MISMATCH)
    yield "a size smaller than the value", DECODE, refused(Reason.TRUNCATED)
    yield "a known tag given as unknown", ENCODE, unwritable(Reason.KNOWN_TAG)
    yield "keys null", DECODE, refused(Reason.NULL_NOT_ALLOWED)
    yield "keys null", ENCODE, unwritable(Reason.NULL_NOT_ALLOWED)


def _holds_no_default(field: str) -> Fits:
    return valid(lambda vector: vector.value.get(field) not in ([], -1, False, None))


def frame() -> Iterator[Row]:
    """The size of a frame, whatever is in it."""
    for length in range(4):
        yield f"a size cut after {length} bytes", DECODE, refused(Reason.TRUNCATED, of_length(length))
    yield "a size alone", DECODE, refused(Reason.TRUNCATED, of_length(4))
    for size in (-1, -(2**31)):
        fits = refused(Reason.NEGATIVE_LENGTH, begins(size.to_bytes(4, signed=True)))
        yield f"size {size}", DECODE, fits
    yield "size 2³¹ − 1", DECODE, refused(Reason.TRUNCATED, begins(bytes.fromhex("7fffffff")))
    yield "size 0", DECODE, refused(Reason.TRUNCATED, begins(bytes(4)))
    yield "a size one too large", DECODE, refused(Reason.TRUNCATED, lambda vector: _size_off(vector) == 1)
    yield "bytes behind the frame", DECODE, refused(Reason.TRAILING_BYTES, lambda vector: _size_off(vector) < 0)
    yield "bytes between body and end", DECODE, refused(Reason.TRAILING_BYTES, lambda vector: _size_off(vector) == 0)
    yield "a size smaller than header and body", DECODE, refused(Reason.TRUNCATED, lambda vector: _size_off(vector) < 0)
    cut = refused(Reason.TRUNCATED, lambda vector: _size_off(vector) == 0 and len(vector.data) > 4)
    yield "header or body cut, the size mended", DECODE, cut


def _size_off(vector: Vector) -> int:
    """By how much a frame's size is larger than what is there."""
    return int.from_bytes(vector.data[:4], signed=True) - (len(vector.data) - 4) if len(vector.data) >= 4 else 0


def request_frame(span: tuple[int, int]) -> Iterator[Row]:
    for version in range(span[0], span[1] + 1):
        yield f"ApiVersions {version}", BOTH_WAYS, valid(_asks(18, version))
    for version in (span[0] - 1, span[1] + 1):
        yield f"ApiVersions {version}", DECODE, refused(Reason.UNSUPPORTED_VERSION, _asks(18, version))
    yield "a version that there is not", ENCODE, unwritable(Reason.UNSUPPORTED_VERSION)
    yield "an api that there is not", DECODE, refused(Reason.UNKNOWN_API)
    yield "an api that there is not", ENCODE, unwritable(Reason.UNKNOWN_API)


def _asks(key: int, version: int) -> Fits:
    return lambda vector: request_of(vector.data) == (key, version)


# --- Messages behind their version ------------------------------------------------------------------------------------

#: One codec reads the version of all of them, so what it does with bytes that end there is asked of the family once.
FAMILY = "VersionPrefixed"


def version_prefixed(name: str) -> Iterator[Row]:
    """The version before a message: each that there is, and those next to them."""
    message = name.removeprefix(prefixed.PREFIX)
    versions = sorted(prefixed.messages(message, catalog.bundled())[1])
    for version in versions:
        yield f"version {version}", BOTH_WAYS, valid(_behind(version))
    below, above = versions[0] - 1, versions[-1] + 1
    yield f"version {below}", DECODE, refused(Reason.UNSUPPORTED_VERSION, _behind(below))
    newer = valid if message in prefixed.IN_CATALOG else functools.partial(refused, Reason.UNSUPPORTED_VERSION)
    yield f"version {above}", DECODE, newer(_behind(above))


def _behind(version: int) -> Fits:
    return begins(version.to_bytes(2, signed=True))


def of_the_family() -> Iterator[Row]:
    yield "half a version", DECODE, refused(Reason.TRUNCATED, of_length(1))
    yield "cut", DECODE, refused(Reason.TRUNCATED, lambda vector: len(vector.data) > 2)
    yield "a byte more", DECODE, refused(Reason.TRAILING_BYTES)
    yield "no such version", ENCODE, unwritable(Reason.UNSUPPORTED_VERSION)


# --- The table --------------------------------------------------------------------------------------------------------

#: Of the messages, ApiVersions: the others have no vectors yet. Records have a table of their own.
TYPES = {
    name: span
    for name, span in reference.types[DIALECT].items()
    if name not in records.TYPES and (span is None or "ApiVersions" in name or name.endswith("Header"))
}


def cells(name: str, span: tuple[int, int] | None) -> Iterator[Cell]:
    """All cells of a type of the table."""
    if name in INTEGERS:
        yield from rows(name, None, integer(*INTEGERS[name]))
    elif name in VARINTS:
        yield from rows(name, None, varint(*VARINTS[name]))
    elif name == "ARRAY":
        for of in SIZED:
            if of.array:
                yield from rows(of.name, None, sized(of))
    elif Sized(name) in SIZED:
        yield from rows(name, None, sized(Sized(name)))
    elif name in ALONE:
        yield from rows(name, None, ALONE[name]())
    elif name == "RequestFrame":
        yield from rows(name, None, [*frame(), *request_frame(OWN)])
    elif name.startswith(prefixed.PREFIX):
        yield from rows(name, None, version_prefixed(name))
    elif span is not None:
        yield from _of_versions(name, span)


ALONE: dict[str, Callable[[], Iterator[Row]]] = {
    "BOOLEAN": boolean,
    "FLOAT64": float64,
    "UUID": uuids,
    "TAG_BUFFER": tag_buffer,
}


def _of_versions(name: str, span: tuple[int, int]) -> Iterator[Cell]:
    low, high = span
    for version in range(low, high + 1):
        yield from rows(name, version, at_version(name, version))
    # A header's version is no number on the wire: nobody would ask for a negative one.
    for version in (high + 1,) if name.endswith("Header") else (low - 1, high + 1):
        yield from rows(name, version, outside())
    yield from rows(name, None, of_any_version(name))


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_boundary_of_a_type_has_a_vector(name: str) -> None:
    table = list(cells(name, TYPES[name]))
    assert table, f"{name} is in the type table, and this test knows no boundary of it"
    assert [str(cell) for cell in table if not cell.filled()] == []


def test_every_boundary_of_a_version_before_a_message_has_a_vector() -> None:
    assert [str(cell) for cell in rows(FAMILY, None, of_the_family()) if not cell.filled()] == []


def test_the_table_is_large_and_says_nothing_twice() -> None:
    table = [str(cell) for name in TYPES for cell in cells(name, TYPES[name])]
    assert len(table) > 800
    assert len(table) == len(set(table))


def test_an_empty_cell_is_noticed() -> None:
    never = Cell("INT8", None, "what no vector is", Op.DECODE, lambda _: False)
    other_op = Cell("INT8", None, "5", Op.LOOKUP, lambda _: True)
    other_type = Cell("INT7", None, "5", Op.DECODE, lambda _: True)
    there = Cell("INT8", None, "anything", Op.DECODE, lambda _: True)
    assert [cell.filled() for cell in (never, other_op, other_type, there)] == [False, False, False, True]
