"""What `differential` asks beside reading and writing: lookup, convert, and values that have to be refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.fuzzing import TESTS, findings, fuzz, named, need_atheris

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.loading import load
from wireproof.conformance.connection.module import Module
from wireproof.conformance.generation import further_ops
from wireproof.conformance.generation.arguments import arguments_of, seed_of
from wireproof.conformance.generation.mutations import checksums, readable
from wireproof.conformance.generation.mutations.checksums import is_batch
from wireproof.conformance.model import DEVIATIONS, Case, Op, Outcome
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.fuzz.corpus import seeding
from wireproof.fuzz.process.mutator import Mutator
from wireproof.fuzz.targets.inputs import Form, Forms, of_values, split
from wireproof.fuzz.targets.kinds import TargetResult
from wireproof.fuzz.targets.session import BLOCK, FIRST_BLOCK, ChildSession
from wireproof.fuzz.targets.session_start import forms, kind_of

DIFFERENTIAL = kind_of("differential")
#: `{1: "a", 2: "b"}` as HEADERS of kip-82-int-keys.
HEADERS = bytes.fromhex("00000001 00000001 61 00000002 00000001 62")

#: A producer with an id, an epoch and a sequence.
IDEMPOTENT = {"producer_id": 7, "producer_epoch": 1, "base_sequence": 9, "transactional": False}


def table(name: str, dialect: str, only: str | None = None) -> Forms:
    return forms(DIFFERENTIAL, load(name).description, dialect, only)


def looked(module: Module, form: Form, data: bytes) -> tuple[set[Op], TargetResult]:
    """The ops that an input asks, and what the target makes of the answers."""
    steps, asked = DIFFERENTIAL.steps(form, data), set()
    try:
        cases = next(steps)
        while True:
            asked |= {case.op for case in cases}
            cases = steps.send([module.call(case) for case in cases])
    except StopIteration as end:
        found: TargetResult = end.value
    return asked, found


class TestArguments:
    def test_a_key_of_the_value_and_one_of_the_vectors_are_looked_up(self) -> None:
        value = reference.decode("HEADERS", HEADERS, dialect="kip-82-int-keys")
        asked = [*further_ops.arguments(frozenset({Op.LOOKUP}), "kip-82-int-keys", "HEADERS", HEADERS, value)]
        assert [op for op, _ in asked] == [Op.LOOKUP, Op.LOOKUP]
        assert asked[0][1]["key"] in (1, 2)
        assert {asked[0][1]["data"], asked[1][1]["data"]} == {HEADERS}
        keys = {vector.args["key"] for vector in vectors.load(["kip-82-int-keys"]) if Op.LOOKUP in vector.ops}
        assert asked[1][1]["key"] in keys

    def test_bytes_decide_which_key_so_in_time_each_is_asked(self) -> None:
        ops = frozenset({Op.LOOKUP})
        drawn = Random(1)
        data = [drawn.randbytes(8) for _ in range(100)]
        keys = {args["key"] for one in data for _, args in further_ops.arguments(ops, "kafka", "Record", one, None)}
        asked = [vector for vector in vectors.load(["kafka"]) if Op.LOOKUP in vector.ops]
        assert keys == {vector.args["key"] for vector in asked}

    def test_all_formats_of_a_type_are_asked(self) -> None:
        ops = frozenset({Op.CONVERT})
        asked = [args["to"] for _, args in further_ops.arguments(ops, "kip-82-string-keys", "BATCH", b"", None)]
        assert asked == ["magic-0", "magic-1", "shipped"]
        assert not [*further_ops.arguments(ops, "kip-82-string-keys", "HEADER", b"", None)]

    def test_what_is_only_converted_is_read_in_another_dialect(self) -> None:
        assert further_ops.converted_alone("kip-82-string-keys") == ["RecordSet"]
        assert further_ops.read_as("kip-82-string-keys", "RecordSet") == ("kafka", "RecordSet")
        assert further_ops.read_as("kip-82-string-keys", "BATCH") == ("kip-82-string-keys", "BATCH")

    @pytest.mark.parametrize(
        ("name", "changed", "asked"),
        [
            ("compacted-gaps", {}, True),
            ("broken-count-too-high", {}, True),
            ("compacted-gaps", {23: "ffffffff"}, False),  # it ends before it begins
            ("empty-batch-last", {0: "0000000000000063"}, True),
            ("empty-batch-last", {0: "0000000000000069"}, False),  # the second batch begins before it
            ("compacted-gaps", {23: "00000006"}, False),  # its last record lies behind its end
            ("compacted-gaps", {0: "7fffffffffffffff"}, False),
            ("control-alone", {}, True),
            ("control-later-version", {}, True),
            ("compacted-gaps", {21: "0020"}, False),  # several control records in a batch
            ("refused-crc", {21: "0020"}, False),  # the key `k` says no type of a control record
            ("control-alone", {57: "00000002"}, False),  # a broken batch of control records
            ("magic-1-wrapper-gzip", {}, True),
            ("magic-1-wrapper-gzip", {0: "0000000000000000"}, False),  # below the offsets in it
        ],
    )
    def test_consumers_are_asked_about_logs_alone(self, name: str, changed: dict[int, str], asked: bool) -> None:
        (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == name)
        data = bytearray(vector.data)
        for at, digits in changed.items():
            data[at : at + len(digits) // 2] = bytes.fromhex(digits)
        data = bytearray(checksums.sealed(bytes(data)))
        try:
            value = reference.decode("RecordSet", bytes(data), dialect="kafka")
        except reference.DecodeError:
            value = None
        asks = further_ops.arguments(frozenset({Op.CONSUME}), "kafka", "RecordSet", bytes(data), value)
        assert bool([*asks]) is asked

    def test_a_producer_is_given_the_records_of_the_bytes(self) -> None:
        """In time in each magic and codec, and once as the producer that has written them."""
        asked: list[dict[str, Any]] = []
        for value in range(256):
            records = [{"timestamp": 5, "key": None, "value": bytes([value]), "headers": [["k", b"v"], ["k", None]]}]
            data = reference.produce(records, magic=2, codec="none", options=IDEMPOTENT, dialect="kafka")
            read = reference.decode("RecordSet", data, dialect="kafka")
            (told,) = further_ops.arguments(frozenset({Op.PRODUCE}), "kafka", "RecordSet", data, read)
            assert told[0] is Op.PRODUCE
            assert told[1]["records"] == records
            asked.append(told[1])
        assert {(args["magic"], args["codec"]) for args in asked} == {
            (magic, codec) for magic in range(3) for codec in ("none", "gzip", "snappy", "lz4", "zstd")
        }
        assert {args["options"]["base_sequence"] for args in asked} == {-1, 9}

    @pytest.mark.parametrize("time", [-2, 2**63])
    def test_a_time_that_no_application_gives_is_not_asked(self, time: int) -> None:
        record: dict[str, Any] = {"timestampDelta": time, "key": None, "value": None, "headers": []}
        batch: dict[str, Any] = {"magic": 2, "baseTimestamp": 0, "records": [record]}
        assert further_ops.production([batch], 1) is None
        assert further_ops.production([], 1) is None
        assert further_ops.production([{**batch, "baseTimestamp": -time, "producerId": -1}], 1) is not None


class TestForms:
    def test_they_have_the_ops_that_their_type_has(self) -> None:
        found = table("reference", "kip-82-string-keys")
        reads = {Op.DECODE, Op.ENCODE, Op.RECODE}
        assert found[b"BATCH/-"].ops == reads | {Op.CONVERT}
        assert found[b"HEADERS/-"].ops == reads | {Op.LOOKUP}
        assert found[b"HEADER/-"].ops == reads
        assert found[b"RecordSet/-"].ops == {Op.CONVERT}
        assert table("reference", "kafka")[b"RecordSet/-"].ops == reads | {Op.CONSUME, Op.CONVERT, Op.PRODUCE}
        assert Op.LOOKUP not in table("reference", "kafka")[b"MetadataResponse/12"].ops

    def test_values_are_inputs_where_vectors_ask_to_write_some(self) -> None:
        found = table("reference", "kafka")
        values = {head for head, form in found.items() if form.value}
        assert b"MessageSet/1 value" in values
        assert b"BOOLEAN value" not in values
        assert all(found[head].ops == {Op.ENCODE} for head in values)
        seeds = {split(raw)[0] for raw in seeding.seeds(DIFFERENTIAL, "kafka", found)}
        assert values <= seeds

    def test_other_targets_have_none(self) -> None:
        for target in ("decode", "stability", "values"):
            found = forms(kind_of(target), load("reference").description, "kafka", "MessageSet")
            assert not [form for form in found.values() if form.value]

    @pytest.mark.parametrize("dialect", reference.dialects)
    def test_a_seed_is_about_one_of_the_forms(self, dialect: str) -> None:
        found = table("reference", dialect)
        assert {split(raw)[0] for raw in seeding.seeds(DIFFERENTIAL, dialect, found)} <= found.keys()


@pytest.mark.parametrize(
    ("miniature", "dialect", "op"),
    [
        ("kip_35_reads_tags_as_text", "kip-35-v7", Op.LOOKUP),
        ("kip_82s_converts_by_the_bits", "kip-82-string-keys", Op.CONVERT),
        ("kip_82s_empties_null_headers", "kip-82-string-keys", Op.CONVERT),
        ("writes_tags_as_given", "kafka", Op.ENCODE),
        ("producer_keeps_headers_in_a_map", "kafka", Op.PRODUCE),
    ],
)
def test_a_seed_shows_what_is_wrong_and_the_reference_is_right(miniature: str, dialect: str, op: Op) -> None:
    """And the judge agrees: the question is made again from the id alone."""
    spec = f"miniatures.{miniature}"
    wrong, right = load(spec), load("reference")
    found = forms(DIFFERENTIAL, wrong.description, dialect, None)
    suspects = []
    for raw in seeding.seeds(DIFFERENTIAL, dialect, found):
        head, data = split(raw)
        shown = [one.identifier for one in looked(wrong, found[head], data)[1].suspects]
        suspects += [one for one in shown if one.endswith(f"#{op}")]
        assert not shown or not looked(right, found[head], data)[1].suspects
    with Examiner(open_connection(spec, Options(in_process=True))) as examiner:
        verdicts = {judged.verdict.outcome for judged in examiner.judge(find(one) for one in suspects[:20])}
    assert verdicts & DEVIATIONS


def test_an_implementation_that_only_writes_is_asked_to() -> None:
    module = Module(load("reference").description, {Op.ENCODE: reference.encode}, None)
    form = Form("kafka", "INT16", None, frozenset({Op.ENCODE}))
    asked, found = looked(module, form, b"\x00\x01")
    assert asked == {Op.ENCODE}
    assert not found.suspects
    assert looked(module, form, b"\x00")[0] == set()


def test_a_value_that_is_none_asks_nothing() -> None:
    form = Form("kafka", "INT16", None, frozenset({Op.ENCODE}), value=True)
    assert form.head == b"INT16/- value"
    assert looked(load("reference"), form, b"{")[0] == set()
    asked, found = looked(load("reference"), form, b"32768")
    assert asked == {Op.ENCODE}
    assert not found.suspects
    wrong = Module(load("reference").description, {Op.ENCODE: lambda *_, **__: b"\x80\x00"}, None)
    (suspect,) = looked(wrong, form, b"32768")[1].suspects
    assert suspect.identifier == "gen/kafka/INT16/-/v3332373638#encode"
    with Examiner(open_connection("reference", Options(in_process=True))) as examiner:
        (judged,) = examiner.judge([find(suspect.identifier)])
    assert judged.verdict.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ('{"ThrottleTimeMs":2147483649,"ErrorCode":2}', False),  # version 0 has no such field, and writes the rest
        ('{"ErrorCode":2}', True),
        ('{"ErrorCode":32768}', True),
        ('{"ErrorCode":0}', True),
    ],
)
def test_what_is_not_written_is_no_question(value: str, asked: bool) -> None:
    form = Form("kafka", "HeartbeatResponse", 0, frozenset({Op.ENCODE}), value=True)
    ops, found = looked(load("reference"), form, value.encode())
    assert bool(ops) is asked
    assert not found.suspects


def test_a_refused_conversion_of_what_is_only_converted_is_judged() -> None:
    """The dialect reads no RecordSet, so nothing can be said of the rulings behind the refusal."""
    seeds = seeding.seeds(DIFFERENTIAL, "kip-82-string-keys", table("reference", "kip-82-string-keys"))
    sets = [split(raw)[1] for raw in seeds if raw.startswith(b"RecordSet/-\n")]
    asked = [seed_of(Op.CONVERT, {"data": data, "to": "draft"}).hex() for data in sets]
    questions = []
    for seed in asked:
        with contextlib.suppress(UnknownId):  # several batches, which cannot be compared
            questions.append(find(f"gen/kip-82-string-keys/RecordSet/-/x{seed}#convert"))
    with Examiner(open_connection("miniatures.kip_82s_empties_null_headers", Options(in_process=True))) as examiner:
        found = {str(judged.verdict.kind) for judged in examiner.judge(questions)}
    assert "accepted-invalid" in found


class TestMutator:
    def test_a_value_stays_one(self) -> None:
        plain = Form("kafka", "MessageSet", 1, frozenset({Op.DECODE, Op.ENCODE}))
        both = {plain.head: plain, **of_values({plain.head: plain})}
        (value,) = (form for form in both.values() if form.value)
        mutator = Mutator(both, lambda data, _: data + b"x")
        seeds = [raw for raw in seeding.seeds(DIFFERENTIAL, "kafka", both) if split(raw)[0] == value.head]
        assert seeds
        for raw in seeds:
            made = {mutator(raw, 4096, 1) for _ in range(30)}
            assert {split(one)[0] for one in made} == {value.head}
            assert all(isinstance(arguments_of(Op.ENCODE, split(one)[1])["value"], list) for one in made)
            assert len(made) > 3
            assert max(map(len, made)) < 4096
        assert mutator(value.input(b"{"), 4096, 1) == value.input(b"{")
        bytes_ = {split(mutator(plain.input(b"abc"), 4096, 1))[0] for _ in range(300)}
        assert bytes_ == {plain.head}

    def test_most_batches_come_past_their_crc(self) -> None:
        """And what has no batch's header gives way to one that has been read."""
        form = table("reference", "kafka", "RecordBatch")[b"RecordBatch/-"]
        batches = {raw for raw in seeding.seeds(DIFFERENTIAL, "kafka", {form.head: form}) if is_batch(split(raw)[1])}
        drawn = Random(1)

        def flipped(data: bytes, _: int) -> bytes:
            at = drawn.randrange(17, len(data))
            return data[:at] + bytes([data[at] ^ 1 << drawn.randrange(8)]) + data[at + 1 :]

        mutator = Mutator({form.head: form}, flipped)
        assert share(mutator, batches, form) > 0.6
        assert share(mutator, {form.input(bytes(30))}, form) > 0.5
        assert share(Mutator({form.head: form}, flipped, structured=False), batches, form) < 0.1

    def test_the_structure_of_what_is_only_converted_is_known(self) -> None:
        found = table("reference", "kip-82-string-keys", "RecordSet")
        raws = [*seeding.seeds(DIFFERENTIAL, "kip-82-string-keys", found)]
        mutator = Mutator(found, lambda data, _: b"")
        made = [split(mutator(raw, 4096, 1))[1] for raw in raws for _ in range(40)]
        assert len({data for data in made if len(data) > 61 and readable(data, "kafka", "RecordSet", None)}) > 40


def share(mutator: Mutator, raws: Iterable[bytes], form: Form) -> float:
    """The share of changed inputs that are refused behind a batch's CRC, or not at all."""
    past = count = 0
    for raw in sorted(raws):
        for _ in range(20):
            data = split(mutator(raw, 4096, 1))[1]
            count += 1
            try:
                reference.decode(form.type or "", data, dialect="kafka")
                past += 1
            except reference.DecodeError as error:
                past += (error.offset or 0) >= 21
    return past / count


class _Deaf:
    def found(self, finding: object) -> None:
        pass

    def novel(self, raw: bytes, shown: object) -> None:
        pass


@pytest.mark.parametrize(("miniature", "grows"), [("null_is_empty", True), ("aborts", False)])
def test_blocks_grow_until_one_ends_the_child(miniature: str, grows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the first finding of what ends at each input would wait for hundreds of starts."""
    monkeypatch.chdir(TESTS)
    with Examiner(open_connection(f"miniatures.{miniature}", Options())) as examiner:
        found = forms(kind_of("decode"), examiner.description, "kafka", None)
        session = ChildSession(kind_of("decode"), found, examiner, _Deaf())
        sizes: list[int] = []
        begin = examiner.connection.begin

        def counted(cases: Sequence[Case]) -> None:
            sizes.append(len(cases))
            begin(cases)

        monkeypatch.setattr(examiner.connection, "begin", counted)
        raws = [*seeding.seeds(kind_of("decode"), "kafka", found)]
        for number in range(2 * BLOCK + 40 if grows else 40):
            head, data = split(raws[number % len(raws)])
            session.execute(head + b"\n" + data + number.to_bytes(2, "big"))
        session.finish()
    assert sizes[0] == FIRST_BLOCK
    assert (max(sizes) == BLOCK) is grows


def test_a_wrong_conversion_is_found_and_listed(tmp_path: Path) -> None:
    need_atheris()
    spec = "--impl=miniatures.kip_82s_converts_by_the_bits"
    words = ["run", "differential", "--dialect=kip-82-string-keys", spec, "--type=BATCH", "--runs=200", "--time=120s"]
    ran = fuzz(*words, "--out", tmp_path)
    assert ran.code == 1, ran.text
    found = findings(tmp_path)
    (one,) = (kept for kept in found if named([kept]) == {("convert", "BATCH", "fail", "wrong-bytes")})
    args = arguments_of(Op.CONVERT, bytes.fromhex(one.finding.id.rpartition("/x")[2].partition("#")[0]))
    assert args["to"] == "shipped"
    assert fuzz("findings", tmp_path).text.count(one.finding.id) == 1
