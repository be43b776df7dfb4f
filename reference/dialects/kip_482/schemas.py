"""Schemas of kip-482-v1: a structure is a map of tags to optional fields, and a list of mandatory fields.

    Structure({0x0001: OptionalField("UserAgent", "string", nullable=True)}, Field("Baz", "int16"))

They are built in code, or read from the draft's JSON. All rules are checked in both cases (R-482-10 to 12); an error
names the place. The codec makes its plans from `MessageSchema.schema`.

Source: KIP-482 version 1, "JSON Schemas" and "Schema Class".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference import schema
from wireproof.reference.cursor import Writer
from wireproof.reference.errors import EncodeError, SchemaError, join, shown
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.rules import Rules
from wireproof.reference.schema import ALL, MAX_DEPTH, MAX_FIELDS, NONE, SCALARS, Schema, Versions

HIGHEST_TAG = 2**16 - 1
#: The scalars that can be null; so can arrays. An optional structure has no null form.
NULLABLE = ("string", "bytes", "records")
KINDS = ("request", "response", "header", "data")


@dataclass(frozen=True, slots=True)
class MandatoryField:
    """A mandatory field. `type`: a scalar's name, or a structure. `default`: `...` stands for the type's default."""

    name: str
    type: str | Structure
    versions: Versions = ALL
    array: bool = False
    nullable: Versions = NONE
    default: Any = ...
    ignorable: bool = False


@dataclass(frozen=True, slots=True)
class OptionalField:
    """An optional field, in all versions with optional fields. Its tag is its key in a Structure."""

    name: str
    type: str | Structure
    array: bool = False
    nullable: bool = False
    default: Any = ...
    ignorable: bool = False


class Structure:
    """A structure, or a message's body. Raises SchemaError when a rule is broken."""

    __slots__ = ("fields", "name", "optional")

    def __init__(
        self, optional_fields: Mapping[int, OptionalField], *fields: MandatoryField, name: str = "", path: str = ""
    ) -> None:
        """`name`: the type's name, for display. `path`: the place, for errors."""
        self.optional = dict(sorted(optional_fields.items()))
        self.fields = fields
        self.name = name
        names: set[str] = set()
        for field in self.members:
            schema.check_name(field.name, path)
        for tag, optional in optional_fields.items():
            at = join(path, optional.name)
            if not isinstance(tag, int) or isinstance(tag, bool) or not 0 <= tag <= HIGHEST_TAG:
                raise SchemaError(f"{shown(tag)} is no tag; an integer from 0 to {HIGHEST_TAG} is expected", at)
            if optional.array and isinstance(optional.type, Structure):
                raise SchemaError("an optional field can't be an array of structures", at)
            _check_field(optional, at, nullable=optional.nullable)
            if optional.nullable and isinstance(optional.type, Structure):
                raise SchemaError("an optional structure can't be null: it has no null form", at)
        for mandatory in fields:
            _check_field(mandatory, join(path, mandatory.name), nullable=bool(mandatory.nullable))
        for field in self.members:
            if field.name in names:
                raise SchemaError(f"the field {field.name} stands twice", path)
            names.add(field.name)

    @property
    def members(self) -> tuple[OptionalField | MandatoryField, ...]:
        """All fields in wire order: optional ones first."""
        return (*self.optional.values(), *self.fields)


def _check_field(field: MandatoryField | OptionalField, path: str, *, nullable: bool) -> None:
    if isinstance(field.type, str):
        if field.type not in SCALARS:
            raise SchemaError(f"{shown(field.type)} is no type; scalars are {', '.join(SCALARS)}", path)
        if nullable and not field.array and field.type not in NULLABLE:
            raise SchemaError(f"a {field.type} can't be null; {', '.join(NULLABLE)} and arrays can", path)
    if field.default is ...:
        return
    if field.default is None:
        if not nullable:
            raise SchemaError("null is the default of a field that is never null", path)
    elif isinstance(field.type, Structure) or field.array:
        if not field.array or field.default != []:
            raise SchemaError("an array or structure has no default of its own but null", path)
    else:
        try:
            PRIMITIVES[_PRIMITIVE[field.type]].append(Writer(Rules()), field.default)
        except EncodeError as error:
            raise SchemaError(f"the default is no {field.type}: {error.detail}", path) from None


_PRIMITIVE = {
    "bool": "BOOLEAN",
    "records": "BYTES",
    **{name: name.upper() for name in SCALARS if name not in ("bool", "records")},
}


@dataclass(frozen=True, slots=True)
class MessageSchema:
    """A message in all its versions. In those of `with_optional`, body and structures begin with optional fields.

    Raises SchemaError when a rule is broken.
    """

    name: str
    kind: str
    versions: Versions
    with_optional: Versions
    body: Structure
    api_key: int | None = None

    def __post_init__(self) -> None:
        schema.check_name(self.name, "")
        schema.number(self.api_key, 2**15 - 1, "api key", "apiKey")
        if self.kind not in KINDS:
            raise SchemaError(
                f"{shown(self.kind)} is no kind of message; one of {', '.join(KINDS)} is expected", "type"
            )
        _check_inside(self, self.body, "", self.versions, 0, [0])

    @property
    def schema(self) -> Schema:
        """The schema for plans: optional fields are tagged in `with_optional`."""
        fields = tuple(_planned(self.body, self.with_optional))
        return Schema(self.name, self.kind, self.api_key, self.versions, NONE, fields, self.with_optional)


def _check_inside(
    message: MessageSchema, structure: Structure, path: str, versions: Versions, depth: int, count: list[int]
) -> None:
    """The rules that depend on where a structure stands: its versions, its depth."""
    if depth > MAX_DEPTH:
        raise SchemaError(f"structures are nested more than {MAX_DEPTH} deep", path)
    if structure.optional and not message.with_optional:
        raise SchemaError("optionalFields, but versionsWithOptional is none", path)
    count[0] += len(structure.fields) + len(structure.optional)
    if count[0] > MAX_FIELDS:
        raise SchemaError(f"the message has more than {MAX_FIELDS} fields", path)
    planned = tuple(_planned(structure, message.with_optional))
    for field in planned:
        if field.name in schema.AMBIGUOUS_NAMES:
            others = [other.versions for other in planned if other is not field]
            if schema.first_without(others, field.versions & versions) is not None:
                raise SchemaError(f"a structure whose one field is called {field.name} makes values ambiguous", path)
    for member in structure.members:
        if not isinstance(member.type, Structure):
            continue
        at = join(path, member.name)
        here = versions & (member.versions if isinstance(member, MandatoryField) else message.with_optional)
        _check_inside(message, member.type, at, here, depth + 1, count)
        if member.array:
            inner = _planned(member.type, message.with_optional)
            bare = schema.first_without([message.with_optional, *schema.filled(inner)], here)
            if bare is not None:
                raise SchemaError(f"its elements take no byte in version {bare}, so there can be no array of them", at)


def inner_array(message: MessageSchema) -> str:
    """The path of the first array of structures inside an optional field; "" where there is none (R-482-10 ‡)."""
    return next(_inner_arrays(message.body, "", inside=False), "")


def _inner_arrays(structure: Structure, path: str, *, inside: bool) -> Iterator[str]:
    for field in structure.members:
        if isinstance(field.type, Structure):
            at = join(path, field.name)
            if inside and field.array:
                yield at
            yield from _inner_arrays(field.type, at, inside=inside or isinstance(field, OptionalField))


def _planned(structure: Structure, with_optional: Versions) -> Iterator[schema.Field]:
    for tag, field in structure.optional.items():
        nullable = with_optional if field.nullable else NONE
        yield _made(field, with_optional, nullable, with_optional, tag)
    for mandatory in structure.fields:
        yield _made(mandatory, mandatory.versions, mandatory.nullable, with_optional, None)


def _made(
    field: MandatoryField | OptionalField,
    versions: Versions,
    nullable: Versions,
    with_optional: Versions,
    tag: int | None,
) -> schema.Field:
    inner = field.type if isinstance(field.type, Structure) else None
    type_name = (inner.name or "Structure") if inner else str(field.type)
    return schema.Field(
        name=field.name,
        type=type_name,
        array=field.array,
        versions=versions,
        nullable=nullable,
        tag=tag,
        tagged=NONE if tag is None else with_optional,
        default=schema.default_of(None, type_name, field.array, nullable, "")
        if field.default is ...
        else field.default,
        ignorable=field.ignorable,
        flexible=None,
        fields=tuple(_planned(inner, with_optional)) if inner else None,
    )


# --- JSON -------------------------------------------------------------------------------------------------------------

_PROSE = frozenset({"about", "entityType", "mapKey", "zeroCopy"})
_MESSAGE_KEYS = frozenset(
    {
        "about",
        "apiKey",
        "fields",
        "listeners",
        "name",
        "optionalFields",
        "type",
        "validVersions",
        "versionsWithOptional",
    }
)
_BOTH_KEYS = _PROSE | {"default", "fields", "ignorable", "name", "optionalFields", "type"}
_FIELD_KEYS = _BOTH_KEYS | {"nullableVersions", "versions"}
_OPTIONAL_KEYS = _BOTH_KEYS | {"nullable", "tag"}
_TAG = re.compile(r"0[xX][0-9a-fA-F]{1,6}|[0-9]{1,6}")
#: Keys that are not the draft's → what it has instead.
_MEANT = {
    "flexibleVersions": "the draft has versionsWithOptional",
    "taggedVersions": "the draft has optionalFields",
    "commonStructs": "a structure's fields stand where it is used",
}


def parse(text: str | bytes, file: str = "") -> MessageSchema:
    """A message from JSON text; `file` is its name in errors. Raises SchemaError."""
    try:
        return from_json(schema.load_json(text))
    except SchemaError as error:
        error.path = ": ".join(part for part in (file, error.path) if part)
        raise


def from_json(raw: Any) -> MessageSchema:
    """A message from parsed JSON. Raises SchemaError with the path of the fault."""
    declared = schema.mapping(raw, "")
    name = schema.name_of(declared, "")
    _check_keys(declared, _MESSAGE_KEYS, "")
    return MessageSchema(
        name=name,
        kind=declared.get("type"),  # type: ignore[arg-type]  # checked with the rest
        versions=schema.version_range(declared.get("validVersions"), "validVersions"),
        with_optional=schema.version_range(declared.get("versionsWithOptional"), "versionsWithOptional"),
        body=_structure(declared, "", name, 0),
        api_key=schema.number(declared.get("apiKey"), 2**15 - 1, "api key", "apiKey"),
    )


def _check_keys(raw: Mapping[str, Any], known: frozenset[str], path: str) -> None:
    for key in raw:
        if key not in known and key in _MEANT:
            raise SchemaError(f"the key {key} is not the draft's; {_MEANT[key]}", path)
    schema.check_keys(raw, known, path)


def _structure(raw: Mapping[str, Any], path: str, name: str, depth: int) -> Structure:
    if depth > MAX_DEPTH:
        raise SchemaError(f"structures are nested more than {MAX_DEPTH} deep", path)
    optional: dict[int, OptionalField] = {}
    for entry in schema.listing(raw.get("optionalFields", []), join(path, "optionalFields")):
        tag, field = _optional_field(schema.mapping(entry, join(path, "optionalFields")), path, depth)
        if tag in optional:
            raise SchemaError(f"{optional[tag].name} and {field.name} share the tag {tag}", path)
        optional[tag] = field
    entries = schema.listing(raw.get("fields", []), join(path, "fields"))
    fields = [_field(schema.mapping(entry, join(path, "fields")), path, depth) for entry in entries]
    return Structure(optional, *fields, name=name, path=path)


def _optional_field(raw: Mapping[str, Any], outer: str, depth: int) -> tuple[int, OptionalField]:
    name = schema.name_of(raw, join(outer, "optionalFields"))
    path = join(outer, name)
    for key in ("versions", "nullableVersions", "taggedVersions"):
        if key in raw:
            detail = (
                f"an optional field has no {key}: it is there in versionsWithOptional, and `nullable` is true or false"
            )
            raise SchemaError(detail, path)
    _check_keys(raw, _OPTIONAL_KEYS, path)
    nullable = schema.flag(raw, "nullable", path)
    array, element, type_name = _type(raw, path, depth)
    default = _default(raw, type_name, array, ALL if nullable else NONE, path)
    field = OptionalField(name, element, array, nullable, default, schema.flag(raw, "ignorable", path))
    return _tag(raw, path), field


def _tag(raw: Mapping[str, Any], path: str) -> int:
    """A number, or a string with one, mostly in hex."""
    tag = raw.get("tag")
    if tag is None:
        raise SchemaError("an optional field needs a tag", path)
    if isinstance(tag, str) and _TAG.fullmatch(tag):
        return int(tag, 16 if "x" in tag.lower() else 10)
    if isinstance(tag, int) and not isinstance(tag, bool):
        return tag
    raise SchemaError(f'{shown(tag)} is no tag; a number or a string such as "0x0001" is expected', path)


def _field(raw: Mapping[str, Any], outer: str, depth: int) -> MandatoryField:
    name = schema.name_of(raw, join(outer, "fields"))
    path = join(outer, name)
    for key in ("tag", "nullable"):
        if key in raw:
            raise SchemaError(f"a mandatory field has no {key}; an optional one stands in optionalFields", path)
    _check_keys(raw, _FIELD_KEYS, path)
    nullable = schema.version_range(raw.get("nullableVersions", "none"), join(path, "nullableVersions"))
    versions = schema.version_range(raw.get("versions"), join(path, "versions"))
    array, element, type_name = _type(raw, path, depth)
    default = _default(raw, type_name, array, nullable, path)
    return MandatoryField(name, element, versions, array, nullable, default, schema.flag(raw, "ignorable", path))


def _type(raw: Mapping[str, Any], path: str, depth: int) -> tuple[bool, str | Structure, str]:
    """Whether it is an array; the type, or the elements' type; its name."""
    written = raw.get("type")
    if not isinstance(written, str):
        raise SchemaError(f"{shown(written)} is no type", path)
    array, name = written.startswith("[]"), written.removeprefix("[]")
    has_fields = "fields" in raw or "optionalFields" in raw
    if name in SCALARS:
        if has_fields:
            raise SchemaError(f"a {name} has no fields", path)
        return array, name, name
    if not name.isascii() or not name.isalnum() or not name[:1].isalpha():
        raise SchemaError(f"{shown(written)} is no type; scalars are {', '.join(SCALARS)}", path)
    if not has_fields:
        raise SchemaError(f"{name} is no scalar, and it has no fields", path)
    return array, _structure(raw, path, name, depth + 1), name


def _default(raw: Mapping[str, Any], type_name: str, array: bool, nullable: Versions, path: str) -> Any:
    if "default" not in raw:
        return ...
    stated = "null" if raw["default"] is None else raw["default"]
    return schema.default_of(stated, type_name, array, nullable, path)


def to_json(message: MessageSchema) -> dict[str, Any]:
    """The draft's JSON of a message: what `from_json` reads back."""
    head: dict[str, Any] = {} if message.api_key is None else {"apiKey": message.api_key}
    head |= {
        "type": message.kind,
        "name": message.name,
        "validVersions": str(message.versions),
        "versionsWithOptional": str(message.with_optional),
    }
    return head | _members(message.body)


def _members(structure: Structure) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if structure.optional:
        members["optionalFields"] = [
            _entry(field, {"nullable": True} if field.nullable else {}) | {"tag": f"0x{tag:04x}"}
            for tag, field in structure.optional.items()
        ]
    members["fields"] = [
        _entry(
            field,
            {"versions": str(field.versions)} | ({"nullableVersions": str(field.nullable)} if field.nullable else {}),
        )
        for field in structure.fields
    ]
    return members


def _entry(field: MandatoryField | OptionalField, parts: Mapping[str, Any]) -> dict[str, Any]:
    inner = field.type if isinstance(field.type, Structure) else None
    type_name = inner.name if inner else field.type
    entry: dict[str, Any] = {"name": field.name, "type": f"{'[]' if field.array else ''}{type_name}", **parts}
    if field.default is not ...:
        entry |= _stated(field.default)
    if field.ignorable:
        entry["ignorable"] = True
    return entry | (_members(inner) if inner else {})


def _stated(default: Any) -> dict[str, Any]:
    """The key `default`, unless it is the type's default."""
    match default:
        case None:
            return {"default": "null"}
        case bool():
            return {"default": "true" if default else "false"}
        case list() | b"" | "":
            return {}
    return {"default": str(default)}


def all_of(raw: Iterable[Any]) -> tuple[MessageSchema, ...]:
    """The messages of a list of schema JSON. Names and api keys are unique. Raises SchemaError."""
    messages: dict[str, MessageSchema] = {}
    keys: dict[tuple[str, int], str] = {}
    for entry in raw:
        try:
            message = from_json(entry)
        except SchemaError as error:
            name = entry.get("name") if isinstance(entry, Mapping) else None
            error.path = ": ".join(part for part in (name if isinstance(name, str) else "", error.path) if part)
            raise
        if message.name in messages:
            raise SchemaError(f"the message {message.name} stands twice")
        messages[message.name] = message
        if message.api_key is not None:
            other = keys.setdefault((message.kind, message.api_key), message.name)
            if other != message.name:
                raise SchemaError(f"{other} and {message.name} share the api key {message.api_key}", message.name)
    return tuple(messages.values())
