"""Schemas of kip-482-v1: built in code and from JSON, and every rule, with the place that an error names."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

import pytest

from wireproof.conformance import vectors
from wireproof.reference import Reference, SchemaError
from wireproof.reference.dialects.kip_482.schemas import (
    MandatoryField,
    MessageSchema,
    OptionalField,
    Structure,
    all_of,
    from_json,
    parse,
    to_json,
)
from wireproof.reference.schema import ALL, MAX_DEPTH, MAX_FIELDS, NONE, Versions

DIALECT = "kip-482-v1"
SCHEMAS = vectors.settings(DIALECT)["schemas"]


def message(**more: Any) -> dict[str, Any]:
    """A schema with one mandatory field, and what is given beside it."""
    return {
        "type": "response",
        "name": "M",
        "validVersions": "0-9",
        "versionsWithOptional": "9+",
        "fields": [{"name": "Baz", "type": "int16", "versions": "0+"}],
    } | more


def optional(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return message(optionalFields=[*fields], **more)


def field(name: str, type_name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_name, "versions": "0+"} | more


def entry(name: str, type_name: str, tag: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_name, "tag": tag} | more


def foos(**more: Any) -> dict[str, Any]:
    return field("Foos", "[]Foo", fields=[field("Baz", "int16")]) | more


# --- In code ----------------------------------------------------------------------------------------------------------

FOO = Structure(
    {0x0001: OptionalField("Bar", "string", default="hello world")},
    MandatoryField("Baz", "int16"),
    name="Foo",
)
FOO_RESPONSE = MessageSchema(
    "FooResponse",
    "response",
    Versions(0, 9),
    Versions(9, 2**15 - 1),
    Structure(
        {0x0001: OptionalField("UserAgent", "string", nullable=True)},
        MandatoryField("Foos", FOO, array=True),
        name="FooResponse",
    ),
    api_key=9000,
)


def test_a_schema_of_a_map_of_tags_and_a_list_of_fields_is_that_of_the_json() -> None:
    raw = next(one for one in SCHEMAS if one["name"] == "FooResponse")
    assert from_json(raw).schema == FOO_RESPONSE.schema


def test_tags_stand_in_their_order_whatever_the_order_of_the_map() -> None:
    found = Structure({9: OptionalField("B", "bool"), 1: OptionalField("A", "bool")}, MandatoryField("C", "int8"))
    assert [one.name for one in found.members] == ["A", "B", "C"]


@pytest.mark.parametrize("raw", SCHEMAS, ids=lambda raw: raw["name"])
def test_json_is_written_as_it_is_read(raw: dict[str, Any]) -> None:
    found = from_json(raw)
    assert from_json(json.loads(json.dumps(to_json(found)))).schema == found.schema


@pytest.mark.parametrize(
    ("optional_fields", "fields", "text"),
    [
        ({-1: OptionalField("A", "bool")}, (), "at A: -1 is no tag; an integer from 0 to 65535 is expected"),
        ({65536: OptionalField("A", "bool")}, (), "at A: 65536 is no tag; an integer from 0 to 65535 is expected"),
        ({True: OptionalField("A", "bool")}, (), "at A: True is no tag"),
        (
            {0: OptionalField("A", "bool"), 1: OptionalField("A", "int8")},
            (),
            "invalid-schema: the field A stands twice",
        ),
        ({0: OptionalField("A", "bool")}, (MandatoryField("A", "int8"),), "the field A stands twice"),
        ({}, (MandatoryField("A", "int8"), MandatoryField("A", "int8")), "the field A stands twice"),
        ({0: OptionalField("A", FOO, array=True)}, (), "at A: an optional field can't be an array of structures"),
        ({0: OptionalField("A", FOO, nullable=True)}, (), "at A: an optional structure can't be null"),
        ({0: OptionalField("A", "int8", nullable=True)}, (), "at A: a int8 can't be null; string, bytes, records"),
        ({}, (MandatoryField("A", "int8", nullable=ALL),), "at A: a int8 can't be null"),
        ({0: OptionalField("A", "int9")}, (), "at A: 'int9' is no type; scalars are bool"),
        ({0: OptionalField("A", "int8", default=128)}, (), "at A: the default is no int8: 128 is outside INT8's range"),
        ({0: OptionalField("A", "int8", default="1")}, (), "at A: the default is no int8: INT8 takes an integer"),
        ({0: OptionalField("A", "bool", default=1)}, (), "at A: the default is no bool: BOOLEAN takes true or false"),
        ({0: OptionalField("A", "uuid", default="0")}, (), "at A: the default is no uuid: UUID takes a UUID"),
        (
            {0: OptionalField("A", "string", default=None)},
            (),
            "at A: null is the default of a field that is never null",
        ),
        ({}, (MandatoryField("A", "string", default=None),), "at A: null is the default of a field that is never null"),
        ({0: OptionalField("A", "int8", array=True, default=[1])}, (), "at A: an array or structure has no default"),
        ({0: OptionalField("A", FOO, default=[])}, (), "at A: an array or structure has no default"),
        ({0: OptionalField("_tags", "int8")}, (), "'_tags' is no name; letters and digits are expected"),
        ({}, (MandatoryField("", "int8"),), "'' is no name"),
    ],
)
def test_what_no_structure_can_have(
    optional_fields: dict[int, OptionalField], fields: tuple[MandatoryField, ...], text: str
) -> None:
    with pytest.raises(SchemaError) as refused:
        Structure(optional_fields, *fields)
    assert text in str(refused.value)


def test_a_message_built_in_code_is_checked_as_a_whole() -> None:
    with pytest.raises(SchemaError, match="at Foos: optionalFields, but versionsWithOptional is none"):
        MessageSchema("M", "data", Versions(0, 1), NONE, Structure({}, MandatoryField("Foos", FOO, array=True)))
    with pytest.raises(SchemaError, match="at type: 'reply' is no kind of message"):
        MessageSchema("M", "reply", Versions(0, 1), NONE, Structure({}))
    with pytest.raises(SchemaError, match="'M N' is no name"):
        MessageSchema("M N", "data", Versions(0, 1), NONE, Structure({}))
    with pytest.raises(SchemaError, match="at apiKey: -1 is no api key"):
        MessageSchema("M", "request", Versions(0, 1), NONE, Structure({}), api_key=-1)


# --- What is allowed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "type_name",
    ["bool", "int8", "int16", "int32", "int64", "uint16", "uint32", "float64", "uuid", "string", "bytes", "records"],
)
def test_optional_fields_and_arrays_of_every_scalar(type_name: str) -> None:
    found = from_json(optional(entry("A", type_name, 0), entry("B", f"[]{type_name}", 65535, nullable=True)))
    assert found.body.optional[0].type == type_name
    assert found.body.optional[65535].array


def test_an_optional_structure_may_hold_an_array_of_structures() -> None:
    inner = entry("Trace", "Trace", 7, fields=[foos()], optionalFields=[entry("Flag", "bool", 0)])
    assert from_json(optional(inner)).body.optional.keys() == {7}


@pytest.mark.parametrize(("tag", "number"), [("0x0001", 1), ("0xFFFF", 65535), (0, 0), ("12", 12), (65535, 65535)])
def test_tags_are_numbers_or_hex(tag: Any, number: int) -> None:
    assert from_json(optional(entry("A", "bool", tag))).body.optional.keys() == {number}


@pytest.mark.parametrize(
    ("versions", "low", "high"), [("1+", 1, 2**15 - 1), ("0-9", 0, 9), ("3", 3, 3), ("none", 0, -1)]
)
def test_ranges_are_the_drafts(versions: str, low: int, high: int) -> None:
    assert from_json(message(versionsWithOptional=versions)).with_optional == Versions(low, high)


@pytest.mark.parametrize(
    ("type_name", "stated", "default"),
    [
        ("int16", "-7", -7),
        ("int16", "0x10", 16),
        ("int16", 5, 5),
        ("bool", "true", True),
        ("bool", True, True),
        ("float64", "0.5", 0.5),
        ("string", "x", "x"),
        ("uuid", "00112233-4455-6677-8899-aabbccddeeff", uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")),
    ],
)
def test_defaults(type_name: str, stated: Any, default: Any) -> None:
    assert from_json(optional(entry("A", type_name, 0, default=stated))).body.optional[0].default == default


@pytest.mark.parametrize("stated", ["null", None])
def test_a_null_default_where_null_is_allowed(stated: Any) -> None:
    found = from_json(optional(entry("A", "bytes", 0, nullable=True, default=stated)))
    assert found.body.optional[0].default is None


def test_comments_are_passed_over() -> None:
    text = "// licensed\n" + json.dumps(message()) + "/* the end */"
    assert parse(text, "M.json").name == "M"


# --- Every rule, and the place ----------------------------------------------------------------------------------------

DEEP: dict[str, Any] = field("X", "int8")
for _ in range(MAX_DEPTH + 1):
    DEEP = field("X", "S", fields=[DEEP])

REFUSED: list[tuple[str, Any, str, str]] = [
    ("no object", [], "", "a JSON object is expected"),
    ("no name", message(name="a b"), "", "'a b' is no name"),
    ("no versions", {"type": "data", "name": "M", "versionsWithOptional": "none"}, "validVersions", "is no range"),
    (
        "no optional versions",
        {"type": "data", "name": "M", "validVersions": "0"},
        "versionsWithOptional",
        "is no range",
    ),
    (
        "a range that is none",
        message(versionsWithOptional="9-"),
        "versionsWithOptional",
        "'9-' is no range of versions",
    ),
    ("an empty range", message(validVersions="9-8"), "validVersions", "'9-8' is an empty"),
    ("a kind that is none", message(type="metadata"), "type", "'metadata' is no kind of message"),
    ("an api key that is none", message(apiKey=-1), "apiKey", "-1 is no api key"),
    ("flexible versions", message(flexibleVersions="1+"), "", "the draft has versionsWithOptional"),
    ("common structures", message(commonStructs=[]), "", "a structure's fields stand where it is used"),
    ("a misspelt key", message(optionalfields=[]), "", "is optionalFields meant?"),
    ("a tag twice", optional(entry("A", "bool", 1), entry("B", "bool", "0x0001")), "", "A and B share the tag 1"),
    ("a tag too great", optional(entry("A", "bool", 65536)), "A", "65536 is no tag"),
    ("a tag below 0", optional(entry("A", "bool", -1)), "A", "-1 is no tag"),
    ("a tag of text", optional(entry("A", "bool", "one")), "A", "'one' is no tag"),
    ("a tag of digits apart", optional(entry("A", "bool", "1_0")), "A", "'1_0' is no tag"),
    ("a tag of text below 0", optional(entry("A", "bool", "-1")), "A", "'-1' is no tag"),
    ("a tag of hex too great", optional(entry("A", "bool", "0x10000")), "A", "65536 is no tag"),
    ("a tag of hex that is none", optional(entry("A", "bool", "0xg")), "A", "'0xg' is no tag"),
    ("a tag of true", optional(entry("A", "bool", True)), "A", "True is no tag"),
    ("a missing tag", optional({"name": "A", "type": "bool"}), "A", "an optional field needs a tag"),
    ("versions of an optional field", optional(entry("A", "bool", 1, versions="9+")), "A", "has no versions"),
    ("tagged versions", optional(entry("A", "bool", 1, taggedVersions="9+")), "A", "has no taggedVersions"),
    ("nullable versions", optional(entry("A", "string", 1, nullableVersions="9+")), "A", "has no nullableVersions"),
    ("nullable that is no flag", optional(entry("A", "string", 1, nullable="9+")), "A", "nullable is true or false"),
    ("a tag of a mandatory field", message(fields=[field("A", "bool", tag=1)]), "A", "a mandatory field has no tag"),
    ("nullable of a mandatory field", message(fields=[field("A", "string", nullable=True)]), "A", "has no nullable"),
    ("no versions of a field", message(fields=[{"name": "A", "type": "bool"}]), "A.versions", "nothing is no range"),
    ("a name twice", optional(entry("A", "bool", 1), entry("A", "bool", 2)), "", "the field A stands twice"),
    ("a name on both sides", optional(entry("Baz", "bool", 1)), "", "the field Baz stands twice"),
    (
        "a mandatory name twice",
        message(fields=[field("A", "bool"), field("A", "bool")]),
        "",
        "the field A stands twice",
    ),
    ("a number that can be null", optional(entry("A", "int32", 1, nullable=True)), "A", "a int32 can't be null"),
    ("a boolean that can be null", optional(entry("A", "bool", 1, nullable=True)), "A", "a bool can't be null"),
    ("a uuid that can be null", optional(entry("A", "uuid", 1, nullable=True)), "A", "a uuid can't be null"),
    ("a structure that can be null", optional(entry("A", "S", 1, nullable=True, fields=[])), "A", "no null form"),
    ("an array of structures", optional(entry("A", "[]S", 1, fields=[field("X", "int8")])), "A", "array of structures"),
    ("a type that is none", optional(entry("A", "varint", 1)), "A", "varint is no scalar, and it has no fields"),
    ("a type that is no name", optional(entry("A", "[][]int8", 1)), "A", "'[][]int8' is no type"),
    ("no type", optional({"name": "A", "tag": 1}), "A", "None is no type"),
    ("a scalar with fields", optional(entry("A", "int8", 1, fields=[])), "A", "a int8 has no fields"),
    ("a default of another type", optional(entry("A", "int8", 1, default="x")), "A.default", "'x' is no default"),
    ("a default too great", optional(entry("A", "int8", 1, default=128)), "A.default", "128 is no default from -128"),
    ("a boolean's default", optional(entry("A", "bool", 1, default="yes")), "A.default", "'yes' is no boolean default"),
    ("a null default", optional(entry("A", "string", 1, default="null")), "A.default", "never nullable"),
    ("null as a default", optional(entry("A", "string", 1, default=None)), "A.default", "never nullable"),
    (
        "an array's default",
        optional(entry("A", "[]int8", 1, default="1")),
        "A.default",
        "can't have a default but null",
    ),
    ("no optional versions for them", optional(entry("A", "bool", 1), versionsWithOptional="none"), "", "is none"),
    (
        "no optional versions inside",
        message(versionsWithOptional="none", fields=[foos(optionalFields=[entry("A", "bool", 1)])]),
        "Foos",
        "optionalFields, but versionsWithOptional is none",
    ),
    (
        "inside a structure",
        message(fields=[foos(optionalFields=[entry("Bar", "string", 1), entry("Qux", "bool", 1)])]),
        "Foos",
        "Bar and Qux share the tag 1",
    ),
    (
        "a name twice inside",
        message(fields=[foos(optionalFields=[entry("Baz", "string", 1)])]),
        "Foos",
        "Baz stands twice",
    ),
    (
        "a default inside",
        message(fields=[foos(optionalFields=[entry("Bar", "int8", 1, default="x")])]),
        "Foos.Bar.default",
        "'x' is no default",
    ),
    (
        "inside an optional structure",
        optional(entry("T", "T", 1, optionalFields=[entry("A", "int8", 1, nullable=True)])),
        "T.A",
        "a int8 can't be null",
    ),
    ("fields that are no list", message(fields={}), "fields", "a JSON array is expected"),
    ("optional fields that are no list", message(optionalFields={}), "optionalFields", "a JSON array is expected"),
    ("an ambiguous name", message(fields=[field("hex", "string")]), "", "values ambiguous"),
    (
        "elements of no byte",
        message(fields=[field("A", "[]S", fields=[field("X", "int8", versions="5+")])]),
        "A",
        "its elements take no byte in version 0",
    ),
    ("too deep", message(fields=[DEEP]), ".".join("X" * (MAX_DEPTH + 1)), "nested more than 32 deep"),
    (
        "too many fields",
        message(fields=[field(f"F{number}", "int8") for number in range(MAX_FIELDS + 1)]),
        "",
        "more than 10000 fields",
    ),
]


@pytest.mark.parametrize(("raw", "path", "text"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_refusal_names_the_place(raw: Any, path: str, text: str) -> None:
    with pytest.raises(SchemaError) as refused:
        from_json(raw)
    assert refused.value.path == path
    assert text in refused.value.detail


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"name": "M",}', "not JSON"),
        ('{"fields": [ ... ]}', "not JSON"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_the_illustrations_of_the_page_are_no_json(text: str | bytes, told: str) -> None:
    with pytest.raises(SchemaError, match=told) as refused:
        parse(text, "M.json")
    assert refused.value.path == "M.json"


def test_the_file_stands_before_the_path() -> None:
    with pytest.raises(SchemaError) as refused:
        parse(json.dumps(optional(entry("A", "bool", 65536))), "M.json")
    assert refused.value.path == "M.json: A"


# --- configure --------------------------------------------------------------------------------------------------------


def test_a_bad_schema_is_refused_by_configure_with_its_name() -> None:
    own = Reference()
    with pytest.raises(SchemaError, match=re.escape("invalid-schema at M: A: 65536 is no tag")):
        own.configure({"schemas": [optional(entry("A", "bool", 65536))]}, dialect=DIALECT)
    assert "M" not in own.dialect(DIALECT).types


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ([message(), message()], "the message M stands twice"),
        ([message(apiKey=1), message(apiKey=1, name="N")], "at N: M and N share the api key 1"),
        ([3], "a JSON object is expected, not 3"),
    ],
)
def test_schemas_that_do_not_go_together(raw: list[Any], text: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(text)):
        all_of(raw)


def test_what_is_not_configured_is_no_type() -> None:
    for name in ("M", "ResponseFrame:M", "OPTIONAL_FIELDS:M", "RequestHeader", "TAG_BUFFER", "STRING"):
        with pytest.raises(NotImplementedError):
            Reference().decode(name, b"\0", dialect=DIALECT, version=0)


def test_types_follow_from_the_schemas() -> None:
    own = Reference()
    own.configure(
        {"schemas": [message(name="MResponse", apiKey=3), message(name="Old", versionsWithOptional="10+")]},
        dialect=DIALECT,
    )
    types = dict(own.dialect(DIALECT).types)
    assert types == {
        "VARINT": None,
        "OPTIONAL_FIELDS": None,
        "RequestFrame": None,
        "*": None,
        "MResponse": (0, 9),
        "OPTIONAL_FIELDS:MResponse": None,
        "ResponseFrame:M": (0, 9),
        "Old": (0, 9),
    }
    with pytest.raises(NotImplementedError, match="the last version of Old has no optional fields"):
        own.decode("OPTIONAL_FIELDS:Old", b"\0", dialect=DIALECT)
