"""The message ledger: complete, true to its format, and able to fail."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from support.judging import judged, judged_by_asking
from support.paths import ROOT
from support.pytest_run import run

from wireproof import reference
from wireproof.cli import group
from wireproof.conformance import ledger
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Case, Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.vectors import Vector, VectorError, VectorKind
from wireproof.reference import catalog, fast
from wireproof.reference.codec import NodeCodec
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.schema.plan import Struct

JAVA = ROOT / "implementations" / "java"
REFERENCE = reference.Reference()
FAST = fast.reference


def vector(identifier: str) -> Vector:
    found = ledger.find(f"kafka/messages/{identifier}#decode")
    assert found is not None, identifier
    return found[0]


def test_every_message_version_has_its_cases() -> None:
    messages = catalog.current().messages
    assert ledger.names() == tuple(sorted(messages))
    for name, (low, high) in messages.items():
        there = {found.id for found in ledger.load(name).vectors if not found.id.endswith("/frame")}
        for version in range(low, high + 1):
            codec = DIALECTS["kafka"].codec(name, version)
            assert isinstance(codec, NodeCodec)
            assert isinstance(codec.node, Struct)
            wanted = [case for case, _ in ledger.values(codec.node)] + ["explicit"] * (
                ledger.explicit(codec.node) is not None
            )
            assert {f"{name}/{version}/{case}" for case in wanted} <= there
            there -= {f"{name}/{version}/{case}" for case in wanted}
        assert there == set()


def _first_flexible(message: str) -> int | None:
    """As the schema's JSON says it."""
    said = json.loads((ROOT / "reference" / "catalog" / f"{message}.json").read_bytes())["flexibleVersions"]
    return None if said == "none" else int(said.rstrip("+").partition("-")[0])


FRAMES = [found for found in ledger.every_vector("kafka") if found.id.endswith("/frame")]


def test_every_api_has_frames_of_its_border_versions() -> None:
    wanted = set()
    for api in catalog.current().apis.values():
        for message in (f"{api}Request", f"{api}Response"):
            low, high = catalog.current().messages[message]
            flexible = _first_flexible(message)
            borders = {low, high} if flexible is None else {low, high, flexible - 1, flexible}
            wanted |= {f"{message}/{version}/frame" for version in borders if low <= version <= high}
    assert {found.id for found in FRAMES} == wanted
    assert len(wanted) == len(FRAMES)


def test_frames_have_the_headers_that_the_texts_say() -> None:
    """KIP-482 and KIP-511, taken apart by hand: size, header, and tags in it from the first flexible version on, but
    not in the answer to ApiVersions."""
    for found in FRAMES:
        message, number, _ = found.id.split("/")
        version, flexible = int(number), _first_flexible(message)
        size, rest = int.from_bytes(found.data[:4]), found.data[4:]
        assert size == len(rest)
        tags = b"\0" if flexible is not None and version >= flexible else b""
        if message.endswith("Request"):
            client = found.value["header"]["ClientId"].encode()
            key = next(key for key, api in catalog.current().apis.items() if f"{api}Request" == message)
            numbers = struct.pack(">hhi", key, version, found.value["header"]["CorrelationId"])
            header = numbers + len(client).to_bytes(2) + client + tags
        else:
            header = found.value["header"]["CorrelationId"].to_bytes(4) + tags * (message != "ApiVersionsResponse")
        body = REFERENCE.encode(message, found.value["body"], dialect="kafka", version=version)
        assert rest == header + body, found.id


def test_records_are_batches_that_a_library_can_read() -> None:
    """In all cases but those with the least values: their CRCs are right, and each has a record."""
    there = Counter(
        (found.id.split("/")[2], tuple(len(batch["records"]) for batch in read))
        for found in ledger.every_vector("kafka")
        for records in _records(found.value)
        for read in [REFERENCE.decode("RecordSet", records, dialect="kafka")]
    )
    rich = {"set", "greatest", "unknown-tags", "frame"}
    assert {case for case, batches in there if batches == (1,)} >= rich
    assert not rich & {case for case, batches in there if batches != (1,)}


def _records(value: object) -> Iterator[bytes]:
    match value:
        case dict():
            for name, item in value.items():
                if name.endswith("Records") and isinstance(item, bytes):
                    yield item
                yield from _records(item)
        case list():
            for item in value:
                yield from _records(item)


def test_kafkas_own_classes_made_it() -> None:
    assert {ledger.load(name).made_by for name in ledger.names()} == {"kafka-clients 4.4.0"}


@pytest.mark.parametrize("name", ledger.names())
def test_both_codecs_agree_with_java(name: str) -> None:
    for found in ledger.load(name).vectors:
        for codec in (REFERENCE, FAST):
            for op in found.ops:
                _, verdict = judged_by_asking(codec, found, found.case(op))
                assert verdict.outcome is Outcome.PASS, (found.id, op, verdict.detail)


def test_values_of_a_set_message_all_differ() -> None:
    value = vector("MetadataResponse/12/set").value
    leaves = Counter(json.dumps(leaf) for leaf in _leaves(json.loads(json.dumps(value, default=str))))
    repeated = {leaf: count for leaf, count in leaves.items() if count > 1 and leaf not in ("true", "false")}
    assert repeated == {}


def _leaves(value: object) -> list[object]:
    match value:
        case dict():
            return [leaf for item in value.values() for leaf in _leaves(item)]
        case list():
            return [leaf for item in value for leaf in _leaves(item)]
    return [value]


def test_explicit_defaults_decode_and_are_left_out_again() -> None:
    found = vector("ApiVersionsResponse/3/explicit")
    assert found.data.hex() != found.canonical_data.hex()
    assert len(found.data) > len(found.canonical_data)
    assert found.source == "bytes by the kit, canonical ones by kafka-clients 4.4.0"


def test_all_other_bytes_are_kafka_s() -> None:
    sources = {found.source for found in ledger.every_vector() if not found.id.endswith("/explicit")}
    laid_out = "bytes by kafka-clients 4.4.0, laid out by tests/second_opinion/lifted.py"
    assert sources == {"bytes by kafka-clients 4.4.0", laid_out}


def test_every_prefix_and_every_count_is_asked() -> None:
    found = vector("MetadataRequest/4/set")
    made = list(ledger.derive(found, Op.DECODE))
    prefixes = [case for _, case in made if "+prefix:" in case.id]
    assert [case.args["data"] for case in prefixes] == [found.data[:length] for length in range(len(found.data))]
    bombs = [case for _, case in made if "+bomb:" in case.id]
    assert [case.args["data"][:4].hex() for case in bombs] == ["7fffffff"]
    assert all(case.derived for _, case in made)


def test_an_accepted_prefix_fails_by_itself() -> None:
    found = vector("MetadataRequest/4/set")
    (prefix, case), *_ = ledger.prefixes(found, Op.DECODE)
    accepted = judge(prefix, Observation(case, Status.ANSWER, {}))
    refused = judged(prefix, Observation(case, Status.REJECT))
    assert (accepted.outcome, accepted.kind) == (Outcome.FAIL, "accepted-invalid")
    assert refused.outcome is Outcome.PASS
    assert judge(prefix, Observation(case, Status.REJECT)).outcome is Outcome.SKIP
    twin = Observation(found.case(Op.DECODE), Status.REJECT)
    assert judge(prefix, Observation(case, Status.REJECT), twin=twin).outcome is Outcome.SKIP


def test_what_is_derived_comes_from_a_case_that_is_read(tmp_path: Path) -> None:
    """An implementation that refuses unknown tags is cut where it has none; one that reads nothing shows nothing."""
    (tmp_path / "tagless.py").write_text(
        "from wireproof import reference\n"
        "types = {'kafka': {'HeartbeatRequest': (3, 4)}}\n"
        "def decode(type, data, *, dialect, version=None):\n"
        "    if b'\\x8f\\x4e' in data or version == 3:\n"
        "        raise ValueError('no')\n"
        "    return reference.decode(type, data, dialect=dialect, version=version)\n"
    )
    run("--impl=tagless", "--area=messages", "-q", "--report=out.jsonl", cwd=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    verdicts = Counter(
        (row["id"].partition("+")[0].rpartition("messages/")[2], row["verdict"])
        for row in rows
        if "+" in row.get("id", "")
    )
    cut = vector("HeartbeatRequest/4/set").data
    whole = vector("HeartbeatRequest/3/set").data
    assert verdicts == {
        ("HeartbeatRequest/4/set", "pass"): len(cut) + 1,  # and the count of its tags
        ("HeartbeatRequest/3/set", "skip"): len(whole),
    }


def test_ids_are_found_again() -> None:
    for identifier in ("MetadataRequest/4/set#encode", "MetadataRequest/4/set+prefix:3#decode"):
        found = ledger.find(f"kafka/messages/{identifier}")
        assert found is not None
        assert found[1].id == f"kafka/messages/{identifier}"
    for identifier in (
        "MetadataRequest/4/sets#encode",
        "Metadata/4/set#decode",
        "MetadataRequest/4/set+prefix:999#decode",
    ):
        assert ledger.find(f"kafka/messages/{identifier}") is None


HEAD = b'{"ledger":1,"message":"X","made_by":"y"}\n'


def test_a_value_stands_once_for_the_versions_that_have_it() -> None:
    entries = [
        ledger.entry(version, case, value, data, canonical)
        for version, case, value, data, canonical in (
            (0, "default", 1, b"\0", None),
            (0, "set", 2, b"\2", None),
            (1, "default", 1, b"\0", None),
            (1, "set", 2, b"\3", None),
            (1, "explicit", 2, b"\5", b"\3"),
            (2, "default", 1, b"\1", None),
            (3, "default", 1, b"\0", None),
            (3, "set", 4, b"\4", None),
        )
    ]
    content = ledger.lines(ledger.LedgerHeader(1, "X", "y"), entries)
    assert content.splitlines(keepends=True) == [
        HEAD,
        b'{"case":"default","value":1,"bytes":{"0-1":"00","2":"01","3":"00"}}\n',
        b'{"case":"set","value":2,"bytes":{"0":"02","1":"03"}}\n',
        b'{"case":"set","value":4,"bytes":{"3":"04"}}\n',
        b'{"case":"explicit","value":2,"bytes":{"1":"05"},"canonical":{"1":"03"}}\n',
    ]
    read = ledger.parse(content, "x.jsonl").vectors
    assert [(one.id, one.value, one.data, one.canonical_data) for one in read] == [
        ("X/0/default", 1, b"\0", b"\0"),
        ("X/0/set", 2, b"\2", b"\2"),
        ("X/1/default", 1, b"\0", b"\0"),
        ("X/1/set", 2, b"\3", b"\3"),
        ("X/1/explicit", 2, b"\5", b"\3"),
        ("X/2/default", 1, b"\1", b"\1"),
        ("X/3/default", 1, b"\0", b"\0"),
        ("X/3/set", 4, b"\4", b"\4"),
    ]


@pytest.mark.parametrize("dialect", ["kafka", "kip-482-v1"])
def test_no_value_of_a_case_stands_twice(dialect: str) -> None:
    for name in ledger.names(dialect):
        path = ROOT / "vectors" / dialect / "messages" / f"{name}.jsonl"
        lines = [json.loads(line) for line in path.read_bytes().splitlines()[1:]]
        said = [(line["case"], json.dumps(line["value"])) for line in lines if "value" in line]
        assert len(said) == len(set(said)), name


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "line 1"),
        (b'{"ledger":2,"message":"X","made_by":"y"}\n', "line 1"),
        (HEAD + b'{"case":"a"}\n', "line 2: Object missing required field `value`"),
        (HEAD + b'{"case":"a","value":{},"bytes":{"0":"0"}}\n', "line 2: non-hexadecimal"),
        (HEAD + b'{"case":"a","value":0.5,"bytes":{"0":""}}\n', "line 2: 0.5 is no value"),
        (HEAD + b'{"case":"a","value":1,"bytes":{"0-x":""}}\n', "line 2: invalid literal for int"),
        (HEAD + b'{"case":"a","value":1,"bytes":{"0":""},"version":0}\n', "line 2: Object contains unknown field"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text: bytes, says: str) -> None:
    with pytest.raises(VectorError, match=says):
        ledger.parse(text, "odd.jsonl")


def test_a_wrong_implementation_is_caught_and_the_rest_is_listed(tmp_path: Path) -> None:
    """One that reads what is cut off as if nothing were missing."""
    (tmp_path / "lenient.py").write_text(
        "from wireproof import reference\n"
        "types = {'kafka': {'HeartbeatRequest': (0, 4)}}\n"
        "def decode(type, data, *, dialect, version=None):\n"
        "    for zeros in range(40):\n"
        "        try:\n"
        "            return reference.decode(type, data + bytes(zeros), dialect=dialect, version=version)\n"
        "        except reference.WireError as error:\n"
        "            last = error\n"
        "    raise last\n"
    )
    done = run("--impl=lenient", "--area=messages", "-q", cwd=tmp_path)
    assert done.code == 1
    assert "accepts what must be refused" in done.text
    assert "more here:" in done.text
    assert "HeartbeatRequest/4/unknown-tags+prefix:" in done.text


@pytest.mark.skipif(shutil.which("java") is None, reason="no JDK here")
def test_the_ledger_is_what_java_makes(tmp_path: Path) -> None:
    built = subprocess.run([JAVA / "wrapper"], input="", capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip(built.stderr.strip())
    programs = [f"--impl=exec:{JAVA}/wrapper", f"--impl=exec:{JAVA}/wrapper-schema"]
    result = CliRunner().invoke(group, ["ledger", "make", str(tmp_path), *programs])
    assert result.exit_code == 0, result.output
    assert "195 messages, 4228 cases, 0 differences" in result.output
    committed = JAVA.parent.parent / "vectors" / "kafka" / "messages"
    for path in committed.glob("*.jsonl"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_making_it_tells_differences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an implementation that writes no unknown tags."""
    (tmp_path / "tagless.py").write_text(
        "from wireproof.reference import decode, encode as whole\n"
        "def encode(type, value, *, dialect, version=None):\n"
        "    return whole(type, value | {'_tags': []}, dialect=dialect, version=version)\n"
    )
    monkeypatch.chdir(tmp_path)
    made = ["ledger", "make", "made", "--impl=reference", "--message=HeartbeatRequest"]
    right = CliRunner().invoke(group, made)
    assert right.exit_code == 0, right.output
    assert "made: 1 messages, 26 cases, 0 differences" in right.output
    wrong = CliRunner().invoke(group, [*made, "--impl=tagless"])
    assert wrong.exit_code == 1
    assert "HeartbeatRequest/4/unknown-tags#encode: tagless writes " in wrong.output
    unknown = CliRunner().invoke(group, ["ledger", "make", "made", "--impl=reference", "--message=Heartbeat"])
    assert unknown.exit_code == 2
    assert "There is no message 'Heartbeat'" in unknown.output


def test_verdicts_are_rows() -> None:
    found = vector("HeartbeatRequest/4/set")
    verdict = judge(found, ask(REFERENCE, found.case(Op.DECODE)))
    assert msgspec.structs.replace(verdict, note="") == Verdict(
        id="kafka/messages/HeartbeatRequest/4/set#decode",
        dialect="kafka",
        area="messages",
        type="HeartbeatRequest",
        version=4,
        op=Op.DECODE,
        outcome=Outcome.PASS,
    )
    assert found.kind is VectorKind.VALID
    assert isinstance(found.case(Op.DECODE), Case)
