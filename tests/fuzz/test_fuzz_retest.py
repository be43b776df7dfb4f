"""What earlier campaigns found is asked again: a bug stays red until it is mended or known."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from support.fuzzing import TESTS, findings, need_atheris

from wireproof.cli import group
from wireproof.conformance.connection import Options
from wireproof.conformance.questions.lookup import find
from wireproof.fuzz.campaign import campaign, retest
from wireproof.fuzz.campaign.dependencies import Dependencies
from wireproof.fuzz.campaign.run import Plan, Run, State, describe
from wireproof.fuzz.campaign.store import Kept, Store, read_findings
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.finding import FuzzFinding, finding_of
from wireproof.fuzz.targets.session_start import examiner_of

#: A codec of one byte. It is wrong about some bytes while there is a file `bug`.
CODEC = """
from pathlib import Path

name = "night"
types = {"kafka": {"INT8": None}}
bug = Path(__file__).with_name("bug").exists()

def decode(type, data, *, dialect, version=None):
    if len(data) != 1:
        raise ValueError("one byte is expected")
    if bug and b"\\x70" <= data < b"\\x80":
        return 0
    return int.from_bytes(data, signed=True)

def encode(type, value, *, dialect, version=None):
    return value.to_bytes(1, signed=True)
"""
KNOWN = '[[deviation]]\nsignature = {%s}\nclass = "bug"\nreason = "planted"\nreported = "pending"\n'


@dataclass(frozen=True)
class Night:
    """What a run said, and what the folder holds after it."""

    code: int
    text: str
    corpus: frozenset[str]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the codec. Nothing is planted in copies of the targets: other tests see that this is found."""
    need_atheris()
    (tmp_path / "night_codec.py").write_text(CODEC)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(campaign, "canary_found", lambda *_: State())
    return tmp_path


def night(*more: str) -> Night:
    """A short run of `wireproof fuzz` over the folder `kept`."""
    words = ["fuzz", "run", "differential", "--impl=night_codec", "--runs=100", "--time=60s", "--out=kept", *more]
    ran = CliRunner().invoke(group, words)
    assert "night_codec" not in sys.modules
    return Night(
        ran.exit_code, ran.output, frozenset(path.name for path in Path("kept/corpus/differential/kafka").iterdir())
    )


def in_folder(name: str) -> set[str]:
    return {path.stem for path in Path("kept", name).glob("*.json")}


def test_three_nights_over_one_folder(place: Path) -> None:
    bug = place / "bug"
    bug.touch()
    nights = [night() for _ in range(3)]
    assert [one.code for one in nights] == [1, 1, 1], nights[1].text
    assert nights[0].corpus <= nights[1].corpus <= nights[2].corpus
    names = in_folder("findings")
    assert names
    last = nights[2].text.splitlines()[-10:]
    for kept in findings(Path("kept")):
        assert any(f"open   {kept.finding.name}" in line for line in last)
        assert any(kept.repro in line for line in last)

    (place / "night_codec.known.toml").write_text(KNOWN % 'type = "INT8"')
    excused = night()
    assert excused.code == 0, excused.text
    told = [line.rpartition(": ") for line in excused.text.splitlines()]
    assert {name for entry, _, name in told if entry.startswith("known as signature {")} == names
    assert in_folder("findings") == names
    listed = CliRunner().invoke(group, ["fuzz", "findings", "kept"])
    assert listed.exit_code == 0
    assert f"0 open, {len(names)} known, 0 mended" in listed.output

    (place / "night_codec.known.toml").unlink()
    bug.unlink()
    mended = night()
    assert mended.code == 0, mended.text
    assert all(f"mended, and moved to kept/mended: {name}" in mended.text for name in names)
    assert (in_folder("findings"), in_folder("mended")) == (set(), names)
    assert nights[2].corpus <= mended.corpus


def test_new_ones_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "run", lambda plan, _, __, watch: watch(plan, State(executions=1), None))
    with Store(place / "kept") as store:
        store.keep(kept_of("reference", ["gen/kafka/INT8/-/x01#decode"])[0])
    words = ["fuzz", "run", "decode", "--impl=reference", "--type=INT8", "--out=kept", "--only-new"]
    ran = CliRunner().invoke(group, words)
    assert ran.exit_code == 0, ran.output
    assert "1 earlier findings were not asked again" in ran.output
    assert in_folder("findings") == {"finding-0"}


def kept_of(spec: str, identifiers: list[str]) -> list[Kept]:
    """Findings of an implementation, each by a name of its own. What the reference answers stands for what was seen."""
    with examiner_of("reference", Options(in_process=True), None) as examiner:
        judged = [*examiner.judge(map(find, identifiers))]
    found = []
    for number, one in enumerate(judged):
        finding: FuzzFinding = msgspec.structs.replace(finding_of(one, b"", "decode"), name=f"finding-{number}")
        found.append(Kept(finding, "x", None, spec, "", 1.0, 1, 1))
    return found


def plan_of(spec: str, **more: Any) -> Plan:
    return Plan(spec, "decode", "kafka", Dependencies((), ()), timeout=0.2, **more)


class TestRetest:
    @pytest.fixture(autouse=True)
    def _in_tests(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(TESTS)

    def test_all_are_asked_though_a_child_is_not_asked_on_after_some_hangs(self, tmp_path: Path) -> None:
        spec = "miniatures.hangs_in_every_tag_buffer"
        known = tmp_path / "known.toml"
        known.write_text(KNOWN % 'type = "TAG_BUFFER", verdict = "hang"')
        with Store(tmp_path) as store:
            for kept in kept_of(spec, [f"gen/kafka/TAG_BUFFER/-/x0101{number:02x}#decode" for number in range(8)]):
                store.keep(kept)
            done = retest.retest(plan_of(spec, known=str(known)), store)
        assert (len(done.open), len(done.known)) == (0, 8)

    def test_what_was_mended_and_deviates_again_is_open(self, tmp_path: Path) -> None:
        spec = f"exec:{sys.executable} -m miniatures.exits"
        (kept,) = kept_of(spec, ["gen/kafka/BOOLEAN/-/x#decode"])
        with Store(tmp_path) as store:
            store.keep(kept)
            store.mend(kept)
            assert [one.finding.name for one in retest.retest(plan_of(spec), store).open] == ["finding-0"]
        assert [len(read_findings(tmp_path, place)) for place in ("findings", "mended")] == [1, 0]

    def test_what_is_no_question_any_more_is_open(self, tmp_path: Path) -> None:
        (kept,) = kept_of("reference", ["gen/kafka/INT8/-/x01#decode"])
        gone = msgspec.structs.replace(kept.finding, id="kafka/varints/gone#decode")
        with Store(tmp_path) as store:
            store.keep(msgspec.structs.replace(kept, finding=gone))
            assert [one.finding.id for one in retest.retest(plan_of("reference"), store).open] == [gone.id]

    def test_what_is_offered_no_more_stays_and_is_told(self, tmp_path: Path) -> None:
        spec = "miniatures.messages_by_recode_as_it_turns_out"
        (kept,) = kept_of("reference", ["gen/kip-35-v7/BrokerMetadataRequest/0/x00#decode"])
        with Store(tmp_path) as store:
            store.keep(kept)
            done = retest.retest(plan_of(spec), store)
        assert [one.finding.name for one in done.not_offered] == ["finding-0"]
        assert len(read_findings(tmp_path)) == 1

    def test_a_folder_is_for_one_implementation(self, tmp_path: Path) -> None:
        """Two may have findings of one name, and the second one's would not be new."""
        with Store(tmp_path) as store:
            store.keep(kept_of("reference", ["gen/kafka/INT8/-/x01#decode"])[0])
            store.demand_implementation("x", "moved")
            store.demand_implementation("renamed", "reference")
            with pytest.raises(FuzzError, match=r"findings of x \(reference\) are kept there"):
                store.demand_implementation("other", "other")

    def test_what_was_known_by_its_id_and_is_found_elsewhere_is_new(self, tmp_path: Path) -> None:
        described = describe("reference", Options(), None)
        one, other = kept_of("reference", ["gen/kafka/INT8/-/x01#decode", "gen/kafka/INT8/-/x0000#decode"])
        with Store(tmp_path) as store:
            store.keep(msgspec.structs.replace(one, known="gen/kafka/INT8/-/x01#decode"))
            run = Run(plan_of("reference"), store, described, lambda *_: None)
            run.keep(msgspec.structs.replace(other.finding, name=one.finding.name))
            assert run.state.new == [one.finding.name]
            assert [kept.finding.id for kept in read_findings(tmp_path)] == [other.finding.id]

    def test_a_move_that_was_cut_off_loses_nothing(self, tmp_path: Path) -> None:
        (kept,) = kept_of("reference", ["gen/kafka/INT8/-/x01#decode"])
        with Store(tmp_path) as store:
            store.keep(kept)
            content = next((tmp_path / "findings").iterdir()).read_bytes()
            store.mend(kept)
        (tmp_path / "findings").mkdir()
        (tmp_path / "findings" / "finding-0.json").write_bytes(content)
        with Store(tmp_path) as store:
            done = retest.retest(plan_of("reference"), store)
        assert [one.finding.name for one in done.mended] == ["finding-0"]
        assert [len(read_findings(tmp_path, place)) for place in ("findings", "mended")] == [0, 1]

    def test_a_finding_that_was_changed_is_not_deleted(self, tmp_path: Path) -> None:
        (kept,) = kept_of("reference", ["gen/kafka/INT8/-/x01#decode"])
        with Store(tmp_path) as store:
            store.keep(kept)
            path = tmp_path / "findings" / "finding-0.json"
            path.write_bytes(msgspec.json.encode(kept))
            with pytest.raises(FuzzError, match="it was changed since"):
                retest.retest(plan_of("reference"), store)
            assert path.exists()
