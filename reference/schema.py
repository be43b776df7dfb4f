"""Message schemas: Kafka's JSON form → Schema, Field. Strict: what is not understood is refused with its place.

Source: the README of Kafka's message definitions; KIP-482 for flexible and tagged versions.
"""

from __future__ import annotations

import base64
import contextlib
import difflib
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reference.errors import SchemaError, shown
from reference.primitives import NULL_UUID

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
_INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
}
#: The keys that Kafka's own generator knows: it refuses any other. Those that change no byte are passed over.
_MESSAGE_KEYS = frozenset(
    {
        "apiKey",
        "commonStructs",
        "deprecatedVersions",
        "fields",
        "flexibleVersions",
        "headerVersions",  # says again what follows from flexibleVersions
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
#: A structure with one field of such a name could not be told from an encoded bytes, integer, UUID or float value.
AMBIGUOUS_NAMES = frozenset({"hex", "int", "uuid", "float64"})
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_KAFKA_UUID = re.compile(r"[A-Za-z0-9_-]{22}(?:==)?")
_USUAL_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5})|(\+))?")
MAX_VERSION = 2**15 - 1
#: Nesting deeper than this is refused: no message needs it, and a codec recurses along it.
MAX_DEPTH = 32
#: More fields than this are refused, common structures counted wherever they stand: a few lines can ask for billions.
MAX_FIELDS = 10_000


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
    """A field of a structure. `type` is a scalar's or structure's name, `array` says whether it is repeated;
    `flexible` overrides the message's flexible versions, for the one field (ClientId) that never turns compact."""

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
    """A message (request, response, header or data) over all its versions."""

    name: str
    kind: str
    api_key: int | None
    versions: Versions
    flexible: Versions
    fields: tuple[Field, ...]
    #: Versions in which bodies and structures open with an optional-field buffer; tagged fields then stand in it.
    optional: Versions = NONE


def parse(text: str | bytes, file: str = "") -> Schema:
    """A schema from JSON text with comments, as Kafka's own generator reads it; `file` is how errors call it.

    Raises SchemaError with the file, the path in it and what is wrong.
    """
    try:
        return from_json(load_json(text))
    except SchemaError as error:
        error.path = ": ".join(part for part in (file, error.path) if part)
        raise


#: A string, or a comment: // to the end of the line, or /* … */.
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def load_json(text: str | bytes) -> Any:
    """JSON with comments → what `json.loads` gives for it without them. Raises SchemaError."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise SchemaError(f"the file is not UTF-8: {error}") from None
    try:
        return json.loads(_STRING_OR_COMMENT.sub(_without_comment, text))
    except ValueError as error:  # of the text, or an integer of thousands of digits
        raise SchemaError(f"not JSON: {error}") from None
    except RecursionError:
        raise SchemaError("the JSON is nested too deeply") from None


def _without_comment(match: re.Match[str]) -> str:
    """A string as it is; of a comment its line ends, so that errors name the right line."""
    return match[1] or " " + "\n" * match[0].count("\n")


def from_json(raw: Any) -> Schema:
    """A schema from parsed JSON. Raises SchemaError with the path of what is wrong."""
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
        """No version of the structure has one of the ambiguous names as its only field."""
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
        own = raw.get("flexibleVersions")
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
            flexible=None if own is None else version_range(own, path + ".flexibleVersions"),
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
        if not _NAME.fullmatch(type_name):
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
        """No version of the array has elements of no byte: nothing would bound what a count asks for."""
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


def first_without(spans: Iterable[Versions], within: Versions) -> int | None:
    """The first version of `within` that none of the spans holds."""
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


def mapping(raw: Any, path: str) -> Mapping[str, Any]:
    """A JSON object. Raises SchemaError."""
    if not isinstance(raw, dict):
        raise SchemaError(f"a JSON object is expected, not {_kind(raw)}", path)
    return raw


def listing(raw: Any, path: str) -> list[Any]:
    """A JSON array. Raises SchemaError."""
    if not isinstance(raw, list):
        raise SchemaError(f"a JSON array is expected, not {_kind(raw)}", path)
    return raw


def _kind(raw: Any) -> str:
    return "nothing" if raw is None else shown(raw)


def name_of(raw: Mapping[str, Any], path: str) -> str:
    """The name of a message, structure or field. Raises SchemaError."""
    return check_name(raw.get("name"), path)


def check_name(name: Any, path: str) -> str:
    """A name, if it is one. Raises SchemaError."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SchemaError(f"{shown(name)} is no name; letters and digits are expected", path)
    return name


def check_keys(raw: Mapping[str, Any], known: frozenset[str], path: str) -> None:
    """Refuse a key that the schema language does not know: a misspelt one would be passed over."""
    for key in raw:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1)
            hint = f"is {near[0]} meant?" if near else f"known are {', '.join(sorted(known))}"
            raise SchemaError(f"the key {shown(key)} is not known here; {hint}", path)


def flag(raw: Mapping[str, Any], key: str, path: str) -> bool:
    """true or false, as text too."""
    value = raw.get(key, False)
    if value in ("true", "false"):
        return bool(value == "true")
    if not isinstance(value, bool):
        raise SchemaError(f"{key} is true or false, not {shown(value)}", path)
    return value


def number(raw: Any, high: int, what: str, path: str) -> int | None:
    """An integer from 0 to high, as text too (Kafka 3.9 writes a tag so); None when there is none."""
    if raw is None:
        return None
    number = int(raw) if isinstance(raw, str) and re.fullmatch(r"[0-9]{1,10}", raw) else raw
    if not _whole(number, 0, high):
        raise SchemaError(f"{shown(raw)} is no {what}; an integer from 0 to {high} is expected", path)
    return int(number)


def version_range(raw: Any, path: str) -> Versions:
    """A range: none, 3, 0-9 or 3+, as text."""
    if raw == "none":
        return NONE
    match = _RANGE.fullmatch(raw) if isinstance(raw, str) else None
    if not match:
        raise SchemaError(f'{_kind(raw)} is no range of versions; "0-9", "3+", "3" or "none" is expected', path)
    low = int(match[1])
    high = MAX_VERSION if match[3] else int(match[2] or match[1])
    if low > high or high > MAX_VERSION:
        raise SchemaError(f"{raw!r} is an empty or too large range of versions", path)
    return Versions(low, high)


def default_of(raw: Any, type_name: str, array: bool, nullable: Versions, path: str) -> Any:
    """The default that a schema states, else the type's own: 0, false, "", empty, zero UUID. For a structure:
    `...` (Ellipsis), which stands for a structure of defaults."""
    path += ".default"
    if raw == "":  # how the generator has a default that is not stated
        raw = None
    if raw == "null":
        if not nullable:
            raise SchemaError("null is the default of a field that is never nullable", path)
        return None
    if array:
        return _unstated(raw, [], "an array", path)
    if type_name in _INTEGERS:
        return _integer(raw, *_INTEGERS[type_name], path)
    parse = _DEFAULTS.get(type_name)
    if parse is not None:
        return parse(raw, path)
    if type_name == "records":
        return _unstated(raw, None if nullable else b"", "records", path)
    return _unstated(raw, ..., "a structure", path)


def _unstated(raw: Any, own: Any, what: str, path: str) -> Any:
    """The default of a type for which a schema states none, but null."""
    if raw is not None:
        raise SchemaError(f"{what} can't have a default but null, not {_kind(raw)}", path)
    return own


def _bytes(raw: Any, path: str) -> Any:
    return _unstated(raw, b"", "bytes", path)


def _string(raw: Any, path: str) -> str:
    if raw is not None and not isinstance(raw, str):
        raise SchemaError(f"a string's default is a string, not {_kind(raw)}", path)
    return raw or ""


def _integer(raw: Any, low: int, high: int, path: str) -> int:
    """A decimal or 0x number, or a string of one."""
    if raw is None:
        return 0
    number = raw
    if isinstance(raw, str) and re.fullmatch(r"-?(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})", raw):
        number = int(raw, 16 if "x" in raw.lower() else 10)
    if not _whole(number, low, high):
        raise SchemaError(f"{_kind(raw)} is no default from {low} to {high}", path)
    return int(number)


def _whole(raw: Any, low: int, high: int) -> bool:
    """Whether this is an integer from low to high."""
    return isinstance(raw, int) and not isinstance(raw, bool) and low <= raw <= high


def _bool(raw: Any, path: str) -> bool:
    if raw is None or isinstance(raw, bool):
        return raw is True
    if isinstance(raw, str) and raw.lower() in ("true", "false"):
        return raw.lower() == "true"
    raise SchemaError(f"{_kind(raw)} is no boolean default; true or false is expected", path)


def _float(raw: Any, path: str) -> float:
    if raw is None:
        return 0.0
    if isinstance(raw, (int, float, str)) and not isinstance(raw, bool):
        with contextlib.suppress(ValueError, OverflowError):
            return float(raw)
    raise SchemaError(f"{_kind(raw)} is no number", path)


def _uuid(raw: Any, path: str) -> uuid.UUID:
    """In Kafka's form, 22 characters of URL-safe base64, or in the usual one."""
    if raw is None:
        return NULL_UUID
    if isinstance(raw, str) and _KAFKA_UUID.fullmatch(raw):
        return uuid.UUID(bytes=base64.urlsafe_b64decode(raw[:22] + "=="))
    if isinstance(raw, str) and _USUAL_UUID.fullmatch(raw):
        return uuid.UUID(raw)
    raise SchemaError(f"{_kind(raw)} is no UUID; 22 characters of URL-safe base64 are expected, or 8-4-4-4-12", path)


_DEFAULTS: Mapping[str, Callable[[Any, str], Any]] = {
    "bool": _bool,
    "bytes": _bytes,
    "float64": _float,
    "string": _string,
    "uuid": _uuid,
}
