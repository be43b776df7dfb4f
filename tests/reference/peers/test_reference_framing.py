"""Frames: the number of missing bytes, the header's version before a body, and the place of each fault."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from support.wire import KAFKA, Refused, decode, encode, field, recode, schema

from wireproof import reference
from wireproof.reference import codec, complete
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.peers import framing
from wireproof.reference.peers.framing import MAX_FRAME, Frames, needed, request_header_version, response_header_version
from wireproof.reference.rules import Rules
from wireproof.reference.schema import from_json
from wireproof.reference.schema.plan import Struct, plan

REQUEST = "RequestFrame"
RESPONSE = "ResponseFrame:ApiVersions"


# --- How much is needed ---


@pytest.mark.parametrize(
    ("digits", "missing"),
    [
        ("", 4),
        ("00", 3),
        ("0000", 2),
        ("000000", 1),
        ("00000000", 0),
        ("00000001", 1),
        ("000000ff", 255),
        ("00000003aa", 2),
        ("00000003aabb", 1),
        ("00000003aabbcc", 0),
        ("00000003aabbccdd", 0),
        ("0000000000000000", 0),
        ("06400000", MAX_FRAME),
    ],
)
def test_needed(digits: str, missing: int) -> None:
    data = bytes.fromhex(digits)
    assert needed(data) == needed(bytearray(data)) == needed(memoryview(data)) == missing


def test_a_hundred_mebibytes_are_the_most() -> None:
    assert MAX_FRAME == 0x06400000


@pytest.mark.parametrize(
    ("digits", "reason"),
    [
        ("ffffffff", Reason.NEGATIVE_LENGTH),
        ("80000000", Reason.NEGATIVE_LENGTH),
        ("ffffffff0000", Reason.NEGATIVE_LENGTH),
        ("06400001", Reason.RESOURCE_LIMIT),
        ("7fffffff", Reason.RESOURCE_LIMIT),
    ],
)
def test_sizes_that_no_frame_has(digits: str, reason: Reason) -> None:
    with pytest.raises(DecodeError) as caught:
        needed(bytes.fromhex(digits))
    assert (caught.value.reason, caught.value.offset) == (reason, 0)


def test_frames_one_after_another_in_pieces() -> None:
    arrived = Frames()
    found = []
    for number in bytes.fromhex("00000001 aa 00000000 00000002 bbcc"):
        arrived.add(bytes([number]))
        while (frame := arrived.next()) is not None:
            found.append(frame)
    assert found == [b"\xaa", b"", b"\xbb\xcc"]
    arrived.add(bytes.fromhex("00000001"))
    assert arrived.next() is None
    arrived.add(bytes.fromhex("dd ffffffff"))
    assert arrived.next() == b"\xdd"
    with pytest.raises(reference.DecodeError, match="negative"):
        arrived.next()


def test_needed_counts_down_byte_by_byte() -> None:
    frame = bytes.fromhex("0000000a0012000000000001ffff")
    assert [needed(frame[:have]) for have in range(len(frame) + 1)] == [
        4, 3, 2, 1, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
    ]  # fmt: skip


# --- Which header ---


def test_request_headers() -> None:
    assert request_header_version(7, 0, flexible=False) == 0
    assert request_header_version(7, 1, flexible=False) == 1
    assert request_header_version(7, 3, flexible=True) == 2
    assert request_header_version(18, 0, flexible=False) == 1
    assert request_header_version(18, 3, flexible=True) == 2
    assert request_header_version(0, 0, flexible=False) == 1


def test_response_headers() -> None:
    assert response_header_version(18, flexible=False) == 0
    assert response_header_version(18, flexible=True) == 0
    assert response_header_version(3, flexible=False) == 0
    assert response_header_version(3, flexible=True) == 1


class Catalogue:
    """Two apis of a test's own, beside ControlledShutdown's place."""

    NAMES: ClassVar = {3: "Metadata", 7: "ControlledShutdown"}
    SCHEMAS: ClassVar = {
        "MetadataRequest": schema(field("T", "string"), flexible="1+", versions="0-1"),
        "MetadataResponse": schema(field("E", "int16"), flexible="1+", versions="0-1"),
        "ControlledShutdownRequest": schema(field("B", "int32"), flexible="3+", versions="0-3"),
    }

    def api_name(self, api_key: int) -> str | None:
        return self.NAMES.get(api_key)

    def plan(self, name: str, version: int) -> Struct:
        if name in self.SCHEMAS:
            return plan(from_json(self.SCHEMAS[name]), version)
        return Kafka().messages.plan(name, version)


#: value of the frame, bytes
HEADERS: list[tuple[dict[str, Any], str]] = [
    (
        {"header": {"RequestApiKey": 7, "RequestApiVersion": 0, "CorrelationId": 1}, "body": {"B": 5}},
        "0000000c" + "0007" + "0000" + "00000001" + "00000005",
    ),
    (
        {"header": {"RequestApiKey": 7, "RequestApiVersion": 1, "CorrelationId": 1, "ClientId": "c"}, "body": {"B": 5}},
        "0000000f" + "0007" + "0001" + "00000001" + "000163" + "00000005",
    ),
    (
        {"header": {"RequestApiKey": 3, "RequestApiVersion": 0, "CorrelationId": 1, "ClientId": ""}, "body": {"T": ""}},
        "0000000c" + "0003" + "0000" + "00000001" + "0000" + "0000",
    ),
    (
        {
            "header": {"RequestApiKey": 3, "RequestApiVersion": 1, "CorrelationId": 1, "ClientId": None},
            "body": {"T": "a"},
        },
        "0000000e" + "0003" + "0001" + "00000001" + "ffff" + "00" + "0261" + "00",
    ),
]


@pytest.mark.parametrize("number", range(len(HEADERS)))
def test_the_header_that_the_api_asks_for(number: int) -> None:
    value, digits = HEADERS[number]
    frames = framing.RequestFrame(Catalogue())
    assert codec.decode(frames, bytes.fromhex(digits), Rules()) == value
    assert codec.encode(frames, value, Rules()).hex() == digits


def test_a_flexible_response_has_a_tagged_header_but_for_api_versions() -> None:
    flexible = framing.ResponseFrame.of(Catalogue(), 3, "Metadata", 1)
    value = {"header": {"CorrelationId": 1}, "body": {"E": 0}}
    assert codec.encode(flexible, value, Rules()).hex() == "00000008" + "00000001" + "00" + "0000" + "00"
    classic = framing.ResponseFrame.of(Catalogue(), 3, "Metadata", 0)
    assert codec.encode(classic, value, Rules()).hex() == "00000006" + "00000001" + "0000"


# --- Frames of ApiVersions ---

HEADER_0 = {"RequestApiKey": 18, "RequestApiVersion": 0, "CorrelationId": 1, "ClientId": None}
HEADER_3 = {"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 1, "ClientId": "c"}

#: type, version, value, bytes
BOTH_WAYS: list[tuple[str, int | None, dict[str, Any], str]] = [
    (REQUEST, None, {"header": HEADER_0, "body": {}}, "0000000a" + "0012" + "0000" + "00000001" + "ffff"),
    (
        REQUEST,
        None,
        {"header": HEADER_3, "body": {"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"}},
        "00000011" + "0012" + "0003" + "00000001" + "000163" + "00" + "0261" + "0231" + "00",
    ),
    (
        REQUEST,
        None,
        {
            "header": {**HEADER_3, "_tags": [(0, b"h")]},
            "body": {"ClientSoftwareName": "", "ClientSoftwareVersion": "", "_tags": [(1, b"b")]},
        },
        "00000015" + "0012" + "0003" + "00000001" + "000163" + "01000168" + "01" + "01" + "01010162",
    ),
    (
        RESPONSE,
        0,
        {"header": {"CorrelationId": 7}, "body": {"ErrorCode": 35, "ApiKeys": []}},
        "0000000a" + "00000007" + "0023" + "00000000",
    ),
    (
        RESPONSE,
        3,
        {
            "header": {"CorrelationId": 7},
            "body": {
                "ErrorCode": 0,
                "ApiKeys": [],
                "ThrottleTimeMs": 0,
                "SupportedFeatures": [],
                "FinalizedFeaturesEpoch": -1,
                "FinalizedFeatures": [],
                "ZkMigrationReady": False,
            },
        },
        "0000000c" + "00000007" + "0000" + "01" + "00000000" + "00",
    ),
]


@pytest.mark.parametrize("number", range(len(BOTH_WAYS)))
def test_both_ways(number: int) -> None:
    name, version, value, digits = BOTH_WAYS[number]
    assert decode(name, digits, version) == value
    assert encode(name, value, version) == digits
    assert recode(name, digits, version) == digits


#: type, version, bytes, reason, offset, path
REFUSED = [
    (REQUEST, None, "", "truncated", 0, "size"),
    (REQUEST, None, "000000", "truncated", 0, "size"),
    (REQUEST, None, "00000001", "truncated", 0, "size"),
    (REQUEST, None, "ffffffff", "negative-length", 0, "size"),
    (REQUEST, None, "80000000", "negative-length", 0, "size"),
    (REQUEST, None, "00000000", "truncated", 4, "header.RequestApiKey"),
    (REQUEST, None, "0000000100", "truncated", 4, "header.RequestApiKey"),
    (REQUEST, None, "000000020012", "truncated", 6, "header.RequestApiVersion"),
    (REQUEST, None, "00000003001200", "truncated", 6, "header.RequestApiVersion"),
    (REQUEST, None, "0000000203e7", "truncated", 6, "header.RequestApiVersion"),
    (REQUEST, None, "0000000400120000", "truncated", 8, "header.CorrelationId"),
    (REQUEST, None, "000000080012000000000001", "truncated", 12, "header.ClientId"),
    (REQUEST, None, "0000000403e70000", "unknown-api", 4, "header.RequestApiKey"),
    (REQUEST, None, "00000004ffff0000", "unknown-api", 4, "header.RequestApiKey"),
    (REQUEST, None, "0000000400120006", "unsupported-version", 6, "header.RequestApiVersion"),
    (REQUEST, None, "000000040012ffff", "unsupported-version", 6, "header.RequestApiVersion"),
    (REQUEST, None, "0000000a0012000300000001ffff", "truncated", 14, "header._tags"),
    (REQUEST, None, "0000000b0012000300000001ffff00", "truncated", 15, "body.ClientSoftwareName"),
    (REQUEST, None, "0000000b0012000000000001ffff00", "trailing-bytes", 14, ""),
    (REQUEST, None, "0000000a0012000000000001ffff00", "trailing-bytes", 14, ""),
    (RESPONSE, 0, "00000003000000", "truncated", 4, "header.CorrelationId"),
    (RESPONSE, 0, "0000000400000007", "truncated", 8, "body.ErrorCode"),
    (RESPONSE, 0, "0000000b" + "00000007" + "0000" + "00000000", "truncated", 0, "size"),
    (RESPONSE, 0, "0000000b" + "00000007" + "0000" + "00000000" + "00", "trailing-bytes", 14, ""),
    (RESPONSE, 0, "0000000a" + "00000007" + "0000" + "00000000" + "00", "trailing-bytes", 14, ""),
    # A fault inside the window comes before bytes behind it; the outer window comes first of all.
    (RESPONSE, 0, "00000009" + "00000007" + "0000" + "00000000", "truncated", 10, "body.ApiKeys"),
    (REQUEST, None, "0000000903e70000", "truncated", 0, "size"),
]


@pytest.mark.parametrize(("name", "version", "digits", "reason", "offset", "path"), REFUSED)
def test_refused(name: str, version: int | None, digits: str, reason: str, offset: int, path: str) -> None:
    assert decode(name, digits, version) == Refused(reason, offset, path)


#: type, version, value, reason, path
UNENCODABLE: list[tuple[str, int | None, Any, str, str]] = [
    (REQUEST, None, None, "out-of-range", ""),
    (REQUEST, None, {}, "out-of-range", ""),
    (REQUEST, None, {"header": HEADER_0}, "out-of-range", ""),
    (REQUEST, None, {"header": {}, "body": {}}, "out-of-range", ""),
    (REQUEST, None, {"header": None, "body": {}}, "out-of-range", ""),
    (REQUEST, None, {"header": HEADER_0, "body": {}, "size": 5}, "out-of-range", ""),
    (REQUEST, None, {"header": {**HEADER_0, "RequestApiKey": "18"}, "body": {}}, "out-of-range", ""),
    (REQUEST, None, {"header": {**HEADER_0, "RequestApiKey": 999}, "body": {}}, "unknown-api", "header"),
    (REQUEST, None, {"header": {**HEADER_0, "RequestApiKey": 10**5000}, "body": {}}, "unknown-api", "header"),
    (REQUEST, None, {"header": {**HEADER_0, "RequestApiVersion": 6}, "body": {}}, "unsupported-version", "header"),
    (REQUEST, None, {"header": {**HEADER_0, "ClientId": 5}, "body": {}}, "out-of-range", "header.ClientId"),
    (REQUEST, None, {"header": HEADER_0, "body": None}, "null-not-allowed", "body"),
    (REQUEST, None, {"header": HEADER_0, "body": {"X": 1}}, "unknown-field", "body"),
    (REQUEST, None, {"header": {**HEADER_0, "_tags": [(0, b"")]}, "body": {}}, "tags-not-allowed", "header._tags"),
    (RESPONSE, 0, None, "out-of-range", ""),
    (RESPONSE, 0, {"header": {"CorrelationId": 1}}, "out-of-range", ""),
    (RESPONSE, 0, {"header": {}, "body": None}, "out-of-range", ""),
    (RESPONSE, 0, {"header": {}, "body": {}, "size": 5}, "out-of-range", ""),
    (RESPONSE, 0, {"header": {"CorrelationId": None}, "body": {}}, "null-not-allowed", "header.CorrelationId"),
    (RESPONSE, 0, {"header": {}, "body": {"ErrorCode": "x"}}, "out-of-range", "body.ErrorCode"),
]


@pytest.mark.parametrize("number", range(len(UNENCODABLE)))
def test_unencodable(number: int) -> None:
    name, version, value, reason, path = UNENCODABLE[number]
    assert encode(name, value, version) == Refused(reason, None, path)


def test_missing_keys_are_defaults() -> None:
    least = {"header": {"RequestApiKey": 18, "RequestApiVersion": 3}, "body": {}}
    assert encode(REQUEST, least) == "0000000e" + "0012" + "0003" + "00000000" + "0000" + "00" + "01" + "01" + "00"
    assert complete(REQUEST, least, dialect=KAFKA) == {
        "header": {"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 0, "ClientId": ""},
        "body": {"ClientSoftwareName": "", "ClientSoftwareVersion": ""},
    }
    assert complete(RESPONSE, {"header": {}, "body": {}}, dialect=KAFKA, version=0) == {
        "header": {"CorrelationId": 0},
        "body": {"ErrorCode": 0, "ApiKeys": []},
    }


@pytest.mark.parametrize("value", [None, {}, {"header": {}, "body": {}}, {"header": 5, "body": {}, "size": 1}])
def test_what_is_no_request_frame_is_left_as_it_is(value: Any) -> None:
    assert complete(REQUEST, value, dialect=KAFKA) == value


@pytest.mark.parametrize("value", [None, {}, {"header": {}}, {"header": {}, "body": {}, "size": 1}])
def test_what_is_no_response_frame_is_left_as_it_is(value: Any) -> None:
    assert complete(RESPONSE, value, dialect=KAFKA, version=0) == value


def test_what_frames_say_when_they_are_refused() -> None:
    for digits, text in (
        ("0000000403e70000", "unknown-api at header.RequestApiKey: there is no api with key 999 (byte 4)"),
        (
            "0000000400120006",
            "unsupported-version at header.RequestApiVersion: ApiVersionsRequest has versions 0-5, not 6 (byte 6)",
        ),
        ("ffffffff", "negative-length at size: frame size -1 is negative (byte 0)"),
        ("00000005", "truncated at size: frame size 5, but 0 bytes are left (byte 0)"),
        ("00", "truncated at size: frame size needs 4 more bytes, 1 is left (byte 0)"),
        (
            "0000000b0012000000000001ffff00",
            "trailing-bytes: 1 bytes are left over after the frame's body (byte 14)",
        ),
    ):
        with pytest.raises(DecodeError) as caught:
            reference.decode(REQUEST, bytes.fromhex(digits), dialect=KAFKA)
        assert str(caught.value) == text


def test_a_frame_is_read_where_the_reader_stands() -> None:
    reader = Reader(bytes.fromhex("ffff" + "00000002" + "abcd" + "ee"), Rules())
    reader.take(2, 0, "x")
    assert framing.read_frame(reader, lambda inner: bytes(inner.take(2, inner.pos, "x")).hex()) == "abcd"
    assert (reader.pos, reader.remaining) == (8, 1)


def test_a_frame_is_written_behind_what_was_there() -> None:
    writer = Writer(Rules())
    writer.out += b"\xff"

    def inside(inner: Writer) -> None:
        inner.out += b"abc"

    framing.append_frame(writer, inside)
    assert writer.out.hex() == "ff" + "00000003" + "616263"
