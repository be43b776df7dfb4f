"""The codec for messages: fields by version, null structures, tags and their defaults, and refusals with their
place."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from support.wire import Message, Refused, decode, encode, field, recode, schema, tagged

from wireproof.reference import complete

REQUEST = "ApiVersionsRequest"
RESPONSE = "ApiVersionsResponse"
KEY = {"ApiKey": 18, "MinVersion": 0, "MaxVersion": 5}
TAG_DEFAULTS = {
    "SupportedFeatures": [],
    "FinalizedFeaturesEpoch": -1,
    "FinalizedFeatures": [],
    "ZkMigrationReady": False,
}

#: type, version, value, bytes
MESSAGES: list[tuple[str, int, dict[str, Any], str]] = [
    (REQUEST, 3, {"ClientSoftwareName": "a", "ClientSoftwareVersion": "1.0"}, "0261" + "04312e30" + "00"),
    (
        REQUEST,
        5,
        {"ClientSoftwareName": "a", "ClientSoftwareVersion": "", "ClusterId": None, "NodeId": -1},
        "0261" + "01" + "00" + "ffffffff" + "00",
    ),
    (
        REQUEST,
        5,
        {
            "ClientSoftwareName": "",
            "ClientSoftwareVersion": "",
            "ClusterId": "c",
            "NodeId": 2,
            "_tags": [(7, b"\x01\x02")],
        },
        "01" + "01" + "0263" + "00000002" + "01" + "07020102",
    ),
    (RESPONSE, 0, {"ErrorCode": 35, "ApiKeys": []}, "0023" + "00000000"),
    (
        RESPONSE,
        1,
        {"ErrorCode": 0, "ApiKeys": [KEY], "ThrottleTimeMs": 9},
        "0000" + "00000001" + "001200000005" + "00000009",
    ),
    (
        RESPONSE,
        4,
        {
            "ErrorCode": 0,
            "ApiKeys": [],
            "ThrottleTimeMs": 0,
            "SupportedFeatures": [{"Name": "f", "MinVersion": 1, "MaxVersion": 2}],
            "FinalizedFeaturesEpoch": 1,
            "FinalizedFeatures": [{"Name": "f", "MaxVersionLevel": 2, "MinVersionLevel": 1}],
            "ZkMigrationReady": True,
        },
        "0000"
        + "01"
        + "00000000"
        + "04"
        + "00" + "08" + "02" + "0266" + "0001" + "0002" + "00"
        + "01" + "08" + "0000000000000001"
        + "02" + "08" + "02" + "0266" + "0002" + "0001" + "00"
        + "03" + "01" + "01",
    ),
    (
        RESPONSE,
        3,
        {
            "ErrorCode": 0,
            "ApiKeys": [{**KEY, "_tags": [(0, b"")]}],
            "ThrottleTimeMs": 0,
            **TAG_DEFAULTS,
            "ZkMigrationReady": True,
            "_tags": [(4, b"\xee"), (2**32 - 1, b"")],
        },
        "0000" + "02" + "001200000005" + "010000" + "00000000" + "03" + "030101" + "0401ee" + "ffffffff0f00",
    ),
    ("RequestHeader", 0, {"RequestApiKey": 7, "RequestApiVersion": 0, "CorrelationId": 1}, "0007" "0000" "00000001"),
    (
        "RequestHeader",
        1,
        {"RequestApiKey": 18, "RequestApiVersion": 0, "CorrelationId": -1, "ClientId": None},
        "0012" + "0000" + "ffffffff" + "ffff",
    ),
    (
        "RequestHeader",
        2,
        {"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 1, "ClientId": "c"},
        "0012" + "0003" + "00000001" + "000163" + "00",
    ),
    ("ResponseHeader", 0, {"CorrelationId": 1}, "00000001"),
    ("ResponseHeader", 1, {"CorrelationId": 1, "_tags": [(0, b"a")]}, "0000000101000161"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MESSAGES)))
def test_both_ways(number: int) -> None:
    name, version, value, digits = MESSAGES[number]
    found = decode(name, digits, version)
    assert found == value
    assert encode(name, value, version) == digits


def test_a_decoded_structure_names_its_fields_in_schema_order() -> None:
    found = decode(RESPONSE, "0000" + "01" + "00000000" + "01" + "030101", 3)
    assert list(found) == ["ErrorCode", "ApiKeys", "ThrottleTimeMs", *TAG_DEFAULTS]


#: type, version, bytes, reason, offset, path
REFUSED = [
    (REQUEST, 0, "00", "trailing-bytes", 0, ""),
    (REQUEST, 3, "", "truncated", 0, "ClientSoftwareName"),
    (REQUEST, 3, "00", "null-not-allowed", 0, "ClientSoftwareName"),
    (REQUEST, 3, "0261", "truncated", 2, "ClientSoftwareVersion"),
    (REQUEST, 3, "026101", "truncated", 3, "_tags"),
    (REQUEST, 5, "010100000000", "truncated", 3, "NodeId"),
    (RESPONSE, 0, "00", "truncated", 0, "ErrorCode"),
    (RESPONSE, 0, "0000ffffffff", "null-not-allowed", 2, "ApiKeys"),
    (RESPONSE, 0, "000000000001" + "0012", "truncated", 8, "ApiKeys[0].MinVersion"),
    (RESPONSE, 0, "000000000002" + "001200000005" + "0013", "truncated", 14, "ApiKeys[1].MinVersion"),
    (RESPONSE, 3, "000001" + "00000000" + "01" + "0308" + "01", "truncated", 9, "_tags"),
    (RESPONSE, 3, "000001" + "00000000" + "01" + "0302" + "0100", "length-mismatch", 9, "ZkMigrationReady"),
    (RESPONSE, 3, "000001" + "00000000" + "01" + "0104" + "00000000", "truncated", 10, "FinalizedFeaturesEpoch"),
    (RESPONSE, 3, "000001" + "00000000" + "01" + "0100", "truncated", 10, "FinalizedFeaturesEpoch"),
    (RESPONSE, 3, "000001" + "00000000" + "01" + "0002" + "0261", "truncated", 11, "SupportedFeatures[0].Name"),
    (RESPONSE, 3, "000001" + "00000000" + "01" + "0001" + "00", "null-not-allowed", 10, "SupportedFeatures"),
    (RESPONSE, 3, "000001" + "00000000" + "02" + "030101" + "030101", "tag-duplicate", 11, "_tags"),
    (RESPONSE, 3, "000001" + "00000000" + "02" + "030101" + "0000", "tag-order", 11, "_tags"),
    (RESPONSE, 3, "000001" + "00000000" + "02" + "0500" + "030101", "tag-order", 10, "_tags"),
    (RESPONSE, 3, "000002" + "001200000005" + "01" + "00", "truncated", 11, "ApiKeys[0]._tags"),
    ("RequestHeader", 1, "0012" + "0000" + "00000001" + "fffe", "negative-length", 8, "ClientId"),
    ("ResponseHeader", 1, "00000001", "truncated", 4, "_tags"),
]


@pytest.mark.parametrize(("name", "version", "digits", "reason", "offset", "path"), REFUSED)
def test_refused(name: str, version: int, digits: str, reason: str, offset: int, path: str) -> None:
    assert decode(name, digits, version) == Refused(reason, offset, path)


@pytest.mark.parametrize("name", [REQUEST, RESPONSE, "RequestHeader", "ResponseHeader", "ResponseFrame:ApiVersions"])
@pytest.mark.parametrize("version", [-1, 6, 2**31, None])
def test_versions_beyond_are_refused_both_ways(name: str, version: int | None) -> None:
    assert decode(name, "00", version) == Refused("unsupported-version")
    assert encode(name, {}, version) == Refused("unsupported-version")


#: version, value, reason, path: on top of a whole value of that version
UNENCODABLE: list[tuple[int, Any, str, str]] = [
    (0, None, "null-not-allowed", ""),
    (0, [], "out-of-range", ""),
    (0, {"Bogus": 0}, "unknown-field", ""),
    (0, {5: 0}, "unknown-field", ""),
    (0, {10**5000: 0}, "unknown-field", ""),
    (0, {"SupportedFeatures": [], "ErrorCode": 40000}, "out-of-range", "ErrorCode"),
    (0, {"ApiKeys": None}, "null-not-allowed", "ApiKeys"),
    (0, {"ApiKeys": [None]}, "null-not-allowed", "ApiKeys[0]"),
    (0, {"ApiKeys": [5]}, "out-of-range", "ApiKeys[0]"),
    (0, {"ApiKeys": [KEY, {**KEY, "ApiKey": "18"}]}, "out-of-range", "ApiKeys[1].ApiKey"),
    (0, {"ApiKeys": [{"Nope": 1}]}, "unknown-field", "ApiKeys[0]"),
    (0, {"_tags": [(9, b"")]}, "tags-not-allowed", "_tags"),
    (3, {"_tags": [(0, b"")]}, "known-tag", "_tags"),
    (3, {"_tags": [(3, b"")], "ZkMigrationReady": True}, "known-tag", "_tags"),
    (3, {"_tags": [(9, b""), (8, b"")]}, "tag-order", "_tags"),
    (3, {"_tags": [(9, b""), (9, b"")]}, "tag-duplicate", "_tags"),
    (3, {"_tags": 5}, "out-of-range", "_tags"),
    (3, {"ApiKeys": [{"_tags": [(9, b""), (8, b"")]}]}, "tag-order", "ApiKeys[0]._tags"),
    (3, {"FinalizedFeaturesEpoch": None}, "null-not-allowed", "FinalizedFeaturesEpoch"),
    (3, {"ZkMigrationReady": 0}, "out-of-range", "ZkMigrationReady"),
    (3, {"ZkMigrationReady": 1}, "out-of-range", "ZkMigrationReady"),
    (3, {"SupportedFeatures": [{"Name": None}]}, "null-not-allowed", "SupportedFeatures[0].Name"),
    (3, {"SupportedFeatures": None}, "null-not-allowed", "SupportedFeatures"),
]


@pytest.mark.parametrize("number", range(len(UNENCODABLE)))
def test_unencodable(number: int) -> None:
    version, value, reason, path = UNENCODABLE[number]
    assert encode(RESPONSE, value, version) == Refused(reason, None, path)


def test_missing_keys_are_defaults() -> None:
    assert encode(RESPONSE, {}, 0) == "0000" + "00000000"
    assert encode(RESPONSE, {"ApiKeys": [{}]}, 3) == "0000" + "02" + "000000000000" + "00" + "00000000" + "00"
    assert encode(REQUEST, {}, 5) == "01" + "01" + "00" + "ffffffff" + "00"


@pytest.mark.parametrize("empty", [[], (), None])
def test_no_tags_may_be_said_in_every_version(empty: Any) -> None:
    assert encode(REQUEST, {"_tags": empty}, 0) == ""
    assert encode(REQUEST, {"_tags": empty}, 3) == "010100"


# --- Fields of other versions (R-K-13) ---

VERSIONED = schema(
    field("A", "int8"),
    field("Old", "int32", "0-1", default=7),
    field("New", "string", "2+", nullableVersions="2+", default="null"),
    field("Flag", "bool", "2+"),
    field("Extra", "int8", "2+", ignorable=True),
    field("Inner", "In", "2+", fields=[field("X", "int8", "2+", default=4), field("L", "[]int8", "3+")]),
    field("Ratio", "float64", "2+"),
    field("Raw", "bytes", "2+"),
)

FOREIGN: list[tuple[dict[str, Any], Any]] = [
    ({}, "0100000007"),
    ({"New": None}, "0100000007"),
    ({"New": ""}, Refused("field-not-in-version", None, "New")),
    ({"Flag": False}, "0100000007"),
    ({"Flag": True}, Refused("field-not-in-version", None, "Flag")),
    ({"Flag": 0}, Refused("field-not-in-version", None, "Flag")),
    ({"Extra": 5}, "0100000007"),
    ({"Extra": 0}, "0100000007"),
    ({"Inner": {"X": 4, "L": []}}, "0100000007"),
    ({"Inner": {"X": 4, "L": ()}}, "0100000007"),
    ({"Inner": {}}, "0100000007"),
    ({"Inner": {"_tags": []}}, "0100000007"),
    ({"Inner": {"_tags": [(1, b"")]}}, Refused("field-not-in-version", None, "Inner")),
    ({"Inner": {"X": 5}}, Refused("field-not-in-version", None, "Inner")),
    ({"Inner": {"L": [0]}}, Refused("field-not-in-version", None, "Inner")),
    ({"Inner": {"Y": 0}}, Refused("field-not-in-version", None, "Inner")),
    ({"Inner": None}, Refused("field-not-in-version", None, "Inner")),
    ({"Ratio": 0.0}, "0100000007"),
    ({"Ratio": -0.0}, Refused("field-not-in-version", None, "Ratio")),
    ({"Ratio": 0}, Refused("field-not-in-version", None, "Ratio")),
    ({"Raw": b""}, "0100000007"),
    ({"Raw": bytearray()}, "0100000007"),
    ({"Raw": b"a"}, Refused("field-not-in-version", None, "Raw")),
    ({"Raw": ""}, Refused("field-not-in-version", None, "Raw")),
]


@pytest.mark.parametrize("number", range(len(FOREIGN)))
def test_fields_that_the_version_lacks(number: int) -> None:
    more, expected = FOREIGN[number]
    assert Message(VERSIONED, 1).encode({"A": 1, "Old": 7, **more}) == expected


def test_a_field_of_older_versions() -> None:
    later = "01" + "ffff" + "00" + "00" + "04" + "00" * 8 + "00000000"
    message = Message(VERSIONED, 2)
    assert message.encode({"A": 1, "Old": 7}) == later
    assert message.encode({"A": 1, "Old": 8}) == Refused("field-not-in-version", None, "Old")
    assert message.encode({"A": 1, "Old": True}) == Refused("field-not-in-version", None, "Old")
    assert "Old" not in message.decode(later)


# --- Structures that may be null (R-K-9) ---

INSIDE = [field("X", "int8"), field("Y", "string")]


def test_a_nullable_structure_has_a_marker() -> None:
    message = Message(schema(field("S", "In", fields=INSIDE, nullableVersions="0+")), 0)
    for value, digits in (({"S": None}, "ff"), ({"S": {"X": 5, "Y": "a"}}, "01" + "05" + "000161")):
        assert message.decode(digits) == value
        assert message.encode(value) == digits
    for marker in ("00", "02", "7f", "80", "fe"):
        assert message.decode(marker + "05" + "000161") == Refused("invalid-marker", 0, "S")
    assert message.decode("") == Refused("truncated", 0, "S")
    assert message.decode("01") == Refused("truncated", 1, "S.X")
    assert message.decode("ff05") == Refused("trailing-bytes", 1, "")
    assert message.encode({"S": 5}) == Refused("out-of-range", None, "S")
    assert message.encode({}) == "01" + "00" + "0000"


def test_a_flexible_nullable_structure_has_the_same_marker_and_its_own_tags() -> None:
    message = Message(schema(field("S", "In", fields=INSIDE, nullableVersions="0+"), flexible="0+"), 0)
    for value, digits in (
        ({"S": None}, "ff" + "00"),
        ({"S": {"X": 5, "Y": "a"}}, "01" + "05" + "0261" + "00" + "00"),
        ({"S": {"X": 5, "Y": "a", "_tags": [(1, b"")]}}, "01" + "05" + "0261" + "010100" + "00"),
    ):
        assert message.decode(digits) == value
        assert message.encode(value) == digits


def test_a_tagged_nullable_structure_has_an_unsigned_marker_inside_its_size() -> None:
    raw = schema(tagged("S", "In", 0, fields=INSIDE, nullableVersions="0+", default="null"), flexible="0+")
    message = Message(raw, 0)
    for value, digits in (
        ({"S": None}, "00"),
        ({"S": {"X": 5, "Y": "a"}}, "01" + "00" + "05" + "01" + "05" + "0261" + "00"),
        ({"S": {"X": 0, "Y": ""}}, "01" + "00" + "04" + "01" + "00" + "01" + "00"),
    ):
        assert message.decode(digits) == value
        assert message.encode(value) == digits
    # An explicit null decodes, and is left out when it is written (R-K-8).
    assert message.decode("01" + "00" + "01" + "00") == {"S": None}
    assert message.encode(message.decode("01" + "00" + "01" + "00")) == "00"
    for marker in ("02", "7f", "ff"):
        size = "05"
        fault = Refused("invalid-marker", 3, "S") if marker != "ff" else Refused("varint-overflow", 3, "S")
        digits = "01" + "00" + size + marker + ("ffffff7f" if marker == "ff" else "05026100")
        assert message.decode(digits) == fault
    assert message.decode("01" + "00" + "00") == Refused("truncated", 3, "S")
    assert message.decode("01" + "00" + "02" + "0000") == Refused("length-mismatch", 2, "S")
    assert message.encode({"S": 5}) == Refused("out-of-range", None, "S")


def test_a_tagged_nullable_structure_that_is_not_null_by_default() -> None:
    raw = schema(tagged("S", "In", 0, fields=INSIDE, nullableVersions="0+"), flexible="0+")
    message = Message(raw, 0)
    assert message.decode("00") == {"S": {"X": 0, "Y": ""}}
    assert message.encode({"S": {"X": 0, "Y": ""}}) == "00"
    assert message.encode({"S": None}) == "01" + "00" + "01" + "00"
    assert message.decode("01" + "00" + "01" + "00") == {"S": None}


# --- Tagged fields and their defaults (R-K-8, R-K-14) ---


def test_a_tagged_structure_of_defaults_is_left_out() -> None:
    inside = [field("X", "int8", default=3), field("L", "[]string"), field("In2", "Deep", fields=INSIDE)]
    message = Message(schema(tagged("S", "In", 0, fields=inside), flexible="0+"), 0)
    default: dict[str, Any] = {"X": 3, "L": [], "In2": {"X": 0, "Y": ""}}
    assert message.decode("00") == {"S": default}
    sames: list[dict[str, Any]] = [
        default,
        {},
        {"X": 3},
        {"In2": {}},
        {"L": ()},
        {**default, "_tags": []},
        {**default, "In2": {"X": 0, "Y": "", "_tags": []}},
    ]
    for same in sames:
        assert message.encode({"S": same}) == "00"
    assert message.encode({}) == "00"
    for other, body in (
        ({"X": 0}, "00" + "01" + "00" + "01" + "00" + "00"),
        ({"L": [""]}, "03" + "02" + "01" + "00" + "01" + "00" + "00"),
        ({"In2": {"X": 1}}, "03" + "01" + "01" + "01" + "00" + "00"),
        ({"_tags": [(9, b"")]}, "03" + "01" + "00" + "01" + "00" + "010900"),
        ({"In2": {"_tags": [(9, b"")]}}, "03" + "01" + "00" + "01" + "010900" + "00"),
    ):
        assert message.encode({"S": other}) == "01" + "00" + f"{len(body) // 2:02x}" + body
    assert message.encode({"S": None}) == Refused("null-not-allowed", None, "S")
    assert message.encode({"S": {"Nope": 0}}) == Refused("unknown-field", None, "S")
    # The default itself, explicitly: it decodes, and is left out.
    assert message.encode(message.decode("01" + "00" + "06" + "03" + "01" + "00" + "01" + "00" + "00")) == "00"


def test_absent_tagged_fields_do_not_share_their_defaults() -> None:
    message = Message(schema(tagged("L", "[]int8", 0), flexible="0+"), 0)
    first = message.decode("00")
    first["L"].append(1)
    assert message.decode("00") == {"L": []}


TAGGED_SCALARS = schema(
    tagged("B", "bool", 0, default="true"),
    tagged("I", "int16", 1, default="1"),
    tagged("F", "float64", 2),
    tagged("N", "string", 3, nullableVersions="0+", default="null"),
    tagged("T", "string", 4, default="x"),
    tagged("D", "bytes", 5),
    flexible="0+",
)

#: value, whole buffer
TAGGED: list[tuple[dict[str, Any], Any]] = [
    ({}, "00"),
    ({"B": True, "I": 1, "F": 0.0, "N": None, "T": "x", "D": b""}, "00"),
    ({"B": False}, "01" + "000100"),
    ({"B": 1}, Refused("out-of-range", None, "B")),
    ({"I": True}, Refused("out-of-range", None, "I")),
    ({"I": 1.0}, Refused("out-of-range", None, "I")),
    ({"I": 2}, "01" + "01020002"),
    ({"F": -0.0}, "01" + "0208" + "8000000000000000"),
    ({"F": 0}, Refused("out-of-range", None, "F")),
    ({"N": ""}, "01" + "030101"),
    ({"N": "a"}, "01" + "03020261"),
    ({"T": ""}, "01" + "040101"),
    ({"T": None}, Refused("null-not-allowed", None, "T")),
    ({"D": b"\0"}, "01" + "05020200"),
    ({"D": bytearray()}, "00"),
    ({"D": ""}, Refused("out-of-range", None, "D")),
    ({"D": b"\0", "B": False, "_tags": [(6, b"z")]}, "03" + "000100" + "05020200" + "06017a"),
]


@pytest.mark.parametrize("number", range(len(TAGGED)))
def test_tagged_fields_equal_to_their_default_are_left_out(number: int) -> None:
    value, expected = TAGGED[number]
    assert Message(TAGGED_SCALARS, 0).encode(value) == expected


def test_explicit_defaults_decode_and_are_left_out_again() -> None:
    message = Message(TAGGED_SCALARS, 0)
    explicit = "06" + "000101" + "01020001" + "0208" + "00" * 8 + "030100" + "04020278" + "050101"
    found = message.decode(explicit)
    assert found == {"B": True, "I": 1, "F": 0.0, "N": None, "T": "x", "D": b""}
    assert message.encode(found) == "00"
    negative = message.decode("01" + "0208" + "8000000000000000")["F"]
    assert struct.pack(">d", negative).hex() == "8000000000000000"


def test_tags_of_later_versions_are_unknown_ones() -> None:
    raw = schema(tagged("A", "int8", 0), tagged("B", "int8", 1, "5+"), flexible="0+")
    message = Message(raw, 4)
    assert message.decode("02" + "000109" + "010107") == {"A": 9, "_tags": [(1, b"\x07")]}
    assert message.encode({"A": 9, "_tags": [(1, b"\x07")]}) == "02" + "000109" + "010107"
    assert message.encode({"A": 0, "B": 7}) == Refused("field-not-in-version", None, "B")
    assert Message(raw, 5).decode("02" + "000109" + "010107") == {"A": 9, "B": 7}


def test_known_and_unknown_tags_are_written_in_order() -> None:
    raw = schema(tagged("B", "int8", 1), tagged("A", "int8", 0), tagged("C", "int8", 2), flexible="0+")
    message = Message(raw, 0)
    assert message.encode({"A": 1, "B": 2, "C": 3, "_tags": [(3, b""), (300, b"a")]}) == (
        "05" + "000101" + "010102" + "020103" + "0300" + "ac020161"
    )
    assert message.decode("03" + "000101" + "020103" + "ac020161") == {
        "A": 1, "B": 0, "C": 3, "_tags": [(300, b"a")]
    }  # fmt: skip


def test_structures_inside_arrays_have_their_own_tags() -> None:
    raw = schema(field("L", "[]In", fields=[field("X", "int8"), tagged("T", "int8", 0)]), flexible="0+")
    message = Message(raw, 0)
    digits = "03" + "05" + "010001" + "07" + "06" + "00" + "00"
    assert message.decode(digits) == {"L": [{"X": 5, "T": 7}, {"X": 6, "T": 0}]}
    assert message.encode({"L": [{"X": 5, "T": 7}, {"X": 6, "T": 0}]}) == digits


def test_a_recode_writes_what_is_canonical() -> None:
    explicit = "0000" + "01" + "00000000" + "01" + "0108" + "ffffffffffffffff"
    assert recode(RESPONSE, explicit, 3) == "0000" + "01" + "00000000" + "00"


# --- Values made whole ---


def whole(value: Any, version: int) -> Any:
    return complete(RESPONSE, value, dialect="kafka", version=version)


def test_complete_fills_in_every_default_at_every_depth() -> None:
    assert whole({"ErrorCode": 1}, 0) == {"ErrorCode": 1, "ApiKeys": []}
    assert whole({"ApiKeys": ({"ApiKey": 3},)}, 3) == {
        "ErrorCode": 0,
        "ApiKeys": [{"ApiKey": 3, "MinVersion": 0, "MaxVersion": 0}],
        "ThrottleTimeMs": 0,
        **TAG_DEFAULTS,
    }


def test_complete_leaves_everything_else_as_it_is() -> None:
    assert whole({"ErrorCode": "x", "Size": 5, "_tags": [(1, b"")]}, 0) == {
        "ErrorCode": "x", "ApiKeys": [], "Size": 5, "_tags": [(1, b"")]
    }  # fmt: skip
    assert whole(None, 0) is None
    assert whole([1], 0) == [1]
    assert whole({"ApiKeys": [None, 5]}, 0) == {"ErrorCode": 0, "ApiKeys": [None, 5]}
    assert whole({"a": 1}, 77) == {"a": 1}
    assert complete("INT8", 5, dialect="kafka") == 5
    assert complete("ARRAY<INT8>", (1, 2), dialect="kafka") == [1, 2]
    assert complete("TAG_BUFFER", [(1, b"")], dialect="kafka") == [(1, b"")]


def test_an_enormous_version_is_only_one_more_that_is_refused() -> None:
    assert decode(REQUEST, "00", 10**5000) == Refused("unsupported-version")
