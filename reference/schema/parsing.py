"""Reads a schema from Kafka's JSON form. It is strict: anything unknown is refused, with its path.

Source: the README of Kafka's message definitions; KIP-482 for flexible and tagged versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wireproof.reference.errors import SchemaError, shown
from wireproof.reference.schema.defaults import default_of
from wireproof.reference.schema.model import (
    AMBIGUOUS_NAMES,
    NONE,
    SCALARS,
    Field,
    Schema,
    Versions,
    filled,
    first_without,
)
from wireproof.reference.schema.parts import NAME, check_keys, flag, listing, mapping, name_of, number, version_range
from wireproof.reference.schema.text import load_json

#: The keys that Kafka's own generator knows; it refuses others. Keys that change no byte are ignored.
_MESSAGE_KEYS = frozenset(
    {
        "apiKey",
        "commonStructs",
        "deprecatedVersions",
        "fields",
        "flexibleVersions",
        "headerVersions",  # follows from flexibleVersions
        "latestVersionUnstable",
        "listeners",
        "name",
        "type",
        "validVersions",
    }
)
_STRUCT_KEYS = frozenset({"deprecatedVersions", "fields", "name", "versions"})
_FIELD_KEYS = frozenset(
    {
        "about",
        "default",
        "entityType",
        "fields",
        "flexibleVersions",
        "ignorable",
        "mapKey",
        "name",
        "nullableVersions",
        "tag",
        "taggedVersions",
        "type",
        "versions",
        "zeroCopy",
    }
)
#: Nesting deeper than this is refused: no message needs it, and a codec recurses along it.
MAX_DEPTH = 32
#: The maximum number of fields. Common structures count at each use: a few lines can make billions.
MAX_FIELDS = 10_000


def parse(text: str | bytes, file: str = "") -> Schema:
    """A schema from JSON text with comments, as Kafka's own generator reads it; `file` is its name in errors.

    Raises SchemaError with the file, the path in it and the fault.
    """
    try:
        return from_json(load_json(text))
    except SchemaError as error:
        error.path = ": ".join(part for part in (file, error.path) if part)
        raise


def from_json(raw: Any) -> Schema:
    """A schema from parsed JSON. Raises SchemaError with the path of the fault."""
    return _Parser(raw).schema()


class _Parser:
    def __init__(self, raw: Any) -> None:
        self.raw = mapping(raw, "")
        self.common: dict[str, Any] = {}
        self.used: set[str] = set()
        self.flexible = NONE
        self.count = 0

    def schema(self) -> Schema:
        raw = self.raw
        name = name_of(raw, "")
        check_keys(raw, _MESSAGE_KEYS, "")
        versions = version_range(raw.get("validVersions"), "validVersions")
        self.flexible = version_range(raw.get("flexibleVersions", "none"), "flexibleVersions")
        for entry in listing(raw.get("commonStructs", []), "commonStructs"):
            shared = mapping(entry, "commonStructs")
            shared_name = name_of(shared, "commonStructs")
            if shared_name in self.common:
                raise SchemaError(f"the structure {shared_name} stands twice", "commonStructs")
            check_keys(shared, _STRUCT_KEYS, f"commonStructs.{shared_name}")
            self.common[shared_name] = shared
        kind = raw.get("type")
        if kind not in ("request", "response", "header", "data", "metadata", "coordinator-key", "coordinator-value"):
            detail = f"{shown(kind)} is no kind of message; request, response, header or data is expected"
            raise SchemaError(detail, "type")
        api_key = number(raw.get("apiKey"), 2**15 - 1, "api key", "apiKey")
        stated = raw.get("fields", None if versions else [])  # one whose versions are all gone has none
        fields = self.fields(stated, "", versions, ())
        for unused in sorted(self.common.keys() - self.used):  # nobody else looks at them
            self.fields(self.common[unused].get("fields"), f"commonStructs.{unused}", versions, (unused,))
        return Schema(name, kind, api_key, versions, self.flexible, fields)

    def fields(self, raw: Any, path: str, versions: Versions, within: tuple[str, ...]) -> tuple[Field, ...]:
        """The fields of a structure that stands in these versions, inside the structures `within`."""
        entries = listing(raw, f"{path}.fields" if path else "fields")
        fields = tuple(self.field(mapping(entry, path), path, versions, within) for entry in entries)
        names: set[str] = set()
        tags: dict[int, str] = {}
        for field in fields:
            if field.name in names:
                raise SchemaError(f"the field {field.name} stands twice", path)
            names.add(field.name)
            if field.tag is not None and tags.setdefault(field.tag, field.name) != field.name:
                raise SchemaError(f"{tags[field.tag]} and {field.name} share the tag {field.tag}", path)
        if sorted(tags) != list(range(len(tags))):
            raise SchemaError(f"tags {sorted(tags)} have a gap; they count from 0", path)
        self.check_ambiguous(fields, versions, path)
        return fields

    @staticmethod
    def check_ambiguous(fields: tuple[Field, ...], versions: Versions, path: str) -> None:
        """Refuses a structure whose only field, in some version, has one of the ambiguous names."""
        for field in (field for field in fields if field.name in AMBIGUOUS_NAMES):
            others = [other.versions for other in fields if other is not field]
            if first_without(others, field.versions & versions) is not None:
                raise SchemaError(f"a structure whose one field is called {field.name} makes values ambiguous", path)

    def field(self, raw: Mapping[str, Any], path: str, outer: Versions, within: tuple[str, ...]) -> Field:
        name = name_of(raw, path)
        path = f"{path}.{name}" if path else name
        self.count += 1
        if self.count > MAX_FIELDS:
            raise SchemaError(f"the message has more than {MAX_FIELDS} fields", path)
        check_keys(raw, _FIELD_KEYS, path)
        written = raw.get("type")
        if not isinstance(written, str):
            raise SchemaError(f"{shown(written)} is no type", path)
        array, type_name = written.startswith("[]"), written.removeprefix("[]")
        versions = version_range(raw.get("versions", raw.get("taggedVersions")), path + ".versions")
        nullable = version_range(raw.get("nullableVersions", "none"), path + ".nullableVersions")
        tagged = version_range(raw.get("taggedVersions", "none"), path + ".taggedVersions")
        tag = number(raw.get("tag"), 2**31 - 1, "tag", path)
        if (tag is None) != (not tagged):
            raise SchemaError("a tagged field has both `tag` and `taggedVersions`", path)
        own_flexible = raw.get("flexibleVersions")
        struct_fields = self.struct_fields(raw, type_name, path, versions & outer, within)
        field = Field(
            name=name,
            type=type_name,
            array=array,
            versions=versions,
            nullable=nullable,
            tag=tag,
            tagged=tagged,
            default=default_of(raw.get("default"), type_name, array, nullable, path),
            ignorable=flag(raw, "ignorable", path),
            flexible=None if own_flexible is None else version_range(own_flexible, path + ".flexibleVersions"),
            fields=struct_fields,
        )
        self.check(field, path)
        if field.array and field.fields is not None:
            self.check_element(field, versions & outer, path)
        return field

    def struct_fields(
        self,
        raw: Mapping[str, Any],
        type_name: str,
        path: str,
        versions: Versions,
        within: tuple[str, ...],
    ) -> tuple[Field, ...] | None:
        if type_name in SCALARS:
            if "fields" in raw:
                raise SchemaError(f"a {type_name} has no fields", path)
            return None
        if not NAME.fullmatch(type_name):
            raise SchemaError(f"{shown(type_name)} is no type; scalars are {', '.join(SCALARS)}", path)
        if type_name in within:
            raise SchemaError(f"the structure {type_name} contains itself", path)
        if len(within) >= MAX_DEPTH:
            raise SchemaError(f"structures are nested more than {MAX_DEPTH} deep", path)
        entries = raw.get("fields")
        if entries is None:
            if type_name not in self.common:
                raise SchemaError(f"{type_name} is neither a scalar nor one of the commonStructs", path)
            self.used.add(type_name)
            entries = self.common[type_name].get("fields")
        return self.fields(entries, path, versions, (*within, type_name))

    def check_element(self, field: Field, versions: Versions, path: str) -> None:
        """Refuses an array whose elements, in some version, have no byte: nothing would limit its count."""
        assert field.fields is not None
        bare = first_without([self.flexible, *filled(field.fields)], versions)
        if bare is not None:
            raise SchemaError(f"{field.type} takes no byte in version {bare}, so there can be no array of it", path)

    def check(self, field: Field, path: str) -> None:
        scalar = not field.array and field.fields is None
        if field.nullable and scalar and field.type not in ("string", "bytes", "records"):
            raise SchemaError(f"a {field.type} can't be null", path)
        if not field.tagged.within(field.versions):
            raise SchemaError(f"tagged in {field.tagged}, but only there in {field.versions}", path)
        if not field.tagged.within(self.flexible):
            raise SchemaError(f"tagged in {field.tagged}, but only {self.flexible} are flexible", path)
