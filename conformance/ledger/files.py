"""Ledger files: `vectors/<dialect>/messages/<Name>.jsonl`. The first line names the source. Each other line is a
case and its value, with the bytes of each version in which the case has this value:

    {"ledger":1,"message":"MetadataResponse","made_by":"kafka-clients 4.4.0"}
    {"case":"set","value":{…},"bytes":{"0-3":"<hex>","4":"<hex>"}}
    {"case":"set","same_as":"kafka","versions":"0-2"}

`canonical`: the bytes that an encoder writes, by versions, where they differ from `bytes`. `same_as`: value and bytes
are those of the case with this name in that dialect's ledger. The case `frame` is asked as a frame, in the types
`RequestFrame` and `ResponseFrame:…`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

import msgspec

from wireproof import reference
from wireproof.conformance.model import MESSAGES, Op
from wireproof.conformance.oracle.codec import shared_settings
from wireproof.conformance.values.encoding import ValueFormatError, from_json, to_json
from wireproof.conformance.vectors import Piece, Vector, VectorError, VectorKind

AREA = MESSAGES
#: The default dialect, whose ledger has cases for every version of every message.
DIALECT = "kafka"
#: The case of a whole frame.
FRAME = "frame"
#: Cases from which others are derived, the one with the most content first. The next one is used where it is missing or
#: not read.
RICHEST = ("unknown-tags", "set", "default")


class LedgerHeader(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A ledger file's first line. `derive_from`: the cases from which others are derived."""

    ledger: Literal[1]
    message: str
    made_by: str
    derive_from: tuple[str, ...] = RICHEST


class LedgerEntry(msgspec.Struct, frozen=True):
    """A case of one version, as it is written to a file: its value as JSON, and bytes as hex digits."""

    version: int
    case: str
    value: Any
    bytes: str
    canonical: str | None = None


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A line for all versions in which a case has the same value. `bytes`, `canonical`: versions → hex digits."""

    case: str
    value: Any
    bytes: dict[str, str]
    canonical: dict[str, str] = {}


class _SameLine(msgspec.Struct, forbid_unknown_fields=True):
    """A line for a case whose value and bytes are in another dialect's ledger."""

    case: str
    same_as: str
    versions: str


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
    vectors: list[Vector] = []
    for number, line in enumerate(lines[1:], 2):
        try:
            if b'"same_as":' in line:
                vectors += _same(header, msgspec.json.decode(line, type=_SameLine), dialect)
            else:
                vectors += _vectors(header, msgspec.json.decode(line, type=_Line), dialect)
        except (msgspec.MsgspecError, ValueFormatError, ValueError) as error:
            raise VectorError(f"{name}, line {number}: {error}") from None
    vectors.sort(key=_version)
    return Ledger(header.message, header.made_by, header.derive_from, tuple(vectors))


def _version(vector: Vector) -> int:
    return int(vector.id.split("/")[1])


def asked_as(message: str, version: int, case: str) -> tuple[str, int | None]:
    """The type of a message's case, and the version that is asked: a request's frame says its version itself."""
    if case != FRAME:
        return message, version
    if message.endswith("Request"):
        return "RequestFrame", None
    return f"ResponseFrame:{message.removesuffix('Response')}", version


def _versions(span: str) -> range:
    """The versions of `4` or `0-3`."""
    low, _, high = span.partition("-")
    return range(int(low), int(high or low) + 1)


def _same(header: LedgerHeader, line: _SameLine, dialect: str) -> Iterator[Vector]:
    for version in _versions(line.versions):
        identifier = f"{header.message}/{version}/{line.case}"
        same = vector(identifier, line.same_as)
        if same is None:
            raise ValueError(f"the ledger of {line.same_as} has no case {identifier}")
        yield msgspec.structs.replace(same, dialect=dialect, needs=tuple(shared_settings(dialect)))


def _vectors(header: LedgerHeader, line: _Line, dialect: str) -> Iterator[Vector]:
    canonical = {version: _bytes(digits) for span, digits in line.canonical.items() for version in _versions(span)}
    source = f"bytes by {header.made_by}"
    if canonical:
        source = f"bytes by the kit, canonical ones by {header.made_by}"
    about = _ABOUT.get(line.case, line.case)
    value = from_json(line.value)
    needs = tuple(shared_settings(dialect))
    for span, digits in line.bytes.items():
        pieces = _bytes(digits)
        for version in _versions(span):
            type_name, asked_version = asked_as(header.message, version, line.case)
            yield Vector(
                id=f"{header.message}/{version}/{line.case}",
                dialect=dialect,
                area=AREA,
                about=about,
                kind=VectorKind.VALID,
                ops=(Op.DECODE, Op.ENCODE, Op.RECODE),
                type=type_name,
                version=asked_version,
                pieces=pieces,
                value=value,
                canonical=canonical.get(version, ()),
                needs=needs,
                source=source,
            )


def _bytes(digits: str) -> tuple[Piece, ...]:
    return (Piece(bytes.fromhex(digits), ""),)


#: The cases, in the order in which a version has them.
_ABOUT = {
    "default": "every field at its default",
    "elements": "every field at its default, inside of arrays and of structures that are there",
    "set": "every field set, each leaf to a different value, arrays of two",
    "null": "every nullable field null",
    "tagged": "every tagged field set, the others at their defaults",
    "lowest": "every field at the least value of its type, text and bytes empty, arrays of one",
    "greatest": "every field at the greatest value of its type, a text and bytes of 128, arrays of one",
    "unknown-tags": "every field set, arrays of one, an unknown tag in every structure that can hold one",
    "explicit": "every tagged field sent although it has its default",
    FRAME: "the whole frame, every field of header and body set, arrays of one",
}


def lines(header: LedgerHeader, entries: Iterable[LedgerEntry]) -> bytes:
    """The content of a file. The entries are sorted by version, and in each version by case."""
    by_value: dict[tuple[str, bytes], list[LedgerEntry]] = {}
    for one in entries:
        by_value.setdefault((one.case, msgspec.json.encode(one.value)), []).append(one)
    order = [*_ABOUT]
    written = sorted((_line(group) for group in by_value.values()), key=lambda line: order.index(line.case))
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *written))


def _line(group: Sequence[LedgerEntry]) -> _Line:
    """The line of entries with one case and one value."""
    digits = _by_span([(one.version, one.bytes) for one in group])
    canonical = _by_span([(one.version, one.canonical) for one in group if one.canonical is not None])
    return _Line(group[0].case, group[0].value, digits, canonical)


def _by_span(by_version: Sequence[tuple[int, str]]) -> dict[str, str]:
    """Spans of versions that follow one another and have the same bytes."""
    spans: list[tuple[int, int, str]] = []
    for version, digits in by_version:
        if spans and spans[-1][1:] == (version - 1, digits):
            spans[-1] = (spans[-1][0], version, digits)
        else:
            spans.append((version, version, digits))
    return {f"{low}-{high}" if high > low else f"{low}": digits for low, high, digits in spans}


def entry(version: int, case: str, value: Any, data: bytes, canonical: bytes | None = None) -> LedgerEntry:
    """A case of a version from protocol values."""
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
