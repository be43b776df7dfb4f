"""Campaigns as a person starts them: findings, files, messages, and how campaigns end."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.fuzzing import TESTS, command, findings, fuzz, kill, named, need_atheris
from support.paths import ROOT
from support.thorough import some

from wireproof.cli import group
from wireproof.conformance import vectors
from wireproof.conformance.connection import Options
from wireproof.conformance.model import DEVIATIONS, Op
from wireproof.conformance.writing import Folder
from wireproof.fuzz.campaign import campaign
from wireproof.fuzz.campaign.dependencies import Dependencies, dependencies_of
from wireproof.fuzz.campaign.run import Plan, Run, State, describe
from wireproof.fuzz.campaign.store import Store, judged
from wireproof.fuzz.corpus import seeding
from wireproof.fuzz.corpus.vector_seeds import dictionary
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.inputs import digest
from wireproof.fuzz.targets.kinds import KINDS
from wireproof.fuzz.targets.session_start import forms, kind_of

#: Enough executions for what is to be found, in a second or two.
FEW = "--runs=400"


@pytest.fixture(autouse=True)
def _atheris() -> None:
    need_atheris()


@pytest.fixture(autouse=True)
def _in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)


@pytest.mark.parametrize("target", some(["values", "decode", "stability", "differential"], 2))
def test_the_reference_is_clean(target: str, tmp_path: Path) -> None:
    ran = fuzz("run", target, "--type=TAG_BUFFER", FEW, "--time=120s", "--out", tmp_path)
    assert ran.code == 0, ran.text
    assert "0 new findings" in ran.text
    assert not findings(tmp_path)
    assert [json.loads(line)["event"] for line in (tmp_path / "campaign.jsonl").read_text().splitlines()] == [
        "begin",
        "end",
    ]
    assert all(entry.name == digest(entry.read_bytes()) for entry in (tmp_path / "corpus").glob("*/*/*"))


@pytest.mark.parametrize(("target", "dialect"), some([("exchange", "wire-format"), ("schema", "kip-482-v1")], 2))
def test_the_reference_is_clean_in_what_has_no_type(target: str, dialect: str, tmp_path: Path) -> None:
    ran = fuzz("run", target, f"--dialect={dialect}", FEW, "--time=120s", "--out", tmp_path)
    assert ran.code == 0, ran.text


@pytest.mark.parametrize(
    ("miniature", "target", "expected"),
    [
        ("unsigned_for_zigzag", "differential", ("decode", "VARINT", "fail", "wrong-value")),
        *some([("empties_unknown_tags", "differential", ("decode", "TAG_BUFFER", "fail", "wrong-value"))], 2, 1),
        ("broker_closes_instead", "exchange", ("serve", None, "fail", "wrong-answer")),
        (
            "messages_by_recode_as_it_turns_out",
            "differential",
            ("recode", "MetadataResponse", "fail", "accepted-invalid"),
        ),
    ],
)
def test_a_miniature_is_found_and_its_repro_line_repeats_it(
    miniature: str, target: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    only = [] if expected[1] is None else [f"--type={expected[1]}"]
    ran = fuzz("run", target, f"--impl=miniatures.{miniature}", *only, "--runs=3000", "--time=120s", "--out", tmp_path)
    assert ran.code == 1, ran.text
    found = findings(tmp_path)
    assert expected in named(found)
    for kept in found:
        assert kept.times >= 1
        assert judged(kept).verdict.outcome in DEVIATIONS
        assert kept.finding.id in kept.repro
    one = next(kept for kept in found if expected in named([kept]))
    done = subprocess.run(
        ["bash", "-c", one.repro],
        capture_output=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        check=False,
    )
    assert done.returncode == 1, done.stdout


def test_another_reading_is_no_finding_without_a_declaration(tmp_path: Path) -> None:
    """R-K-7: what follows a value is not looked at."""
    words = ("--impl=readings.ignores_trailing_bytes", "--type=COMPACT_STRING", "--runs=3000", "--time=120s")
    ran = fuzz("run", "differential", *words, "--out", tmp_path)
    assert ran.code == 0, ran.text
    assert findings(tmp_path) == []


def test_what_is_read_wrong_is_one_finding_with_what_recode_writes_of_it(tmp_path: Path) -> None:
    fuzz("run", "differential", "--impl=miniatures.empties_unknown_tags", "--type=TAG_BUFFER", FEW, "--out", tmp_path)
    assert named(findings(tmp_path)) == {("decode", "TAG_BUFFER", "fail", "wrong-value")}


def test_a_finding_is_as_small_as_it_can_be(tmp_path: Path) -> None:
    fuzz("run", "differential", "--impl=miniatures.unsigned_for_zigzag", "--type=VARINT", FEW, "--out", tmp_path)
    ids = {kept.finding.id for kept in findings(tmp_path)}
    assert "gen/kafka/VARINT/-/x01#decode" in ids


@pytest.mark.parametrize("miniature", ["aborts", "hangs"])
def test_what_ends_or_holds_up_the_process_is_a_finding_and_the_campaign_goes_on(
    miniature: str, tmp_path: Path
) -> None:
    spec = f"--impl=miniatures.{miniature}"
    ran = fuzz("run", "decode", spec, "--timeout=1", "--time=200s", "--runs=100", "--out", tmp_path)
    assert ran.code == 1, ran.text
    assert {kept.finding.group["verdict"] for kept in findings(tmp_path)} <= {"crash", "hang"}
    events = [json.loads(line) for line in (tmp_path / "campaign.jsonl").read_text().splitlines()]
    assert [event for event in events if event["event"] == "death"]
    assert events[-1]["event"] == "end"


def test_what_ends_the_process_when_the_time_is_over_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is over as soon as the first child has got its order; a hang is only noticed after its time limit."""
    spec = "miniatures.hangs_in_every_tag_buffer"
    left = iter([60.0])
    monkeypatch.setattr(Run, "_left", property(lambda _: next(left, -1.0)))
    plan = Plan(spec, "decode", "kafka", dependencies_of(spec), only="TAG_BUFFER", seconds=60.0, timeout=1.0)
    with Store(tmp_path) as store:
        state = Run(plan, store, describe(spec, Options(), None), lambda *_: None).go()
    assert state.restarts == 0
    assert state.new
    assert {kept.finding.group["verdict"] for kept in findings(tmp_path)} == {"hang"}


def test_a_run_without_time_for_an_input_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "run", lambda *_: State())
    ran = CliRunner().invoke(group, ["fuzz", "run", "decode", "--type=VARINT", "--out", str(tmp_path)])
    assert ran.exit_code == 2, ran.output
    assert "nothing was asked: the time was over before the first input" in ran.output


def test_a_program_is_asked_in_a_child_and_what_it_does_wrong_is_a_finding(tmp_path: Path) -> None:
    spec = f"--impl=exec:{sys.executable} -m miniatures.exits"
    ran = fuzz("run", "decode", spec, "--time=60s", "--runs=50", "--out", tmp_path)
    assert ran.code == 1, ran.text
    assert named(findings(tmp_path)) == {("decode", "BOOLEAN", "crash", None)}
    assert '"death"' not in (tmp_path / "campaign.jsonl").read_text()


def test_a_native_module_is_asked_in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    pytest.importorskip("kio")
    pytest.importorskip("kafka")
    assert dependencies_of("implementations.kio").in_child
    assert not dependencies_of("implementations.kafka_python").in_child
    assert {"kafka", "implementations"} <= {*dependencies_of("implementations.kafka_python").packages}
    assert dependencies_of("exec:./anything").in_child


def test_what_the_known_file_explains_is_counted_and_not_told(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(
        '[[deviation]]\nsignature = {type = "VARINT"}\nclass = "bug"\nreason = "no zigzag"\nreported = "pending"\n'
    )
    words: list[str | Path] = ["run", "differential", "--impl=miniatures.unsigned_for_zigzag", "--type=VARINT", FEW]
    ran = fuzz(*words, "--known", known, "--out", tmp_path / "out")
    assert ran.code == 0, ran.text
    assert not findings(tmp_path / "out")
    assert " 0 known deviations" not in ran.text


def test_a_full_disk_for_temporary_files_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(seeding, "write", full)
    described = describe("reference", Options(), None)
    plan = Plan("reference", "decode", "kafka", Dependencies((), ()), only="VARINT", runs=10)
    with Store(tmp_path) as store, pytest.raises(FuzzError, match=r"seeds: No space left on device.*TMPDIR"):
        Run(plan, store, described, lambda *_: None).go()


def test_a_disk_that_is_full_for_inputs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """libFuzzer writes the inputs, and goes on without a word when it cannot."""
    described = describe("reference", Options(), None)
    plan = Plan("reference", "decode", "kafka", Dependencies((), ()), only="VARINT", runs=10)

    def full(self: Folder, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(self.path))

    with Store(tmp_path) as store:
        monkeypatch.setattr(Folder, "demand_room", full)
        with pytest.raises(FuzzError, match=r"No space left on device.*what it told before is as it was"):
            Run(plan, store, described, lambda *_: None).go()
    assert "end" not in [json.loads(line)["event"] for line in (tmp_path / "campaign.jsonl").read_text().splitlines()]


def test_a_second_run_tells_nothing_as_new_and_counts_on(tmp_path: Path) -> None:
    words: list[str | Path] = [
        "run",
        "differential",
        "--impl=miniatures.unsigned_for_zigzag",
        "--type=VARINT",
        FEW,
        "--out",
        tmp_path,
    ]
    assert fuzz(*words).code == 1
    first = {kept.finding.name: kept for kept in findings(tmp_path)}
    again = fuzz(*words)
    assert again.code == 1, again.text
    assert f"0 new findings, {len(first)} open" in again.text
    second = {kept.finding.name: kept for kept in findings(tmp_path)}
    assert second.keys() == first.keys()
    assert all(second[name].times > first[name].times for name in first)
    assert {kept.first_seen for kept in second.values()} == {kept.first_seen for kept in first.values()}


def own_vectors(tmp_path: Path) -> Path:
    """A user's folder with one vector, a string."""
    folder = tmp_path / "my-own"
    folder.mkdir()
    vector = {
        "id": "one",
        "about": "a string",
        "type": "COMPACT_STRING",
        "source": "KIP-482",
        "bytes": [["07", "length + 1"], ["66757a7a6564", "text"]],
        "value": "fuzzed",
    }
    content = {"format": 1, "dialect": "kafka", "area": "null-encodings", "vectors": [vector]}
    (folder / "own.json").write_text(json.dumps(content))
    return folder


def test_the_dictionary_is_given_and_a_users_own_vectors_are_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = own_vectors(tmp_path)
    vectors.use_folders([folder])
    said: list[bytes] = []
    look = Run._take_stderr

    def heard(self: Run, job: Any, chunk: bytes) -> None:
        said.append(chunk)
        look(self, job, chunk)

    monkeypatch.setattr(Run, "_take_stderr", heard)
    described = describe("reference", Options(), None)
    plan = Plan(
        "reference", "decode", "kafka", Dependencies((), ()), only="COMPACT_STRING", runs=50, vectors=(str(folder),)
    )
    try:
        with Store(tmp_path / "out") as store:
            state = Run(plan, store, described, lambda *_: None).go()
        seeds = {*seeding.seeds(kind_of("decode"), "kafka", forms(kind_of("decode"), described, "kafka", plan.only))}
    finally:
        vectors.use_folders(())
    assert state.executions > 50
    assert not state.new
    assert b"COMPACT_STRING/-\n\x07fuzzed" in seeds
    assert f"Dictionary: {len(dictionary('kafka'))} entries".encode() in b"".join(said)


def test_first_inputs_are_written_with_those_of_a_users_own_vectors(tmp_path: Path) -> None:
    folder = own_vectors(tmp_path)
    added_folder: list[str | Path] = ["--vectors", folder]
    none: list[str | Path] = []
    for name, more in (("without", none), ("with", added_folder)):
        words: list[str | Path] = ["seeds", "decode", tmp_path / name, "--type=COMPACT_STRING", *more]
        assert fuzz(*words).code == 0
    added = {path.read_bytes() for path in (tmp_path / "with").iterdir()} - {
        path.read_bytes() for path in (tmp_path / "without").iterdir()
    }
    assert added == {b"COMPACT_STRING/-\n\x07fuzzed"}


@pytest.mark.parametrize("told", [2])
def test_killed_at_any_moment_it_keeps_what_it_told(told: int, tmp_path: Path) -> None:
    words: list[str | Path] = [
        "run",
        "differential",
        "--impl=miniatures.empties_unknown_tags",
        "--time=60s",
        "--out",
        tmp_path,
    ]
    process = subprocess.Popen(
        command(*words), cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0
    )
    assert process.stdout is not None
    names = []
    for line in process.stdout:
        if line.startswith("found "):
            names.append(line.split()[1].rstrip(":"))
        if len(names) == told:
            break
    kill(process)
    process.stdout.close()
    assert {*names} <= {kept.finding.name for kept in findings(tmp_path)}
    with Store(tmp_path) as store:
        assert {*names} <= store.findings.keys()
        corpus = store.corpus("differential", "kafka")
        assert all(entry.name == digest(entry.read_bytes()) for entry in corpus.iterdir())


def test_the_same_seed_and_runs_do_the_same(tmp_path: Path) -> None:
    words: list[str | Path] = ["run", "decode", "--type=COMPACT_STRING", "--runs=2000", "--seed=7"]
    corpora = []
    for name in ("one", "two"):
        assert fuzz(*words, "--out", tmp_path / name).code == 0
        corpora.append(sorted(entry.name for entry in (tmp_path / name / "corpus").glob("*/*/*")))
    assert corpora[0] == corpora[1]
    assert corpora[0]


class TestBlind:
    def test_a_target_without_the_planted_bug_is_blind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As if the search did not see it: the reference stands where the canary should."""
        monkeypatch.setattr(campaign, "_MODULE", "support.no_canary")
        monkeypatch.setattr(campaign, "BUDGET", 300)
        described = describe("reference", Options(), None)
        plan = Plan("reference", "decode", "kafka", Dependencies((), ()), only="VARINT")
        with pytest.raises(FuzzError, match="the search is blind"):
            campaign.canary_found(plan, described)

    @pytest.mark.parametrize("target", some([*KINDS], 2))
    def test_each_canary_is_found(self, target: str) -> None:
        described = describe("reference", Options(), None)
        only = "STRING" if KINDS[target].typed else None
        plan = Plan("reference", target, "kafka", Dependencies((), ()), only=only)
        assert campaign.canary_found(plan, described).new

    @pytest.mark.parametrize(
        ("op", "dialect", "only"),
        some(
            [
                ("lookup", "kip-82-int-keys", "HEADERS"),
                ("lookup", "kafka", "Record"),
                ("convert", "kip-82-string-keys", "BATCH"),
                ("consume", "kafka", "RecordSet"),
                ("produce", "kafka", "RecordSet"),
            ],
            2,
        ),
    )
    def test_a_fault_in_what_is_asked_beside_is_found_too(
        self, op: str, dialect: str, only: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        described = describe("reference", Options(), None)
        described = dataclasses.replace(described, ops=frozenset({Op.DECODE, Op(op)}))
        plan = Plan("reference", "differential", dialect, Dependencies((), ()), only=only)
        assert campaign.canary_found(plan, described).new
        monkeypatch.setattr(campaign, "_MODULE", "support.no_canary")
        monkeypatch.setattr(campaign, "BUDGET", 300)
        with pytest.raises(FuzzError, match=f"the search is blind: .* {op} "):
            campaign.canary_found(plan, described)

    def test_a_canary_is_found_in_a_child(self) -> None:
        described = describe("reference", Options(), None)
        plan = Plan("reference", "differential", "kafka", Dependencies((), ("native",)), only="INT32")
        assert campaign.canary_found(plan, described).new


@pytest.mark.parametrize(("native", "least"), some([((), 300), (("native",), 150)], 2, 1), ids=str)
def test_libfuzzer_sees_the_branches(native: tuple[str, ...], least: int, tmp_path: Path) -> None:
    """Where only the functions that are instrumented later show theirs, there are 164 in process, and 18 in a child."""
    described = describe("reference", Options(), None)
    plan = Plan("reference", "differential", "kafka", Dependencies((), native), only="RecordBatch", runs=2_000)
    with Store(tmp_path) as store:
        state = Run(plan, store, described, lambda *_: None).go()
    assert state.coverage > least


def test_a_campaign_takes_its_turns(tmp_path: Path) -> None:
    described = describe("miniatures.kip_35_counts_in_two_bytes", Options(), None)
    dependencies = dependencies_of("miniatures.kip_35_counts_in_two_bytes")
    plan = Plan("miniatures.kip_35_counts_in_two_bytes", "decode", "kip-35-v7", dependencies, seconds=8.0)
    offered = campaign.plans(plan, described)
    assert {one.dialect for one in offered} == {"kip-35-v7"}
    assert {one.target for one in offered} >= {"decode", "differential"}
    seen: list[Any] = []

    def watch(plan: Plan, state: State, found: Any) -> None:
        seen.append(plan.target)

    with Store(tmp_path) as store:
        states = campaign.campaign(plan, store, described, watch)
    assert states
    assert sum(state.executions for state in states) > 0
    assert {*seen} == {one.target for one in offered}


def test_each_target_has_a_short_turn_first_and_the_best_has_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock goes on with the turns alone."""
    taken: list[tuple[str, float]] = []
    now = 0.0

    def go(self: Run) -> State:
        nonlocal now
        assert self.plan.seconds is not None
        now += self.plan.seconds
        taken.append((self.plan.target, self.plan.seconds))
        return State(seconds=self.plan.seconds, coverage=9 * len(taken) if self.plan.target == "stability" else 1)

    monkeypatch.setattr(Run, "go", go)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    described = describe("reference", Options(), None)
    plan = Plan("reference", "decode", described.dialects[0], Dependencies((), ()), seconds=3600.0)
    offered = campaign.plans(plan, described)
    with Store(tmp_path) as store:
        states = [*campaign.turns(plan, store, described, lambda *_: None)]
    first, later = taken[: len(offered)], taken[len(offered) :]
    assert [target for target, _ in first] == [one.target for one in offered]
    assert [target for target, _ in first[: len(described.dialects)]] == ["differential"] * len(described.dialects)
    assert {seconds for _, seconds in first} == {campaign.LEAST}
    assert {target for target, _ in later} == {"stability"}
    assert len(states) == len(taken)
    assert now == pytest.approx(3600.0)
