"""The model of a loaded vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from wireproof.conformance.model import Case, Op
from wireproof.errors import WireproofError
from wireproof.reference.errors import Reason

AREAS = (
    "varints",
    "tag-ordering",
    "null-encodings",
    "header-multimaps",
    "unsupported-versions",
    "framing",
    "resource-limits",
    "messages",
    "schema-evolution",
    "delivery",
)


class VectorError(WireproofError):
    """A vectors file with a wrong format; the text names file, vector and field."""


class VectorKind(StrEnum):
    """The kind of a vector: what it asks and what it expects."""

    VALID = "valid"
    INVALID = "invalid"
    UNENCODABLE = "unencodable"
    LOOKUP = "lookup"
    CONVERT = "convert"
    CONSUME = "consume"
    PRODUCE = "produce"
    SERVE = "serve"
    INTERPRET = "interpret"
    NEGOTIATE = "negotiate"
    EVOLVE = "evolve"


#: The ops that each kind asks, unless `ops` names fewer.
KIND_OPS: Mapping[VectorKind, tuple[Op, ...]] = {
    VectorKind.VALID: (Op.DECODE, Op.ENCODE, Op.RECODE),
    VectorKind.INVALID: (Op.DECODE, Op.RECODE),
    VectorKind.UNENCODABLE: (Op.ENCODE,),
    VectorKind.LOOKUP: (Op.LOOKUP,),
    VectorKind.CONVERT: (Op.CONVERT,),
    VectorKind.CONSUME: (Op.CONSUME,),
    VectorKind.PRODUCE: (Op.PRODUCE,),
    VectorKind.SERVE: (Op.SERVE,),
    VectorKind.INTERPRET: (Op.INTERPRET,),
    VectorKind.NEGOTIATE: (Op.NEGOTIATE,),
    VectorKind.EVOLVE: (Op.EVOLVE,),
}


class _Absent(msgspec.Struct, frozen=True):
    """For a missing field, where null has a meaning of its own."""


ABSENT = _Absent()


class Piece(msgspec.Struct, frozen=True, gc=False):
    """Some bytes, and a label that says what they are."""

    data: bytes
    label: str


class Reject(msgspec.Struct, frozen=True, gc=False):
    """The expected refusal: its reason and offset."""

    reason: Reason
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Also:
    """Another reading: its expected answer, its ruling (or several that act together), and its ops.

    `ops` None: every op, but not encode of a vector with bytes: reading bytes does not decide how a value is written.
    `expected`: its answer by the name of its field; empty if it `refuses`.
    """

    rulings: tuple[str, ...]
    ops: frozenset[Op] | None
    refuses: bool
    expected: Mapping[str, Any]

    @property
    def accepts(self) -> bool:
        """Whether it reads what has to be refused, with whatever value and whatever it takes of memory and time."""
        return "accepts" in self.expected


@dataclass(frozen=True, slots=True)
class Wrong:
    """The answer of an implementation with a known bug.

    `does` is one of accepts, refuses, crash, hang, answers; `answer` as in Observation.
    """

    bug: str
    op: Op
    does: str
    answer: Any = None


class Vector(msgspec.Struct, frozen=True, gc=False):
    """One vector. Fields that its kind does not have are None or empty (ABSENT for `value`).

    It is a msgspec struct, because a run makes tens of thousands; `msgspec.structs.replace` makes a changed copy.
    """

    id: str
    dialect: str
    area: str
    about: str
    kind: VectorKind
    ops: tuple[Op, ...]
    type: str | None = None
    version: int | None = None
    pieces: tuple[Piece, ...] = ()
    value: Any = ABSENT
    canonical: tuple[Piece, ...] = ()
    compare_decoded: bool = False
    reject: Reject | None = None
    or_reject: Reason | None = None
    twin: str | None = None
    rulings: tuple[str, ...] = ()
    source: str = ""
    needs: tuple[str, ...] = ()
    also: tuple[Also, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    #: The name of the user's folder that it is in; empty for the kit's own.
    folder: str = ""
    expected: Any = None

    @property
    def path(self) -> str:
        """The vector's unique id over all files."""
        return f"{self.folder or self.dialect}/{self.area}/{self.id}"

    @property
    def data(self) -> bytes:
        return b"".join(piece.data for piece in self.pieces)

    @property
    def canonical_data(self) -> bytes:
        """The bytes that an encoder writes for the value."""
        return b"".join(piece.data for piece in self.canonical or self.pieces)

    def case(self, op: Op) -> Case:
        return Case(f"{self.path}#{op.value}", op, self.dialect, self.type, self.version, self._arguments(op))

    def cases(self) -> tuple[Case, ...]:
        """The questions that this vector asks, one for each op."""
        return tuple(self.case(op) for op in self.ops)

    def _arguments(self, op: Op) -> Mapping[str, Any]:
        match op:
            case Op.DECODE | Op.RECODE:
                return {"data": self.data}
            case Op.ENCODE:
                return {"value": self.value}
            case Op.LOOKUP:
                return {"data": self.data, "key": self.args["key"]}
            case Op.CONVERT:
                return {"data": self.data, "to": self.args["to"]}
            case Op.CONSUME:
                return {"data": self.data, **self.args}
        return self.args


@dataclass(frozen=True, slots=True)
class VectorFile:
    """One file: the vectors of one area of one dialect, and the settings that some of them need."""

    dialect: str
    area: str
    settings: Mapping[str, Any]
    vectors: tuple[Vector, ...]
