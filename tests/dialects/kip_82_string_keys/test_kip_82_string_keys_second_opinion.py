"""KIP-82 with string keys: a second opinion, independent of the reference, agrees with it."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from second_opinion import kip_82_string_keys as second

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference import Reference, Rules, WireError
from wireproof.reference.cursor import Reader
from wireproof.reference.dialects.kip_82_string_keys import batch, messages
from wireproof.reference.dialects.kip_82_string_keys.numbers import read_length
from wireproof.reference.primitives import read_unsigned_varint

DRAFT = "kip-82-string-keys"
VECTORS = vectors.load([DRAFT])
#: So many messages are made, an eighth of them in batches; each also with a byte that differs.
MESSAGES = 10_000


def first(type_name: str, data: bytes, rules: Rules | None = None) -> Any:
    """The reference's value, None where it refuses."""
    try:
        return Reference(rules).decode(type_name, data, dialect=DRAFT)
    except WireError:
        return None


def other(type_name: str, data: bytes) -> Any:
    """The second opinion's value, None where it refuses."""
    try:
        return second.decode(type_name, data)
    except second.RefusedError:
        return None


def differs(type_name: str, data: bytes, rules: Rules | None = None) -> bool:
    """Whether the two read these bytes differently. Null is no value of any of these types."""
    one, two = first(type_name, data, rules), other(type_name, data)
    return (one is None) != (two is None) or (one is not None and not equal(one, two))


def converted(vector: Vector) -> bytes | None:
    """The second opinion's bytes, None where it refuses."""
    try:
        return second.convert(vector.type or "", vector.data, vector.args["to"])
    except second.RefusedError:
        return None


def found_by(vector: Vector) -> list[bytes] | None:
    """The values that the second opinion finds, None where it refuses."""
    try:
        return second.lookup(vector.type or "", vector.data, vector.args["key"])
    except second.RefusedError:
        return None


def test_every_golden_vector() -> None:
    asked = 0
    for vector in VECTORS:
        if vector.kind is VectorKind.CONVERT and not vector.compare_decoded:
            assert converted(vector) == (vector.canonical_data if vector.reject is None else None), vector.path
        elif vector.kind is VectorKind.LOOKUP:
            assert found_by(vector) == vector.expected, vector.path
        elif Op.DECODE in vector.ops:
            expected = None if vector.kind is VectorKind.INVALID else vector.value
            assert equal(expected, other(vector.type or "", vector.data)), vector.path
        asked += Op.DECODE in vector.ops
    assert asked > 200


# --- Messages that are made -------------------------------------------------------------------------------------------


class Maker:
    """Values at random, borders often; the same ones each time."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        bits = self.random.randrange(high.bit_length() + 1)
        number = self.random.choice((1 << bits, (1 << bits) - 1, self.random.getrandbits(bits + 1)))
        number = number if low >= 0 or self.random.random() < 0.5 else -number
        return min(max(number, low), high)

    def octets(self) -> bytes:
        return self.random.randbytes(self.random.choice((0, 1, 2, 5, 30, 63, 64, 127, 128)))

    def text(self) -> str:
        return self.random.choice(("", "a", "a", "b", "é", "𝄞", "key", "k" * 127, "k" * 128))

    def headers(self) -> list[tuple[str, bytes]]:
        return [(self.text(), self.octets()) for _ in range(self.random.choice((0, 0, 1, 2, 3, 5)))]

    def message(self) -> dict[str, Any]:
        return {
            "attributes": self.integer(-128, 127),
            "timestampDelta": self.integer(-(1 << 63), (1 << 63) - 1),
            "offsetDelta": self.integer(0, (1 << 32) - 1),
            "key": None if self.random.random() < 0.3 else self.octets(),
            "value": None if self.random.random() < 0.3 else self.octets(),
            "headers": self.headers(),
        }

    def batch(self, held: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "firstOffset": self.integer(-(1 << 63), (1 << 63) - 1),
            "attributes": self.integer(-(1 << 15), (1 << 15) - 1) & ~7,
            "lastOffsetDelta": self.integer(-(1 << 31), (1 << 31) - 1),
            "firstTimestamp": self.integer(-(1 << 63), (1 << 63) - 1),
            "maxTimestamp": self.integer(-(1 << 63), (1 << 63) - 1),
            "pid": self.integer(-(1 << 63), (1 << 63) - 1),
            "epoch": self.integer(-(1 << 15), (1 << 15) - 1),
            "firstSequence": self.integer(-(1 << 31), (1 << 31) - 1),
            "records": held,
        }

    def faulty(self, data: bytes) -> bytes:
        """With one byte another, one more, or the end cut off."""
        at = self.random.randrange(len(data) + 1)
        some = self.random.randbytes(1)
        return self.random.choice((data[:at] + some + data[at + 1 :], data[:at] + some + data[at:], data[:at]))


def with_presence(message: dict[str, Any]) -> dict[str, Any]:
    """As it is read: bits 0 and 1 follow from nulls."""
    nulls = (message["key"] is None) | (message["value"] is None) << 1
    return {**message, "attributes": message["attributes"] & ~3 | nulls}


def both_read(type_name: str, value: Any, expected: Any) -> bytes:
    """The bytes of a value, which both write so, and read as it is expected."""
    data: bytes = reference.encode(type_name, value, dialect=DRAFT)
    assert second.encode(type_name, value) == data, value
    for found in (first(type_name, data), other(type_name, data)):
        assert equal(expected, found), data.hex()
    return data


def both_refuse(type_name: str, data: bytes) -> bool:
    """Whether both refuse bytes that may have a fault; they may not differ in it."""
    assert not differs(type_name, data), data.hex()
    return first(type_name, data) is None


def test_ten_thousand_messages() -> None:
    maker = Maker(82)
    made = [maker.message() for _ in range(MESSAGES)]
    expected = [*map(with_presence, made)]
    refused = 0
    for value, found in zip(made, expected, strict=True):
        data = both_read("MESSAGE", value, found)
        refused += both_refuse("MESSAGE", maker.faulty(data))
    assert MESSAGES * 3 / 4 > refused > MESSAGES / 4  # of what has a fault some is another message
    refused = 0
    for number in range(0, MESSAGES, 32):
        value = maker.batch(made[number : number + 4])
        data = both_read("BATCH", value, value | {"records": expected[number : number + 4]})
        refused += both_refuse("BATCH", maker.faulty(data))
    assert refused > MESSAGES / 32 * 9 / 10  # only of the first eight bytes no CRC knows


@pytest.mark.parametrize("type_name", ["UVARINT", "INTVAR", "HEADER", "HEADERS"])
def test_a_thousand_parts(type_name: str) -> None:
    maker = Maker(98)
    made: dict[str, Callable[[], Any]] = {
        "UVARINT": lambda: maker.integer(0, (1 << 32) - 1),
        "INTVAR": lambda: maker.integer(-(1 << 63), (1 << 63) - 1),
        "HEADER": lambda: (maker.text(), maker.octets()),
        "HEADERS": maker.headers,
    }
    refused = 0
    for _ in range(1000):
        value = made[type_name]()
        data = both_read(type_name, value, value)
        refused += both_refuse(type_name, maker.faulty(data))
    assert 1000 > refused > 100


def test_it_writes_the_same_bytes() -> None:
    written = [
        vector
        for vector in VECTORS
        if vector.kind is VectorKind.VALID and Op.ENCODE in vector.ops and not vector.compare_decoded
    ]
    for vector in written:
        assert second.encode(vector.type or "", vector.value) == vector.canonical_data, vector.path
    assert len(written) > 100


# --- A ruling that is read wrongly is noticed -------------------------------------------------------------------------


def noticed(rules: Rules | None = None) -> int:
    """How many of the golden vectors the two then read differently."""
    return sum(differs(v.type or "", v.data, rules) for v in VECTORS if v.type and Op.DECODE in v.ops)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(overlong_varints="refused"),
        Rules(invalid_text="replaced"),
        Rules(header_order="grouped"),
        Rules(header_order="sorted"),
        Rules(uint_var="zigzag"),
        Rules(header_count="int32"),
        Rules(header_count="uint-var"),
        Rules(header_flag="bit-4"),
        Rules(batch_codec="refused"),
        Rules(batch_codec="kept"),
    ],
    ids=[
        "R-D-1",
        "R-D-2",
        "R-82s-6-grouped",
        "R-82s-6-sorted",
        "R-82s-8",
        "R-82s-4-int32",
        "R-82s-4-uint-var",
        "R-82s-7",
        "R-82s-10-refused",
        "R-82s-10-kept",
    ],
)
def test_another_reading_is_noticed(rules: Rules) -> None:
    assert noticed() == 0
    assert noticed(rules) > 0


def with_bits_swapped(patch: pytest.MonkeyPatch) -> None:
    """R-82s-1: the bits change places."""
    patch.setattr(messages, "NULL_KEY", 2)
    patch.setattr(messages, "NULL_VALUE", 1)


def with_empty_for_null(patch: pytest.MonkeyPatch) -> None:
    """R-82s-2: what is empty is null."""
    plain = messages._read_bytes
    patch.setattr(messages, "_read_bytes", lambda reader, path: plain(reader, path) or None)


def counted_itself(patch: pytest.MonkeyPatch) -> None:
    """R-82s-3: a length that counts its own byte."""
    plain = read_length

    def read(reader: Reader, what: str) -> int:
        length = plain(reader, what)
        return length - 1 if length and what in ("message length", "header length") else length

    patch.setattr(messages, "read_length", read)


def counted_headers(patch: pytest.MonkeyPatch) -> None:
    """R-82s-4: a count before the headers of a message."""
    plain = messages.read_headers

    def read(reader: Reader, path: str = "") -> Any:
        read_unsigned_varint(reader)
        return plain(reader, path)

    patch.setattr(messages, "read_headers", read)


def sized_values(patch: pytest.MonkeyPatch) -> None:
    """R-82s-5: a length before a header's value."""
    plain = messages._rest

    def read(reader: Reader, path: str) -> bytes:
        read_unsigned_varint(reader)
        return plain(reader, path)

    patch.setattr(messages, "_rest", read)


def with_the_wrong_crc(patch: pytest.MonkeyPatch) -> None:
    """R-82s-10: the CRC without the magic."""
    patch.setattr(batch, "crc", lambda covered: zlib.crc32(covered[1:]))


def of_another_magic(patch: pytest.MonkeyPatch) -> None:
    """R-82s-10: another magic."""
    patch.setattr(batch, "MAGIC", 3)


def with_times_swapped(patch: pytest.MonkeyPatch) -> None:
    """R-82s-10: the two timestamps change places."""
    fields = [*batch._FIELDS]
    fields[2], fields[3] = fields[3], fields[2]
    patch.setattr(batch, "_FIELDS", tuple(fields))


def without_compression(patch: pytest.MonkeyPatch) -> None:
    """R-82s-10: codec bits are not looked at."""
    patch.setattr(batch, "CODEC", 0)


@pytest.mark.parametrize(
    "plant",
    [
        with_bits_swapped,
        with_empty_for_null,
        counted_itself,
        counted_headers,
        sized_values,
        with_the_wrong_crc,
        of_another_magic,
        with_times_swapped,
        without_compression,
    ],
)
def test_a_misreading_of_the_reference_is_noticed(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert noticed() == 0
    plant(monkeypatch)
    assert noticed() > 0
