"""KIP-82 with string keys: a second reading of the page, which knows nothing of the reference, says the same."""

from __future__ import annotations

import ast
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from second_opinion import kip_82_string_keys as second

import reference
from conformance import vectors
from conformance.model import Op
from conformance.values import equal
from conformance.vectors import Kind
from reference import Reference, Rules, WireError
from reference.cursor import Reader
from reference.dialects.kip_82_string_keys import batch, messages
from reference.dialects.kip_82_string_keys.numbers import read_length
from reference.primitives import read_unsigned_varint

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


def test_it_imports_nothing_of_the_kit() -> None:
    tree = ast.parse(Path(second.__file__ or "").read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names == {"__future__", "collections.abc", "construct", "typing", "zlib"}


def test_every_golden_vector() -> None:
    asked = 0
    for vector in VECTORS:
        if vector.kind is Kind.LOOKUP:
            assert second.lookup(vector.type or "", vector.data, vector.args["key"]) == vector.expected
        elif Op.DECODE in vector.ops:
            expected = None if vector.kind is Kind.INVALID else vector.value
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
        """With one byte another, more, or less."""
        at = self.random.randrange(len(data) + 1)
        some = self.random.randbytes(1)
        return self.random.choice((data[:at] + some + data[at + 1 :], data[:at] + some + data[at:], data[:at]))


def test_ten_thousand_messages() -> None:
    maker = Maker(82)
    made = [maker.message() for _ in range(MESSAGES)]
    refused = 0
    for number in range(0, MESSAGES, 2):
        for type_name, value in (("MESSAGE", made[number]), ("MESSAGE", made[number + 1])):
            data = reference.encode(type_name, value, dialect=DRAFT)
            assert equal(first(type_name, data), other(type_name, data)), data.hex()
        faulty = maker.faulty(data)
        assert not differs("MESSAGE", faulty), faulty.hex()
        refused += first("MESSAGE", faulty) is None
    assert MESSAGES / 2 > refused > MESSAGES / 8  # of what has a fault some is another message
    for number in range(0, MESSAGES, 32):
        value = maker.batch(made[number : number + 4])
        data = reference.encode("BATCH", value, dialect=DRAFT)
        assert equal(first("BATCH", data), other("BATCH", data)), data.hex()
        faulty = maker.faulty(data)
        assert not differs("BATCH", faulty), faulty.hex()


def test_it_writes_the_same_bytes() -> None:
    for vector in VECTORS:
        if vector.kind is Kind.VALID and vector.type in ("UVARINT", "INTVAR", "HEADER", "HEADERS"):
            assert second.encode(vector.type, vector.value) == vector.canonical_data, vector.path


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
    ],
    ids=["R-D-1", "R-D-2", "R-82s-6-grouped", "R-82s-6-sorted", "R-82s-8"],
)
def test_another_reading_is_noticed(rules: Rules) -> None:
    assert noticed() == 0
    assert noticed(rules) > 0


def inverted(patch: pytest.MonkeyPatch) -> None:
    """R-82s-1: the bits change places."""
    patch.setattr(messages, "NULL_KEY", 2)
    patch.setattr(messages, "NULL_VALUE", 1)


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


def with_compression(patch: pytest.MonkeyPatch) -> None:
    """R-82s-10: codec bits are not looked at."""
    patch.setattr(batch, "CODEC", 0)


@pytest.mark.parametrize(
    "plant",
    [
        inverted,
        counted_itself,
        counted_headers,
        sized_values,
        with_the_wrong_crc,
        of_another_magic,
        with_compression,
    ],
)
def test_a_misreading_of_the_reference_is_noticed(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert noticed() == 0
    plant(monkeypatch)
    assert noticed() > 0
