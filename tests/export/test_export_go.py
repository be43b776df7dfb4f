"""Exported tests for Go: they run as written, and their verdicts are the kit's, case by case.

Asked are a small codec with a fault at a time (tests/programs/go), and franz-go by the same code as its wrapper.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.exported import SCREEN, SKIPPED, accepted_line, ask_alone, write_export
from support.golang import FLAGS, FOLDER, go
from support.paths import TESTS
from support.replayed import LONG, REPLAYED, WRONG, export_replayed, replay
from support.thorough import some
from support.toolchains import skip_without

from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome
from wireproof.conformance.questions import selection

PROGRAMS = TESTS / "programs" / "go"
AREAS = ("varints", "tag-ordering", "null-encodings", "header-multimaps", "framing")
MUTANTS = dict(re.findall(r'^\t"(.+)": +"([a-z-]+)",$', (PROGRAMS / "wrong.go").read_text(), re.MULTILINE))
#: No faults: a writer that sets a field itself, and keys that are bytes.
OWN_WAYS = re.findall(r'^\t(?:Rebuilt|AsItIs) += "(.+)"$', (PROGRAMS / "wrong.go").read_text(), re.MULTILINE)
SAME = {Outcome.PASS: "pass", Outcome.CONTESTED: "contested", Outcome.SKIP: "skip"}


@dataclass(frozen=True)
class Built:
    """An implementation in its two forms: the folder of the exported tests with their program, and a wrapper."""

    tests: Path
    wrapper: Path

    def run(self, *flags: str, mutant: str = "", readings: str = "") -> tuple[int, str, dict[str, str]]:
        """The exported tests: exit code, output and the verdicts by id."""
        report = self.tests / "report.jsonl"
        done = subprocess.run(
            [self.tests / "exported.test", *flags],
            cwd=self.tests,
            env={"WIREPROOF_REPORT": str(report), "MUTANT": mutant, "READINGS": readings, "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        found = [json.loads(line) for line in report.read_text().splitlines()]
        assert len({one["id"] for one in found}) == len(found)
        return done.returncode, done.stdout, {one["id"]: one["verdict"] for one in found}

    def by_kit(self, *, mutant: str = "", with_ledger: bool = False) -> dict[str, str]:
        """The kit's verdicts through the line protocol, by id."""
        spec = f"exec:env {shlex.quote(f'MUTANT={mutant}')} {self.wrapper}"
        with Examiner(open_connection(spec, Options(timeout=2))) as examiner:
            chosen = [*vectors.load(["kafka"], AREAS), *(ledger.every_vector("kafka") if with_ledger else ())]
            asked = selection.of_vectors(chosen, examiner.description)
            return {one.verdict.id: SAME.get(one.verdict.outcome, "fail") for one in examiner.judge(asked)}


OF_KAFKA = ("--dialect", "kafka", *(word for area in AREAS for word in ("--area", area)))
WITH_MESSAGES = (*OF_KAFKA, "--area", "messages")


def export(folder: Path, *chosen: str) -> None:
    write_export("go", folder, *(chosen or OF_KAFKA))


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the wrappers' module, with the wrong codec in it."""
    skip_without("go")
    path = tmp_path_factory.mktemp("exported") / "go"
    shutil.copytree(FOLDER, path)
    for name in ("wrong", "wrong-wrapper"):
        (path / name).mkdir()
    shutil.copy(PROGRAMS / "wrong.go", path / "wrong")
    shutil.copy(PROGRAMS / "wrong_main.go", path / "wrong-wrapper")
    return path


def build(module: Path, name: str, codec: str, wrapper: str, *chosen: str) -> Built:
    tests = module / f"tests-of-{name}"
    export(tests, *chosen)
    mine = (PROGRAMS / "implementation_test.go").read_text()
    mine = mine.replace("CODEC", codec).replace("PACKAGE", codec.rpartition("/")[2])
    (tests / "implementation_test.go").write_text(mine)
    go("vet", f"./tests-of-{name}", folder=module)
    go("test", "-c", "-o", str(tests / "exported.test"), f"./tests-of-{name}", folder=module)
    program = module / f"{name}.wrapper"
    go("build", "-o", str(program), f"./{wrapper}", folder=module)
    return Built(tests, program)


@pytest.fixture(scope="module")
def wrong(module: Path) -> Built:
    """The wrong codec."""
    return build(module, "wrong", "wrong", "wrong-wrapper")


def test_as_written_they_pass(tmp_path: Path) -> None:
    """The example that is written offers VARINT."""
    skip_without("go")
    export(tmp_path, "--dialect", "kafka", "--area", "varints")
    (tmp_path / "go.mod").write_text("module example\n\ngo 1.22\n")
    go("vet", ".", folder=tmp_path)
    go("test", "-c", "-o", "exported.test", ".", folder=tmp_path)
    built = Built(tmp_path, tmp_path)
    code, output, found = built.run()
    assert code == 0, output[-2000:]
    assert Counter(found.values()).keys() == {"pass", "skip"}
    assert found["kafka/varints/varint-minus-1#decode"] == "pass"
    assert re.search(r"^wireproof: \d+ pass, 0 contested, \d+ skip, 0 fail, 0 known$", output, re.MULTILINE)
    assert SKIPPED.search(output)
    assert len(output.splitlines()) < SCREEN < Counter(found.values())["skip"]
    code, output, _ = built.run("-test.run=TestVectors/kafka/varints/varlong-0#")
    assert (code, "offers no type of those that were chosen. Fill in" in output) == (1, True)


def test_one_question_is_asked_alone(wrong: Built) -> None:
    """By the command of its failure, also beside a list of known deviations; a test has the name of its question."""
    mutant = "varint without zigzag"
    _, output, found = wrong.run("-test.run=TestVectors/kafka/varints/varint-minus-1#decode", mutant=mutant)
    assert found == {"kafka/varints/varint-minus-1#decode": "fail"}
    assert "--- FAIL: TestVectors/kafka/varints/varint-minus-1#decode (" in output
    (wrong.tests / "known.json").write_text(json.dumps({"kafka/varints/uvarint-0#decode": "it is not asked"}))
    code, output, alone = ask_alone(output, wrong.tests, MUTANT=mutant, **FLAGS)
    (wrong.tests / "known.json").unlink()
    assert (alone, code) == (found, 1), output
    assert "known.json" not in output


@pytest.mark.parametrize("mutant", ["", *some([*MUTANTS, *OWN_WAYS], 2)])
def test_verdicts_are_those_of_the_kit(wrong: Built, mutant: str) -> None:
    code, output, found = wrong.run(mutant=mutant)
    by_kit = wrong.by_kit(mutant=mutant)
    assert {identifier: verdict for identifier, verdict in found.items() if identifier in by_kit} == by_kit
    assert {found[identifier] for identifier in found.keys() - by_kit.keys()} == {"skip"}
    failed = {identifier for identifier, verdict in found.items() if verdict == "fail"}
    assert Counter(found.values())["pass"] > 500
    if mutant not in MUTANTS:
        assert (code, failed) == (0, set()), output[-2000:]
    else:
        assert code == 1
        assert MUTANTS[mutant] in {identifier.split("/")[1] for identifier in failed}


def test_other_readings_are_chosen_in_one_place(wrong: Built) -> None:
    mutant = "every negative length is null"
    code, output, found = wrong.run(mutant=mutant)
    by_kit = wrong.by_kit(mutant=mutant)
    assert code == 0, output[-2000:]
    assert {one: found[one] for one in by_kit} == by_kit
    assert Counter(found.values())["contested"] > 5
    code, output, strict = wrong.run(mutant=mutant, readings="none")
    assert code == 1
    assert {one for one, verdict in strict.items() if verdict == "fail"} == {
        one for one, verdict in found.items() if verdict == "contested"
    }
    assert re.search("another reading of R-K-[0-9]+, which Readings does not name", output)


def test_what_another_reading_accepts_is_contested(wrong: Built) -> None:
    with accepted_line(wrong.tests) as name:
        assert wrong.run()[2][name] == "contested"


def test_what_is_wrong_is_shown(wrong: Built) -> None:
    _, output, _ = wrong.run(mutant="varint without zigzag")
    assert "decode VARINT: 01\n" in output
    assert "expected: -1\n" in output
    assert "got:      1\n" in output


def test_a_released_library(module: Path) -> None:
    """Franz-go, with its true deviations. The exported tests differ from the kit where they cannot know as much."""
    franz = build(module, "franz", "franz-go/codec", "franz-go", *WITH_MESSAGES)
    code, output, found = franz.run("-patience=2s")
    assert code == 1
    every = franz.by_kit(with_ledger=True)
    # Its codec here offers no consume and no produce.
    by_kit = {one: verdict for one, verdict in every.items() if not one.endswith(("#consume", "#produce"))}
    differ = {one: (found[one], verdict) for one, verdict in by_kit.items() if found[one] != verdict}
    assert differ == {
        # Other bytes may mean the same, but franz-go cannot read the expected ones. The kit reads them itself.
        "kafka/framing/batch-gzip-empty-payload#encode": ("skip", "pass"),
        "kafka/framing/batch-lz4-dictionary-id#encode": ("skip", "pass"),
        "kafka/framing/batch-snappy-empty#encode": ("skip", "pass"),
        "kafka/framing/batch-snappy-xerial-streams#encode": ("skip", "pass"),
        # It drops one of two unknown tags, which is R-K-3's other reading. The kit tries that itself.
        "kafka/tag-ordering/fetch-response-15-tag-0-unknown#recode": ("fail", "contested"),
    }
    counts = Counter(found.values())
    assert counts["pass"] > 5_000
    assert counts["fail"] > 30
    assert "no answer within 2s" in output  # a tag count of 2^32-1


@pytest.fixture(scope="module")
def replaying(module: Path) -> Built:
    """An implementation that answers from a table, asked what may be in it, of every dialect."""
    tests = module / "tests-of-a-table"
    export_replayed("go", tests)
    shutil.copy(PROGRAMS / "replay_test.go", tests / "implementation_test.go")
    go("vet", "./tests-of-a-table", folder=module)
    go("test", "-c", "-o", str(tests / "exported.test"), "./tests-of-a-table", folder=module)
    return Built(tests, tests)


@pytest.mark.parametrize("spec", some(REPLAYED, 2))
def test_exchanges_are_judged_as_by_the_kit(replaying: Built, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS)
    table, by_kit = replay(spec)
    (replaying.tests / "table.json").write_text(json.dumps(table))
    code, output, found = replaying.run()
    assert {one: verdict for one, verdict in found.items() if one in by_kit} == {
        one: verdict for one, verdict in by_kit.items() if f"/{LONG}/" not in one
    }
    assert ("fail" in by_kit.values(), code) == (spec in WRONG, int(spec in WRONG)), output[-2000:]


def test_known_deviations_are_no_failures_and_stale_ones_are(wrong: Built) -> None:
    mutant = "tags in any order"
    _, _, found = wrong.run(mutant=mutant)
    known = wrong.tests / "known.json"
    known.write_text(json.dumps({one: "it is known" for one, verdict in found.items() if verdict == "fail"}))
    code, output, _ = wrong.run(mutant=mutant)
    assert code == 0, output[-2000:]
    known.write_text(json.dumps({"kafka/varints/varint-0#decode": "not at all", "kafka/no/such#decode": "neither"}))
    code, output, _ = wrong.run()
    assert code == 1
    assert "known.json lists it, but it ends as pass: take it out" in output
    assert "known.json lists kafka/no/such#decode: there is no such question" in output
    known.write_text("{")
    assert "known.json: unexpected end of JSON input" in wrong.run()[1]
    known.unlink()


def test_nothing_asked_is_no_pass(wrong: Built) -> None:
    code, output, _ = wrong.run("-test.run=Vectors/kafka/framing/^uuid")
    assert (code, "nothing was asked: implementation_test.go offers no type" in output) == (1, True)
    code, output, _ = wrong.run("-test.run=Vectors/kafka/no-such-area")
    assert code == 1
    assert re.search(r"nothing was asked: -run names no question\. One is 'TestVectors/kafka/\S+#\w+': dialect", output)
