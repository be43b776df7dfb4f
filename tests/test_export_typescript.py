"""Exported tests for Node.js: they run as written, and their verdicts are the kit's, case by case."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from node import FOLDER
from replayed import LONG, REPLAYED, replay
from toolchains import skip_without

from conformance import selection, vectors
from conformance.asking import Examiner
from conformance.connection import Options, open_connection
from conformance.model import Outcome
from wireproof.cli import group as cli

CODEC = Path(__file__).parent / "programs" / "wrong_codec.mjs"
AREAS = ("varints", "null-encodings", "framing")
#: The codec in the two forms: for the exported tests, and for the line protocol.
IMPLEMENTATION = """
import {{ types, isRefusal }} from {codec}
import {{ NotOffered }} from './wireproof.mjs'

const of = (type, dialect) => {{
  if (dialect !== 'kafka' || !types[type]) throw new NotOffered(type)
  return types[type]
}}
export default {{
  decode: (type, version, bytes, dialect) => of(type, dialect).decode(Buffer.from(bytes)),
  encode: (type, version, value, dialect) => new Uint8Array(of(type, dialect).encode(value)),
  isRefusal,
}}
"""
PROGRAM = """
import {{ types, isRefusal }} from {codec}
import {{ converse }} from {lines}

const offered = Object.entries(types).map(([name, codec]) => [name, {{ versions: null, ...codec }}])
const about = {{ name: 'wrong', version: '1', readings: {{}}, rebuilds: {{}} }}
await converse({{ ...about, types: new Map(offered), isOwn: isRefusal }})
"""
SAME = {Outcome.PASS: "pass", Outcome.CONTESTED: "contested", Outcome.SKIP: "skip"}


OF_KAFKA = ("--dialect", "kafka", *(word for area in AREAS for word in ("--area", area)))


def export(folder: Path, *chosen: str) -> None:
    result = CliRunner().invoke(cli, ["export", "--format=typescript", str(folder), *(chosen or OF_KAFKA)])
    assert result.exit_code == 0, result.output


def run(folder: Path) -> tuple[int, str, dict[str, str]]:
    """`node --test`: its exit code, its output and the verdicts by id."""
    report = folder / "report.jsonl"
    done = subprocess.run(
        ["node", "--test"],
        cwd=folder,
        env={"PATH": str(Path(shutil.which("node") or "node").parent), "WIREPROOF_REPORT": str(report)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    found = [json.loads(line) for line in report.read_text().splitlines()]
    assert len({one["id"] for one in found}) == len(found)
    return done.returncode, done.stdout, {one["id"]: one["verdict"] for one in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exported tests in which the wrong codec is called."""
    skip_without("node")
    path = tmp_path_factory.mktemp("exported")
    export(path)
    (path / "implementation.mjs").write_text(IMPLEMENTATION.format(codec=json.dumps(str(CODEC))))
    return path


def test_as_written_they_pass(tmp_path: Path) -> None:
    """The example that is written offers INT16."""
    skip_without("node")
    export(tmp_path)
    code, output, found = run(tmp_path)
    assert code == 0, output[-2000:]
    assert Counter(found.values()).keys() == {"pass", "skip"}
    assert found["kafka/framing/int16-1#decode"] == "pass"


def test_verdicts_are_those_of_the_kit(folder: Path, tmp_path: Path) -> None:
    code, output, found = run(folder)
    assert code == 1
    program = tmp_path / "wrapper.mjs"
    program.write_text(PROGRAM.format(codec=json.dumps(str(CODEC)), lines=json.dumps(str(FOLDER / "lines.mjs"))))
    with Examiner(open_connection(f"exec:node {program}", Options(timeout=20))) as examiner:
        chosen = [*selection.of_vectors(vectors.load(["kafka"], AREAS), examiner.description)]
        by_kit = {one.verdict.id: SAME.get(one.verdict.verdict, "fail") for one in examiner.judge(chosen)}
    offered = {identifier: verdict for identifier, verdict in found.items() if identifier in by_kit}
    assert offered == by_kit
    assert {found[identifier] for identifier in found.keys() - by_kit.keys()} == {"skip"}
    counts = Counter(by_kit.values())
    assert min(counts["pass"], counts["fail"]) > 30
    areas = {identifier.split("/")[1] for identifier, verdict in by_kit.items() if verdict == "fail"}
    assert areas == set(AREAS)
    # What is wrong is shown: input, expected and actual.
    assert "decode VARINT: 01\n" in output
    assert "expected: -1\n" in output


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An implementation that answers from a table, asked the vectors of every dialect, without the ledgers."""
    skip_without("node")
    path = tmp_path_factory.mktemp("replaying")
    export(path, *(word for area in vectors.AREAS if area != LONG for word in ("--area", area)))
    for ledger in path.glob("vectors/*/ledger.jsonl"):
        ledger.unlink()
    shutil.copy(CODEC.with_name("replay.mjs"), path / "implementation.mjs")
    return path


@pytest.mark.parametrize("spec", REPLAYED)
def test_exchanges_are_judged_as_by_the_kit(replaying: Path, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    table, by_kit = replay(spec)
    (replaying / "table.json").write_text(json.dumps(table))
    code, output, found = run(replaying)
    assert {one: verdict for one, verdict in found.items() if one in by_kit} == {
        one: verdict for one, verdict in by_kit.items() if f"/{LONG}/" not in one
    }
    assert ("fail" in by_kit.values(), code) == (spec != "reference", int(spec != "reference")), output[-2000:]


def test_known_deviations_are_no_failures_and_stale_ones_are(folder: Path) -> None:
    _, _, found = run(folder)
    known = folder / "known.json"
    known.write_text(json.dumps({one: "it is known" for one, verdict in found.items() if verdict == "fail"}))
    code, output, _ = run(folder)
    assert code == 0, output[-2000:]
    known.write_text(json.dumps({"kafka/varints/varint-0#decode": "not at all", "kafka/no/such#decode": "neither"}))
    code, output, _ = run(folder)
    known.unlink()
    assert code == 1
    assert "known.json lists it, but it ends as pass: take it out" in output
    assert "known.json lists ids that were not asked" in output


def test_what_is_the_user_s_stays(folder: Path) -> None:
    mine = (folder / "implementation.mjs").read_text()
    (folder / "wireproof.mjs").write_text("an older one")
    export(folder, *OF_KAFKA, "--type", "VARINT")
    assert (folder / "implementation.mjs").read_text() == mine
    assert "export function same(" in (folder / "wireproof.mjs").read_text()
    assert {path.name for path in (folder / "vectors" / "kafka").iterdir()} <= {
        "varints.jsonl",
        "null-encodings.jsonl",
        "framing.jsonl",
        "settings.json",
    }
    export(folder)
