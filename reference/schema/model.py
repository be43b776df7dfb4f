"""The model of a message's schema: Schema, its Fields, and their Versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

#: Field types of the schema language that are no structures.
SCALARS = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "float64",
    "uuid",
    "string",
    "bytes",
    "records",
)
#: A structure with one field of such a name could not be told from an encoded bytes, integer, UUID or float value.
AMBIGUOUS_NAMES = frozenset({"hex", "int", "uuid", "float64"})
MAX_VERSION = 2**15 - 1


@dataclass(frozen=True, slots=True)
class Versions:
    """A range of versions, both ends included; low > high holds none."""

    low: int
    high: int

    def __contains__(self, version: object) -> bool:
        return isinstance(version, int) and self.low <= version <= self.high

    def __bool__(self) -> bool:
        return self.low <= self.high

    def __and__(self, other: Versions) -> Versions:
        return Versions(max(self.low, other.low), min(self.high, other.high))

    def within(self, other: Versions) -> bool:
        return not self or other.low <= self.low and self.high <= other.high

    def __str__(self) -> str:
        if not self:
            return "none"
        if self.high == MAX_VERSION:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


NONE = Versions(0, -1)
ALL = Versions(0, MAX_VERSION)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a structure. `type`: a scalar's or structure's name; `array`: it is an array of that; `flexible`: its
    own flexible versions, for the one field (ClientId) that never becomes compact."""

    name: str
    type: str
    array: bool
    versions: Versions
    nullable: Versions
    tag: int | None
    tagged: Versions
    default: Any
    ignorable: bool
    flexible: Versions | None
    fields: tuple[Field, ...] | None


@dataclass(frozen=True, slots=True)
class Schema:
    """A message (request, response, header or data) in all its versions."""

    name: str
    kind: str
    api_key: int | None
    versions: Versions
    flexible: Versions
    fields: tuple[Field, ...]
    #: Versions in which bodies and structures begin with an optional-field buffer, which has the tagged fields.
    optional: Versions = NONE


def first_without(spans: Iterable[Versions], within: Versions) -> int | None:
    """The first version of `within` that is in none of the spans."""
    version = within.low
    for span in sorted(spans, key=lambda span: span.low):
        if version in span:
            version = span.high + 1
    return version if version in within else None


def filled(fields: Iterable[Field]) -> Iterator[Versions]:
    """Versions in which a structure of these fields takes a byte; a tag buffer aside."""
    for field in fields:
        if field.array or field.fields is None:
            yield field.versions
        else:
            yield field.nullable & field.versions  # its marker
            yield from (span & field.versions for span in filled(field.fields))
