"""The parts of fuzzing that need no atheris: inputs, likeness, smaller inputs, the folder, commands on what is kept."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType

import msgspec
import pytest
from support.full_disk import full_disk
from support.fuzzing import command, need_atheris

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.generation.mutations import readable
from wireproof.conformance.model import Op, Outcome
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
from wireproof.fuzz.targets.finding import finding_of
from wireproof.fuzz.targets.inputs import Form, digest
from wireproof.fuzz.targets.kinds import Likeness
from wireproof.fuzz.targets.session_start import forms, kind_of, session_of
from wireproof.fuzz.targets.shrink import Same, smaller
from wireproof.reference.dialects import DIALECTS

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

    def test_a_command_that_is_too_long_for_a_list_is_not_cut(self, tmp_path: Path) -> None:
        kept = msgspec.structs.replace(a_kept(), repro=f"wireproof repro {500 * 'x'}")
        with Store(tmp_path) as store:
            store.keep(kept)
        _, text = commanded("findings", tmp_path)
        assert "xxx" not in text
        assert f"stands in {tmp_path}/findings/{kept.finding.name}.json" in " ".join(text.split())

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
