"""The message ledger: the same few cases for every message-version, values by the kit, bytes by Apache Kafka.

`vectors/<dialect>/messages/<Name>.jsonl`: a first line that says what made it, then a case a line:

    {"ledger":1,"message":"MetadataResponse","made_by":"kafka-clients 4.4.0"}
    {"version":12,"case":"set","value":{…},"bytes":"<hex>"}
    {"version":0,"case":"set","same_as":"kafka"}

`canonical` stands beside `bytes` where an encoder writes other bytes; `same_as` stands for value and bytes of the case
of the same name in that dialect's ledger. Prefixes and count bombs are derived when asked, never stored.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import sys
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

import msgspec

import reference
from conformance.model import Case, Op
from conformance.own import own, shared_settings
from conformance.values import INTEGERS, ValueFormatError, from_json, to_json
from conformance.vectors import Kind, Piece, Reject, Vector, VectorError
from reference.codec import NodeCodec, encode
from reference.errors import Reason
from reference.plan import Array, Node, Struct
from reference.primitives import Primitive
from reference.rules import Rules

#: The unknown tag that the case `unknown-tags` puts into every structure that can hold one.
UNKNOWN_TAG = (9999, b"\x01\x02")
AREA = "messages"
#: The dialect whose ledger is meant where none is named: that of which every version of every message has its cases.
DIALECT = "kafka"
#: Cases of which others are derived, the one with most to cut first; the next where that is not there, or not read.
RICHEST = ("unknown-tags", "set", "default")


# --- Values -----------------------------------------------------------------------------------------------------------


class _Leaves:
    """Values that all differ, so that no two fields can be taken for each other."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def of(self, name: str) -> Any:
        number = next(self._count)
        match name:
            case "BOOLEAN":
                return True
            case "FLOAT64":
                return number + 0.5
            case "UUID":
                return uuid.UUID(int=number << 64 | number)
            case "INT8":
                return number % 127 + 1
        if name.endswith("STRING"):
            return f"text-{number}"
        if name.endswith("BYTES"):
            return f"bytes-{number}".encode()
        return 0x0101 * (number % 120 + 1) if name in ("INT16", "UINT16") else 0x01010101 + number


class _Lowest(_Leaves):
    """The least value of each type; text and bytes are empty."""

    def of(self, name: str) -> Any:
        match name:
            case "BOOLEAN":
                return False
            case "FLOAT64":
                return -sys.float_info.max
            case "UUID":
                return uuid.UUID(int=0)
        if name.endswith("STRING"):
            return ""
        return b"" if name.endswith("BYTES") else INTEGERS[name][0]


class _Greatest(_Leaves):
    """The greatest value of each type; the first text and the first bytes are 128 long: two bytes of compact length."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = itertools.chain(["é" * 64], itertools.repeat("é"))
        self._bytes = itertools.chain([b"\xff" * 128], itertools.repeat(b"\xff"))

    def of(self, name: str) -> Any:
        match name:
            case "BOOLEAN":
                return True
            case "FLOAT64":
                return sys.float_info.max
            case "UUID":
                return uuid.UUID(int=2**128 - 1)
        if name.endswith("STRING"):
            return next(self._texts)
        return next(self._bytes) if name.endswith("BYTES") else INTEGERS[name][1]


def default(node: Node) -> Any:
    """Every field at its default; a structure that is no field's default: of defaults."""
    match node:
        case Struct(marker="none"):
            return {field.name: field.default for field in node.fields}
        case Struct():
            return None
        case Array():
            return []
        case Primitive():
            return node.default
    raise TypeError(f"no message has a {type(node).__name__}")


def every_field(node: Node, leaves: _Leaves | None = None, size: int = 2) -> Any:
    """Every field set, each leaf to a different value, arrays of `size`."""
    leaves = leaves or _Leaves()
    match node:
        case Struct():
            return {field.name: every_field(field.node, leaves, size) for field in node.fields}
        case Array():
            return [every_field(node.element, leaves, size) for _ in range(size)]
        case Primitive():
            return leaves.of(node.name)
    raise TypeError(f"no message has a {type(node).__name__}")


def elements(node: Node) -> Any:
    """Every field at its default but for structures, which are there, and arrays, which have two elements: the first
    made the same way, the second all of defaults."""
    match node:
        case Struct():
            return {
                field.name: field.default if isinstance(field.node, Primitive) else elements(field.node)
                for field in node.fields
            }
        case Array():
            return [elements(node.element), default(node.element)]
        case Primitive():
            return node.default
    raise TypeError(f"no message has a {type(node).__name__}")


def nulls(node: Node, leaves: _Leaves | None = None) -> Any:
    """Every nullable field null; arrays that can't be null have one element, so that what is inside is null too."""
    leaves = leaves or _Leaves()
    match node:
        case Struct():
            return {field.name: None if nullable(field.node) else nulls(field.node, leaves) for field in node.fields}
        case Array():
            return [nulls(node.element, leaves)]
        case Primitive():
            return leaves.of(node.name)
    raise TypeError(f"no message has a {type(node).__name__}")


def with_unknown_tags(node: Node, value: Any) -> Any:
    """One unknown tag in every structure of `value` that can hold one."""
    match node:
        case Struct() if value is not None:
            filled = {field.name: with_unknown_tags(field.node, value[field.name]) for field in node.fields}
            return filled | ({"_tags": [list(UNKNOWN_TAG)]} if node.flexible else {})
        case Array() if value is not None:
            return [with_unknown_tags(node.element, item) for item in value]
    return value


def only_tagged(node: Node, value: Any) -> Any:
    """Every tagged field as in `value`, the others at their defaults; arrays with tags inside have one element."""
    match node:
        case Struct() if value is not None:
            return {
                field.name: value[field.name] if field.tag is not None else only_tagged(field.node, value[field.name])
                for field in node.fields
            }
        case Array() if value is not None:
            return [only_tagged(node.element, value[0])] if _has_tags(node.element) else []
        case Primitive():
            return node.default
    return value


def explicit(node: Struct) -> tuple[Any, bytes] | None:
    """A value whose tagged fields all have their defaults, and bytes in which each of them is sent; None without any.

    The bytes are those of a structure that does not know its tags, and is given them as unknown ones.
    """
    if not _has_tags(node):
        return None
    value = only_tagged(node, every_field(node))
    plain, given = _untagged(node, _at_defaults(node, value))
    return _at_defaults(node, value), encode(NodeCodec(plain), given, Rules())


def _at_defaults(node: Node, value: Any) -> Any:
    """`value` with every tagged field at its default."""
    match node:
        case Struct() if value is not None:
            return {
                field.name: field.default if field.tag is not None else _at_defaults(field.node, value[field.name])
                for field in node.fields
            }
        case Array() if value is not None:
            return [_at_defaults(node.element, item) for item in value]
    return value


def _untagged(node: Node, value: Any) -> tuple[Node, Any]:
    """The node without knowledge of its tags, and the value with all its tags as unknown ones."""
    match node:
        case Struct() if value is not None:
            fields, given = [], {}
            for field in node.plain:
                inner, given[field.name] = _untagged(field.node, value[field.name])
                fields.append(dataclasses.replace(field, node=inner))
            if node.tagged:
                given["_tags"] = [
                    [tag, encode(NodeCodec(field.node), value[field.name], Rules())]
                    for tag, field in node.tagged.items()
                ]
            return dataclasses.replace(node, fields=tuple(fields), plain=tuple(fields), tagged={}), given
        case Array(element=element) if value and _has_tags(element):
            pairs = [_untagged(element, item) for item in value]
            return dataclasses.replace(node, element=pairs[0][0]), [item for _, item in pairs]
    return node, value


def nullable(node: Node) -> bool:
    """Whether a node can be null."""
    match node:
        case Struct(marker=marker):
            return marker != "none"
        case Array(nullable=nullable):
            return nullable
        case Primitive(name=name):
            return "NULLABLE" in name
    return False


@functools.cache
def _has_tags(node: Node) -> bool:
    """Whether a tagged field stands anywhere inside."""
    match node:
        case Struct():
            return bool(node.tagged) or any(_has_tags(field.node) for field in node.fields)
        case Array():
            return _has_tags(node.element)
    return False


def _has_nullable(node: Node) -> bool:
    match node:
        case Struct():
            return any(nullable(field.node) or _has_nullable(field.node) for field in node.fields)
        case Array():
            return _has_nullable(node.element)
    return False


def values(node: Struct) -> Iterator[tuple[str, Any]]:
    """The cases of one message-version, by name; those that say nothing new for it are left out."""
    yield "default", default(node)
    if not node.fields:
        if node.flexible:
            yield "unknown-tags", with_unknown_tags(node, {})
        return
    if any(not isinstance(field.node, Primitive) for field in node.fields):
        yield "elements", elements(node)
    full = every_field(node)
    yield "set", full
    if _has_nullable(node):
        yield "null", nulls(node)
    if _has_tags(node):
        yield "tagged", only_tagged(node, full)
    yield "lowest", every_field(node, _Lowest(), 1)
    yield "greatest", every_field(node, _Greatest(), 1)
    if node.flexible:
        yield "unknown-tags", with_unknown_tags(node, every_field(node, size=1))


# --- Files ------------------------------------------------------------------------------------------------------------


class Header(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A ledger file's first line. `derive_from`: the cases of which others are derived."""

    ledger: Literal[1]
    message: str
    made_by: str
    derive_from: tuple[str, ...] = RICHEST


class Entry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A ledger file's other lines."""

    version: int
    case: str
    value: Any
    bytes: str
    canonical: str | None = None


class Same(msgspec.Struct, forbid_unknown_fields=True):
    """A line for a case that another dialect's ledger has, value and bytes."""

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
        header = msgspec.json.decode(lines[0] if lines else b"", type=Header)
    except msgspec.MsgspecError as error:
        raise VectorError(f"{name}, line 1: {error}") from None
    vectors = []
    for number, line in enumerate(lines[1:], 2):
        try:
            if b'"same_as":' in line:
                vectors.append(_same(header, msgspec.json.decode(line, type=Same), dialect))
            else:
                vectors.append(_vector(header, msgspec.json.decode(line, type=Entry), dialect))
        except (msgspec.MsgspecError, ValueFormatError, ValueError) as error:
            raise VectorError(f"{name}, line {number}: {error}") from None
    return Ledger(header.message, header.made_by, header.derive_from, tuple(vectors))


def _same(header: Header, line: Same, dialect: str) -> Vector:
    identifier = f"{header.message}/{line.version}/{line.case}"
    found = vector(identifier, line.same_as)
    if found is None:
        raise ValueError(f"the ledger of {line.same_as} has no case {identifier}")
    return dataclasses.replace(found, dialect=dialect, needs=tuple(shared_settings(dialect)))


def _vector(header: Header, entry: Entry, dialect: str) -> Vector:
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
        kind=Kind.VALID,
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


def lines(header: Header, entries: Sequence[Entry | Same]) -> bytes:
    """The content of a file."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *entries))


def entry(version: int, case: str, value: Any, data: bytes, canonical: bytes | None = None) -> Entry:
    """A line of a file from protocol values."""
    return Entry(version, case, to_json(value), data.hex(), None if canonical is None else canonical.hex())


def _folder(dialect: str) -> Traversable:
    return resources.files("vectors") / dialect / AREA


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


# --- Derived cases ----------------------------------------------------------------------------------------------------


def richest_first(ledger: Ledger) -> dict[int, list[Vector]]:
    """Of every version the cases from which others are derived, the one with most to cut first; none without bytes."""
    found: dict[int, list[Vector]] = {}
    for case in ledger.derive_from:
        for vector in ledger.vectors:
            if vector.version is not None and vector.id.endswith(f"/{case}") and vector.data:
                found.setdefault(vector.version, []).append(vector)
    return found


def prefixes(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """Every proper prefix of a case's bytes: each has to be refused, for every message is as long as it says."""
    data = vector.data
    for length in range(len(data)):
        yield derived(vector, op, f"prefix:{length}", data[:length], Reason.TRUNCATED)


#: How spans name a count, and the greatest count in that form.
_BOMBS = {"count": b"\x7f\xff\xff\xff", "count + 1": b"\xff\xff\xff\xff\x07", "tag count": b"\xff\xff\xff\xff\x07"}


def bombs(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """Each count in a case's bytes made as great as can be: each has to be refused before memory is taken."""
    assert vector.type is not None
    data = vector.data
    for span in own().explain(vector.type, data, dialect=vector.dialect, version=vector.version).spans:
        bomb = _BOMBS.get(span.what)
        if bomb is not None:
            yield derived(
                vector, op, f"bomb:{span.start}", data[: span.start] + bomb + data[span.end :], Reason.TRUNCATED
            )


def derive(vector: Vector, op: Op) -> Iterator[tuple[Vector, Case]]:
    """All cases derived from a ledger case."""
    yield from prefixes(vector, op)
    yield from bombs(vector, op)


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


def find(identifier: str) -> tuple[Vector, Case] | None:
    """The case of a ledger's id, derived ones too; None when no ledger has it."""
    path, _, op = identifier.rpartition("#")
    stored, _, mutation = path.partition("+")
    dialect, _, rest = stored.partition("/")
    found = vector(rest.removeprefix(f"{AREA}/"), dialect)
    if found is None or found.path != stored or op not in found.ops:
        return None
    if not mutation:
        return found, found.case(Op(op))
    return next((made for made in derive(found, Op(op)) if made[1].id == identifier), None)


def derived(vector: Vector, op: Op, mutation: str, data: bytes, reason: Reason) -> tuple[Vector, Case]:
    """A case derived from a ledger case, which has to be refused."""
    identifier = f"{vector.id}+{mutation}"
    refused = Vector(
        id=identifier,
        dialect=vector.dialect,
        area=vector.area,
        about=f"{vector.about}: {mutation.replace(':', ' ')}",
        kind=Kind.INVALID,
        ops=(op,),
        type=vector.type,
        version=vector.version,
        pieces=(Piece(data, ""),),
        reject=Reject(reason),
        twin=vector.id,
        source=vector.source,
    )
    return refused, refused.case(op)
