"""The parts of fuzzing that need no atheris: inputs, likeness, smaller inputs, the folder, commands on what is kept."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import msgspec
import pytest
from support.full_disk import full_disk
from support.fuzzing import command, need_atheris
from support.recorder import Recorder, Refuser

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation
from wireproof.conformance.generation.arguments import arguments_of
from wireproof.conformance.generation.mutations import readable
from wireproof.conformance.generation.mutations.checksums import sealed
from wireproof.conformance.judging.clusters import Group
from wireproof.conformance.model import Case, Observation, Op, Outcome, Status
from wireproof.conformance.oracle.ask import refusal
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.questions.question import Question
from wireproof.fuzz.campaign import draft_vector
from wireproof.fuzz.campaign.run import describe
from wireproof.fuzz.campaign.store import Kept, Store, judged, read_findings
from wireproof.fuzz.corpus import minimise, seeding
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.process import input_file
from wireproof.fuzz.process.mutator import Mutator
from wireproof.fuzz.targets import dedup, inputs
from wireproof.fuzz.targets.finding import FuzzFinding, finding_of
from wireproof.fuzz.targets.inputs import Form, digest
from wireproof.fuzz.targets.kinds import Likeness
from wireproof.fuzz.targets.session import ChildSession
from wireproof.fuzz.targets.session_start import forms, kind_of, session_of
from wireproof.fuzz.targets.shrink import Same, smaller
from wireproof.reference.codec import NodeCodec, decode
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.errors import DecodeError
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Struct

VARINT = Form("kafka", "VARINT", None, frozenset({Op.DECODE}))
SCHEMA = {
    "apiKey": 9000,
    "type": "response",
    "name": "FooResponse",
    "validVersions": "0",
    "flexibleVersions": "none",
    "fields": [{"name": "Baz", "type": "int16", "versions": "0+"}],
}
#: Of each kind of question one; with one that has to be refused, or may be, its twin.
TWINS = {
    "gen/kafka/TAG_BUFFER/-/v5b5b352c7b22686578223a22227d5d2c5b322c7b22686578223a22227d5d5d#encode": "gen/kafka/"
    "TAG_BUFFER/-/x00#encode",
    "gen/kafka/VARINT/-/x80#decode": "gen/kafka/VARINT/-/x00#decode",
    "gen/kafka/INT8/-/v313238#encode": "gen/kafka/INT8/-/v313237#encode",
    "gen/kip-82-int-keys/MESSAGE_SET/-/x0000003200000000000000000000002600000000021000000000000003e8000000016b0000000a"
    "000000010000000261620000000176000000076d616769632d31#convert": "gen/kip-82-int-keys/MESSAGE_SET/-/x00000032000000"
    "000000000000000026ced442a0021000000000000003e8000000016b0000000a000000010000000261620000000176000000076d616769632d"
    "31#convert",
    "gen/kafka/Record/-/x00000002120000000003226322#lookup": "gen/kafka/Record/-/x0000001120000000026b"
    "027604026102310262023200000003226322#lookup",
}
DRAFTED = (
    *TWINS,
    *TWINS.values(),
    "gen/kip-35-v7/BrokerMetadataResponse/0/x00000032000000017fffffff0001680000238400000013000000190000000100096272"
    "6f6b65722e6964000a323134373438333634370000000b2262726f6b65722e696422#lookup",
    "gen/kafka/-/-/x0000000e0000000a0012000000000001ffff#serve",
    "gen/kip-35-v7/-/-/x0000001500000011001100000000000700036b6974ffffffff#serve",
    "gen/kafka/-/-/x0000000e0000000a0012000100000001ffff000000140000001000000001002300000001001200000000#interpret",
    "gen/kafka/-/-/x0000000e0000000a0012000100000001ffff#interpret",
    "gen/kafka/-/-/x5b31382c5b302c355d2c5b302c355d5d#negotiate",
    "gen/kafka/-/-/x" + json.dumps([SCHEMA, SCHEMA | {"fields": []}]).encode().hex() + "#evolve",
)

METADATA = {version: Form("kafka", "MetadataResponse", version, frozenset({Op.DECODE})) for version in (0, 1, 12)}


def a_judged(identifier: str = "gen/kafka/VARINT/-/x01#decode") -> Judged:
    with Examiner(open_connection("reference", Options(in_process=True))) as examiner:
        (found,) = examiner.judge([find(identifier)])
    return found


def a_kept(identifier: str = "gen/kafka/VARINT/-/x01#decode", times: int = 1) -> Kept:
    found = finding_of(a_judged(identifier), b"VARINT/-\n\x01", "decode")
    return Kept(found, "impl", "1", "impl", "wireproof repro", 1.0, 10, times)


class TestInputs:
    def test_an_input_says_what_it_is_about(self) -> None:
        assert VARINT.input(b"\n\x01") == b"VARINT/-\n\n\x01"
        assert inputs.split(b"VARINT/-\n\n\x01") == (b"VARINT/-", b"\n\x01")
        assert METADATA[12].head == b"MetadataResponse/12"
        assert Form("kafka", None, None, frozenset({Op.SERVE})).head == b"serve"

    def test_an_identifier_makes_the_case_again(self) -> None:
        case = find(VARINT.identifier(Op.DECODE, b"\x7e")).case
        assert (case.type, case.args["data"]) == ("VARINT", b"\x7e")

    def test_types_that_are_converted_alone_are_not_drawn(self) -> None:
        described = describe("reference", Options(), None)
        found = forms(kind_of("values"), described, "kip-82-string-keys", None)
        assert "RecordSet" not in {form.type for form in found.values()}
        assert "BATCH" in {form.type for form in found.values()}

    def test_what_is_not_offered_is_told(self) -> None:
        described = describe("reference", Options(), None)
        with pytest.raises(FuzzError, match="Did you mean MetadataRe"):
            forms(kind_of("decode"), described, "kafka", "MetadataRespons")
        with pytest.raises(FuzzError, match="there is no target 'guess'"):
            kind_of("guess")
        with pytest.raises(FuzzError, match="does not offer for wire-format"):
            forms(kind_of("schema"), described, "wire-format", None)


class TestMutator:
    def test_heads_stay_whole_and_the_same_seed_gives_the_same(self) -> None:
        table = {form.head: form for form in [VARINT, *METADATA.values()]}
        mutator = Mutator(table, lambda data, most: (data + b"x")[:most])
        raw = METADATA[12].input(bytes.fromhex("00000000010000000001010000"))
        made = [mutator(raw, 4096, seed) for seed in range(300)]
        assert 1 < len({inputs.split(one)[0] for one in made}) <= len(table)
        assert {inputs.split(one)[0] for one in made} <= {*table}
        again = Mutator(table, lambda data, most: (data + b"x")[:most])
        assert made == [again(raw, 4096, seed) for seed in range(300)]

    def test_what_can_be_read_is_changed_most_often(self) -> None:
        """Most inputs of a corpus are refused at once, and a change behind that place would not be seen."""
        form = METADATA[12]
        mutator = Mutator({form.head: form}, lambda data, most: data[:most])
        for _ in range(20):
            mutator(form.input(bytes.fromhex("000000000100000000010100")), 4096, 1)
        made = [mutator(form.input(b"\xff" * 7 + number.to_bytes(2, "big")), 4096, 1) for number in range(600)]
        read = [readable(inputs.split(one)[1], "kafka", "MetadataResponse", 12) for one in made]
        assert sum(read) > 60

    def test_what_values_are_drawn_from_is_new_now_and_then(self) -> None:
        mutator = Mutator({VARINT.head: VARINT}, lambda data, _: data, drawn=True)
        made = {mutator(VARINT.input(bytes(8)), 4096, 1) for _ in range(200)}
        assert 20 < len(made) < 120
        assert {inputs.split(one)[0] for one in made} == {VARINT.head}

    def test_it_never_raises_and_keeps_to_the_size(self) -> None:
        mutator = Mutator({VARINT.head: VARINT}, lambda data, most: bytes(data)[:most])
        for raw in (b"", b"\n", b"VARINT/-\n", b"nonsense", b"VARINT/-\n" + bytes(40)):
            for seed in range(50):
                assert len(mutator(raw, 12, seed)) <= 12


class TestWords:
    def test_a_word_is_a_line_as_libfuzzer_reads_it(self, tmp_path: Path) -> None:
        (tmp_path / "words").write_bytes(seeding.dictionary_file([b"\x00\x12", b'"a\\']))
        assert (tmp_path / "words").read_text() == '"\\x00\\x12"\n"\\x22\\x61\\x5c"\n'

    @pytest.mark.parametrize(
        ("target", "some"), [("decode", True), ("exchange", True), ("values", False), ("schema", False)]
    )
    def test_only_where_an_input_is_the_protocols_bytes(self, target: str, some: bool) -> None:
        assert (bytes.fromhex("00120003") in seeding.words(kind_of(target), "kafka")) is some
        assert bool(seeding.words(kind_of(target), "kafka")) is some


def judged_of(found: dedup.Deduplication, likeness: Likeness, name: str | None) -> list[int]:
    """Which of 200 answers that look alike are judged, if each judgment gives this name."""
    numbers = []
    for number in range(1, 201):
        if found.should_judge(likeness):
            found.remember(likeness, name)
            numbers.append(number)
    return numbers


def test_of_those_that_look_alike_the_first_are_judged_and_then_one_in_many() -> None:
    found = dedup.Deduplication()
    assert judged_of(found, ("decode", "VARINT"), "a finding") == [1, 2, 3, 64, 128, 192]
    assert found.should_judge(("encode", "VARINT"))


def test_as_long_as_none_was_a_deviation_more_of_them_are_judged() -> None:
    found = dedup.Deduplication()
    assert judged_of(found, ("encode", "TAG_BUFFER"), None) == [1, 2, 3, *range(8, 201, 8)]


def shows(holds: Callable[[Form, bytes], bool]) -> Same:
    """What tells that an input shows the same, by a rule."""
    found = a_judged()
    return lambda form, data: found if holds(form, data) else None


class TestSmaller:
    def test_fewer_bytes_then_zeros(self) -> None:
        found = smaller(VARINT, b"abcXYdefghijk", {VARINT.head: VARINT}, shows(lambda _, data: b"XY" in data))
        assert found == (VARINT, b"XY")
        found = smaller(VARINT, b"abcdef", {}, shows(lambda _, data: len(data) >= 4))
        assert found == (VARINT, bytes(4))

    def test_the_lowest_version(self) -> None:
        table = {form.head: form for form in METADATA.values()}
        rule = shows(lambda form, data: data == b"X" and bool(form.version))
        assert smaller(METADATA[12], b"X", table, rule) == (METADATA[1], b"X")

    def test_none_where_it_is_as_small_as_can_be(self) -> None:
        assert smaller(VARINT, b"\x01", {}, shows(lambda _, data: data == b"\x01")) is None


def test_the_running_input_outlives_its_writer(tmp_path: Path) -> None:
    writing = input_file.RunningInput(tmp_path / "running")
    assert input_file.read(tmp_path / "running") == b""
    writing.set(b"VARINT/-\n\x01")
    writing.set(b"INT8/-\n")
    assert input_file.read(tmp_path / "running") == b"INT8/-\n"


class TestStore:
    def test_findings_are_read_again(self, tmp_path: Path) -> None:
        with Store(tmp_path) as store:
            store.keep(a_kept())
            store.log("end", executions=77)
        with Store(tmp_path) as store:
            assert [*store.findings.values()] == [a_kept()]
            assert store.executions == 77
        assert judged(a_kept()).case.id == "gen/kafka/VARINT/-/x01#decode"

    def test_one_campaign_at_a_time(self, tmp_path: Path) -> None:
        with Store(tmp_path), pytest.raises(FuzzError, match="another campaign"):
            Store(tmp_path)
        Store(tmp_path).close()

    def test_what_was_cut_off_is_mended(self, tmp_path: Path) -> None:
        with Store(tmp_path) as store:
            store.keep(a_kept())
            store.log("end", executions=3)
            corpus = store.corpus("decode", "kafka")
            (corpus / "00000").write_bytes(b"nobody knows whose")
        with (tmp_path / "campaign.jsonl").open("ab") as file:
            file.write(b'{"event": "en')
        with Store(tmp_path) as store:
            assert store.executions == 3
            assert store.corpus("decode", "kafka") / "00000" in store.foreign
            assert (corpus / "00000").read_bytes() == b"nobody knows whose"
        assert (tmp_path / "campaign.jsonl").read_bytes().endswith(b"\n")
        assert [entry.suffix for entry in (tmp_path / "findings").iterdir()] == [".json"]

    def test_a_damaged_finding_is_told(self, tmp_path: Path) -> None:
        with Store(tmp_path) as store:
            store.keep(a_kept())
        (path,) = (tmp_path / "findings").iterdir()
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(FuzzError, match="a damaged one"):
            Store(tmp_path)
        path.write_bytes(msgspec.json.encode(a_kept()))
        path.rename(path.with_name("other.json"))
        with pytest.raises(FuzzError, match="the file was renamed"):
            read_findings(tmp_path)

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(FuzzError, match="file"):
            Store(tmp_path / "file" / "out")

    def test_a_full_disk_leaves_what_was_told(self, tmp_path: Path) -> None:
        with Store(tmp_path) as store:
            store.keep(a_kept())
            with full_disk(100), pytest.raises(FuzzError, match="File too large"):
                store.keep(a_kept(times=9))
        assert [kept.times for kept in read_findings(tmp_path)] == [1]


def commanded(*words: str | Path) -> tuple[int, str]:
    done = subprocess.run(command(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class TestCommands:
    def test_findings_are_listed(self, tmp_path: Path) -> None:
        with Store(tmp_path) as store:
            store.keep(a_kept())
        code, text = commanded("findings", tmp_path)
        assert code == 1
        assert a_kept().finding.name in text
        code, text = commanded("findings", tmp_path, "-v")
        assert code == 1
        assert "gen/kafka/VARINT/-/x01#decode" in text

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["findings", "nowhere"], "there is no such folder"),
            (["run", "guess"], "there is no target 'guess'"),
            (["run", "decode", "--time=soon"], "is no time"),
            (["run", "decode", "--vectors=nowhere"], "--vectors"),
            (["promote", "nothing.json", "vector.json"], "No such file"),
            (["minimise", "nowhere"], "there is no such folder"),
        ],
    )
    def test_bad_input_ends_in_a_paragraph(self, words: list[str], said: str) -> None:
        code, text = commanded(*words)
        assert code == 2
        assert said in text
        assert "Traceback" not in text

    def test_a_promoted_finding_is_refused_until_a_person_completes_it(self, tmp_path: Path) -> None:
        with Store(tmp_path) as store:
            store.keep(a_kept())
        (path,) = (tmp_path / "findings").iterdir()
        made = tmp_path / "vector.json"
        assert commanded("promote", path, made)[0] == 0
        with pytest.raises(vectors.VectorError, match="source"):
            vectors.parse(made.read_bytes(), "vector.json", {})
        raw = json.loads(made.read_text())
        raw["vectors"][0]["source"] = "Kafka protocol guide"
        (vector,) = vectors.parse(json.dumps(raw).encode(), "vector.json", {}).vectors
        assert (vector.type, vector.data, vector.value) == ("VARINT", b"\x01", -1)
        assert [piece.label for piece in vector.pieces] == ["VARINT"]
        made.write_text(json.dumps(raw))
        code, text = commanded("promote", path, made)
        assert code == 2
        assert "there is a file already" in text
        assert json.loads(made.read_text()) == raw

    @pytest.mark.parametrize("identifier", DRAFTED)
    def test_a_draft_asks_what_was_found(self, identifier: str) -> None:
        """Every kind of question, with the same expectation; the loader takes it as soon as a person completed it."""
        judged = a_judged(identifier)
        raw = json.loads(draft_vector.draft(judged, "Found-1"))
        (fields,) = raw["vectors"]
        assert fields.pop("source") is None
        found = judged.vector
        if found.reject is not None:  # its twin is the draft of a valid question
            assert fields["twin"] is None
            twin = json.loads(draft_vector.draft(a_judged(TWINS[identifier]), "valid"))["vectors"][0]
            raw["vectors"].append(twin | {"source": "a person's"})
            fields["twin"] = "valid"
        raw["vectors"][0] = fields | {"source": "a person's"}
        made = vectors.parse(json.dumps(raw).encode(), "vector.json", vectors.settings(found.dialect)).vectors[0]
        assert (made.id, made.kind, made.needs) == ("found-1", found.kind, found.needs)
        assert made.case(judged.case.op).args == judged.case.args
        assert (made.reject, made.or_reject, made.compare_decoded) == (
            found.reject,
            found.or_reject,
            found.compare_decoded,
        )
        assert made.canonical_data == found.canonical_data
        twin_asked = find(TWINS[identifier]).case if identifier in TWINS else None
        with Examiner(open_connection("reference", Options(in_process=True))) as examiner:
            (again,) = examiner.judge([Question(made, made.case(judged.case.op), twin_asked)])
        assert again.verdict.outcome is Outcome.PASS

    def test_the_reference_fails_a_draft_that_demands_something_else(self) -> None:
        raw = json.loads(
            draft_vector.draft(a_judged("gen/kafka/-/-/x" + b"[18,[0,3],[0,3]]".hex() + "#negotiate"), "name")
        )
        raw["vectors"][0] |= {"source": "a person's", "chooses": 2}
        (made,) = vectors.parse(json.dumps(raw).encode(), "vector.json", {}).vectors
        with Examiner(open_connection("reference", Options(in_process=True))) as examiner:
            (again,) = examiner.judge([Question(made, made.case(Op.NEGOTIATE))])
        assert again.verdict.outcome is Outcome.FAIL


def test_a_corpus_keeps_what_is_needed(tmp_path: Path) -> None:
    raws = [VARINT.input(bytes([number])) for number in range(20)] + [VARINT.input(b"\x80"), VARINT.input(b"\x80\x01")]
    for raw in raws:
        (tmp_path / digest(raw)).write_bytes(raw)
    with session_of("reference", "decode", "kafka", in_child=False) as session:
        before, after = minimise.minimise(session, tmp_path, (), lambda raw: (tmp_path / digest(raw)).unlink())
    assert before == len(raws)
    assert 2 <= after < 8
    left = {entry.read_bytes() for entry in tmp_path.iterdir()}
    assert VARINT.input(b"\x80") in left


class _NoListener:
    def found(self, finding: FuzzFinding) -> None:
        pass

    def novel(self, raw: bytes, shown: object) -> None:
        pass


class _Told(_NoListener):
    def __init__(self) -> None:
        self.names: set[str] = set()
        self.last: FuzzFinding | None = None

    def found(self, finding: FuzzFinding) -> None:
        self.names.add(finding.name)
        self.last = finding


@pytest.mark.parametrize(("version", "asked"), [(2, True), (3, False)])
def test_no_frame_of_a_request_that_is_not_offered_is_judged(version: int, asked: bool) -> None:
    """As in the suite: a RequestFrame has no version, and the one in its header counts. Here of a Heartbeat."""
    types = {"kafka": {"RequestFrame": None, "HeartbeatRequest": (0, 2)}}
    body = "0000" + "00000000" + "0000" + ("" if version < 3 else "ffff")
    header = f"000c000{version}" + "00000000" + "ffff"
    size = len(header + body) // 2
    with Examiner(Refuser(types=types, dialects=("kafka",))) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", None), examiner, _NoListener())
        judged = session.judged(f"gen/kafka/RequestFrame/-/x{size:08x}{header}{body}#decode")
    assert (judged is not None) is asked


class _LongAttributes(Recorder):
    """Takes a record's attributes for a varint: with the highest bit set they have a second byte."""

    def observe(self, case: Case) -> Observation:
        data = case.args["data"]
        if data[1] & 0x80:
            data = data[:1] + bytes(1) + data[3:]
        seen = super().observe(msgspec.structs.replace(case, args={"data": data}))
        return msgspec.structs.replace(seen, case=case)


@pytest.mark.parametrize(
    ("data", "is_the_cause"),
    [
        ("0c800000010100", True),  # refused: the record is a byte short
        ("0c800100010100", True),
        ("0c000000010100", False),
    ],
)
def test_what_follows_from_a_field_that_is_read_wrong_is_no_finding_of_its_own(data: str, is_the_cause: bool) -> None:
    read_wrong = Group("fail", "wrong-value", "read", place="Record.attributes")
    entry = KnownDeviation("bug", "attributes are no varint", finding=read_wrong, reported="pending")
    told = []
    for known in (Known(None, (entry,)), Known(None, ())):
        listener = _Told()
        with Examiner(_LongAttributes(types={"kafka": {"Record": None}}, ops={Op.DECODE}), known) as examiner:
            kind = kind_of("differential")
            session = ChildSession(kind, forms(kind, examiner.description, "kafka", "Record"), examiner, listener)
            (form,) = session.forms.values()
            session.execute(form.input(bytes.fromhex(data)))
            session.finish()
            told.append(len(listener.names))
            assert session.counts.known.total() == (is_the_cause and bool(known.deviations))
    assert told == [0, is_the_cause]


class _WritesLongAttributesAgain(_LongAttributes):
    """What it reads again and writes has a byte too many, so no other attributes make that right."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        if case.op is Op.DECODE or seen.status is not Status.ANSWER:
            return seen
        return msgspec.structs.replace(seen, answer=seen.answer + b"\0")


@pytest.mark.parametrize(("data", "told"), [("0c800100010100", 0), ("0c000000010100", 1)])
def test_what_is_read_wrong_is_written_again_wrong(data: str, told: int) -> None:
    read_wrong = Group("fail", "wrong-value", "read", place="Record.attributes")
    entry = KnownDeviation("bug", "attributes are no varint", finding=read_wrong, reported="pending")
    listener = _Told()
    implementation = _WritesLongAttributesAgain(types={"kafka": {"Record": None}}, ops={Op.DECODE, Op.RECODE})
    with Examiner(implementation, Known(None, (entry,))) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "Record"), examiner, listener)
        (form,) = session.forms.values()
        session.execute(form.input(bytes.fromhex(data)))
        session.finish()
    assert len(listener.names) == told


class _DeliversByLongAttributes(Recorder):
    """The same in what it delivers of a batch: there are no keys then."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        if case.args["data"][62] & 0x80:
            records = [{**record, "key": None} for record in seen.answer["records"]]
            return msgspec.structs.replace(seen, answer={**seen.answer, "records": records})
        return seen


@pytest.mark.parametrize("is_known", [True, False])
def test_what_a_consumer_is_given_of_a_field_that_is_read_wrong_is_no_finding_of_its_own(is_known: bool) -> None:
    read_wrong = Group("fail", "wrong-value", "read", place="Record.attributes")
    entry = KnownDeviation("bug", "attributes are no varint", finding=read_wrong, reported="pending")
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "offsets-are-absolute")
    data = sealed(vector.data[:62] + b"\x80" + vector.data[63:])
    listener = _Told()
    implementation = _DeliversByLongAttributes(types={"kafka": {"RecordSet": None}}, ops={Op.CONSUME})
    with Examiner(implementation, Known(None, (entry,) if is_known else ())) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "RecordSet"), examiner, listener)
        session.execute(b"RecordSet/-\n" + data)
        session.finish()
        assert session.counts.known.total() == is_known
    assert len(listener.names) == (not is_known)


class _WithoutFirstField(Recorder):
    """Does not read the first field of a FetchResponse, but in its simplest value."""

    def observe(self, case: Case) -> Observation:
        if case.args["data"] == bytes(14):
            return super().observe(case)
        message = reference_codec().dialect("kafka").codec("FetchResponse", case.version)
        assert isinstance(message, NodeCodec)
        assert isinstance(message.node, Struct)
        fields = message.node.plain[1:]
        layout = NodeCodec(dataclasses.replace(message.node, fields=fields, plain=fields))
        try:
            value = decode(layout, case.args["data"], Rules())
            return Observation(case, Status.ANSWER, {"ThrottleTimeMs": 0, **value})
        except DecodeError as error:
            return refusal(case, error)


def test_a_smaller_input_is_no_other_finding() -> None:
    """Zeros alone do not say which of the fields is not read; the finding says it, so it keeps the byte that does."""
    listener = _Told()
    with Examiner(_WithoutFirstField(types={"kafka": {"FetchResponse": (7, 7)}}, ops={Op.DECODE})) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", None), examiner, listener)
        # A throttle time and an error code; a session and no count.
        session.execute(b"FetchResponse/7\n" + bytes.fromhex("00000005 0000 00000000"))
        session.finish()
    assert {name.rpartition("-")[0] for name in listener.names} == {"kafka-fail-read-first-field-not-read"}


class _TakesWrongChecksums(Recorder):
    """Reads and delivers batches whatever their CRC is."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(msgspec.structs.replace(case, args={**case.args, "data": sealed(case.args["data"])}))
        return msgspec.structs.replace(seen, case=case)


@pytest.mark.parametrize(
    ("ops", "name"),
    [
        ({Op.DECODE, Op.CONSUME}, "kafka-fail-accepted-invalid-read-crc-mismatch-crc"),
        ({Op.CONSUME}, "kafka-fail-accepted-invalid-consume-crc-mismatch"),
    ],
)
def test_what_is_read_wrong_is_no_second_finding_of_a_consumer(ops: set[Op], name: str) -> None:
    """Unless the bytes alone cannot be read."""
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "refused-crc")
    listener = _Told()
    implementation = _TakesWrongChecksums(types={"kafka": {"RecordSet": None}}, ops=ops)
    with Examiner(implementation) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "RecordSet"), examiner, listener)
        session.execute(b"RecordSet/-\n" + vector.data)
        session.finish()
    assert {one.rpartition("-")[0] for one in listener.names} == {name}


@pytest.mark.parametrize(("places", "told"), [(("length", "size"), 1), (("length", "size", "what follows"), 0)])
def test_a_refusal_that_is_known_to_be_missing_at_three_places_is_missing_at_each(
    places: tuple[str, ...], told: int
) -> None:
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "refused-crc")
    lacks = Group("fail", "accepted-invalid", "read", demanded="crc-mismatch")
    entries = tuple(
        KnownDeviation("bug", "so it is", finding=msgspec.structs.replace(lacks, place=place), reported="pending")
        for place in places
    )
    listener = _Told()
    implementation = _TakesWrongChecksums(types={"kafka": {"RecordSet": None}}, ops={Op.DECODE})
    with Examiner(implementation, Known(None, entries)) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "RecordSet"), examiner, listener)
        session.execute(b"RecordSet/-\n" + vector.data)
        session.finish()
    assert len(listener.names) == told


class _HangsInBrokenBatches(Recorder):
    """Gives no answer where the reference refuses."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        return Observation(case, Status.HANG, error="timeout") if seen.status is Status.REJECT else seen


@pytest.mark.parametrize(
    ("implementation", "ops", "known", "told"),
    [
        (_TakesWrongChecksums, {Op.CONSUME}, Group("fail", "accepted-invalid", "read", demanded="crc-mismatch"), 0),
        (_HangsInBrokenBatches, {Op.CONSUME}, Group("fail", "accepted-invalid", "read", demanded="crc-mismatch"), 1),
        (_HangsInBrokenBatches, {Op.CONSUME}, Group("hang", None, "read", "timeout", demanded="crc-mismatch"), 0),
        (_HangsInBrokenBatches, {Op.CONSUME, Op.DECODE}, None, 1),
    ],
)
def test_a_consumer_lacks_the_refusal_of_its_reader(
    implementation: type[Recorder], ops: set[Op], known: Group | None, told: int
) -> None:
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "refused-crc")
    place = known and msgspec.structs.replace(known, place="crc")
    entries = (KnownDeviation("bug", "no batch is broken", finding=place, reported="pending"),) if place else ()
    listener = _Told()
    with Examiner(implementation(types={"kafka": {"RecordSet": None}}, ops=ops), Known(None, entries)) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "RecordSet"), examiner, listener)
        session.execute(b"RecordSet/-\n" + vector.data)
        session.finish()
    assert len(listener.names) == told


class _EmptiesNullValues(Recorder):
    """Writes empty values in the place of null ones as a producer."""

    def observe(self, case: Case) -> Observation:
        if case.op is not Op.PRODUCE:
            return super().observe(case)
        records = [{**record, "value": record["value"] or b""} for record in case.args["records"]]
        seen = super().observe(msgspec.structs.replace(case, args={**case.args, "records": records}))
        return msgspec.structs.replace(seen, case=case)


def test_a_producers_finding_has_one_record_if_that_shows_it() -> None:
    records: list[dict[str, Any]] = [
        {"timestamp": 3, "key": b"k", "value": value, "headers": []} for value in (b"a", None, b"b", None)
    ]
    options = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1, "transactional": False}
    data = reference_codec().produce(records, magic=2, codec="none", options=options, dialect="kafka")
    listener = _Told()
    implementation = _EmptiesNullValues(types={"kafka": {"RecordSet": None}}, ops={Op.DECODE, Op.PRODUCE})
    with Examiner(implementation) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "RecordSet"), examiner, listener)
        session.execute(b"RecordSet/-\n" + data)
        session.finish()
    assert listener.last is not None
    args = arguments_of(Op.PRODUCE, bytes.fromhex(listener.last.id.rpartition("/x")[2].partition("#")[0]))
    assert [record["value"] for record in args["records"]] == [None]


class _InflatesNoControlBatch(Recorder):
    """Takes what is compressed in a control batch for the record itself, and tells a byte of it."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        data = case.args["data"]
        if len(data) < 62 or not data[22] & 0x20 or not data[22] & 0x07:
            return seen
        return Observation(case, Status.REJECT, detail=f"corrupt by {'abcdefgh'[data[-1] % 8]}")


def test_one_cause_in_batches_of_records_is_one_finding() -> None:
    """What is compressed in the batch decides what the refusal says."""
    listener, record = _Told(), {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "value": None}
    implementation = _InflatesNoControlBatch(types={"kafka": {"RecordSet": None}}, ops={Op.CONSUME})
    with Examiner(implementation) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "RecordSet"), examiner, listener)
        for number in range(12):
            headers = [["a" * number, b""]]
            marker = record | {"key": b"\0\0\0\1", "headers": headers}
            batch = {"magic": 2, "attributes": 0x30 + number % 4 + 1, "producerId": number, "records": [marker]}
            session.execute(b"RecordSet/-\n" + reference_codec().encode("RecordSet", [batch], dialect="kafka"))
        session.finish()
    assert len(listener.names) == 1
    assert session.counts.findings.total() == 12


class _TakesShortBatches(Recorder):
    """Does not refuse batches that are shorter than their header: what becomes of them depends on their codec."""

    def __init__(self, *errors: str) -> None:
        super().__init__(types={"kafka": {"RecordBatch": None}}, ops={Op.DECODE})
        self._errors = errors

    def observe(self, case: Case) -> Observation:
        data = case.args["data"]
        if int.from_bytes(data[8:12], "big") >= 49:
            return super().observe(case)
        error = self._errors[int.from_bytes(data[22:23], "big") & 1]
        frame = f"library:{error}" * (not error.startswith("SIG"))
        return Observation(case, Status.CRASH if error else Status.ANSWER, [], error=error, frame=frame)


@pytest.mark.parametrize(
    ("errors", "known", "told"),
    [
        (("TypeError", "KeyError"), False, 1),
        (("TypeError", ""), False, 1),
        (("", "TypeError"), False, 1),
        (("TypeError", "KeyError"), True, 0),
        (("", "SIGSEGV"), False, 2),  # an end of the process is more than an exception
        (("", "SIGSEGV"), True, 1),
    ],
)
def test_what_comes_of_a_refusal_that_lacks_is_one_finding(errors: tuple[str, str], known: bool, told: int) -> None:
    lacks = Group("fail", "accepted-invalid", "read", demanded="truncated", place="batchLength")
    entry = KnownDeviation("bug", "no size is too small", finding=lacks, reported="pending")
    listener = _Told()
    with Examiner(_TakesShortBatches(*errors), Known(None, (entry,) if known else ())) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", "RecordBatch"), examiner, listener)
        for crc, attributes in (("ce2c0a18", "0000"), ("db974b11", "0001")):
            header = f"0000000000000000 00000028 00000000 02 {crc} {attributes} 00000000"
            session.execute(b"RecordBatch/-\n" + bytes.fromhex(header + 2 * "00000174876e8000" + 9 * "ff"))
        session.finish()
    assert len(listener.names) == told


class _CrashesOfLargeNumbers(Recorder):
    """Reads varints of any size, and has no exception for what a size is too large for; and so with one text."""

    def observe(self, case: Case) -> Observation:
        data = case.args["data"]
        if b"\x80" * 5 in data or b"?" in data:
            return Observation(case, Status.CRASH, [], error="OverflowError", frame="library:read")
        return super().observe(case)


@pytest.mark.parametrize(
    ("data", "known", "told"),
    [
        # A text of 31 bytes that is cut. What stands there is read on, as a size of more than 64 bits.
        ("20 80808080808080808001", True, 0),
        ("20 80808080808080808001", False, 1),
        ("20 3f3f3f3f", True, 1),
        ("20 3f80808080808001", True, 1),  # shorter varints change nothing
    ],
)
def test_what_comes_of_a_varint_that_is_too_long_is_no_finding_of_its_own(data: str, known: bool, told: int) -> None:
    lacks = Group("fail", "accepted-invalid", "read", demanded="varint-overflow", place="a varint")
    entry = KnownDeviation("bug", "any size is read", finding=lacks, reported="pending")
    listener = _Told()
    types = {"kafka": {"COMPACT_STRING": None}}
    with Examiner(
        _CrashesOfLargeNumbers(types=types, ops={Op.DECODE}), Known(None, (entry,) if known else ())
    ) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", None), examiner, listener)
        session.execute(b"COMPACT_STRING/-\n" + bytes.fromhex(data))
        session.finish()
    assert len(listener.names) == told


class _OtherLayout(Recorder):
    """Has the layout of version 3 for version 4, in these ops."""

    wrong: frozenset[Op] = frozenset({Op.DECODE, Op.ENCODE})

    def observe(self, case: Case) -> Observation:
        seen = super().observe(msgspec.structs.replace(case, version=3) if case.op in self.wrong else case)
        return msgspec.structs.replace(seen, case=case)


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        (
            {Op.DECODE, Op.ENCODE},
            {"kafka-fail-refused-valid-read-truncated-length-1", "kafka-fail-wrong-bytes-write-length-1-unreadable"},
        ),
        ({Op.DECODE}, {"kafka-fail-refused-valid-read-truncated-length-1"}),
    ],
)
def test_of_a_type_whose_simplest_value_is_read_or_written_wrong_that_alone_is_a_finding(
    wrong: set[Op], names: set[str]
) -> None:
    """The layout of another version: each value is read and written wrong in another way."""
    listener = _Told()
    implementation = _OtherLayout(types={"kafka": {"HeartbeatRequest": (4, 4)}}, ops={Op.DECODE, Op.ENCODE})
    implementation.wrong = frozenset(wrong)
    with Examiner(implementation) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", None), examiner, listener)
        for value in ("026700000005026d0000", "8001" + 127 * "61" + "00000000010000", "026700000000026d00010501aa"):
            session.execute(b"HeartbeatRequest/4\n" + bytes.fromhex(value))
        session.finish()
    assert {name.rpartition("-")[0] for name in listener.names} == names
    assert session.counts.findings.total() > len(names)


def test_an_order_of_findings() -> None:
    small, large = a_kept("gen/kafka/VARINT/-/x01#decode").finding, a_kept("gen/kafka/VARINT/-/x8001#decode").finding
    assert small.order < large.order


class TestInstrumented:
    """Which modules of the reference libFuzzer sees the branches of."""

    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_all_packages_of_dialects_but_its_own_are_left_out(self, dialect: str) -> None:
        need_atheris()
        from wireproof.fuzz.process import instrument

        places = {type(other).__module__ for other in DIALECTS.values()}
        left_out = {*instrument._never(dialect)}
        assert places - left_out == places & {type(DIALECTS[dialect]).__module__}

    def test_modules_that_are_named_are_there(self) -> None:
        need_atheris()
        from wireproof.fuzz.process import instrument

        for module in (*instrument._ALIKE, *instrument._BRANCHES, *instrument._OF_SCHEMAS):
            assert importlib.util.find_spec(module), module

    def test_modules_that_are_named_exist(self) -> None:
        need_atheris()
        from wireproof.fuzz.process import instrument

        named = (*instrument._ALIKE, *instrument._BRANCHES, *instrument._OF_SCHEMAS)
        assert [name for name in named if importlib.util.find_spec(name) is None] == []

    @pytest.mark.parametrize(
        ("dialect", "target", "seen", "left_out"),
        [
            (
                "kafka",
                "decode",
                {"wireproof.reference.message"},
                {"wireproof.reference.dialects.kip_35", "wireproof.reference.evolution"},
            ),
            (
                "kip-35-v7",
                "schema",
                {
                    "wireproof.reference.message",
                    "wireproof.reference.dialects.kip_35.tags",
                    "wireproof.reference.evolution",
                },
                {"wireproof.reference.dialects.wire_format", "wireproof.reference.dialects.wire_format.values"},
            ),
        ],
    )
    def test_modules_that_no_input_reaches_are_not(
        self, dialect: str, target: str, seen: set[str], left_out: set[str]
    ) -> None:
        need_atheris()
        program = (
            "from wireproof.fuzz.process import instrument\n"
            f"instrument.install([instrument.REFERENCE], {dialect!r}, {target!r})\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", f"{program}from wireproof import reference"],
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
        instrumented = {line.rpartition(" ")[2] for line in done.stderr.splitlines() if "Instrumenting" in line}
        assert seen <= instrumented
        assert left_out.isdisjoint(instrumented)

    @pytest.mark.parametrize(("package", "shown"), [("wireproof.reference", False), ("kafka_python", True)])
    def test_what_generated_functions_compare_is_shown_but_not_the_reference_s(
        self, package: str, shown: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        need_atheris()
        from wireproof.fuzz.process import instrument

        asked = []

        def patched(code: CodeType, *, trace_dataflow: bool) -> CodeType:
            asked.append((code.co_name, trace_dataflow))
            return code

        monkeypatch.setattr("atheris.patch_code", patched)
        made = instrument.Generated(exec, frozenset({instrument.REFERENCE, "kafka_python"}))
        module = {"__name__": f"{package}.codec", "generate": made}
        exec("generate('def read(data): return data < 1', {})", module)
        assert asked == [("read", shown)]

    def test_of_fast_readers_of_records_the_branches_are_shown_but_not_what_they_compare(self) -> None:
        need_atheris()
        program = """
from wireproof.fuzz.process import instrument
instrument.install([instrument.REFERENCE], "kafka", "decode")
from wireproof.reference.fast import records as fast
from wireproof.reference.records import batch

def calls(function):
    return tuple(name in function.__code__.co_names for name in ("_trace_branch", "_trace_cmp"))

print(calls(fast.decode_batch), calls(batch.read_batch))
instrument.show_branches()
print(calls(fast.decode_batch), calls(batch.read_batch))
"""
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
        assert done.stdout.splitlines() == ["(False, False) (True, True)", "(True, False) (True, True)"]
