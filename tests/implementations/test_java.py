"""The wrapper of kafka-clients: what it offers, and sane answers to bytes written by hand, by both of its codecs.

Skipped where it is not built; `implementations/java/build` builds it, with a JDK and Maven.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.java import DESCRIBE, FOLDER, LAUNCHERS, Wrapper, question, run, skip_unless_built

from wireproof.conformance.connection import ImplementationError, Options, open_connection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOTH = ("generated", "schema")
#: MiB in which no JVM starts.
TOO_LITTLE = 64


@pytest.fixture(scope="module")
def wrappers() -> Iterator[dict[str, Wrapper]]:
    """A wrapper of each codec."""
    skip_unless_built()
    with Wrapper(LAUNCHERS["generated"]) as generated, Wrapper(LAUNCHERS["schema"]) as schema:
        yield {"generated": generated, "schema": schema}


def plain(value: Any) -> Any:
    """Without empty `_tags`, which may be there or not."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key != "_tags" or item}
    return [plain(item) for item in value] if isinstance(value, list) else value


# --- What it says of itself ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", BOTH)
class TestDescribe:
    def test_all_messages_of_the_jar_are_offered(self, wrappers: dict[str, Wrapper], codec: str) -> None:
        (found,) = wrappers[codec].ask(DESCRIBE)
        types = found["types"]["kafka"]
        messages = {name: span for name, span in types.items() if span and ":" not in name and name != "MessageSet"}
        assert found["version"] == "4.4.0"
        assert len(messages) == 195
        assert sum(high - low + 1 for low, high in messages.values()) == 640
        assert messages["MetadataResponse"] == [0, 13]
        assert messages["RequestHeader"] == [1, 2]
        assert messages["DefaultPrincipalData"] == [0, 0]
        assert "LeaderAndIsrRequest" not in messages

    def test_who_it_is(self, wrappers: dict[str, Wrapper], codec: str) -> None:
        (found,) = wrappers[codec].ask(DESCRIBE)
        assert found["name"] == {"generated": "kafka-clients", "schema": "kafka-clients (types.Schema)"}[codec]
        assert (found["language"], found["dialects"]) == ("java", ["kafka"])
        assert found["ops"] == [
            "decode",
            "encode",
            "recode",
            *(["lookup", "convert", "consume", "produce", "interpret", "negotiate"] if codec == "generated" else []),
        ]
        assert set(found["readings"].values()) == {"other", *(["before-the-fault"] if codec == "generated" else [])}
        assert ("R-K-1" in found["readings"]) is (codec == "generated")

    def test_frames_are_the_generated_codecs(self, wrappers: dict[str, Wrapper], codec: str) -> None:
        (found,) = wrappers[codec].ask(DESCRIBE)
        frames = [name for name in found["types"]["kafka"] if name.startswith("ResponseFrame:")]
        assert len(frames) == (91 if codec == "generated" else 0)
        assert ("RequestFrame" in found["types"]["kafka"]) is (codec == "generated")


# --- Its client ---------------------------------------------------------------------------------------------------

#: Requests: ApiVersions 3 and 5, and Heartbeat 3.
ASKED = {
    "3": "00000011 0012000300000007000161 00 0261026200",
    "5": "00000011 0012000500000007000161 00 0261026200",
    "heartbeat": "00000017 000c000300000007000161 000167 00000001 00016d ffff",
}


@pytest.mark.parametrize(
    ("asked", "answer", "outcome"),
    [
        ("3", "0000000f 00000007 0000 02 0012 0000 0004 00", {"outcome": "malformed"}),
        ("3", "00000013 00000007 0000 02 0012 0000 0004 00 00000000 00", {"outcome": "accepted"}),
        ("3", "00000010 00000007 0023 00000001 0012 0000 0002", {"outcome": "retry", "version": 2}),
        ("5", "00000010 00000007 0023 00000001 0012 0000 0004", {"outcome": "retry", "version": 4}),
        ("5", "0000000a 00000007 0023 00000000", {"outcome": "retry", "version": 0}),
        ("3", "0000000d 00000007 002a 01 00000000 00 00", {"outcome": "error", "error": 42}),
        ("3", "00000013 00000008 0000 02 0012 0000 0004 00 00000000 00", {"outcome": "malformed"}),
        ("3", None, {"outcome": "error", "error": None}),
        ("heartbeat", "0000000a 00000007 00000023 0000", {"outcome": "accepted"}),
        ("heartbeat", "0000000a 00000007 00000023 001b", {"outcome": "error", "error": 27}),
        ("heartbeat", "0000000a 00000007 00000000 0023", {"outcome": "unsupported", "request": "HeartbeatRequest"}),
        ("heartbeat", "0000000a 00000008 00000000 0000", {"outcome": "malformed"}),
        ("heartbeat", "0000000b 00000007 00000000 0000", {"outcome": "malformed"}),
        ("heartbeat", None, {"outcome": "error", "error": None}),
    ],
)
def test_its_client_interprets(
    wrappers: dict[str, Wrapper], asked: str, answer: str | None, outcome: dict[str, Any]
) -> None:
    response = None if answer is None else answer.replace(" ", "")
    request = ASKED[asked].replace(" ", "")
    line = {"seq": 1, "op": "interpret", "dialect": "kafka", "request": request, "response": response}
    (found,) = wrappers["generated"].ask(line)
    assert found == {"seq": 1, "outcome": outcome}


@pytest.mark.parametrize(
    ("client", "broker", "chosen"),
    [([0, 9], [0, 12], 9), ([4, 9], [2, 6], 6), ([0, 4], [5, 9], None), ([5, 9], [0, 4], None), ([0, 9], None, None)],
)
def test_its_client_chooses(
    wrappers: dict[str, Wrapper], client: list[int], broker: list[int] | None, chosen: int | None
) -> None:
    line = {"seq": 1, "op": "negotiate", "dialect": "kafka", "api_key": 3, "client": client, "broker": broker}
    (found,) = wrappers["generated"].ask(line)
    assert found == {"seq": 1, "version": chosen}


# --- Right bytes --------------------------------------------------------------------------------------------------

ID = "00010203-0405-0607-0809-0a0b0c0d0e0f"
ID_BYTES = "000102030405060708090a0b0c0d0e0f"
FETCH_REQUEST = {
    "ReplicaId": -1,
    "MaxWaitMs": 500,
    "MinBytes": 1,
    "MaxBytes": 1024,
    "IsolationLevel": 1,
    "SessionId": 0,
    "SessionEpoch": -1,
    "Topics": [],
    "ForgottenTopicsData": [],
    "RackId": "",
}
FETCH_REQUEST_BYTES = "ffffffff 000001f4 00000001 00000400 01 00000000 ffffffff 01 01 01"

#: Type, version, bytes, value: the bytes follow from the message definitions, and were written by hand.
SAMPLES: dict[str, tuple[str, int | None, str, Any]] = {
    "large integer": ("INT64", None, "7fffffffffffffff", {"int": "9223372036854775807"}),
    "least integer": ("INT64", None, "8000000000000000", {"int": "-9223372036854775808"}),
    "unsigned varint": ("UNSIGNED_VARINT", None, "ffffffff0f", 4294967295),
    "varints in an array": ("COMPACT_ARRAY<UNSIGNED_VARINT>", None, "03 ac02 00", [300, 0]),
    "double": ("FLOAT64", None, "3ff8000000000000", {"float64": "3ff8000000000000"}),
    "uuid": ("UUID", None, ID_BYTES, {"uuid": ID}),
    "tags": ("TAG_BUFFER", None, "02 01 00 e807 02 abcd", [[1, {"hex": ""}], [1000, {"hex": "abcd"}]]),
    "Metadata response, an unknown tag in a topic": (
        "MetadataResponse",
        12,
        f"00000000 02 00000001 0261 00002384 00 00 00 ffffffff 02 0000 0274 {ID_BYTES} 00"
        "02 0000 00000000 00000001 00000005 02 00000001 02 00000001 01 00 80000000 01 e807 02 abcd 00",
        {
            "ThrottleTimeMs": 0,
            "Brokers": [{"NodeId": 1, "Host": "a", "Port": 9092, "Rack": None}],
            "ClusterId": None,
            "ControllerId": -1,
            "Topics": [
                {
                    "ErrorCode": 0,
                    "Name": "t",
                    "TopicId": {"uuid": ID},
                    "IsInternal": False,
                    "Partitions": [
                        {
                            "ErrorCode": 0,
                            "PartitionIndex": 0,
                            "LeaderId": 1,
                            "LeaderEpoch": 5,
                            "ReplicaNodes": [1],
                            "IsrNodes": [1],
                            "OfflineReplicas": [],
                        }
                    ],
                    "TopicAuthorizedOperations": -(2**31),
                    "_tags": [[1000, {"hex": "abcd"}]],
                }
            ],
        },
    ),
    "ApiVersions response, all tags": (
        "ApiVersionsResponse",
        3,
        "0000 02 0012 0000 0004 00 000003e8 04 00 08 02 0261 0001 0002 00 01 08 0000000000000005"
        "02 08 02 0261 0002 0001 00 03 01 01",
        {
            "ErrorCode": 0,
            "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 4}],
            "ThrottleTimeMs": 1000,
            "SupportedFeatures": [{"Name": "a", "MinVersion": 1, "MaxVersion": 2}],
            "FinalizedFeaturesEpoch": 5,
            "FinalizedFeatures": [{"Name": "a", "MaxVersionLevel": 2, "MinVersionLevel": 1}],
            "ZkMigrationReady": True,
        },
    ),
    "ApiVersions response, equal elements": (
        "ApiVersionsResponse",
        0,
        "0000 00000002 0012 0000 0004 0012 0000 0004",
        {"ErrorCode": 0, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 4}] * 2},
    ),
    "ConsumerGroupHeartbeat response, null structure": (
        "ConsumerGroupHeartbeatResponse",
        0,
        "00000000 0000 00 00 00000001 00001388 ff 00",
        {
            "ThrottleTimeMs": 0,
            "ErrorCode": 0,
            "ErrorMessage": None,
            "MemberId": None,
            "MemberEpoch": 1,
            "HeartbeatIntervalMs": 5000,
            "Assignment": None,
        },
    ),
    "ConsumerGroupHeartbeat response, structure": (
        "ConsumerGroupHeartbeatResponse",
        0,
        f"00000000 0000 0265 026d 00000001 00001388 01 02 {ID_BYTES} 02 00000003 00 00 00",
        {
            "ThrottleTimeMs": 0,
            "ErrorCode": 0,
            "ErrorMessage": "e",
            "MemberId": "m",
            "MemberEpoch": 1,
            "HeartbeatIntervalMs": 5000,
            "Assignment": {"TopicPartitions": [{"TopicId": {"uuid": ID}, "Partitions": [3]}]},
        },
    ),
    "Produce request, records raw": (
        "ProduceRequest",
        9,
        "00 ffff 000005dc 02 0274 03 00000000 04 010203 00 00000001 00 00 00 00",
        {
            "TransactionalId": None,
            "Acks": -1,
            "TimeoutMs": 1500,
            "TopicData": [
                {
                    "Name": "t",
                    "PartitionData": [{"Index": 0, "Records": {"hex": "010203"}}, {"Index": 1, "Records": None}],
                }
            ],
        },
    ),
    "Produce request, classic": (
        "ProduceRequest",
        3,
        "ffff 0001 000005dc 00000001 0001 74 00000001 00000000 00000000",
        {
            "TransactionalId": None,
            "Acks": 1,
            "TimeoutMs": 1500,
            "TopicData": [{"Name": "t", "PartitionData": [{"Index": 0, "Records": {"hex": ""}}]}],
        },
    ),
    "CreateTopics request, whose definition has names in lower case": (
        "CreateTopicsRequest",
        2,
        "00000001 0001 74 00000001 0001 00000000 00000000 000003e8 01",
        {
            "Topics": [{"Name": "t", "NumPartitions": 1, "ReplicationFactor": 1, "Assignments": [], "Configs": []}],
            "timeoutMs": 1000,
            "validateOnly": True,
        },
    ),
    "Fetch request, tagged text": (
        "FetchRequest",
        12,
        f"{FETCH_REQUEST_BYTES} 01 00 02 0263",
        FETCH_REQUEST | {"ClusterId": "c"},
    ),
    "Fetch request, tagged text at its default": (
        "FetchRequest",
        12,
        f"{FETCH_REQUEST_BYTES} 00",
        FETCH_REQUEST | {"ClusterId": None},
    ),
    "a message that is no request": (
        "DefaultPrincipalData",
        0,
        "0255 0261 01 00",
        {"Type": "U", "Name": "a", "TokenAuthenticated": True},
    ),
    "request header": (
        "RequestHeader",
        2,
        "0012 0003 00000007 ffff 01 05 00",
        {
            "RequestApiKey": 18,
            "RequestApiVersion": 3,
            "CorrelationId": 7,
            "ClientId": None,
            "_tags": [[5, {"hex": ""}]],
        },
    ),
}

FRAMES: dict[str, tuple[str, int | None, str, Any]] = {
    "request, null client id": (
        "RequestFrame",
        None,
        "00000010 0012 0003 00000007 ffff 00 0261 0262 00",
        {
            "header": {"RequestApiKey": 18, "RequestApiVersion": 3, "CorrelationId": 7, "ClientId": None},
            "body": {"ClientSoftwareName": "a", "ClientSoftwareVersion": "b"},
        },
    ),
    "ApiVersions response has header 0": (
        "ResponseFrame:ApiVersions",
        3,
        "0000000c 00000007 0000 01 00000000 00",
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
    ),
    "Heartbeat response, flexible header": (
        "ResponseFrame:Heartbeat",
        4,
        "0000000e 00000007 01 05 00 00000000 0000 00",
        {
            "header": {"CorrelationId": 7, "_tags": [[5, {"hex": ""}]]},
            "body": {"ThrottleTimeMs": 0, "ErrorCode": 0},
        },
    ),
}


def check_sample(wrapper: Wrapper, type_name: str, version: int | None, data: str, value: Any) -> None:
    decoded, encoded, recoded = wrapper.ask(
        question("decode", type_name, version, data=data),
        question("encode", type_name, version, value=value),
        question("recode", type_name, version, data=data),
    )
    octets = data.replace(" ", "")
    assert plain(decoded["value"]) == value
    assert (encoded["data"], recoded["data"]) == (octets, octets)


@pytest.mark.parametrize("codec", BOTH)
@pytest.mark.parametrize("sample", SAMPLES)
def test_sample(wrappers: dict[str, Wrapper], codec: str, sample: str) -> None:
    check_sample(wrappers[codec], *SAMPLES[sample])


@pytest.mark.parametrize("frame", FRAMES)
def test_frame(wrappers: dict[str, Wrapper], frame: str) -> None:
    check_sample(wrappers["generated"], *FRAMES[frame])


@pytest.mark.parametrize("codec", BOTH)
def test_a_field_of_another_version_may_have_its_default(wrappers: dict[str, Wrapper], codec: str) -> None:
    value = FETCH_REQUEST | {"ReplicaState": {"ReplicaId": -1, "ReplicaEpoch": -1}}
    (encoded,) = wrappers[codec].ask(question("encode", "FetchRequest", 12, value=value))
    assert encoded["data"] == f"{FETCH_REQUEST_BYTES} 00".replace(" ", "")


# --- Refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", BOTH)
@pytest.mark.parametrize(
    ("type_name", "version", "data", "reason", "offset"),
    [
        ("INT32", None, "000000", "truncated", None),
        ("STRING", None, "0001 61 ff", "trailing-bytes", 3),
        ("UNSIGNED_VARINT", None, "8080808080", "varint-overflow", None),
        ("STRING", None, "ffff", "null-not-allowed", None),
        ("ARRAY<INT32>", None, "7fffffff", "truncated", None),
        ("ApiVersionsResponse", 0, "0000 00000000 00", "trailing-bytes", 6),
        ("ApiVersionsResponse", 3, "0000 ffffffff07 00", "truncated", None),
        ("ProduceRequest", 9, "00 ffff 000005dc 02 0274 02 00000000 09 0102", "truncated", None),
    ],
)
def test_bytes_are_refused(
    wrappers: dict[str, Wrapper],
    codec: str,
    type_name: str,
    version: int | None,
    data: str,
    reason: str,
    offset: int | None,
) -> None:
    (answer,) = wrappers[codec].ask(question("decode", type_name, version, data=data))
    assert (answer["reject"]["reason"], answer["reject"].get("offset")) == (reason, offset)
    assert answer["reject"]["detail"]


@pytest.mark.parametrize("codec", BOTH)
@pytest.mark.parametrize(
    ("type_name", "version", "value", "reason"),
    [
        ("INT8", None, 128, "out-of-range"),
        ("UNSIGNED_VARINT", None, -1, "out-of-range"),
        ("INT64", None, {"int": "9223372036854775808"}, "out-of-range"),
        ("STRING", None, None, "null-not-allowed"),
        ("COMPACT_STRING", None, "a" * 32768, "string-too-long"),
        ("DefaultPrincipalData", 0, {"Type": None, "Name": "", "TokenAuthenticated": False}, "null-not-allowed"),
        ("FetchRequest", 12, FETCH_REQUEST | {"Nonsense": 0}, "unknown-field"),
        ("HeartbeatResponse", 0, {"ErrorCode": 0, "_tags": [[5, {"hex": ""}]]}, "tags-not-allowed"),
        ("HeartbeatRequest", 0, {"GroupInstanceId": "i"}, "field-not-in-version"),
    ],
)
def test_values_are_refused(
    wrappers: dict[str, Wrapper], codec: str, type_name: str, version: int | None, value: Any, reason: str
) -> None:
    (answer,) = wrappers[codec].ask(question("encode", type_name, version, value=value))
    assert answer["reject"]["reason"] == reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("0000000a 03e7 0000 00000007 ffff", "unknown-api"),
        ("0000000b 0012 0063 00000007 ffff 00", "unsupported-version"),
        ("ffffffff", "negative-length"),
        ("06400001", "resource-limit"),
        ("0000000a 0012 0000 00000007", "truncated"),
        ("0000000b 0012 0000 00000007 ffff 00", "trailing-bytes"),
    ],
)
def test_frames_are_refused(wrappers: dict[str, Wrapper], data: str, reason: str) -> None:
    (answer,) = wrappers["generated"].ask(question("decode", "RequestFrame", None, data=data))
    assert answer["reject"]["reason"] == reason


def test_recode_says_which_half_refused(wrappers: dict[str, Wrapper]) -> None:
    cut, unordered = wrappers["generated"].ask(
        question("recode", "TAG_BUFFER", None, data="02 02 00"),
        question("recode", "TAG_BUFFER", None, data="02 02 00 01 00"),
    )
    assert (cut["reject"]["reason"], cut["reject"]["half"]) == ("truncated", "decode")
    assert (unordered["reject"]["reason"], unordered["reject"]["half"]) == ("tag-order", "encode")


@pytest.mark.parametrize(
    ("type_name", "version", "value", "offered"),
    [
        ("RequestHeader", 0, {}, "RequestHeaderData has versions 1 to 2, not 0"),
        ("MetadataResponse", 14, {}, "MetadataResponseData has versions 0 to 13, not 14"),
        ("MetadataResponse", None, {}, "MetadataResponseData has versions 0 to 13, not null"),
        ("DefaultPrincipal", 0, {}, "kafka-clients 4.4.0 has no message DefaultPrincipal"),
        ("ARRAY<NONSENSE>", None, [], "types.Type has no NONSENSE"),
    ],
)
@pytest.mark.parametrize("codec", BOTH)
def test_what_is_not_offered_is_named(
    wrappers: dict[str, Wrapper], codec: str, type_name: str, version: int | None, value: Any, offered: str
) -> None:
    (answer,) = wrappers[codec].ask(question("encode", type_name, version, value=value))
    assert answer["unsupported"] == offered


# --- Where the codecs read otherwise ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruling", "type_name", "version", "data", "generated", "schema"),
    [
        ("R-K-1", "HeartbeatResponse", 4, "00000000 0000 02 02 00 01 00", True, False),
        ("R-K-2", "FetchRequest", 12, f"{FETCH_REQUEST_BYTES} 01 00 01 0263", True, True),
        ("R-K-4", "FetchRequest", 12, f"{FETCH_REQUEST_BYTES} 01 01 00", False, True),
        ("R-K-6", "UNSIGNED_VARINT", None, "ffffffff1f", True, True),
        (
            "R-K-9",
            "ConsumerGroupHeartbeatResponse",
            0,
            "00000000 0000 00 00 00000001 00001388 80 00",
            True,
            True,
        ),
        ("R-K-11", "COMPACT_STRING", None, "02ff", True, True),
        ("R-K-15", "NULLABLE_STRING", None, "8000", True, True),
        ("R-K-15b", "COMPACT_NULLABLE_STRING", None, "ffffffff0f", True, True),
        ("R-K-15c", "HeartbeatResponse", 4, "00000000 0000 01 ffffffff0f 00", True, False),
    ],
)
def test_readings(
    wrappers: dict[str, Wrapper],
    ruling: str,
    type_name: str,
    version: int | None,
    data: str,
    generated: bool,
    schema: bool,
) -> None:
    asked = question("decode", type_name, version, data=data)
    answers = {codec: wrappers[codec].ask(asked)[0] for codec in BOTH}
    assert {codec: "value" in answer for codec, answer in answers.items()} == {
        "generated": generated,
        "schema": schema,
    }


# --- Failures, and manners ----------------------------------------------------------------------------------------


def test_a_failure_that_was_not_meant_is_no_refusal(wrappers: dict[str, Wrapper]) -> None:
    negative, huge, after = wrappers["generated"].ask(
        question("decode", "TAG_BUFFER", None, data="01 01 ffffffff0f"),
        question("decode", "ResponseFrame:ApiVersions", 0, data="7fffffff 00000007"),
        question("decode", "INT8", None, data="05"),
    )
    assert negative["exception"] == "java.lang.NegativeArraySizeException"
    assert negative["frame"] == "org.apache.kafka.common.protocol.ByteBufferAccessor:readArray"
    assert huge["exception"] == "java.lang.OutOfMemoryError"
    assert after["value"] == 5


def test_many_questions_at_once_do_not_deadlock(wrappers: dict[str, Wrapper]) -> None:
    asked = [question("decode", "BYTES", None, data="00000800" + "61" * 2048) | {"seq": seq} for seq in range(500)]
    assert [answer["seq"] for answer in wrappers["generated"].ask(*asked)] == list(range(500))


def test_another_op_and_another_dialect_are_not_offered(wrappers: dict[str, Wrapper]) -> None:
    served, drafted, configured = wrappers["generated"].ask(
        {"seq": 1, "op": "serve", "dialect": "kafka", "chunks": ["00"]},
        question("decode", "INT8", None, data="05") | {"dialect": "wire-format"},
        {"seq": 3, "op": "configure", "dialect": "kafka", "settings": {"apis": {"18": [0, 5]}}},
    )
    assert served == {"seq": 1, "unsupported": "no serve in the dialect kafka"}
    assert drafted == {"seq": 1, "unsupported": "no decode in the dialect wire-format"}
    assert configured["unsupported"]


@pytest.mark.usefixtures("wrappers")
class TestLaunchers:
    def test_what_is_not_built_is_said_with_what_to_do(self, tmp_path: Path) -> None:
        ended = run(LAUNCHERS["schema"], "--kafka=4.3.1", WIREPROOF_JAVA_BUILD=str(tmp_path))
        assert ended.returncode == 2
        assert f"kafka-clients 4.3.1 is not built: run {FOLDER / 'build'} 4.3.1" in ended.stderr

    def test_what_is_made_from_other_sources_does_not_run(self, tmp_path: Path) -> None:
        (tmp_path / "4.4.0").mkdir()
        (tmp_path / "4.4.0" / "built").write_text("1 2\n")
        ended = run(LAUNCHERS["generated"], WIREPROOF_JAVA_BUILD=str(tmp_path))
        assert ended.returncode == 2
        assert "is of other sources" in ended.stderr

    def test_without_memory_it_says_so_and_leaves_no_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        skip_unless_built()
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ImplementationError, match="Not enough space"):
            open_connection(f"exec:{LAUNCHERS['generated']}", Options(memory=TOO_LITTLE))
        assert not [*tmp_path.iterdir()]

    def test_a_wrong_argument_is_met_with_the_usage(self) -> None:
        ended = run(LAUNCHERS["generated"], "--codec=nonsense")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("usage: wrapper ")

    @pytest.mark.parametrize("line", ['{"seq":1', "[]", '{"seq":1,"op":"decode","data":"0g"}'])
    def test_a_line_that_is_no_question_ends_it_with_the_line(self, line: str) -> None:
        ended = run(LAUNCHERS["generated"], stdin=f"{json.dumps(DESCRIBE)}\n{line}\n")
        assert ended.returncode == 1
        assert ended.stderr.startswith("the conversation broke off: line 2")
        assert line in ended.stderr
