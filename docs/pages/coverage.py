"""The coverage of message fields by vectors: by message, version, field and state.

All valid vectors of messages count: the ledger's cases, and those written by hand. A field is in the state

    default    when a value of it equals its default
    set        when one is neither its default nor null
    null       when one is null
    tagged     when one is sent in a tag buffer: the field is tagged, and the value not its default
    boundary   of a number or UUID: when both the least and the greatest value of its type occur; of text, bytes and
               arrays: when one is empty or so long that a compact length takes two bytes (127 bytes or elements); of
               arrays, too, when one has a single element

A state that does not occur is a gap, with a reason from the schema. `not covered` is not a reason: a vector is missing.
The elements of an array of numbers or text are not fields; they belong to the array.
"""

from __future__ import annotations

import functools
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wireproof.conformance import ledger, vectors
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference import catalog
from wireproof.reference.codec import NodeCodec
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.primitives import INTEGERS, Primitive
from wireproof.reference.schema.plan import Array, Node, PlannedField, Struct


class FieldState(StrEnum):
    """A state of a field in a value."""

    DEFAULT = "default"
    SET = "set"
    NULL = "null"
    TAGGED = "tagged"
    BOUNDARY = "boundary"


class Gap(StrEnum):
    """Why a state does not occur. All but the last are reasons."""

    NO_FIELD = "not in this version"
    NOT_NULLABLE = "not nullable in this version"
    NOT_TAGGED = "not tagged in this version"
    NO_BOUNDARY = "its type has no boundary: a boolean has two values, a structure is its fields"
    ABSENT = "not tagged, and inside an array or a structure that is empty or null at defaults"
    HIDDEN = "inside an array or a structure that is null where all that can be null is"
    NOT_COVERED = "not covered"


#: The reasons that a gap may have.
REASONS = frozenset(Gap) - {Gap.NOT_COVERED}


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """A field of a message over all the message's versions.

    `path`: "Topics[].Name"; `type`: as in schemas; `cells`: state → version → why it does not occur, None where it
    does.
    """

    path: str
    type: str
    versions: tuple[int, ...]
    cells: Mapping[FieldState, Mapping[int, Gap | None]]


@dataclass(frozen=True, slots=True)
class MessageCoverage:
    """A message with its fields, in the order of its newest version."""

    name: str
    versions: range
    rows: tuple[FieldCoverage, ...]


def everything() -> Iterator[Vector]:
    """All vectors of the dialect kafka."""
    yield from ledger.every_vector(ledger.DIALECT)
    yield from vectors.load([ledger.DIALECT])


def coverage(chosen: Iterable[Vector]) -> tuple[MessageCoverage, ...]:
    """The coverage of every message of the catalogue by these vectors, by name."""
    seen: dict[tuple[str, int], set[_Sight]] = {}
    messages = catalog.current().messages
    for vector in chosen:
        name, version = vector.type or "", vector.version
        if vector.kind is VectorKind.VALID and name in messages and version is not None:
            seen.setdefault((name, version), set()).update(_look(_plan(name, version), vector.value, ""))
    return tuple(_message(name, range(low, high + 1), seen) for name, (low, high) in sorted(messages.items()))


@functools.cache
def _plan(name: str, version: int) -> Struct:
    codec = DIALECTS[ledger.DIALECT].codec(name, version)
    assert isinstance(codec, NodeCodec)
    assert isinstance(codec.node, Struct)
    return codec.node


# --- Occurring states -------------------------------------------------------------------------------------------------


class _Border(StrEnum):
    LEAST = "least"
    GREATEST = "greatest"
    LENGTH = "length"


#: A path, and what was seen there.
_Sight = tuple[str, FieldState | _Border]

#: The least and greatest values of types.
_EXTREMES: Mapping[str, tuple[Any, Any]] = {
    **INTEGERS,
    "FLOAT64": (-sys.float_info.max, sys.float_info.max),
    "UUID": (uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)),
}
#: From this length on, in bytes or elements, a compact length takes two bytes.
_LONG = 127


def _look(node: Struct, value: Mapping[str, Any], path: str) -> Iterator[_Sight]:
    """The states and borders of the fields in a structure's value."""
    for field in node.fields:
        item, place = value.get(field.name, field.default), path + field.name
        at_default = equal(field.default, item)
        if at_default:
            yield place, FieldState.DEFAULT
        elif item is not None:
            yield place, FieldState.SET
        if item is None:
            yield place, FieldState.NULL
        if field.tag is not None and not at_default:
            yield place, FieldState.TAGGED
        for border in _borders(field.node, item):
            yield place, border
        match field.node:
            case Struct() if item is not None:
                yield from _look(field.node, item, f"{place}.")
            case Array(element=Struct() as element) if item is not None:
                for entry in item:
                    yield from _look(element, entry, f"{place}[].")


def _borders(node: Node, item: Any) -> Iterator[_Border]:
    """The borders of its type that a value has."""
    match node:
        case Primitive(name=name) if name in _EXTREMES:
            least, greatest = _EXTREMES[name]
            if equal(least, item):
                yield _Border.LEAST
            if equal(greatest, item):
                yield _Border.GREATEST
        case Primitive(name=name) if item is not None and name != "BOOLEAN":
            length = len(item.encode() if isinstance(item, str) else item)
            if length == 0 or length >= _LONG:
                yield _Border.LENGTH
        case Array() if item is not None and (len(item) <= 1 or len(item) >= _LONG):
            yield _Border.LENGTH


# --- Gaps -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """A field of one version where it stands. `absent`: its surroundings are not there at defaults; `hidden`: they are
    null where all that can be null is."""

    field: PlannedField
    absent: bool
    hidden: bool


def _places(
    node: Struct, path: str = "", *, absent: bool = False, hidden: bool = False
) -> Iterator[tuple[str, _Place]]:
    """Every field of a plan by its path."""
    for field in node.fields:
        place = path + field.name
        yield place, _Place(field, absent, hidden)
        away = hidden or ledger.nullable(field.node)
        match field.node:
            case Struct():
                bare = absent or field.default is None
                yield from _places(field.node, f"{place}.", absent=bare, hidden=away)
            case Array(element=Struct() as element):
                yield from _places(element, f"{place}[].", absent=True, hidden=away)


def _message(name: str, versions: range, seen: Mapping[tuple[str, int], set[_Sight]]) -> MessageCoverage:
    places = {version: dict(_places(_plan(name, version))) for version in versions}
    rows = []
    for path in _in_order([list(places[version]) for version in reversed(versions)]):
        there = tuple(version for version in versions if path in places[version])
        cells = {
            state: {
                version: _gap(state, path, places[version].get(path), seen.get((name, version), set()))
                for version in versions
            }
            for state in FieldState
        }
        rows.append(FieldCoverage(path, _type_name(places[there[-1]][path].field.node), there, cells))
    return MessageCoverage(name, versions, tuple(rows))


def _in_order(lists: list[list[str]]) -> list[str]:
    """All paths of several lists: each that a list adds stands behind what is before it there."""
    merged = lists[0]
    for paths in lists[1:]:
        for before, path in zip([None, *paths], paths, strict=False):
            if path not in merged:
                merged.insert(0 if before is None else merged.index(before) + 1, path)
    return merged


def _gap(state: FieldState, path: str, place: _Place | None, seen: set[_Sight]) -> Gap | None:
    """Why a state does not occur in a version; None where it does."""
    if place is None:
        return Gap.NO_FIELD
    node = place.field.node
    if state is FieldState.BOUNDARY:
        return _boundary_gap(node, path, seen)
    if (path, state) in seen:
        return None
    if state is FieldState.NULL and not ledger.nullable(node):
        return Gap.NOT_NULLABLE
    if state is FieldState.TAGGED and place.field.tag is None:
        return Gap.NOT_TAGGED
    if state is FieldState.DEFAULT and place.absent and place.field.tag is None:
        return Gap.ABSENT
    if state is FieldState.NULL and place.hidden:
        return Gap.HIDDEN
    return Gap.NOT_COVERED


def _boundary_gap(node: Node, path: str, seen: set[_Sight]) -> Gap | None:
    match node:
        case Struct() | Primitive(name="BOOLEAN"):
            return Gap.NO_BOUNDARY
        case Primitive(name=name) if name in _EXTREMES:
            covered = {(path, _Border.LEAST), (path, _Border.GREATEST)} <= seen
        case _:
            covered = (path, _Border.LENGTH) in seen
    return None if covered else Gap.NOT_COVERED


def _type_name(node: Node) -> str:
    """As in schemas: int32, string, []Topic."""
    match node:
        case Array(element=element):
            return f"[]{_type_name(element)}"
        case Struct(name=name):
            return name
        case Primitive(name="BOOLEAN"):
            return "bool"
        case Primitive(name=name):
            return name.removeprefix("COMPACT_").removeprefix("NULLABLE_").lower()
    raise TypeError(f"no message has a {type(node).__name__}")
