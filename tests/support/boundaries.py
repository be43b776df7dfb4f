"""A table of boundaries: cells, what fills one, and the vectors that do.

The cells follow from the type table, not from the vectors. A vector fills a cell by its bytes, its value or its reason,
never by its name. Each cell says how a vector is recognised that fills it; an empty one is a gap in the set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference.errors import Reason

DIALECT = "kafka"
Fits = Callable[[Vector], bool]
BOTH_WAYS = (Op.DECODE, Op.ENCODE, Op.RECODE)
#: The versions of ApiVersions.
OWN = (0, 5)


@dataclass(frozen=True)
class Cell:
    """A boundary of a type in one op, at a version of its, or (None) whatever the version is."""

    type: str
    version: int | None
    what: str
    op: Op
    fits: Fits

    def __str__(self) -> str:
        version = "" if self.version is None else f" {self.version}"
        return f"{self.type}{version}, {self.op}: {self.what}"

    def filled(self) -> bool:
        """Whether a vector asks it."""
        return any(
            self.op in vector.ops and self.fits(vector)
            for vector in VECTORS.get(self.type, ())
            if self.version in (None, vector.version)
        )


def _index() -> dict[str, list[Vector]]:
    """The vectors by type; those of an array by the kind of array, whatever its elements are, and those of messages
    behind their version by their family too."""
    found: dict[str, list[Vector]] = {}
    for vector in vectors.load([DIALECT]):
        name = (vector.type or vector.kind).partition("<")[0]
        found.setdefault(name, []).append(vector)
        family, colon, _ = name.partition(":")
        if colon:
            found.setdefault(family, []).append(vector)
    return found


VECTORS = _index()


# --- What fills a cell ------------------------------------------------------------------------------------------------


def canonical(data: bytes) -> Fits:
    """Valid, and just these bytes, which are what is written too."""
    return lambda vector: vector.kind is VectorKind.VALID and vector.data == data and vector.canonical_data == data


def meaning(value: object) -> Fits:
    """Valid, and this value, in its canonical form."""
    return lambda vector: (
        vector.kind is VectorKind.VALID and vector.data == vector.canonical_data and equal(value, vector.value)
    )


def valid(test: Fits) -> Fits:
    return lambda vector: vector.kind is VectorKind.VALID and test(vector)


def refused(reason: Reason, test: Fits = lambda _: True) -> Fits:
    """Invalid for this reason."""
    return lambda vector: (
        vector.kind is VectorKind.INVALID
        and vector.reject is not None
        and vector.reject.reason is reason
        and test(vector)
    )


def unwritable(reason: Reason, test: Fits = lambda _: True) -> Fits:
    """A value that has no bytes, for this reason."""
    return lambda vector: (
        vector.kind is VectorKind.UNENCODABLE
        and vector.reject is not None
        and vector.reject.reason is reason
        and test(vector)
    )


def of_length(length: int) -> Fits:
    return lambda vector: len(vector.data) == length


def bytes_are(*data: bytes) -> Fits:
    return lambda vector: vector.data in data


def begins(data: bytes) -> Fits:
    return lambda vector: vector.data.startswith(data)


def value_is(value: object) -> Fits:
    return lambda vector: equal(value, vector.value)


def both(*tests: Fits) -> Fits:
    return lambda vector: all(test(vector) for test in tests)


def uvarint(number: int) -> bytes:
    """An unsigned varint, without the codec that is judged."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def zigzag(code: int) -> int:
    """The number of an unsigned code: 0, −1, 1, −2, …"""
    return -(code + 1) // 2 if code % 2 else code // 2


def read_uvarint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place behind it; beyond the end is 0."""
    number = shift = 0
    for index in range(at, len(data)):
        number |= (data[index] & 0x7F) << shift
        shift += 7
        if data[index] < 0x80:
            return number, index + 1
    return number, len(data)


Row = tuple[str, tuple[Op, ...], Fits]


def rows(name: str, version: int | None, found: Iterable[Row]) -> Iterator[Cell]:
    for what, ops, fits in found:
        for op in ops:
            yield Cell(name, version, what, op, fits)


DECODE = (Op.DECODE,)
ENCODE = (Op.ENCODE,)
READ = (Op.DECODE, Op.RECODE)


def request_of(frame: bytes) -> tuple[int, int]:
    """Api key and version in a request frame."""
    return int.from_bytes(frame[4:6], signed=True), int.from_bytes(frame[6:8], signed=True)
