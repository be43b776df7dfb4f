"""The first version of KIP-482's page, declared from the page and its rulings: a grammar for every schema.

A schema is the page's JSON as a dict: `versionsWithOptional`, `optionalFields`, `fields`.
"""

from __future__ import annotations

import functools
import itertools
import struct
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from construct import (
    Array,
    Bytes,
    Check,
    Construct,
    ConstructError,
    ExprAdapter,
    Float64b,
    If,
    Int8sb,
    Int16sb,
    Int16ub,
    Int32sb,
    Int32ub,
    Int64sb,
    Prefixed,
    RepeatUntil,
    Struct,
    Tell,
    Terminated,
    VarInt,
    this,
)

Schema = Mapping[str, Any]


class RefusedError(ValueError):
    """These bytes are not what the draft says."""


# --- The buffer -------------------------------------------------------------------------------------------------------

_BASE_128 = Struct(
    "start" / Tell,
    "number" / VarInt,
    "end" / Tell,
    Check(lambda found: found.number < 2**32 and ("start" not in found or found.end - found.start <= 5)),
)
#: VARINT: zigzag (R-482-1), at most five bytes.
VARINT = ExprAdapter(
    _BASE_128,
    lambda found, _: found.number >> 1 if found.number % 2 == 0 else -(found.number >> 1) - 1,
    lambda value, _: {"number": 2 * value if value >= 0 else -2 * value - 1},
)
#: An entry: the length of the value alone (R-482-2), the tag, unsigned (R-482-4), the value. Length 0 ends the buffer.
ENTRY = Struct(
    "length" / VARINT,
    Check(this.length >= 0),
    "tag" / If(this.length > 0, Int16ub),
    "value" / If(this.length > 0, Bytes(this.length)),
)
_ENTRIES = RepeatUntil(lambda entry, _found, _context: entry["length"] == 0, ENTRY)


def _entries(found: Sequence[Any]) -> list[tuple[int, bytes]]:
    tags = [entry.tag for entry in found[:-1]]
    if tags != sorted(set(tags)):
        raise RefusedError(f"the tags {tags} do not ascend")
    return [(entry.tag, entry.value) for entry in found[:-1]]


BUFFER = ExprAdapter(
    _ENTRIES,
    lambda found, _: _entries(found),
    lambda pairs, _: [
        *({"length": len(value), "tag": tag, "value": value} for tag, value in pairs),
        {"length": 0, "tag": None, "value": None},
    ],
)

# --- Values in the classic encodings ----------------------------------------------------------------------------------


def _sized(size: Construct, nullable: bool, unpack: Any, pack: Any) -> Construct:
    """A signed length, then so many bytes; −1 stands for null."""
    least = -1 if nullable else 0
    grammar = Struct("size" / size, Check(this.size >= least), "octets" / Bytes(lambda found: max(0, found.size)))

    def packed(value: Any, _context: Any) -> Any:
        octets = b"" if value is None else pack(value)
        return {"size": -1 if value is None else len(octets), "octets": octets}

    return ExprAdapter(grammar, lambda found, _: None if found.size < 0 else unpack(found.octets), packed)


def _listed(element: Construct, nullable: bool) -> Construct:
    """A signed count, then so many elements; −1 stands for null."""
    least = -1 if nullable else 0
    grammar = Struct(
        "count" / Int32sb, Check(this.count >= least), "items" / Array(lambda found: max(0, found.count), element)
    )
    return ExprAdapter(
        grammar,
        lambda found, _: None if found.count < 0 else list(found["items"]),
        lambda items, _: {"count": -1 if items is None else len(items), "items": items or []},
    )


_UUID = ExprAdapter(Bytes(16), lambda found, _: uuid.UUID(bytes=found), lambda one, _: one.bytes)
_FIXED: Mapping[str, tuple[Construct, Any]] = {
    "bool": (ExprAdapter(Int8sb, lambda found, _: found != 0, lambda value, _: int(value)), False),
    "int8": (Int8sb, 0),
    "int16": (Int16sb, 0),
    "int32": (Int32sb, 0),
    "int64": (Int64sb, 0),
    "uint16": (Int16ub, 0),
    "uint32": (Int32ub, 0),
    "float64": (Float64b, 0.0),
    "uuid": (_UUID, uuid.UUID(int=0)),
}


def _scalar(name: str, nullable: bool) -> Construct:
    if name in _FIXED:
        return _FIXED[name][0]
    if name == "string":
        return _sized(Int16sb, nullable, lambda octets: octets.decode(), lambda text: text.encode())
    return _sized(Int32sb, nullable, bytes, bytes)


# --- Fields and structures --------------------------------------------------------------------------------------------


def _holds(versions: str, version: int) -> bool:
    if versions == "none":
        return False
    low, _, high = versions.rstrip("+").partition("-")
    return int(low) <= version and (versions.endswith("+") or version <= int(high or low))


def _number(tag: Any) -> int:
    return int(tag, 0) if isinstance(tag, str) else tag


class _Structure:
    """A structure, or a body, at one version of its message."""

    def __init__(self, declared: Schema, version: int, buffered: bool) -> None:
        self.buffered = buffered
        self.optional = {
            _number(field["tag"]): (field["name"], _Field(field, version, buffered, field.get("nullable", False)))
            for field in (declared.get("optionalFields", []) if buffered else [])
        }
        self.mandatory = {
            field["name"]: _Field(field, version, buffered, _holds(field.get("nullableVersions", "none"), version))
            for field in declared.get("fields", [])
            if _holds(field["versions"], version)
        }
        members = [name / field.grammar for name, field in self.mandatory.items()]
        grammar = Struct(*(["_buffer" / BUFFER] if buffered else []), *members)
        self.grammar = ExprAdapter(grammar, self._unpacked, self._packed)

    def default(self) -> dict[str, Any]:
        named = {**dict(self.optional.values()), **self.mandatory}
        return {name: field.default() for name, field in named.items()}

    def _unpacked(self, found: Any, _context: Any) -> dict[str, Any]:
        value, unknown = self.default(), []
        for tag, raw in found._buffer if self.buffered else ():
            if tag in self.optional:
                name, field = self.optional[tag]
                value[name] = _all_of(field.grammar, raw)  # it fills its length (R-482-9)
            else:
                unknown.append((tag, raw))
        value.update({name: found[name] for name in self.mandatory})
        return {**value, "_tags": unknown} if unknown else value

    def _packed(self, value: Schema, _context: Any) -> dict[str, Any]:
        sent = dict(value.get("_tags", []))
        for tag, (name, field) in self.optional.items():
            if name in value and not _same(value[name], field.default()):
                sent[tag] = field.grammar.build(value[name])
        return {"_buffer": sorted(sent.items()), **{name: value[name] for name in self.mandatory}}


class _Field:
    def __init__(self, declared: Schema, version: int, buffered: bool, nullable: bool) -> None:
        self.declared, self.nullable = declared, nullable
        name = declared["type"].removeprefix("[]")
        self.repeated = name != declared["type"]
        own = "fields" in declared or "optionalFields" in declared
        self.inner = _Structure(declared, version, buffered) if own else None
        one = _scalar(name, nullable and not self.repeated) if self.inner is None else self.inner.grammar
        if self.repeated:
            one = _listed(one, nullable)
        elif self.inner is not None and nullable:
            one = _marked(one)
        self.grammar: Construct = one

    def default(self) -> Any:
        """What an absent field stands for (R-482-7); no field at that is sent (R-482-16)."""
        stated, name = self.declared.get("default"), self.declared["type"]
        if stated == "null" or ("default" in self.declared and stated is None):
            if self.nullable:
                return None
            stated = None
        if self.repeated:
            return []
        if self.inner is not None:
            return self.inner.default()
        if name in ("string", "bytes"):
            return "" if name == "string" and not stated else stated or b""
        if name == "records":
            return None if self.nullable else b""
        if stated in (None, ""):
            return _FIXED[name][1]
        if name == "bool":
            return str(stated).lower() == "true"
        if name == "uuid":
            return uuid.UUID(stated)
        return float(stated) if name == "float64" else _number(stated)


def _marked(one: Construct) -> Construct:
    """A mandatory structure that may be null: 1 and the structure, or −1 (R-482-15)."""
    grammar = Struct(
        "marker" / Int8sb, Check(lambda found: found.marker in (-1, 1)), "inner" / If(this.marker == 1, one)
    )
    return ExprAdapter(
        grammar,
        lambda found, _: found.inner,
        lambda value, _: {"marker": -1 if value is None else 1, "inner": value},
    )


def _same(value: Any, default: Any) -> bool:
    if isinstance(default, dict) and isinstance(value, Mapping):
        return all(
            key in default and _same(item, default[key]) for key, item in value.items() if key != "_tags" or item
        )
    if isinstance(default, float):
        return struct.pack(">d", value) == struct.pack(">d", default)
    return bool(value == default) and (value is None) == (default is None)


def _all_of(grammar: Construct, data: bytes) -> Any:
    try:
        return Struct("value" / grammar, Terminated).parse(data).value
    except (ConstructError, UnicodeDecodeError, MemoryError, OverflowError) as error:
        raise RefusedError(str(error)) from error


# --- Types ------------------------------------------------------------------------------------------------------------

_CLIENT = _scalar("string", nullable=True)
HEADER = Struct(
    "RequestApiKey" / Int16sb, "RequestApiVersion" / Int16sb, "CorrelationId" / Int32sb, "ClientId" / _CLIENT
)


class Opinion:
    """The types that these schemas make."""

    def __init__(self, schemas: Sequence[Schema]) -> None:
        self.schemas = {schema["name"]: schema for schema in schemas}
        self._grammar = functools.cache(self._made)

    def _body(self, name: str, version: int) -> Construct:
        found = self.schemas.get(name)
        if found is None or not _holds(found["validVersions"], version):
            raise RefusedError(f"{name} has no version {version}")
        return _Structure(found, version, _holds(found.get("versionsWithOptional", "none"), version)).grammar

    def _made(self, type_name: str, version: int | None) -> Construct:
        if type_name == "VARINT":
            return VARINT
        if type_name == "OPTIONAL_FIELDS":
            return BUFFER
        kind, _, name = type_name.partition(":")
        if kind == "OPTIONAL_FIELDS":
            schema = self.schemas[name]
            return _Structure({"optionalFields": schema["optionalFields"]}, _last(schema), buffered=True).grammar
        assert version is not None
        if kind == "ResponseFrame":
            members = Struct(
                "header" / Struct("CorrelationId" / Int32sb), "body" / self._body(f"{name}Response", version)
            )
            return Prefixed(Int32sb, Struct("inside" / members, Terminated))
        return self._body(type_name, version)

    def _request(self, key: int, version: int) -> Construct:
        names = [name for name, one in self.schemas.items() if one["type"] == "request" and one.get("apiKey") == key]
        if not names:
            raise RefusedError(f"no api has the key {key}")
        return Prefixed(
            Int32sb, Struct("inside" / Struct("header" / HEADER, "body" / self._body(names[0], version)), Terminated)
        )

    def decode(self, type_name: str, version: int | None, data: bytes) -> Any:
        """Raises RefusedError."""
        if type_name == "RequestFrame":
            grammar = self._request(*struct.unpack(">hh", data[4:8].ljust(4, b"\xff")))
        else:
            grammar = self._grammar(type_name, version)
        if "Frame" in type_name and int.from_bytes(data[:4], signed=True) < 0:
            raise RefusedError("a frame's size is negative")
        found = _all_of(grammar, data)
        return _plain(found.inside if "Frame" in type_name else found)

    def encode(self, type_name: str, version: int | None, value: Any) -> bytes:
        if type_name == "RequestFrame":
            header = value["header"]
            grammar = self._request(header["RequestApiKey"], header["RequestApiVersion"])
        else:
            grammar = self._grammar(type_name, version)
        return bytes(grammar.build({"inside": value} if "Frame" in type_name else value))


def _last(schema: Schema) -> int:
    return int(schema["validVersions"].rpartition("-")[2])


def _plain(found: Any) -> Any:
    """construct's containers as dicts, without its own `_io`."""
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items() if key != "_io"}
    return [_plain(item) for item in found] if isinstance(found, list) else found


# --- Releases ---------------------------------------------------------------------------------------------------------


#: A mandatory structure can be null only in lifted messages (R-482-15).
_CAN_BE_NULL = ("string", "bytes", "records", "structure")


def is_compatible(history: Sequence[Schema], new: Schema) -> bool:
    """Whether a release goes with each of those before it, the oldest first (R-482-13). Raises RefusedError for a
    schema that breaks a rule of the page (R-482-12)."""
    for release in (*history, new):
        _check(release)
    if any(_breaks(old, new) for old in history):
        return False
    releases = [dict(_names(release, ())) for release in (*history, new)]
    return not any(_given_away([release.get(place) for release in releases]) for place in releases[-1])


def _check(structure: Schema) -> None:
    optional, mandatory = structure.get("optionalFields", []), structure.get("fields", [])
    tags, names = [_number(field["tag"]) for field in optional], [field["name"] for field in (*optional, *mandatory)]
    if len({*tags}) < len(tags) or len({*names}) < len(names) or not all(0 <= tag < 2**16 for tag in tags):
        raise RefusedError(f"tags {tags}, names {names}")
    for field in optional:
        if _type_of(field) == "[]structure" or field.keys() & {"versions", "nullableVersions"}:
            raise RefusedError(f"optional: {field}")
    for field in (*optional, *mandatory):
        nullable = field.get("nullable", False) or field.get("nullableVersions", "none") != "none"
        if nullable and _type_of(field) not in _CAN_BE_NULL and not field["type"].startswith("[]"):
            raise RefusedError(f"null: {field}")
        _check(field)


def _names(structure: Schema, path: tuple[str, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """(path of a structure, tag) → the field's name."""
    for field in structure.get("optionalFields", []):
        yield (*path, _number(field["tag"])), field["name"]
    for field in (*structure.get("optionalFields", []), *structure.get("fields", [])):
        yield from _names(field, (*path, field["name"]))


def _given_away(names: Sequence[str | None]) -> bool:
    """Whether a tag was there, was not, and then was there under a name that it never had before."""
    there = [index for index, name in enumerate(names) if name is not None]
    return any(index - before > 1 and names[index] not in names[:index] for before, index in itertools.pairwise(there))


def _versions(schema: Schema, key: str = "validVersions") -> set[int]:
    low, _, high = schema["validVersions"].partition("-")
    return {version for version in range(int(low), int(high or low) + 1) if _holds(schema[key], version)}


def _breaks(old: Schema, new: Schema) -> bool:
    before, now = _versions(old), _versions(new)
    buffered, buffered_now = (_versions(schema, "versionsWithOptional") for schema in (old, new))
    later = {version for version in now if version > max(before)}
    first = min(buffered | buffered_now, default=None)
    forward = first is None or {version for version in later if version > first} <= buffered_now
    return (
        old.get("apiKey") != new.get("apiKey")
        or not forward
        or buffered & now != buffered_now & before
        or not all(_keeps_places(old, new, version, version in buffered) for version in before & now)
        or _clash(old, new, max(before), later)
    )


def _here(structure: Schema, version: int) -> list[Schema]:
    return [field for field in structure.get("fields", []) if _holds(field["versions"], version)]


def _tagged(structure: Schema) -> dict[int, Schema]:
    return {_number(field["tag"]): field for field in structure.get("optionalFields", [])}


def _type_of(field: Schema) -> str:
    """A type as the wire has it: what a structure is called does not stand there."""
    own = "fields" in field or "optionalFields" in field
    return ("[]" * field["type"].startswith("[]") + "structure") if own else str(field["type"])


def _keeps_places(old: Schema, new: Schema, version: int, buffered: bool) -> bool:
    """Whether mandatory fields are as they were in a version, in structures behind tags too."""
    were, are = _here(old, version), _here(new, version)
    both = {field["name"] for field in were} & {field["name"] for field in are}
    pairs = list(zip(were, are, strict=False))
    tags, tags_now = _tagged(old), _tagged(new)
    inner = pairs + [(tags[tag], tags_now[tag]) for tag in tags.keys() & tags_now.keys() if buffered]
    return (
        len(were) == len(are)
        and all(one["name"] == two["name"] or not both & {one["name"], two["name"]} for one, two in pairs)
        and all(_type_of(one) == _type_of(two) for one, two in pairs)
        and all(
            _holds(one.get("nullableVersions", "none"), version) == _holds(two.get("nullableVersions", "none"), version)
            for one, two in pairs
        )
        and all(_keeps_places(one, two, version, buffered) for one, two in inner)
    )


def _clash(old: Schema, new: Schema, last: int, later: set[int]) -> bool:
    """Whether a tag means another type now, can be null or no more, or holds another structure in later versions."""
    tags, tags_now = _tagged(old), _tagged(new)
    for one, two in ((tags[tag], tags_now[tag]) for tag in tags.keys() & tags_now.keys()):
        if _type_of(one) != _type_of(two) or one.get("nullable", False) != two.get("nullable", False):
            return True
        if _type_of(one) == "structure" and any(_replaced(one, two, last, version) for version in later):
            return True
        if _clash(one, two, last, later):
            return True
    named = {field["name"]: field for field in new.get("fields", [])}
    return any(
        _clash(field, named[field["name"]], last, later) for field in old.get("fields", []) if field["name"] in named
    )


def _replaced(old: Schema, new: Schema, last: int, version: int) -> bool:
    were = {field["name"]: _type_of(field) for field in (*old.get("optionalFields", []), *_here(old, last))}
    are = {field["name"]: _type_of(field) for field in (*new.get("optionalFields", []), *_here(new, version))}
    both = were.keys() & are.keys()
    gone = bool(were) and not both and [*were.values()] != [*are.values()]
    return gone or any(were[name] != are[name] for name in both)
