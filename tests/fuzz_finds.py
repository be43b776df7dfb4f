"""The fuzzer finds again what is wrong with released libraries: each deviation of a list is among the findings of
`differential`, without a file of known deviations. And a campaign that is killed ten times loses nothing.

    pytest tests/fuzz_finds.py

It takes some minutes, so it is run by `tox -e fuzz-finds` and not with the other tests.
"""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.fuzzing import TESTS, command, findings, kill, need_atheris
from support.paths import ROOT

from wireproof.conformance.connection import Options
from wireproof.fuzz.campaign.dependencies import dependencies_of
from wireproof.fuzz.campaign.run import Plan, Run, describe
from wireproof.fuzz.campaign.store import Kept, Store
from wireproof.fuzz.targets.inputs import digest

#: Executions beside the seeds.
RUNS = 300
#: The most seconds of a run.
SECONDS = 240.0


@dataclass(frozen=True)
class Deviation:
    """A deviation, and the finding that shows it: op, verdict, kind. `says`: a part of the verdict's text, where
    another fault has the same group."""

    about: str
    op: str
    verdict: str
    kind: str | None = None
    says: str = ""

    def shown_by(self, kept: Kept) -> bool:
        """Whether a finding shows it."""
        verdict = kept.finding.row["verdict"]
        same = (verdict["op"], verdict["verdict"], verdict["kind"]) == (self.op, self.verdict, self.kind)
        return same and self.says in json.dumps(kept.finding.row)


#: By implementation and type.
DEVIATIONS: dict[tuple[str, str], tuple[Deviation, ...]] = {
    ("kio", "MetadataResponse"): (Deviation("a count of 2^32 - 1 ends the process", "decode", "oom"),),
    ("kio", "HeartbeatRequest"): (
        Deviation("an unknown tag raises KeyError", "decode", "fail", "refused-valid", "KeyError"),
    ),
    ("kio", "FetchRequest"): (
        Deviation("an explicit null in a tagged string raises", "decode", "fail", "refused-valid"),
    ),
    ("kio", "RecordBatch"): (Deviation("timestamps are cut to seconds", "decode", "fail", "wrong-value", "imestamp"),),
    ("aiokafka", "VARINT"): (Deviation("-1 is written ffffffff0f", "encode", "fail", "wrong-bytes", "ffffffff0f"),),
    ("aiokafka", "VARLONG"): (Deviation("64 is written c001", "encode", "fail", "wrong-bytes"),),
    ("aiokafka", "TAG_BUFFER"): (
        Deviation("tags have no sizes", "encode", "fail", "wrong-bytes"),
        Deviation("tag 0 is refused", "encode", "fail", "refused-valid"),
    ),
    ("kafka_python", "TAG_BUFFER"): (Deviation("a tag beyond the end is read", "decode", "fail", "accepted-invalid"),),
    ("kafka_python", "UNSIGNED_VARINT"): (
        Deviation("ffffffff1f is read as 8589934590", "decode", "fail", "accepted-invalid"),
    ),
    ("kafka_python", "HeartbeatRequest"): (
        Deviation("unknown tags are not written again", "recode", "fail", "wrong-bytes"),
    ),
    ("kafka_python", "Record"): (Deviation("a null header value is refused", "encode", "fail", "refused-valid"),),
}


@pytest.mark.parametrize(("implementation", "type_name"), [*DEVIATIONS])
def test_it_is_found(implementation: str, type_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_atheris()
    monkeypatch.chdir(ROOT)
    spec = f"implementations.{implementation}"
    described = describe(spec, Options(), None)
    plan = Plan(
        spec, "differential", "kafka", dependencies_of(spec), only=type_name, runs=RUNS, seconds=SECONDS, seed=1
    )
    with Store(tmp_path) as store:
        state = Run(plan, store, described, lambda *_: None).go()
    there = findings(tmp_path)
    expected = DEVIATIONS[implementation, type_name]
    missing = [one.about for one in expected if not any(one.shown_by(kept) for kept in there)]
    assert missing == [], [(kept.finding.name, kept.finding.id[:80]) for kept in there]
    assert state.executions > RUNS  # whatever ended a child on the way


def test_killed_ten_times_it_keeps_all_that_it_told(tmp_path: Path) -> None:
    need_atheris()
    moments = random.Random(7)
    told: set[str] = set()
    corpus: set[str] = set()
    for _ in range(10):
        again = _killed_after(moments.randrange(1, 6), tmp_path)
        assert told.isdisjoint(again)
        told |= again
        with Store(tmp_path) as store:  # what was cut off is mended
            assert told <= store.findings.keys()
            entries = [*store.corpus("differential", "kafka").iterdir()]
        assert all(entry.name == digest(entry.read_bytes()) for entry in entries)
        assert corpus <= {entry.name for entry in entries}
        corpus = {entry.name for entry in entries}
    assert len(told) >= 10
    assert len(findings(tmp_path)) >= len(told)
    assert corpus


def _killed_after(lines: int, folder: Path) -> set[str]:
    """Run a campaign until it has said so many lines, kill it, and give the names of what it told."""
    words = command("run", "differential", "--impl=miniatures.empties_unknown_tags", "--time=200s", "--out", folder)
    process = subprocess.Popen(
        words, cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0
    )
    assert process.stdout is not None
    names = set()
    for line in process.stdout:
        if line.startswith("found "):
            names.add(line.split()[1].rstrip(":"))
        lines -= 1
        if not lines:
            break
    kill(process)
    process.stdout.close()
    return names
