"""Seeds for a fuzz campaign from all vectors and the message ledger, and a dictionary of typical bytes."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator

import msgspec

from wireproof.conformance import ledger, vectors
from wireproof.conformance.generation import edge_values
from wireproof.conformance.generation.arguments import seed_of
from wireproof.conformance.generation.mutations.forms import NumberForm
from wireproof.conformance.model import TYPED_OPS, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import requests_of, types_of
from wireproof.conformance.values.encoding import ValueFormatError
from wireproof.conformance.vectors import Vector
from wireproof.conformance.vectors.leb128 import leb128
from wireproof.reference.codec import NodeCodec
from wireproof.reference.schema.plan import Array, Node, Struct

#: Longer seeds are left out, and also batches that inflate to much more. A seed must not take the reference more than
#: 20 ms, and each byte of small fields takes one or two microseconds.
LARGEST = 1 << 13
#: The first bytes of compressed content: gzip, xerial's snappy, an lz4 frame, a zstd frame.
_CODECS = tuple(map(bytes.fromhex, ("1f8b0800", "82534e4150505900", "04224d18", "28b52ffd")))
_MAGICS = tuple(bytes([magic]) for magic in range(4))


class Seed(msgspec.Struct, frozen=True):
    """One seed. `data`: the arguments of a question in the form of `conformance.generation.arguments`: for decode and
    recode the input itself, for encode the value as JSON. `type`: None for ops without a type."""

    op: Op
    dialect: str
    type: str | None
    version: int | None
    data: bytes


def seeds(
    dialect: str, type: str | None = None, *, ops: Collection[Op] = frozenset(Op), more: Iterable[Vector] = ()
) -> Iterator[Seed]:
    """The seeds of a dialect for these ops: of one type, or of all types and ops without a type. They are unique, and
    their order is fixed. `more`: further vectors; those of the dialect are used. Invalid input is a seed too."""
    seen: set[Seed] = set()
    for vector in _vectors(dialect, type, more):
        if type is not None and vector.type != type:
            continue
        for seed in _of_vector(vector, ops):
            if seed not in seen:
                seen.add(seed)
                yield seed


def _vectors(dialect: str, type: str | None, more: Iterable[Vector]) -> Iterator[Vector]:
    yield from vectors.load([dialect])
    for name in ledger.names(dialect):
        if type in (None, name):
            yield from ledger.load(name, dialect).vectors
    yield from (vector for vector in more if vector.dialect == dialect)


def _of_vector(vector: Vector, ops: Collection[Op]) -> Iterator[Seed]:
    if _is_costly(vector):
        return
    for op in vector.ops:
        if op not in ops or (op is Op.RECODE and Op.DECODE in vector.ops and Op.DECODE in ops):  # the same bytes again
            continue
        try:
            data = seed_of(op, vector.case(op).args)
        except ValueFormatError:  # a value of a wrong Python type
            continue
        if len(data) <= LARGEST:
            typed = op in TYPED_OPS
            yield Seed(op, vector.dialect, vector.type if typed else None, vector.version if typed else None, data)


def _is_costly(vector: Vector) -> bool:
    """Whether a vector is long, or is a batch that tests limits and inflates to much more."""
    batches = reference_codec().dialect(vector.dialect).entries
    bomb = vector.area == "resource-limits" and vector.type in batches
    return bomb or sum(len(piece.data) for piece in vector.pieces) > LARGEST


def dictionary(dialect: str) -> list[bytes]:
    """Typical bytes in inputs of a dialect, in a fixed order: api keys with versions, tags, boundary integers in each
    form, magics, the first bytes of compressed content, sizes and text."""
    spoken = reference_codec().dialect(dialect)
    words: dict[bytes, None] = {}

    def add(*more: bytes) -> None:
        words.update(dict.fromkeys(one for one in more if one))

    for key, version in requests_of(dialect):
        add(struct.pack(">hh", key, version))
    add(*_tags(dialect))
    for bits in (8, 16, 32, 64):
        form = NumberForm(bits, signed=True)
        add(
            *(
                form.write(number)
                for number in edge_values.integers(form.low, form.high)
                if abs(number) >= 1 << max(bits - 9, 0)
            )
        )
    add(*(leb128(number) for number in edge_values.integers(0, 2**32 - 1)))
    add(
        *(
            NumberForm(64, signed=True, varint=True).write(number)
            for number in edge_values.integers(-(2**63), 2**63 - 1)
        )
    )
    add(b"\x80\x00", b"\x80\x80\x80\x80\x00", b"\xff\xff\xff\xff\x1f", b"\xff" * 9 + b"\x02")  # overlong, too wide
    add(b"\xff", b"\xff\xff", b"\xff\xff\xff\xff")  # null
    add(b"\xc3\x28", b"\xed\xa0\x80")  # no UTF-8
    if spoken.entries:
        add(*_MAGICS, *_CODECS)
    add(*(text.encode() for text in edge_values.TEXTS if len(text) < 8))
    return [word for word in words if len(word) <= 64]


def _tags(dialect: str) -> Iterator[bytes]:
    """The wire form of every tag number of every message."""
    numbers: set[tuple[int, bool]] = set()

    def walk(node: Node) -> None:
        match node:
            case Array():
                walk(node.element)
            case Struct():
                numbers.update((tag, node.optional) for tag in node.tagged)
                for field in node.fields:
                    walk(field.node)

    for name, version in types_of(dialect):
        codec = reference_codec().dialect(dialect).codec(name, version)
        if isinstance(codec, NodeCodec):
            walk(codec.node)
    for number, short in sorted(numbers):
        yield struct.pack(">H", number) if short else leb128(number)
