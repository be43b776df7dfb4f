"""The wrappers of released implementations: what each offers, that it shrinks unseen in no update, and sane answers.

Hostile bytes are not asked here: released codecs end the process on some, and these tests run in this one.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import uuid
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from support.paths import ROOT

from wireproof import reference
from wireproof.conformance import ledger

if TYPE_CHECKING:
    from types import ModuleType

    from wireproof.conformance.vectors import Vector

OPS = ("decode", "encode")
KINDS = ("Request", "Response")
LIBRARIES = {"kio": "kio", "kafka_python": "kafka", "aiokafka": "aiokafka"}

API_VERSIONS: dict[str, Any] = {"ErrorCode": 0, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 4}]}
HEADER = {"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 7, "ClientId": "a"}

#: Type, version, bytes, value: the bytes follow from the specification and were written by hand.
SAMPLES: list[tuple[str, int | None, str, Any]] = [
    ("BOOLEAN", None, "01", True),
    ("INT8", None, "ff", -1),
    ("INT16", None, "8000", -32768),
    ("INT32", None, "7fffffff", 2147483647),
    ("INT64", None, "8000000000000000", -(2**63)),
    ("UINT16", None, "ffff", 65535),
    ("UINT32", None, "ffffffff", 4294967295),
    ("FLOAT64", None, "3ff8000000000000", 1.5),
    ("UUID", None, "000102030405060708090a0b0c0d0e0f", uuid.UUID("00010203-0405-0607-0809-0a0b0c0d0e0f")),
    ("UUID", None, "00" * 16, uuid.UUID(int=0)),
    ("UNSIGNED_VARINT", None, "ac02", 300),
    ("VARINT", None, "8001", 64),
    ("VARLONG", None, "7e", 63),
    ("STRING", None, "0002c3a9", "é"),
    ("NULLABLE_STRING", None, "ffff", None),
    ("COMPACT_STRING", None, "0261", "a"),
    ("COMPACT_NULLABLE_STRING", None, "00", None),
    ("BYTES", None, "0000000261ff", b"a\xff"),
    ("NULLABLE_BYTES", None, "ffffffff", None),
    ("COMPACT_BYTES", None, "01", b""),
    ("COMPACT_NULLABLE_BYTES", None, "00", None),
    ("ARRAY<INT16>", None, "0000000200010002", [1, 2]),
    ("ARRAY<ARRAY<INT8>>", None, "00000002000000010500000000", [[5], []]),
    ("NULLABLE_ARRAY<INT16>", None, "ffffffff", None),
    ("COMPACT_ARRAY<COMPACT_STRING>", None, "03026101", ["a", ""]),
    ("COMPACT_ARRAY<STRING>", None, "02000161", ["a"]),
    ("COMPACT_NULLABLE_ARRAY<INT8>", None, "00", None),
    ("COMPACT_NULLABLE_ARRAY<UUID>", None, "00", None),
    ("ARRAY<UUID>", None, "00000001" + "00" * 16, [uuid.UUID(int=0)]),
    ("TAG_BUFFER", None, "00", []),
    ("RequestHeader", 1, "0012000300000007000161", HEADER),
    ("RequestHeader", 2, "0012000300000007ffff00", HEADER | {"ClientId": None}),
    ("ResponseHeader", 0, "00000007", {"CorrelationId": 7}),
    ("ResponseHeader", 1, "0000000700", {"CorrelationId": 7}),
    ("ApiVersionsRequest", 0, "", {}),
    ("ApiVersionsRequest", 3, "0261026200", {"ClientSoftwareName": "a", "ClientSoftwareVersion": "b"}),
    ("ApiVersionsResponse", 0, "000000000001001200000004", API_VERSIONS),
    ("ApiVersionsResponse", 1, "000000000001001200000004000003e8", API_VERSIONS | {"ThrottleTimeMs": 1000}),
    (
        "ApiVersionsResponse",
        3,
        "0000 02 0012 0000 0004 00 000003e8 03 0008 02 0261 0001 0002 00 0108 0000000000000005 0301 01",
        API_VERSIONS
        | {
            "ThrottleTimeMs": 1000,
            "SupportedFeatures": [{"Name": "a", "MinVersion": 1, "MaxVersion": 2}],
            "FinalizedFeaturesEpoch": 5,
            "FinalizedFeatures": [],
            "ZkMigrationReady": True,
        },
    ),
    (
        "RequestFrame",
        None,
        "00000011 0012000300000007000161 00 0261026200",
        {"header": HEADER, "body": {"ClientSoftwareName": "a", "ClientSoftwareVersion": "b"}},
    ),
    (
        "ResponseFrame:ApiVersions",
        0,
        "00000010 00000007 000000000001001200000004",
        {"header": {"CorrelationId": 7}, "body": API_VERSIONS},
    ),
]

#: Samples of types in `types` of which one op is not offered, or of which the version is not.
ABSENT = {
    ("aiokafka", "RequestFrame", "decode"),
    ("aiokafka", "RequestFrame", "encode"),  # of version 3
    ("aiokafka", "ResponseFrame:ApiVersions", "encode"),
}


def wrapper(module: str) -> ModuleType:
    """The wrapper, or a skip where its library is not installed."""
    pytest.importorskip(LIBRARIES[module], reason="pip install -e .[implementations]")
    return importlib.import_module(f"implementations.{module}")


def offers(found: ModuleType, type_name: str, version: int | None, op: str) -> bool:
    """Whether a sample's question is one that the wrapper says it can be asked."""
    form = type_name.partition("<")[0]
    if form not in found.types["kafka"] or (found.__name__.rpartition(".")[2], type_name, op) in ABSENT:
        return False
    if "UUID" in type_name and "UUID" not in found.types["kafka"]:
        return False
    span = found.types["kafka"][form]
    return span is None or version is None or span[0] <= version <= span[1]


def plain(value: Any) -> Any:
    """Without empty `_tags`, which may be there or not."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key != "_tags" or item}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(
    ("module", "version", "types", "versions"),
    [("kio", "0.6.5", 216, 625), ("kafka_python", "3.0.12", 189, 731), ("aiokafka", "0.14.0", 132, 323)],
)
def test_what_is_offered_does_not_shrink_unseen(module: str, version: str, types: int, versions: int) -> None:
    found = wrapper(module)
    ranges = [both for both in found.types["kafka"].values() if both]
    assert found.version == version
    assert found.dialects == ("kafka",)
    assert len(found.types["kafka"]) == types
    assert sum(high - low + 1 for low, high in ranges) == versions


class TestRanges:
    """What is offered is what the library itself lists: by another of its lists than the wrapper reads."""

    def test_kio_by_the_classes(self) -> None:
        found = wrapper("kio")
        assert len(found.ENTITIES) == 190
        for name, versions in found.ENTITIES.items():
            assert sorted(versions) == list(range(min(versions), max(versions) + 1)), name
            for version in found.types["kafka"][name]:
                entity = found.index.load_entity_schema(versions[version][0], version, versions[version][1])
                assert (entity.__name__, entity.__version__) == (name, version)

    def test_kio_has_every_api_key(self) -> None:
        found = wrapper("kio")
        requests = {
            found.index.load_request_schema(key, max(found.schema_name_map[schema])).__name__
            for key, schema in found.index.api_key_map.items()
        }
        assert requests == {name for name in found.ENTITIES if name.endswith("Request")}

    def test_kio_imports_no_message_at_its_start(self) -> None:
        wrapper("kio")
        script = "import sys, implementations.kio; print(*sys.modules)"
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
        modules = [name.split(".") for name in run.stdout.split() if name.startswith("kio.schema.")]
        assert {parts[2] for parts in modules if len(parts) > 3} <= {"request_header", "response_header"}

    def test_kafka_python_by_the_schema_files(self) -> None:
        found = wrapper("kafka_python")
        there = resources.files("kafka.protocol.schemas.resources")
        files = {file.name.removesuffix(".json"): file for file in there.iterdir() if file.name.endswith(".json")}
        assert files.keys() == found.MESSAGES.keys() | found.HEADERS.keys()
        for name, file in files.items():
            range_there = re.search(r'"validVersions": "(\d+)(?:-(\d+))?"', file.read_text("utf-8"))
            assert range_there, name
            low, high = range_there.groups()
            assert found.types["kafka"][name] == (int(low), int(high or low)), name

    def test_aiokafka_by_the_requests(self) -> None:
        found = wrapper("aiokafka")
        requests = [kind for kind in found.api.Request.__subclasses__() if kind.__module__.startswith("aiokafka.")]
        assert {kind.API_KEY for kind in requests} == found.REQUESTS.keys()
        for kind in requests:
            message, versions = found.REQUESTS[kind.API_KEY]
            used = {each.API_VERSION for each in kind._CLASSES}
            assert used
            assert used <= versions.keys(), message  # old ones have a class still
            answers = {each.RESPONSE_TYPE.API_VERSION for each in kind._CLASSES}
            assert answers <= found.MESSAGES[message.replace("Request", "Response")].keys()


def with_known_errors(value: Any) -> Any:
    """The value with error 3 wherever an error code stands: kio knows codes as members of an enumeration."""
    match value:
        case dict():
            return {key: 3 if key.endswith("ErrorCode") else with_known_errors(item) for key, item in value.items()}
        case list():
            return [with_known_errors(item) for item in value]
    return value


class TestEveryMessage:
    """The ledger's fullest case of each message-version, with error codes that there are: the mapping loses nothing."""

    @pytest.mark.parametrize(
        ("module", "asked", "others"),
        [
            ("kio", 617, set()),
            # It reads ApiVersions with an error as version 0.
            ("kafka_python", 482, {("decode", "ApiVersionsResponse", version) for version in (1, 2, 3, 4)}),
            (
                "aiokafka",
                174,
                # Schemas that are wrong, and versions between those that have a class.
                {(op, f"DescribeAcls{kind}", 2) for op in OPS for kind in KINDS}
                | {(op, "ListOffsetsRequest", version) for op in OPS for version in (4, 5)}
                | {(op, f"JoinGroup{kind}", version) for op in OPS for kind in KINDS for version in (3, 4)}
                | {(op, f"SyncGroup{kind}", 2) for op in OPS for kind in KINDS},
            ),
        ],
    )
    def test_it_is_decoded_and_encoded(self, module: str, asked: int, others: set[tuple[str, str, int]]) -> None:
        found = wrapper(module)
        wrong = set()
        fullest = (vector for vector in ledger.every_vector(ledger.DIALECT) if vector.id.endswith("/set"))
        chosen = [vector for vector in fullest if self.offered(found, vector)]
        for vector in chosen:
            name, version = str(vector.type), vector.version or 0
            value = with_known_errors(vector.value)
            data = reference.encode(name, value, dialect="kafka", version=version)
            for op, given, expected in (("decode", data, value), ("encode", value, data)):
                try:
                    answer = getattr(found, op)(name, given, dialect="kafka", version=version)
                except (NotImplementedError, *found.rejects):
                    answer = None
                if plain(answer) != expected:
                    wrong.add((op, name, version))
        assert len(chosen) == asked
        assert wrong == others

    @staticmethod
    def offered(found: ModuleType, vector: Vector) -> bool:
        span = found.types["kafka"].get(vector.type)
        return span is not None and vector.version is not None and span[0] <= vector.version <= span[1]


@pytest.mark.parametrize("module", LIBRARIES)
@pytest.mark.parametrize(
    ("type_name", "version", "data", "value"), SAMPLES, ids=[f"{each[0]}-{each[2][:16]}" for each in SAMPLES]
)
class TestSamples:
    """Each sample, of each wrapper: the right answer, or a skip that says what is missing."""

    def test_decode(self, module: str, type_name: str, version: int | None, data: str, value: Any) -> None:
        found = wrapper(module)
        if not offers(found, type_name, version, "decode"):
            with pytest.raises((NotImplementedError, *found.rejects)):
                found.decode(type_name, bytes.fromhex(data), dialect="kafka", version=version)
            return
        decoded = found.decode(type_name, bytes.fromhex(data), dialect="kafka", version=version)
        assert plain(decoded) == value

    def test_encode(self, module: str, type_name: str, version: int | None, data: str, value: Any) -> None:
        found = wrapper(module)
        if not offers(found, type_name, version, "encode"):
            with pytest.raises((NotImplementedError, *found.rejects)):
                found.encode(type_name, value, dialect="kafka", version=version)
            return
        encoded = found.encode(type_name, value, dialect="kafka", version=version)
        assert encoded == bytes.fromhex(data)


@pytest.mark.parametrize(
    ("module", "type_name", "version", "sought"),
    [
        ("kio", "TAG_BUFFER", None, "kio.serial.readers has no read_tagged_fields for TAG_BUFFER"),
        ("kio", "ARRAY<TAG_BUFFER>", None, "kio.serial.readers has no read_tagged_fields for TAG_BUFFER"),
        ("kio", "RequestFrame", None, "kio.serial.readers has no API for RequestFrame"),
        ("kafka_python", "UINT32", None, "codecs.types has no UnsignedInt32 for UINT32"),
        ("kafka_python", "COMPACT_ARRAY<UINT32>", None, "codecs.types has no UnsignedInt32 for UINT32"),
        ("kafka_python", "RequestHeader", 0, "kafka.protocol.api_header has no RequestHeader of version 0"),
        ("kafka_python", "NONSENSE", None, "codecs.types has no API for NONSENSE"),
        ("aiokafka", "UINT16", None, "aiokafka.protocol.types has no UInt16 for UINT16"),
        ("aiokafka", "UUID", None, "aiokafka.protocol.types has no UUID for UUID"),
        ("aiokafka", "RequestHeader", 0, "aiokafka.protocol.api has no RequestHeader_v0"),
        ("aiokafka", "ApiVersionsRequest", 3, "aiokafka.protocol.admin has no ApiVersionRequest_v3"),
        ("aiokafka", "RequestFrame", None, "aiokafka.conn has no reader of request frames"),
    ],
)
def test_a_type_that_is_lacking_names_what_was_sought(
    module: str, type_name: str, version: int | None, sought: str
) -> None:
    with pytest.raises(NotImplementedError) as refusal:
        wrapper(module).decode(type_name, b"", dialect="kafka", version=version)
    assert sought in str(refusal.value)


@pytest.mark.parametrize("module", LIBRARIES)
@pytest.mark.parametrize(
    ("type_name", "version", "data"),
    [
        ("INT32", None, "000000"),
        ("VARINT", None, "80"),
        ("STRING", None, "000261"),
        ("COMPACT_BYTES", None, "0361"),
        ("ARRAY<INT16>", None, "000000020001"),
        ("ResponseHeader", 0, "000000"),
        ("ApiVersionsResponse", 0, "00000000000100120000"),
    ],
)
def test_truncation_is_a_refusal(module: str, type_name: str, version: int | None, data: str) -> None:
    found = wrapper(module)
    with pytest.raises(found.rejects):
        found.decode(type_name, bytes.fromhex(data), dialect="kafka", version=version)


@pytest.mark.parametrize("module", LIBRARIES)
@pytest.mark.parametrize(
    ("type_name", "version", "data", "offset"),
    [("STRING", None, "000161ff", 3), ("ARRAY<INT8>", None, "000000010500", 5), ("ResponseHeader", 0, "0000000700", 4)],
)
def test_bytes_left_over_are_a_refusal_with_their_offset(
    module: str, type_name: str, version: int | None, data: str, offset: int
) -> None:
    found = wrapper(module)
    with pytest.raises(ValueError, match="left over") as refusal:
        found.decode(type_name, bytes.fromhex(data), dialect="kafka", version=version)
    assert getattr(refusal.value, "reason", None) == "trailing-bytes"
    assert getattr(refusal.value, "offset", None) == offset
    assert isinstance(refusal.value, found.rejects)


def test_kafka_python_does_not_tell_where_a_body_ends() -> None:
    found = wrapper("kafka_python")
    assert found.decode("ApiVersionsRequest", b"\x00", dialect="kafka", version=0) == {}


def test_unknown_tags_are_shown_where_the_library_keeps_them() -> None:
    found = wrapper("kafka_python")
    data = bytes.fromhex("02610262 01 0502ffff")
    decoded = found.decode("ApiVersionsRequest", data, dialect="kafka", version=3)
    assert decoded["_tags"] == [(5, b"\xff\xff")]


@pytest.mark.parametrize("module", ["kio", "aiokafka"])
def test_a_key_that_the_library_does_not_know_is_refused_by_it(module: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        wrapper(module).encode("ApiVersionsResponse", API_VERSIONS | {"Nonsense": 1}, dialect="kafka", version=0)


@pytest.mark.parametrize("module", ["kafka_python", "aiokafka"])
def test_a_tag_that_is_given_twice_cannot_be_put_to_a_dict(module: str) -> None:
    with pytest.raises(NotImplementedError, match="twice"):
        wrapper(module).encode("TAG_BUFFER", [(1, b"a"), (1, b"b")], dialect="kafka")


@pytest.mark.parametrize("module", ["kafka_python", "aiokafka"])
@pytest.mark.parametrize(
    ("client", "broker", "chosen"),
    [((0, 9), (0, 12), 9), ((4, 9), (2, 6), 6), ((0, 4), (5, 9), None), ((5, 9), (0, 4), None), ((0, 9), None, None)],
)
def test_negotiation_is_the_library_s(
    module: str, client: tuple[int, int], broker: tuple[int, int] | None, chosen: int | None
) -> None:
    assert wrapper(module).negotiate(3, client, broker, dialect="kafka") == chosen


#: Requests: ApiVersions 0 and 3, and Heartbeat 3.
ASKED = {
    "0": "0000000b 0012000000000007000161",
    "3": "00000011 0012000300000007000161 00 0261026200",
    "heartbeat": "00000017 000c000300000007000161 000167 00000001 00016d ffff",
}


@pytest.mark.parametrize(
    ("module", "asked", "answer", "outcome"),
    [
        ("kafka_python", "0", "00000010 00000007 000000000001001200000004", {"outcome": "accepted"}),
        ("kafka_python", "3", "00000010 00000007 002300000001001200000002", {"outcome": "retry", "version": 2}),
        ("kafka_python", "3", "0000000a 00000007 002300000000", {"outcome": "retry", "version": 0}),
        ("kafka_python", "0", "0000000a 00000007 002a00000000", {"outcome": "error", "error": 42}),
        ("kafka_python", "0", "00000010 00000008 000000000001001200000004", {"outcome": "malformed"}),
        ("kafka_python", "3", None, {"outcome": "error", "error": None}),
        ("kafka_python", "0", "", {"outcome": "malformed"}),
        ("kafka_python", "0", "00000011 00000007 000000000001001200000004", {"outcome": "malformed"}),
        ("kafka_python", "0", "0000000a 00000007 0000ffffffff", {"outcome": "malformed"}),
        ("kafka_python", "heartbeat", "0000000a 00000007 00000023 001b", {"outcome": "error", "error": 27}),
        ("kafka_python", "heartbeat", "0000000a 00000007 00000023 0000", {"outcome": "accepted"}),
        (
            "kafka_python",
            "heartbeat",
            "0000000a 00000007 00000000 0023",
            {"outcome": "unsupported", "request": "HeartbeatRequest"},
        ),
        ("kafka_python", "heartbeat", "0000000a 00000008 00000000 0000", {"outcome": "malformed"}),
        ("kafka_python", "heartbeat", "0000000a 00000007 00000000", {"outcome": "malformed"}),
        ("kafka_python", "heartbeat", None, {"outcome": "error", "error": None}),
        ("aiokafka", "0", "00000010 00000007 000000000001001200000004", {"outcome": "accepted"}),
        ("aiokafka", "0", "00000010 00000008 000000000001001200000004", {"outcome": "malformed"}),
        ("aiokafka", "0", "00000008 00000007 00000000", {"outcome": "malformed"}),
        ("aiokafka", "0", None, {"outcome": "error", "error": None}),
        ("aiokafka", "0", "", {"outcome": "malformed"}),
        ("aiokafka", "0", "00000011 00000007 000000000001001200000004", {"outcome": "malformed"}),
        ("aiokafka", "0", "0000000a 00000007 0000ffffffff", {"outcome": "malformed"}),
    ],
)
def test_the_library_s_own_connection_interprets(
    module: str, asked: str, answer: str | None, outcome: dict[str, Any]
) -> None:
    response = None if answer is None else bytes.fromhex(answer)
    assert wrapper(module).interpret(bytes.fromhex(ASKED[asked]), response, dialect="kafka") == outcome


def test_a_request_that_the_library_does_not_have_is_not_interpreted() -> None:
    metadata = bytes.fromhex("0000000b 0003000000000007000161")
    with pytest.raises(NotImplementedError):
        wrapper("aiokafka").interpret(metadata, None, dialect="kafka")
    for of_quorum in ("00000010 0035000000000007000161 ffff 00000000", "0000000b 000c007f00000007000161"):
        with pytest.raises(NotImplementedError):
            wrapper("kafka_python").interpret(bytes.fromhex(of_quorum), None, dialect="kafka")


RECORD = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": b"k", "value": b"v", "headers": []}
#: Length 8, attributes 0, deltas 0, key "k", value "v", no headers: by hand.
RECORD_BYTES = bytes.fromhex("10 00 00 00 026b 0276 00")
#: The same with the headers b, a, b, in this order: length 20, count 3, keys and values of length 1.
HEADERS_BYTES = bytes.fromhex("28 00 00 00 026b 0276 06 02620231 02610232 02620233")
HEADERS = [("b", b"1"), ("a", b"2"), ("b", b"3")]
RECORD_WRAPPERS = ["kio", "kafka_python", "aiokafka", "aiokafka:python"]


def with_records(spec: str) -> Any:
    module, _, attribute = spec.partition(":")
    found = wrapper(module)
    return getattr(found, attribute) if attribute else found


@pytest.mark.parametrize("spec", RECORD_WRAPPERS)
class TestRecords:
    def test_a_record(self, spec: str) -> None:
        found = with_records(spec)
        assert found.decode("Record", RECORD_BYTES, dialect="kafka") == RECORD
        assert found.encode("Record", RECORD, dialect="kafka") == RECORD_BYTES

    def test_headers_keep_their_order_and_duplicates(self, spec: str) -> None:
        found = with_records(spec)
        headers = found.decode("Record", HEADERS_BYTES, dialect="kafka")["headers"]
        texts = [(key.decode() if isinstance(key, bytes) else key, value) for key, value in headers]
        assert texts == HEADERS
        assert found.encode("Record", RECORD | {"headers": HEADERS}, dialect="kafka") == HEADERS_BYTES

    @pytest.mark.parametrize("cut", range(len(RECORD_BYTES)))
    def test_a_cut_record_is_a_refusal(self, spec: str, cut: int) -> None:
        found = with_records(spec)
        with pytest.raises(found.rejects):
            found.decode("Record", RECORD_BYTES[:cut], dialect="kafka")

    def test_a_batch(self, spec: str) -> None:
        found = with_records(spec)
        batch = {
            "baseOffset": 0,
            "partitionLeaderEpoch": 0,
            "attributes": 0x10,
            "lastOffsetDelta": 2,
            "baseTimestamp": 1_600_000_000_000,
            "maxTimestamp": 1_600_000_003_000,
            "producerId": 7,
            "producerEpoch": 1,
            "baseSequence": 5,
            "records": [RECORD, RECORD | {"offsetDelta": 2, "timestampDelta": 3000, "value": None}],
        }
        written = found.encode("RecordBatch", batch, dialect="kafka")
        ours = reference.decode("RecordBatch", written, dialect="kafka")
        assert ours | {"partitionLeaderEpoch": 0} == batch
        theirs = found.decode("RecordBatch", written, dialect="kafka")
        assert theirs | {"partitionLeaderEpoch": 0} == batch
        flipped = written[:-1] + bytes([written[-1] ^ 1])
        with pytest.raises(found.rejects):
            found.decode("RecordBatch", flipped, dialect="kafka")

    @pytest.mark.parametrize("magic", [0, 1])
    def test_a_wrapper_among_messages(self, spec: str, magic: int) -> None:
        found = with_records(spec)
        time: dict[str, Any] = {"timestamp": 1_600_000_000_000} if magic else {}
        inner: list[dict[str, Any]] = [
            {"offset": offset, "attributes": 0, **time, "key": None, "value": b"v" * 100} for offset in range(3)
        ]
        wrapped = {"offset": 0, "attributes": 1, **({"timestamp": 0} if magic else {}), "key": None, "messages": inner}
        messages = [{"offset": 9, "attributes": 0, **time, "key": b"k", "value": None}, wrapped]
        if "MessageSet" not in found.types["kafka"]:
            with pytest.raises(NotImplementedError):
                found.encode("MessageSet", messages, dialect="kafka", version=magic)
            return
        written = found.encode("MessageSet", messages, dialect="kafka", version=magic)
        assert reference.decode("MessageSet", written, dialect="kafka", version=magic) == messages
        assert found.decode("MessageSet", written, dialect="kafka", version=magic) == messages
        in_a_set = [entry | {"magic": magic} for entry in messages]
        assert found.decode("RecordSet", written, dialect="kafka") == in_a_set


class TestWhatKioProduces:
    GIVEN: ClassVar = [
        {"timestamp": 1_600_000_000_000 + late, "key": None, "value": b"v", "headers": HEADERS} for late in (0, 5)
    ]

    def produce(self, *, magic: int = 2, codec: str = "none") -> bytes:
        options = {"producer_id": 7, "producer_epoch": 1, "base_sequence": 5, "transactional": True}
        written = wrapper("kio").produce(self.GIVEN, magic=magic, codec=codec, options=options, dialect="kafka")
        assert isinstance(written, bytes)
        return written

    def test_records_are_counted(self) -> None:
        batch = reference.decode("RecordBatch", self.produce(), dialect="kafka")
        assert (batch["attributes"], batch["producerId"], batch["producerEpoch"], batch["baseSequence"]) == (
            0x10,
            7,
            1,
            5,
        )
        assert (batch["lastOffsetDelta"], batch["maxTimestamp"] - batch["baseTimestamp"]) == (1, 5)
        assert [record["headers"] for record in batch["records"]] == [HEADERS, HEADERS]

    @pytest.mark.parametrize("asked", [{"magic": 1}, {"codec": "gzip"}])
    def test_what_it_lacks_is_not_offered(self, asked: dict[str, Any]) -> None:
        with pytest.raises(NotImplementedError):
            self.produce(**asked)


BATCH = {
    "baseOffset": 0,
    "partitionLeaderEpoch": 0,
    "attributes": 0,
    "lastOffsetDelta": 0,
    "baseTimestamp": 1_600_000_000_000,
    "maxTimestamp": 1_600_000_000_000,
    "producerId": -1,
    "producerEpoch": -1,
    "baseSequence": -1,
}
MESSAGE = {"offset": 3, "attributes": 0, "timestamp": 1_600_000_000_000, "key": b"k", "value": b"v"}


class TestFieldsOfAnotherFormat:
    """They reach the library, which refuses what it has no name for; no wrapper drops them."""

    @pytest.mark.parametrize("module", LIBRARIES)
    def test_of_a_batch(self, module: str) -> None:
        found = wrapper(module)
        assert found.encode("RecordBatch", BATCH | {"records": [RECORD]}, dialect="kafka")
        with pytest.raises(TypeError):
            found.encode("RecordBatch", BATCH | {"records": [RECORD], "key": b"k"}, dialect="kafka")

    @pytest.mark.parametrize("module", LIBRARIES)
    @pytest.mark.parametrize("field", ["timestamp", "offset", "messages"])
    def test_of_a_record(self, module: str, field: str) -> None:
        with pytest.raises(TypeError):
            wrapper(module).encode("RecordBatch", BATCH | {"records": [RECORD | {field: 1}]}, dialect="kafka")

    @pytest.mark.parametrize("module", ["kafka_python", "aiokafka"])
    @pytest.mark.parametrize("field", ["offsetDelta", "producerId"])
    def test_of_a_message(self, module: str, field: str) -> None:
        found = wrapper(module)
        assert found.encode("MessageSet", [MESSAGE], dialect="kafka", version=1)
        with pytest.raises(TypeError):
            found.encode("MessageSet", [MESSAGE | {field: 7}], dialect="kafka", version=1)

    @pytest.mark.parametrize("module", ["kafka_python", "aiokafka"])
    def test_of_a_compressed_wrapper(self, module: str) -> None:
        found = wrapper(module)
        whole = {"offset": 0, "attributes": 1, "timestamp": 0, "key": None, "messages": [MESSAGE]}
        assert found.encode("MessageSet", [whole], dialect="kafka", version=1)
        with pytest.raises(TypeError):
            found.encode("MessageSet", [whole | {"producerId": 7}], dialect="kafka", version=1)


def test_the_two_paths_of_aiokafka_are_two() -> None:
    found = wrapper("aiokafka")
    assert "_crecords" in found.RECORDS.batch.__module__
    assert found.python._records.batch.__module__ == "aiokafka.record.default_records"
    assert found.python.name == "aiokafka-python"
    assert found.name == "aiokafka"
    # The second import leaves the first as it was.
    assert sys.modules["aiokafka.record.default_records"].DefaultRecordBatch is found.RECORDS.batch
    assert found.util.NO_EXTENSIONS is False
    with pytest.raises(NotImplementedError, match="INT8"):
        found.python.decode("INT8", b"\x00", dialect="kafka")
