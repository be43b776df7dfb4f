"""Ledger files: `vectors/<dialect>/messages/<Name>.jsonl`. The first line names the source, each other line is a case:

    {"ledger":1,"message":"MetadataResponse","made_by":"kafka-clients 4.4.0"}
    {"version":12,"case":"set","value":{…},"bytes":"<hex>"}
    {"version":0,"case":"set","same_as":"kafka"}

`canonical`: the bytes that an encoder writes, where they differ from `bytes`. `same_as`: value and bytes are those of
the case with this name in that dialect's ledger.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

import msgspec

from wireproof import reference
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import shared_settings
from wireproof.conformance.values.encoding import ValueFormatError, from_json, to_json
from wireproof.conformance.vectors import Piece, Vector, VectorError, VectorKind

AREA = "messages"
#: The default dialect, whose ledger has cases for every version of every message.
DIALECT = "kafka"
#: Cases from which others are derived, the one with the most content first. The next one is used where it is missing or
#: not read.
RICHEST = ("unknown-tags", "set", "default")


class LedgerHeader(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A ledger file's first line. `derive_from`: the cases from which others are derived."""

    ledger: Literal[1]
    message: str
    made_by: str
    derive_from: tuple[str, ...] = RICHEST


class LedgerEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A ledger file's other lines."""

    version: int
    case: str
    value: Any
    bytes: str
    canonical: str | None = None


class Same(msgspec.Struct, forbid_unknown_fields=True):
    """A line for a case whose value and bytes are in another dialect's ledger."""

    version: int
    case: str
    same_as: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The cases of one message, as vectors of kind valid."""

    message: str
    made_by: str
    derive_from: tuple[str, ...]
    vectors: tuple[Vector, ...]


def parse(text: bytes, name: str, dialect: str = DIALECT) -> Ledger:
    """One file's content. Raises VectorError with the file and the line."""
    lines = text.splitlines()
    try:
        header = msgspec.json.decode(lines[0] if lines else b"", type=LedgerHeader)
    except msgspec.MsgspecError as error:
        raise VectorError(f"{name}, line 1: {error}") from None
    vectors = []
    for number, line in enumerate(lines[1:], 2):
        try:
            if b'"same_as":' in line:
                vectors.append(_same(header, msgspec.json.decode(line, type=Same), dialect))
            else:
                vectors.append(_vector(header, msgspec.json.decode(line, type=LedgerEntry), dialect))
        except (msgspec.MsgspecError, ValueFormatError, ValueError) as error:
            raise VectorError(f"{name}, line {number}: {error}") from None
    return Ledger(header.message, header.made_by, header.derive_from, tuple(vectors))


def _same(header: LedgerHeader, line: Same, dialect: str) -> Vector:
    identifier = f"{header.message}/{line.version}/{line.case}"
    same = vector(identifier, line.same_as)
    if same is None:
        raise ValueError(f"the ledger of {line.same_as} has no case {identifier}")
    return msgspec.structs.replace(same, dialect=dialect, needs=tuple(shared_settings(dialect)))


def _vector(header: LedgerHeader, entry: LedgerEntry, dialect: str) -> Vector:
    data = bytes.fromhex(entry.bytes)
    source = f"bytes by {header.made_by}"
    if entry.canonical is not None:
        source = f"bytes by the kit, canonical ones by {header.made_by}"
    canonical = () if entry.canonical is None else (Piece(bytes.fromhex(entry.canonical), ""),)
    return Vector(
        id=f"{header.message}/{entry.version}/{entry.case}",
        dialect=dialect,
        area=AREA,
        about=_ABOUT.get(entry.case, entry.case),
        kind=VectorKind.VALID,
        ops=(Op.DECODE, Op.ENCODE, Op.RECODE),
        type=header.message,
        version=entry.version,
        pieces=(Piece(data, ""),),
        value=from_json(entry.value),
        canonical=canonical,
        needs=tuple(shared_settings(dialect)),
        source=source,
    )


_ABOUT = {
    "default": "every field at its default",
    "elements": "every field at its default, inside of arrays and of structures that are there",
    "set": "every field set, each leaf to a different value, arrays of two",
    "null": "every nullable field null",
    "tagged": "every tagged field set, the others at their defaults",
    "explicit": "every tagged field sent although it has its default",
    "lowest": "every field at the least value of its type, text and bytes empty, arrays of one",
    "greatest": "every field at the greatest value of its type, a text and bytes of 128, arrays of one",
    "unknown-tags": "every field set, arrays of one, an unknown tag in every structure that can hold one",
}


def lines(header: LedgerHeader, entries: Sequence[LedgerEntry | Same]) -> bytes:
    """The content of a file."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *entries))


def entry(version: int, case: str, value: Any, data: bytes, canonical: bytes | None = None) -> LedgerEntry:
    """A line of a file from protocol values."""
    return LedgerEntry(version, case, to_json(value), data.hex(), None if canonical is None else canonical.hex())


def _folder(dialect: str) -> Traversable:
    return resources.files("wireproof.vectors") / dialect / AREA


@functools.cache
def names(dialect: str = DIALECT) -> tuple[str, ...]:
    """The messages that have a ledger."""
    folder = _folder(dialect)
    if not folder.is_dir():
        return ()
    return tuple(sorted(e.name.removesuffix(".jsonl") for e in folder.iterdir() if e.name.endswith(".jsonl")))


@functools.cache
def load(message: str, dialect: str = DIALECT) -> Ledger:
    """The ledger of one message."""
    file = f"{message}.jsonl"
    return parse((_folder(dialect) / file).read_bytes(), f"vectors/{dialect}/{AREA}/{file}", dialect)


def every_vector(*dialects: str) -> Iterator[Vector]:
    """The vectors of all ledgers, or of those of these dialects."""
    for dialect in dialects or reference.dialects:
        for name in names(dialect):
            yield from load(name, dialect).vectors


def vector(identifier: str, dialect: str = DIALECT) -> Vector | None:
    """The ledger's vector of this id, `<Name>/<version>/<case>`; None when no ledger has it."""
    name = identifier.partition("/")[0]
    if name not in names(dialect):
        return None
    return next((vector for vector in load(name, dialect).vectors if vector.id == identifier), None)
