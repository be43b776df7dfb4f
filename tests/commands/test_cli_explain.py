"""`wireproof explain`."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import golden

from wireproof.cli import group
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors import compression_bombs


def run(*arguments: str, given: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["explain", *arguments], input=given)
    return result.exit_code, result.output


#: Size, header 1; throttle time, a broker, cluster "c", controller 1, a topic "t" with a partition.
METADATA_ANSWER = (
    "0000005d 00000002 00  00000000 02 00000001 066b61666b61 00002384 00 00 0263 00000001"
    "02 0000 0274 00000000000000000000000000000009 00"
    "02 0000 00000000 00000001 00000000 03 00000001 00000002 02 00000001 01 01 63 00"
    "80000000 00 00"
)
RESPONSE = "0000 02 0012 0000 0004 00 00000000 02 00 08 02 02 66 0000 0001 00 63 02 7878"


def test_a_message() -> None:
    code, text = run("ApiVersionsResponse", "--version", "4", RESPONSE)
    assert code == 0
    golden.check("explain-response", text.rstrip("\n"))


def test_bytes_that_are_refused() -> None:
    code, text = run("TAG_BUFFER", "02 05 00 03 00")
    assert code == 1
    golden.check("explain-refused", text.rstrip("\n"))


def test_a_metadata_response() -> None:
    code, text = run("ResponseFrame:Metadata", "--version", "12", METADATA_ANSWER)
    assert code == 0
    golden.check("explain-metadata", text.rstrip("\n"))


def test_a_large_metadata_response_names_where_each_row_is() -> None:
    partitions = "".join(f"0000 {index:08x} 00000001 00000000 02 00000001 02 00000001 01 00" for index in range(10))
    topics = "".join(
        f"0000 03 74{97 + index % 26:02x} {index:032x} 00 0b {partitions} 80000000 00" for index in range(50)
    )
    code, text = run("MetadataResponse", "--version", "12", f"00000000 01 00 00000001 33 {topics} 00")
    assert code == 0
    lines = [line[33:].rstrip() for line in text.split("\n")]
    assert "  Topics[49]" in lines
    assert "      Topics[37].Partitions[9]" in lines
    start = lines.index("      Topics[37].Partitions[9]")
    assert lines[start + 2] == "        PartitionIndex   9             INT32"
    assert text.endswith("accepted to the last byte\n")
    assert max(map(len, text.split("\n"))) <= 100


def test_the_examples_of_the_help_show_what_they_say() -> None:
    """Those that need no file: one of them shows a refusal, the others are read."""
    told = re.findall(r"^ +wireproof explain (.*)$", run("--help")[1], re.MULTILINE)
    examples = [example for example in told if not re.search(r"@|\.csv|\.json", example)]
    codes = {example: run(*shlex.split(example))[0] for example in examples}
    assert codes == dict.fromkeys(examples, 0) | {"'ARRAY<STRING>' 000000020001610001ff": 1}
    assert len(examples) >= 4


def test_no_bytes_at_all() -> None:
    code, text = run("VARINT", "")
    assert code == 1
    assert "the input ends here" in text


@pytest.mark.parametrize(
    "digits", ["0002 6162", "0x00026162", "00:02:61:62", "0x00 0x02 0x61 0x62", "00,02,\n61,62", r"\x00\x02\x61\x62"]
)
def test_how_people_write_hex(digits: str) -> None:
    assert run("STRING", digits) == run("STRING", "00026162")
    assert run("STRING", "-", given=digits) == run("STRING", "00026162")
    assert run("STRING", *digits.split()) == run("STRING", "00026162")


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "bytes.bin"
    path.write_bytes(b"\x00\x02ab")
    assert run("STRING", f"@{path}") == run("STRING", "00026162")


def test_content_above_the_limit_is_told_the_option_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "batch.bin"
    path.write_bytes(b"".join(piece for piece, _ in compression_bombs.pieces("zstd", 2 << 20)))
    code, output = run("--inflate-mb", "1", "RecordBatch", f"@{path}")
    assert code == 1
    assert "resource-limit" in output
    assert output.endswith("limit    --inflate-mb reads more\n")
    assert run("--inflate-mb", "3", "RecordBatch", f"@{path}")[0] == 0


def test_json() -> None:
    code, text = run("ARRAY<BYTES>", "--json", "00000001 00000002 6162")
    assert code == 0
    found = json.loads(text)
    assert found["value"] == [{"hex": "6162"}]
    assert found["data"] == "00000001000000026162"
    assert found["error"] is None
    assert [(span["start"], span["end"], span["path"]) for span in found["spans"]] == [
        (0, 4, ""),
        (4, 8, "[0]"),
        (8, 10, "[0]"),
    ]
    code, text = run("BOOLEAN", "--json", "0100")
    assert code == 1
    found = json.loads(text)
    assert found["error"]["reason"] == "trailing-bytes"
    assert found["error"]["offset"] == 1
    assert found["value"] is None


# What follows is laid out in the protocol guide: size, header, body; `to broker` is two requests.
REQUESTS = (
    "00000012 0012 0003 00000001 0002 6d65 00 0278 0231 00" + "00000011 0003 000c 00000002 0002 6d65 00 00 01 00 00"
)
API_VERSIONS_ANSWER = "00000013 00000001 0000 02 0012 0000 0004 00 00000000 00"


def test_without_a_type_requests_are_explained_in_turn() -> None:
    code, text = run(REQUESTS)
    assert code == 0
    golden.check("explain-requests", text.rstrip("\n"))


def test_one_request_has_no_number() -> None:
    code, text = run(*REQUESTS.split()[:7], "0278", "0231", "00")
    assert code == 0
    assert text.startswith("read as RequestFrame: size 18 fits, api key 18 is ApiVersions, version 3\n\n     0  00 00")
    assert text.endswith("\n\naccepted to the last byte\n")


def test_responses_beside_their_requests(tmp_path: Path) -> None:
    path = tmp_path / "to-broker.bin"
    path.write_bytes(bytes.fromhex(REQUESTS))
    code, text = run("--request", f"@{path}", "-", given=f"{METADATA_ANSWER} {API_VERSIONS_ANSWER} 00000004 0000000a")
    assert code == 1
    assert "\nread as ResponseFrame:Metadata version 12: size" in text
    assert "\n\nframe 2 of 3, bytes 97 to 119\nread as ResponseFrame:ApiVersions version 3: size 19 fits" in text
    assert "header  ResponseHeader version 0" in text
    assert "\nnot read: size 4 fits; no request has its correlation id, 10\n\n   120  00 00 00 04 00 00 00 0a\n" in text
    assert text.endswith("\n\n3 frames: 2 accepted, 1 not read\n")


def test_a_refused_frame_names_byte_and_ruling() -> None:
    code, text = run(REQUESTS.replace("0278", "0078"), REQUESTS)  # the software name is null
    assert code == 1
    assert "        ^^ null-not-allowed: length prefix 0 means null" in text
    assert "refused  null-not-allowed at body.ClientSoftwareName" in text
    assert "ruling   R-K-16  null where the version does not allow it" in text
    assert text.endswith("4 frames: 3 accepted, 1 refused\n")


def test_json_of_frames() -> None:
    code, text = run("--json", REQUESTS[:-3], "07")
    assert code == 1
    found = json.loads(text)
    assert found["dialect"] == "kafka"
    first, second = found["frames"]
    assert first["value"]["body"] == {"ClientSoftwareName": "x", "ClientSoftwareVersion": "1"}
    assert first["error"] is None
    assert first["rulings"] == []
    assert {key: second[key] for key in ("start", "end", "type", "version", "sized", "why", "value")} == {
        "start": 22,
        "end": 43,
        "type": "RequestFrame",
        "version": None,
        "sized": True,
        "why": "size 17 fits, api key 3 is Metadata, version 12",
        "value": None,
    }
    assert second["error"] == {
        "reason": "truncated",
        "offset": 42,
        "path": "body._tags",
        "detail": "7 tags, but 0 bytes are left",
    }
    assert second["rulings"] == ["R-K-10"]
    assert second["spans"][0] == {"path": "size", "start": 22, "end": 26, "what": "frame size", "value": 17}
    assert bytes.fromhex(found["data"])[22:26] == b"\x00\x00\x00\x11"


def test_colour_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    code, text = run(REQUESTS)
    assert code == 0
    assert "\x1b[36mbody\x1b[0m" in text


def test_only_the_message_s_own_schemas_are_read() -> None:
    program = (
        "import sys\n"
        "from wireproof.reference import catalog\n"
        "from wireproof.cli import main\n"
        "try:\n"
        f"    main(['explain', {REQUESTS!r}])\n"
        "except SystemExit:\n"
        "    print(*sorted(catalog.current()._schemas), 'hypothesis' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[-2] == "ApiVersionsRequest MetadataRequest False"


def test_a_version_that_a_message_does_not_have_is_refused() -> None:
    code, text = run("ApiVersionsRequest", "--version", "99", "00")
    assert code == 1
    assert "unsupported-version" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("VARIN", "00"), "no type 'VARIN'; near it are VARINT"),
        (("apiversionsresponse", "00"), "near it are ApiVersionsResponse"),
        (("Zzzzzzz", "00"), "its types are ARRAY, BOOLEAN, "),
        (("Zzzzzzz", "00"), " of messages"),
        (("Zzzzzzz", "--dialect", "wire", "00"), "there is no dialect 'wire'"),
        (("Zzzzzzz", "--dialect", "kip-35-v7", "00"), "its types are BrokerMetadataRequest, BrokerMetadataResponse, "),
        (("ARRAY<STRIN>", "00"), "is no array type of kafka"),
        (("ARRAY", "00"), "is no array type of kafka"),
        (("ARRAY<HEADER>", "--dialect", "kip-82-string-keys", "00"), "no type 'ARRAY<HEADER>'; near it are HEADER"),
        (("VARINT", "--dialect", "kafak", "00"), "there is no dialect 'kafak'; there are kafka"),
        (("VARINT", "--version", "1", "00"), "VARINT has no versions"),
        (("ApiVersionsRequest", "00"), "say which with --version, 0 to 5"),
        (("VARINT", "000"), "HEX has 3 digits, an odd number: digit 3"),
        (("VARINT", "00 0g"), "character 5 of HEX, 'g', is no hex digit"),
        (("VARINT", "0 0x00"), "'x', is no hex digit"),
        (("VARINT", "00\x1b"), r"'\x1b', is no hex digit"),
        (("VARINT", "@nowhere.bin"), "nowhere.bin cannot be read: No such file or directory"),
        (("VARINT",), "Missing argument 'HEX...'"),
        ((), "Missing argument '[TYPE] HEX...'"),
        (("Metadata", "00"), "near it are MetadataRequest, MetadataResponse, ResponseFrame:Metadata"),
        (("RESPONSEFRAME:metadata", "00"), "near it are ResponseFrame:Metadata"),
        (("metadatarequest", "00"), "near it are MetadataRequest\n"),
        (("MetadataReqest", "00"), "near it are MetadataRequest"),
        (("",), "0 bytes: a request needs 4"),
        (("00 0g",), "character 5 of HEX, 'g', is no hex digit"),
        (("000",), "HEX has 3 digits"),
        (("deadbeef", "00"), "do not say what they are"),
        ((API_VERSIONS_ANSWER,), "give the request that it answers with --request"),
        (("--request", "00", API_VERSIONS_ANSWER), "1 bytes: a request needs 4"),
        (("--request", "@nowhere.bin", "00"), "nowhere.bin cannot be read"),
        (("--request", "00", "VARINT", "00"), "with --request the type follows from the request: leave TYPE out"),
        (("--version", "3", "00000000"), "--version needs a TYPE"),
        (("--dialect", "kafak", "00"), "there is no dialect 'kafak'"),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], words: str) -> None:
    code, text = run(*arguments)
    assert code == 2
    assert words in text
    assert "Traceback" not in text


# --- Another dialect --------------------------------------------------------------------------------------------------

KIP_35 = ("--dialect", "kip-35-v7")


def test_the_empty_response_beside_its_request() -> None:
    code, text = run(*KIP_35, "--request", "00000012 0011 0000 0000000a ffff 00000001 ffffffff", "00000004 0000000a")
    assert code == 0
    assert "read as EmptyResponse" in text
    assert "CorrelationId" in text


def test_length_0_names_the_ruling() -> None:
    code, text = run(*KIP_35, "EmptyResponse", "00000000 0000000a")
    assert code == 1
    assert "(byte 4)" in text
    assert "R-35-3 ‡" in text


@pytest.mark.parametrize(
    ("message", "digits", "ruling"),
    [
        ("Request", "ffffffff", "R-35-2"),
        ("Request", "fffffffe", "R-D-3"),
        ("Request", "00000000 00", "R-D-5"),
        ("Response", "ffffffff", "R-D-3"),  # which brokers are selected has nothing to do with it
        ("Response", "00000001 00000002 ffff", "R-35-17"),
    ],
)
def test_a_refused_body_names_its_ruling(message: str, digits: str, ruling: str) -> None:
    code, text = run(*KIP_35, f"BrokerMetadata{message}", "--version", "0", digits)
    assert code == 1
    assert re.search(rf"^ruling +{ruling} ", text, re.MULTILINE)


def test_the_tags_of_a_broker() -> None:
    worked = "00000001 00000002 0001 68 00002384 00000013 00000019 00000001 0004 7261636b 0002 7231"
    code, text = run(*KIP_35, "BrokerMetadataResponse", "--version", "0", worked)
    assert code == 0
    for name in ("NodeId", "Host", "Port", "ProtocolVersionMin", "ProtocolVersionMax", "Key", "Value"):
        assert re.search(rf"\b{name}\b", text)


WIRE_FORMAT = ("--dialect", "wire-format")
PRODUCE = (
    "0000002b 0000 0000 00000007 0001 63 01 000005dc 0001 0001 74 0001 00000000 0000000c 00000008 01 00 d8932aac 6869"
)
FETCH = "00000019 0001 0000 00000008 0001 63 ffffffff 00000064 00000001 0000"
PRODUCED = "00000016 00000007 0000 0000 0001 0000 0001 000000000000002a"
FETCHED = "0000000a 00000008 0000 0000 0000"


def test_frames_whose_requests_are_types_of_their_own() -> None:
    code, text = run(*WIRE_FORMAT, PRODUCE, FETCH)
    assert code == 0
    for words in ("read as ProduceRequest: size 43 fits", "read as FetchRequest: size 25 fits"):
        assert words in text
    for name in ("request_type_id", "version_id", "required_acks", "set size", "crc", "payload", "min_bytes"):
        assert re.search(rf"\b{name}\b", text)


def test_responses_in_another_order_than_their_requests() -> None:
    code, text = run(*WIRE_FORMAT, "--request", f"{PRODUCE} {FETCH}", FETCHED, PRODUCED)
    assert code == 0
    found = re.sub(r"\s+", " ", text)
    assert "read as FetchResponse: size 10 fits; its correlation id, 8, is that of request 2" in found
    assert "read as ProduceResponse: size 22 fits; its correlation id, 7, is that of request 1" in found


@pytest.mark.parametrize(
    ("arguments", "at", "ruling"),
    [
        (("ProduceRequest", PRODUCE.replace("0001 63", "ffff", 1).replace("2b", "29")), 12, "R-WF-9 ‡"),
        (("ProduceResponse", "0000000c 00000007 0000 0000 0000 0001"), 14, None),
        (("ProduceResponse", "0000000e 00000007 0000 0000 0001 0000 0000"), 16, "R-WF-6"),
        (("ProduceRequest", PRODUCE.replace("0000000c", "ffffffff")), 31, "R-WF-3"),
        (("ProduceRequest", PRODUCE.replace("00000008 01", "fffffff8 01")), 35, "R-WF-10 ‡"),
        (("ProduceRequest", PRODUCE.replace("6869", "6870")), 41, "R-WF-20 ‡"),
        (("FetchRequest", FETCH.replace("0001 0000", "0001 0001", 1)), 6, "R-WF-1 ‡"),
        (("--request", PRODUCE, PRODUCED.replace("0000 0000 0001", "0003 0000 0001", 1)), 8, "R-WF-13"),
        (("--request", PRODUCE, PRODUCED.replace("00000016", "00000017")), 0, None),
    ],
)
def test_a_refused_frame_is_marked_and_names_its_ruling(
    arguments: tuple[str, ...], at: int, ruling: str | None
) -> None:
    code, text = run(*WIRE_FORMAT, *arguments)
    assert code == 1
    assert f"(byte {at})" in re.sub(r"\s+", " ", text)
    assert re.findall(r"^ruling +(\S+(?: ‡)?) ", text, re.MULTILINE) == ([] if ruling is None else [ruling])


#: A control batch: the end of a transaction, a type that nobody knows, a record without a key.
CONTROL = (
    "0000000000000000 00000054 ffffffff 02 1f5337e9 0030 00000000 00000000000003e8 00000000000003e8"
    "0000000000000007 0001 ffffffff 00000003 20000000 0800000001 0c000000000007 00"
    "14000002 0800000063 0000 0c000004 000000"
)


def test_control_records_are_told() -> None:
    code, text = run("RecordBatch", CONTROL)
    assert code == 0
    assert "control  records[0]: commit, {CoordinatorEpoch: 7}" in text
    assert "control  records[1]: type 99 is unknown: readers skip it" in text
    assert "control  records[2]: not a control record: truncated at key" in text
    assert "control  [0].records[0]: commit" in run("RecordSet", CONTROL)[1]


def test_other_records_are_no_control_records() -> None:
    plain = "0000000000000000 00000018 4b4a6c76 02 00 00000000000003e8 00000001 6b 00000001 76"
    assert "control " not in run("--dialect", "kip-82-int-keys", "MESSAGE_SET", plain)[1]


def test_a_command_leaves_the_judge_as_it_was(tmp_path: Path) -> None:
    """The judge of brokers reads what Kafka 4.0 removed, and asks the codec that `explain` gives schemas."""
    before = reference_codec().dialect("kafka").codec("ProduceRequest", 0)
    (tmp_path / "Mine.json").write_text("{}", "utf-8")
    assert run("--schema", str(tmp_path / "Mine.json"), "VARINT", "01")[0] == 2
    assert reference_codec().dialect("kafka").codec("ProduceRequest", 0) is before
