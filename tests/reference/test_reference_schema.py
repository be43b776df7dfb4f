"""The schema parser: what it takes, and each thing that it refuses with its place."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import pytest
from support.wire import field, schema, tagged

from wireproof.reference.errors import Reason, SchemaError
from wireproof.reference.schema import ALL, MAX_DEPTH, MAX_FIELDS, MAX_VERSION, NONE, Field, Versions, from_json, parse


def only(raw: dict[str, Any]) -> Field:
    """The one field of a message."""
    (found,) = from_json(raw).fields
    return found


# --- Versions ---


@pytest.mark.parametrize(
    ("text", "low", "high", "shown"),
    [
        ("0", 0, 0, "0"),
        ("3", 3, 3, "3"),
        ("0-9", 0, 9, "0-9"),
        ("4-4", 4, 4, "4"),
        ("3+", 3, MAX_VERSION, "3+"),
        ("0-32767", 0, 32767, "0+"),
        ("none", 0, -1, "none"),
    ],
)
def test_ranges(text: str, low: int, high: int, shown: str) -> None:
    found = from_json(schema(versions=text)).versions
    assert (found.low, found.high, str(found), bool(found)) == (low, high, shown, text != "none")


@pytest.mark.parametrize(
    "text",
    ["", "-1", "5-3", "1-", "+", "3++", "a", "0 - 9", " 3", "3\n", "99999", "0-32768", "123456", "1,2", "٣+", "NONE"],
)
def test_no_ranges(text: str) -> None:
    with pytest.raises(SchemaError) as caught:
        from_json(schema(versions=text))
    assert caught.value.path == "validVersions"


@pytest.mark.parametrize("raw", [None, 3, True, ["0+"], {"low": 0}])
def test_a_range_is_text(raw: Any) -> None:
    with pytest.raises(SchemaError) as caught:
        from_json(schema() | {"validVersions": raw})
    assert caught.value.path == "validVersions"


def test_what_is_in_a_range() -> None:
    span = Versions(2, 5)
    assert [version in span for version in (1, 2, 5, 6)] == [False, True, True, False]
    assert 3 not in NONE
    assert (0 in ALL, MAX_VERSION in ALL, MAX_VERSION + 1 in ALL) == (True, True, False)
    assert "3" not in span
    assert span & Versions(4, 9) == Versions(4, 5)
    assert not span & Versions(6, 9)
    assert span.within(Versions(2, 5))
    assert NONE.within(span)
    assert not span.within(Versions(3, 5))
    assert not span.within(Versions(2, 4))
    assert not span.within(NONE)


# --- What is taken ---


def test_a_whole_message() -> None:
    found = parse("""
    // a comment line
    { "apiKey": 3, "type": "request", "name": "SmallRequest", "validVersions": "0-4", "flexibleVersions": "4+",
      // and another, with "quotes"
      "fields": [
        { "name": "Topics", "type": "[]Topic", "versions": "2+", "nullableVersions": "1+", "about": "https://x.y/z",
          "fields": [ { "name": "Id", "type": "uuid", "versions": "2+", "ignorable": true } ] },
        { "name": "Client", "type": "string", "versions": "1+", "flexibleVersions": "none" },
        { "name": "Extra", "type": "int32", "taggedVersions": "4+", "tag": 0, "default": "-1" }
      ] }
    """)
    assert (found.name, found.kind, found.api_key) == ("SmallRequest", "request", 3)
    assert (found.versions, found.flexible) == (Versions(0, 4), Versions(4, MAX_VERSION))
    topics, client, extra = found.fields
    assert (topics.name, topics.type, topics.array, topics.nullable) == ("Topics", "Topic", True, Versions(1, 32767))
    assert topics.default == []
    assert topics.fields is not None
    (identity,) = topics.fields
    assert (identity.type, identity.versions, identity.ignorable) == ("uuid", Versions(2, 32767), True)
    assert (client.array, client.flexible, client.ignorable, client.tag) == (False, NONE, False, None)
    assert (topics.flexible, client.fields, client.nullable, client.tagged) == (None, None, NONE, NONE)
    assert (extra.versions, extra.tagged, extra.tag, extra.default) == (Versions(4, 32767), Versions(4, 32767), 0, -1)


def test_text_may_be_bytes() -> None:
    text = json.dumps(schema(field("A", "string", default="é\u2028")), ensure_ascii=False)
    assert parse(text.encode()) == parse(text)
    assert parse(text).fields[0].default == "é\u2028"


@pytest.mark.parametrize(
    "kind", ["request", "response", "header", "data", "metadata", "coordinator-key", "coordinator-value"]
)
def test_kinds(kind: str) -> None:
    assert from_json(schema() | {"type": kind}).kind == kind


def test_common_structures_stand_where_they_are_named() -> None:
    common = {"name": "Point", "versions": "0+", "fields": [field("X", "int8"), field("Y", "int8")]}
    found = from_json(schema(field("A", "Point"), field("B", "[]Point"), commonStructs=[common]))
    a, b = found.fields
    assert a.fields == b.fields
    assert a.fields is not None
    assert [inner.name for inner in a.fields] == ["X", "Y"]


def test_one_common_structure_may_use_another() -> None:
    outer = {"name": "Outer", "versions": "0+", "fields": [field("In", "Inner")]}
    inner = {"name": "Inner", "versions": "0+", "fields": [field("X", "int8")]}
    found = only(schema(field("A", "Outer"), commonStructs=[outer, inner]))
    assert found.fields is not None
    assert found.fields[0].fields is not None
    assert found.fields[0].fields[0].name == "X"


@pytest.mark.parametrize(
    ("kind", "raw", "default"),
    [
        ("bool", None, False),
        ("bool", "true", True),
        ("bool", "false", False),
        ("bool", True, True),
        ("bool", "TRUE", True),
        ("bool", "", False),
        ("int8", None, 0),
        ("int8", "", 0),
        ("int8", -1, -1),
        ("int8", "-128", -128),
        ("int8", "0x7f", 127),
        ("int16", "0X7FFF", 32767),
        ("int16", "-0x8000", -32768),
        ("int32", "2147483647", 2147483647),
        ("int64", "9223372036854775807", 9223372036854775807),
        ("int64", "-0x8000000000000000", -9223372036854775808),
        ("uint16", "65535", 65535),
        ("uint32", "4294967295", 4294967295),
        ("float64", None, 0.0),
        ("float64", "", 0.0),
        ("float64", "1.5", 1.5),
        ("float64", 2, 2.0),
        ("float64", 0.25, 0.25),
        ("uuid", None, uuid.UUID(int=0)),
        ("uuid", "00112233-4455-6677-8899-aabbccddeeff", uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")),
        ("uuid", "", uuid.UUID(int=0)),
        ("uuid", "AAAAAAAAAAAAAAAAAAAAAQ", uuid.UUID(int=1)),
        ("uuid", "_-8AAAAAAAAAAAAAAAAAAA==", uuid.UUID("ffef0000-0000-0000-0000-000000000000")),
        ("string", None, ""),
        ("string", "", ""),
        ("string", "hi", "hi"),
        ("bytes", None, b""),
        ("bytes", "", b""),
        ("records", None, b""),
        ("[]int32", None, []),
        ("[]string", "", []),
    ],
)
def test_defaults(kind: str, raw: Any, default: Any) -> None:
    more = {} if raw is None else {"default": raw}
    found = only(schema(field("A", kind, **more))).default
    assert (type(found), found) == (type(default), default)


@pytest.mark.parametrize(
    "raw",
    [
        schema(field("A", "[]In", fields=[]), flexible="0+"),
        schema(field("A", "[]In", "3+", fields=[field("B", "int8", "3+")])),
        schema(field("A", "[]In", fields=[field("B", "int8", "0-3")]), flexible="4+"),
        schema(field("A", "[]In", fields=[field("B", "In2", fields=[], nullableVersions="0+")])),
        schema(field("A", "[]In", fields=[field("B", "[]In2", fields=[field("C", "int8")])])),
        schema(field("A", "[]In", fields=[field("B", "int8", "0-3"), field("C", "int8", "4+")])),
        schema(field("A", "[]In", "0-20", fields=[field("B", "int8", "0-9")]), versions="0-9"),
    ],
)
def test_elements_of_arrays_take_a_byte_in_every_version_they_are_there(raw: dict[str, Any]) -> None:
    assert only(raw).array


def test_numbers_and_flags_may_be_text_as_kafkas_generator_reads_them() -> None:
    """kafka-clients 3.9 ships a schema with "tag": "0"."""
    raw = schema(field("A", "int8", tag="0", taggedVersions="0+", ignorable="true"), flexible="0+") | {"apiKey": "12"}
    found = from_json(raw)
    assert (found.api_key, found.fields[0].tag, found.fields[0].ignorable) == (12, 0, True)
    assert not only(schema(field("A", "int8", ignorable="false"))).ignorable


def test_every_key_of_kafkas_generator_is_taken() -> None:
    more: dict[str, Any] = {
        "about": "x",
        "entityType": "topicName",
        "mapKey": True,
        "zeroCopy": False,
        "ignorable": True,
    }
    raw = schema(field("A", "string", **more), commonStructs=[POINT | {"deprecatedVersions": "0"}])
    raw |= {"apiKey": 1, "listeners": ["broker"], "deprecatedVersions": "0-3", "latestVersionUnstable": True}
    assert only(raw | {"headerVersions": {"0+": "1"}}).name == "A"


@pytest.mark.parametrize("kind", ["string", "bytes", "records", "[]int8", "[]string"])
def test_null_defaults(kind: str) -> None:
    assert only(schema(field("A", kind, nullableVersions="1+", default="null"))).default is None


def test_structures_default_to_a_structure_or_to_null() -> None:
    inside = [field("X", "int8")]
    assert only(schema(field("A", "In", fields=inside))).default is ...
    assert only(schema(field("A", "In", fields=inside, nullableVersions="0+"))).default is ...
    assert only(schema(field("A", "In", fields=inside, nullableVersions="0+", default="null"))).default is None
    assert only(schema(field("A", "[]In", fields=inside))).default == []


def test_nullable_records_default_to_null() -> None:
    assert only(schema(field("A", "records", nullableVersions="0+"))).default is None
    assert only(schema(field("A", "bytes", nullableVersions="0+"))).default == b""


def test_an_empty_structure_may_be_null() -> None:
    found = only(schema(field("A", "In", fields=[], nullableVersions="0+")))
    assert (found.fields, found.nullable) == ((), ALL)


# --- What is refused ---

POINT = {"name": "Point", "versions": "0+", "fields": [field("X", "int8"), field("Y", "int8")]}
SELF = {"name": "Self", "versions": "0+", "fields": [field("Next", "[]Self")]}
FIRST = {"name": "First", "versions": "0+", "fields": [field("B", "Second")]}
SECOND = {"name": "Second", "versions": "0+", "fields": [field("A", "First")]}
NESTED = [field("X", "int8"), field("Bad", "int99")]

#: schema, path, what the error says of it
REFUSED: list[tuple[Any, str, str]] = [
    (None, "", "a JSON object is expected, not nothing"),
    ([], "", "a JSON object is expected, not a list"),
    ("x", "", "a JSON object is expected, not 'x'"),
    ({}, "", "None is no name"),
    (schema() | {"name": 5}, "", "5 is no name; letters and digits are expected"),
    (schema() | {"name": ""}, "", "'' is no name"),
    (schema() | {"name": "A b"}, "", "'A b' is no name"),
    (schema() | {"name": "../x"}, "", "'../x' is no name"),
    (schema() | {"name": "_tags"}, "", "'_tags' is no name"),
    (schema() | {"name": "1A"}, "", "'1A' is no name"),
    (schema() | {"name": "Größe"}, "", "'Größe' is no name"),
    (schema() | {"name": "A\n"}, "", "'A\\n' is no name"),
    (schema() | {"name": "a;import os"}, "", "'a;import os' is no name"),
    (schema() | {"name": "x y" * 1000}, "", "… is no name"),
    (schema() | {"type": "query"}, "type", "'query' is no kind of message"),
    (schema() | {"type": None}, "type", "None is no kind of message"),
    (schema() | {"type": ["request"]}, "type", "a list is no kind of message"),
    (schema() | {"apiKey": "three"}, "apiKey", "'three' is no api key; an integer from 0 to 32767 is expected"),
    (schema() | {"apiKey": "99999"}, "apiKey", "'99999' is no api key"),
    (schema() | {"apiKey": "-1"}, "apiKey", "'-1' is no api key"),
    (schema() | {"apiKey": "3\n"}, "apiKey", "'3\\n' is no api key"),
    (schema() | {"apiKey": "٣"}, "apiKey", "'٣' is no api key"),
    (schema() | {"apiKey": True}, "apiKey", "True is no api key"),
    (schema() | {"apiKey": -1}, "apiKey", "-1 is no api key"),
    (schema() | {"apiKey": 32768}, "apiKey", "32768 is no api key"),
    (schema(flexible="4-"), "flexibleVersions", "'4-' is no range of versions"),
    (schema(versions="9-3"), "validVersions", "'9-3' is an empty or too large range"),
    (schema() | {"fields": None}, "fields", "a JSON array is expected, not nothing"),
    (schema() | {"fields": {}}, "fields", "a JSON array is expected, not a dict"),
    (schema() | {"fields": [5]}, "", "a JSON object is expected, not 5"),
    (schema() | {"fields": [{}]}, "", "None is no name"),
    (schema(field("A-B", "int8")), "", "'A-B' is no name"),
    (schema(field("A", "int8") | {"type": None}), "A", "None is no type"),
    (schema(field("A", "int9")), "A", "int9 is neither a scalar nor one of the commonStructs"),
    (schema(field("A", "")), "A", "'' is no type; scalars are bool, int8"),
    (schema(field("A", "[][]int8")), "A", "'[]int8' is no type"),
    (schema(field("A", "[]")), "A", "'' is no type"),
    (schema(field("A", "int8[]")), "A", "'int8[]' is no type"),
    (schema(field("A", "In", fields=NESTED)), "A.Bad", "int99 is neither"),
    (schema(field("A", "In", fields=[field("B", "In2", fields=NESTED)])), "A.B.Bad", "int99 is neither"),
    (schema({"name": "A", "type": "int8"}), "A.versions", "nothing is no range of versions"),
    (schema(field("A", "int8", "x")), "A.versions", "'x' is no range"),
    (schema(field("A", "string", nullableVersions="x")), "A.nullableVersions", "'x' is no range"),
    (schema(field("A", "string", taggedVersions="x", tag=0)), "A.taggedVersions", "'x' is no range"),
    (schema(field("A", "string", flexibleVersions="x")), "A.flexibleVersions", "'x' is no range"),
    (schema(field("A", "string", flexibleVersions=5)), "A.flexibleVersions", "5 is no range"),
    (schema(field("A", "int8", ignorable="yes")), "A", "ignorable is true or false, not 'yes'"),
    (schema(field("A", "int8", ignorable=1)), "A", "ignorable is true or false, not 1"),
    (schema(field("A", "int8"), field("A", "int16")), "", "the field A stands twice"),
    (schema(field("S", "In", fields=[field("A", "int8"), field("A", "int8")])), "S", "the field A stands twice"),
    (schema(field("A", "int8", fields=[])), "A", "a int8 has no fields"),
    (schema(field("A", "[]string", fields=[])), "A", "a string has no fields"),
    (schema(field("A", "In", fields=5)), "A.fields", "a JSON array is expected, not 5"),
    (schema(field("A", "In", fields=[5])), "A", "a JSON object is expected, not 5"),
    (schema(field("A", "int8", nullableVersions="0+")), "A", "a int8 can't be null"),
    (schema(field("A", "uuid", nullableVersions="0+")), "A", "a uuid can't be null"),
    (schema(field("A", "int8", tag=0), flexible="0+"), "A", "both `tag` and `taggedVersions`"),
    (schema(field("A", "int8", taggedVersions="0+"), flexible="0+"), "A", "both `tag` and `taggedVersions`"),
    (schema(tagged("A", "int8", -1), flexible="0+"), "A", "-1 is no tag"),
    (schema(tagged("A", "int8", 2**31), flexible="0+"), "A", "2147483648 is no tag"),
    (schema(field("A", "int8", tag="x", taggedVersions="0+"), flexible="0+"), "A", "'x' is no tag"),
    (schema(validVersion="0"), "", "the key 'validVersion' is not known here; is validVersions meant?"),
    (schema(owner="me"), "", "the key 'owner' is not known here; known are apiKey, commonStructs, deprecatedVersions"),
    (schema(field("A", "string", nullabelVersions="0+")), "A", "'nullabelVersions' is not known here; is nullableVer"),
    (schema(field("A", "string", nullable=True)), "A", "the key 'nullable' is not known here; is"),
    (schema(field("A", "int8", apiKey=3)), "A", "the key 'apiKey' is not known here"),
    (schema(field("S", "In", fields=[field("A", "int8", Default=1)])), "S.A", "is default meant?"),
    (schema(commonStructs=[POINT | {"validVersions": "0+"}]), "commonStructs.Point", "is versions meant?"),
    (schema(commonStructs=[{"name": "P", "fields": [field("A", "int9")]}]), "commonStructs.P.A", "int9 is neither"),
    (schema() | {"x" * 9000: 1}, "", "… is not known here; known are"),
    (schema(field("A", "int8", tag=True, taggedVersions="0+"), flexible="0+"), "A", "True is no tag"),
    (schema(tagged("A", "int8", 0), tagged("B", "int8", 0), flexible="0+"), "", "A and B share the tag 0"),
    (schema(tagged("A", "int8", 1), flexible="0+"), "", "tags [1] have a gap; they count from 0"),
    (schema(tagged("A", "int8", 0), tagged("B", "int8", 2), flexible="0+"), "", "tags [0, 2] have a gap"),
    (schema(tagged("A", "int8", 0), flexible="3+"), "A", "tagged in 0+, but only 3+ are flexible"),
    (schema(tagged("A", "int8", 0)), "A", "tagged in 0+, but only none are flexible"),
    (
        schema(field("A", "int8", "3+", taggedVersions="2+", tag=0), flexible="0+"),
        "A",
        "tagged in 2+, but only there in 3+",
    ),
    (schema(commonStructs={}), "commonStructs", "a JSON array is expected, not a dict"),
    (schema(commonStructs=[5]), "commonStructs", "a JSON object is expected, not 5"),
    (schema(commonStructs=[{}]), "commonStructs", "None is no name"),
    (schema(commonStructs=[POINT, POINT]), "commonStructs", "the structure Point stands twice"),
    (schema(field("A", "Point"), commonStructs=[{"name": "Point"}]), "A.fields", "a JSON array is expected"),
    (schema(field("A", "Self"), commonStructs=[SELF]), "A.Next", "the structure Self contains itself"),
    (schema(field("A", "First"), commonStructs=[FIRST, SECOND]), "A.B.A", "the structure First contains itself"),
    (schema(field("A", "[]In", fields=[])), "A", "In takes no byte in version 0, so there can be no array of it"),
    (schema(field("A", "[]In", fields=[field("B", "int8", "2+")])), "A", "In takes no byte in version 0"),
    (schema(field("A", "[]In", "2-8", fields=[field("B", "int8", "4+")])), "A", "In takes no byte in version 2"),
    (schema(field("A", "[]In", fields=[field("B", "int8", "0-3")]), flexible="6+"), "A", "no byte in version 4"),
    (
        schema(field("A", "[]In", fields=[field("B", "In2", "0-7", fields=[field("C", "int8")])])),
        "A",
        "In takes no byte in version 8",
    ),
    (schema(field("hex", "int8")), "", "one field is called hex makes values ambiguous"),
    (schema(field("int", "int8")), "", "one field is called int makes values ambiguous"),
    (schema(field("uuid", "uuid")), "", "one field is called uuid makes values ambiguous"),
    (schema(field("float64", "float64")), "", "one field is called float64 makes values ambiguous"),
    (schema(field("A", "In", fields=[field("hex", "bytes")])), "A", "called hex makes values ambiguous"),
    (schema(field("hex", "int8"), field("B", "int8", "3+")), "", "called hex makes values ambiguous"),
    (schema(field("hex", "int8"), field("B", "int8", "0-8")), "", "called hex makes values ambiguous"),
    (
        schema(field("hex", "int8"), field("B", "int8", "0-3"), field("C", "int8", "5+")),
        "",
        "called hex makes values ambiguous",
    ),
]

#: type, default
BAD_DEFAULTS: list[tuple[str, Any, str]] = [
    ("bool", "yes", "'yes' is no boolean default"),
    ("bool", 1, "1 is no boolean default"),
    ("int8", 128, "128 is no default from -128 to 127"),
    ("int8", "0xff", "'0xff' is no default from -128 to 127"),
    ("int8", "1.0", "'1.0' is no default"),
    ("int8", 1.0, "1.0 is no default"),
    ("int8", True, "True is no default"),
    ("int8", "null", "null is the default of a field that is never nullable"),
    ("int16", "٣", "'٣' is no default"),
    ("int16", " 3", "' 3' is no default"),
    ("int16", "3\n", "'3\\n' is no default"),
    ("int32", [], "a list is no default"),
    ("int64", 2**63, "9223372036854775808 is no default"),
    ("int64", 10**5000, "an integer of 16610 bits is no default"),
    ("int64", "9" * 5000, "… is no default"),
    ("uint16", -1, "-1 is no default from 0 to 65535"),
    ("uint32", "4294967296", "'4294967296' is no default"),
    ("float64", "abc", "'abc' is no number"),
    ("float64", True, "True is no number"),
    ("float64", [], "a list is no number"),
    ("float64", {}, "a dict is no number"),
    ("float64", 10**400, "an integer of 1329 bits is no number"),
    ("uuid", "x", "'x' is no UUID"),
    ("uuid", "AAAAAAAAAAAAAAAAAAAAA", "is no UUID; 22 characters of URL-safe base64 are expected"),
    ("uuid", "AAAAAAAAAAAAAAAAAAAAA+", "'AAAAAAAAAAAAAAAAAAAAA+' is no UUID"),
    ("uuid", "{00112233-4455-6677-8899-aabbccddeeff}", "is no UUID"),
    ("uuid", "AAAAAAAAAAAAAAAAAAAAAA\n", "is no UUID"),
    ("uuid", 5, "5 is no UUID"),
    ("uuid", ["x"], "a list is no UUID"),
    ("string", 5, "a string's default is a string, not 5"),
    ("string", "null", "null is the default of a field that is never nullable"),
    ("string", ["a"], "a string's default is a string, not a list"),
    ("bytes", "ab", "bytes can't have a default but null, not 'ab'"),
    ("bytes", "null", "null is the default of a field that is never nullable"),
    ("records", "ab", "records can't have a default but null"),
    ("[]int8", [1], "an array can't have a default but null, not a list"),
    ("[]int8", "null", "null is the default of a field that is never nullable"),
    ("[]string", "null", "null is the default of a field that is never nullable"),
    ("Point", {"X": 1}, "a structure can't have a default but null, not a dict"),
    ("Point", "null", "null is the default of a field that is never nullable"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number: int) -> None:
    raw, path, text = REFUSED[number]
    with pytest.raises(SchemaError) as caught:
        from_json(raw)
    error = caught.value
    assert (error.reason, error.path) == (Reason.INVALID_SCHEMA, path)
    assert text in error.detail
    assert len(error.detail) < 250


@pytest.mark.parametrize("number", range(len(BAD_DEFAULTS)))
def test_bad_defaults(number: int) -> None:
    kind, default, text = BAD_DEFAULTS[number]
    with pytest.raises(SchemaError) as caught:
        from_json(schema(field("A", kind, default=default), commonStructs=[POINT]))
    assert caught.value.path == "A.default"
    assert text in caught.value.detail
    assert len(caught.value.detail) < 250


def test_an_ambiguous_name_with_company_in_every_version_is_taken() -> None:
    found = from_json(schema(field("hex", "int8"), field("B", "int8", "0-3"), field("C", "int8", "4+")))
    assert [one.name for one in found.fields] == ["hex", "B", "C"]
    assert from_json(schema(field("hex", "int8"), field("B", "int8", "3+"), versions="3-9")).fields[0].name == "hex"
    assert only(schema(field("hex", "int8", "9-20"), versions="0-5")).name == "hex"
    inside = [field("hex", "int8"), field("B", "int8", "5+")]
    assert only(schema(field("A", "In", "5+", fields=inside))).name == "A"


def test_hostile_text() -> None:
    for text, says in (
        ("", "not JSON"),
        ("{", "not JSON"),
        ("\ufeff{}", "not JSON"),
        ('{"name": "A\u0000"}', "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"x":' * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON"),
        (json.dumps(schema())[:-1] + ', "apiKey": ' + "1" * 5000 + "}", "not JSON"),
        (b"\xff", "the file is not UTF-8"),
        ("nul", "not JSON"),
        ("null", "a JSON object is expected"),
    ):
        with pytest.raises(SchemaError) as caught:
            parse(text)
        assert says in caught.value.detail


def test_text_keeps_the_path_of_what_is_wrong_in_it() -> None:
    with pytest.raises(SchemaError) as caught:
        parse(json.dumps(schema(field("A", "int8", default="x"))))
    assert str(caught.value) == "invalid-schema at A.default: 'x' is no default from -128 to 127"


def deep(levels: int) -> dict[str, Any]:
    inner = field("Last", "int8")
    for level in range(levels):
        inner = field(f"F{level}", f"S{level}", fields=[inner])
    return schema(inner)


def test_structures_nest_so_deep_and_no_deeper() -> None:
    began = time.perf_counter()
    assert only(deep(MAX_DEPTH)).fields is not None
    with pytest.raises(SchemaError, match=f"nested more than {MAX_DEPTH} deep") as caught:
        from_json(deep(MAX_DEPTH + 1))
    assert caught.value.path.startswith("F32.F31.")
    with pytest.raises(SchemaError, match="nested more than"):
        from_json(deep(200))
    assert time.perf_counter() - began < 5


def test_a_few_lines_do_not_make_billions_of_fields() -> None:
    """Each structure holds the next one twice: 2³⁰ fields, were they all made."""
    common = [
        {"name": f"S{n}", "versions": "0+", "fields": [field("A", f"S{n + 1}"), field("B", f"S{n + 1}")]}
        for n in range(30)
    ] + [{"name": "S30", "versions": "0+", "fields": [field("X", "int8")]}]
    began = time.perf_counter()
    with pytest.raises(SchemaError, match=f"more than {MAX_FIELDS} fields"):
        from_json(schema(field("A", "S0"), commonStructs=common))
    assert time.perf_counter() - began < 5


def test_many_fields_are_taken_in_good_time() -> None:
    began = time.perf_counter()
    many = [field(f"F{n}", "int8", f"{n % 9000}-{n % 9000 + 3}") for n in range(MAX_FIELDS - 2)]
    raw = schema(field("hex", "int8"), field("Z", "int8"), *many)
    assert len(from_json(raw).fields) == MAX_FIELDS
    with pytest.raises(SchemaError, match=f"more than {MAX_FIELDS} fields"):
        from_json(schema(*many, *(field(f"G{n}", "int8") for n in range(3))))
    assert time.perf_counter() - began < 10
