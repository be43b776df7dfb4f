"""A plan has the fields of a message in one version, and the encoding of each. It is made once from schema and version,
so that no loop has to compare versions.

A plan is a tree of nodes; `message.py` walks it. Types outside messages (ARRAY<INT32>, TAG_BUFFER) are nodes too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from wireproof.reference.errors import DecodeError, Reason, shown
from wireproof.reference.primitives import PRIMITIVES, Primitive
from wireproof.reference.schema import Field, Schema, Versions


@dataclass(frozen=True, slots=True)
class Array:
    """A count, then that many elements. ARRAY: INT32 count, −1 null; COMPACT: unsigned varint count + 1, 0 null."""

    element: Node
    compact: bool
    nullable: bool


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A key and its value, one after the other."""

    first: PlannedField
    second: PlannedField


@dataclass(frozen=True, slots=True)
class TagBuffer:
    """A tag buffer alone, as a type: all its tags are unknown."""


@dataclass(frozen=True, slots=True)
class OptionalBuffer:
    """An optional-field buffer (kip-482-v1) alone, as a type: all its tags are unknown."""


@dataclass(frozen=True, slots=True)
class PlannedField:
    """A field of one version. `default` is the value of a tagged field that is not sent and of a missing key."""

    name: str
    node: Node
    default: Any
    tag: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A structure of one version.

    `fields`: all of them in schema order; `plain`: those in the body, `tagged`: those behind tags, by tag.
    `foreign`: fields of other versions, name → (default, ignorable); `foreign_tags`: those tags.
    `optional`: it begins with an optional-field buffer, which has the tagged fields (kip-482-v1).
    `marker`: how null is written: never, by an INT8 (−1, 1), or by an unsigned varint (0, 1) inside a tag.
    """

    name: str
    fields: tuple[PlannedField, ...]
    plain: tuple[PlannedField, ...]
    tagged: Mapping[int, PlannedField]
    foreign: Mapping[str, tuple[Any, bool]]
    foreign_tags: frozenset[int]
    flexible: bool
    marker: Literal["none", "int8", "uvarint"] = "none"
    optional: bool = False


Node = Primitive | Array | PlannedPair | TagBuffer | OptionalBuffer | Struct

_SCALAR_TYPES = {
    "bool": "BOOLEAN",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "uint16": "UINT16",
    "uint32": "UINT32",
    "float64": "FLOAT64",
    "uuid": "UUID",
}
_VARIABLE_TYPES = {"string": "STRING", "bytes": "BYTES", "records": "BYTES"}


def plan(schema: Schema, version: int) -> Struct:
    """The plan of a message at a version. Raises DecodeError(unsupported-version) for one that it does not have."""
    if version not in schema.versions:
        detail = f"{schema.name} has versions {schema.versions}, not {shown(version)}"
        raise DecodeError(Reason.UNSUPPORTED_VERSION, detail, None)
    return _struct(schema.name, schema.fields, _At(version, schema.flexible, version in schema.optional))


class _At(NamedTuple):
    """The version of a plan, the flexible versions, and whether this version has optional fields."""

    version: int
    flexible: Versions
    optional: bool


def _struct(
    name: str,
    fields: tuple[Field, ...],
    at: _At,
    marker: Literal["none", "int8", "uvarint"] = "none",
) -> Struct:
    version = at.version
    here = tuple(_field(field, at) for field in fields if version in field.versions)
    foreign = {
        field.name: (_foreign_default(field), field.ignorable) for field in fields if version not in field.versions
    }
    tagged = {planned.tag: planned for planned in here if planned.tag is not None}
    return Struct(
        name=name,
        fields=here,
        plain=tuple(planned for planned in here if planned.tag is None),
        tagged=dict(sorted(tagged.items())),
        foreign=foreign,
        foreign_tags=frozenset(field.tag for field in fields if field.tag is not None) - tagged.keys(),
        flexible=version in at.flexible,
        marker=marker,
        optional=at.optional,
    )


def _field(field: Field, at: _At) -> PlannedField:
    tag = field.tag if at.version in field.tagged else None
    return PlannedField(field.name, _node(field, at), _default(field, at.version), tag)


def _node(field: Field, at: _At) -> Node:
    compact = at.version in (at.flexible if field.flexible is None else field.flexible)
    nullable = at.version in field.nullable
    if field.array:
        return Array(_element(field, at, compact), compact, nullable)
    if field.fields is not None:
        tagged = at.version in field.tagged
        marker: Literal["none", "int8", "uvarint"] = ("uvarint" if tagged else "int8") if nullable else "none"
        return _struct(field.type, field.fields, at, marker)
    return _scalar(field.type, compact, nullable)


def _element(field: Field, at: _At, compact: bool) -> Node:
    if field.fields is not None:
        return _struct(field.type, field.fields, at)
    return _scalar(field.type, compact, nullable=False)


def _scalar(type_name: str, compact: bool, nullable: bool) -> Primitive:
    if type_name in _SCALAR_TYPES:
        return PRIMITIVES[_SCALAR_TYPES[type_name]]
    prefix = ("COMPACT_" if compact else "") + ("NULLABLE_" if nullable else "")
    return PRIMITIVES[prefix + _VARIABLE_TYPES[type_name]]


def _default(field: Field, version: int) -> Any:
    """The schema's default, or the type's. Where this version has no null, the type's default replaces null."""
    default = field.default
    if default is None and version not in field.nullable:
        default = _own_default(field)
    if default is ...:
        assert field.fields is not None
        return {inner.name: _default(inner, version) for inner in field.fields if version in inner.versions}
    return default


def _own_default(field: Field) -> Any:
    if field.array:
        return []
    return ... if field.fields is not None else _scalar(field.type, compact=False, nullable=False).default


def _foreign_default(field: Field) -> Any:
    """The default of a field that this version lacks; a structure has its fields of all versions."""
    if field.default is ...:
        assert field.fields is not None
        return {inner.name: _foreign_default(inner) for inner in field.fields}
    return field.default


class MessagePlans(Protocol):
    """The plans of headers and bodies, for frames."""

    def api_name(self, api_key: int) -> str | None:
        """The name of an api ("Metadata"), None for a key that is none."""
        ...

    def plan(self, name: str, version: int) -> Struct:
        """The plan of a message or header. Raises DecodeError(unsupported-version)."""
        ...
