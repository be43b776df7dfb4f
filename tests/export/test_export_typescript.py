"""Exported tests for Node.js: they run as written, and their verdicts are the kit's, case by case.

Asked are a small codec with a fault at a time (tests/programs/export_ts), and @platformatic/kafka by its wrapper.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.exported import SCREEN, SKIPPED, accepted_line, ask_alone, keep, write_export
from support.node import FOLDER, installed, skip_unless_built, spec
from support.paths import TESTS
from support.replayed import LONG, REPLAYED, WRONG, export_replayed, replay
from support.thorough import some
from support.toolchains import skip_without

from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome
from wireproof.conformance.questions import selection
from wireproof.conformance.vectors import Vector

PROGRAMS = TESTS / "programs" / "export_ts"
AREAS = ("varints", "tag-ordering", "null-encodings", "header-multimaps", "framing")
_CODEC = (PROGRAMS / "codec.mjs").read_text()
_NAMED = re.findall(r"'([^'\n]+)': '([a-z-]+)'", _CODEC)
#: Those that the codec has.
TYPES = {*re.findall(r"^  (\w+): (?:fixed|whole)\(", _CODEC, re.MULTILINE)}
#: Other readings of contested rulings, no faults.
READINGS = ("every negative length is null", "text of any bytes")
#: No faults either: a writer that sets a field itself, and keys that are bytes.
OWN_WAYS = ("offset deltas set by the writer", "records as a library has them")
#: A planted fault → the area in which it has to show.
MUTANTS = {name: area for name, area in _NAMED if name not in (*READINGS, *OWN_WAYS)}
#: Those that are asked the vectors of all areas; the others only those of their own.
EVERYWHERE = ("varint without zigzag", "null string as an empty one", "long integer as a double", "tags in any order")
#: The fault that never answers.
ENDLESS = "varint without an end"
SAME = {Outcome.PASS: "pass", Outcome.CONTESTED: "contested", Outcome.SKIP: "skip"}


def of_kafka(areas: Iterable[str] = AREAS) -> list[str]:
    return ["--dialect", "kafka", *(word for area in areas for word in ("--area", area))]


def export(folder: Path, *chosen: str) -> None:
    write_export("typescript", folder, *(chosen or of_kafka()))


def run(folder: Path, *options: str, **env: str) -> tuple[int, str, dict[str, str]]:
    """`node --test` with these options: its exit code, its output and the verdicts by id."""
    report = folder / "report.jsonl"
    done = subprocess.run(
        ["node", "--test", *options],
        cwd=folder,
        env={"PATH": str(Path(shutil.which("node") or "node").parent), "WIREPROOF_REPORT": str(report)} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    found = [json.loads(line) for line in report.read_text().splitlines()]
    assert len({one["id"] for one in found}) == len(found)
    return done.returncode, done.stdout, {one["id"]: one["verdict"] for one in found}


def by_kit(
    program: str, areas: Collection[str] = AREAS, more: Iterable[Vector] = (), timeout: float = 20
) -> dict[str, str]:
    """The kit's verdicts through the line protocol, by id."""
    with Examiner(open_connection(program, Options(timeout=timeout))) as examiner:
        chosen = selection.of_vectors([*vectors.load(["kafka"], areas), *more], examiner.description)
        return {one.verdict.id: SAME.get(one.verdict.outcome, "fail") for one in examiner.judge(chosen)}


def put(name: str, to: Path, *, wrapper: Path) -> None:
    """Copy a program with the paths that are its own."""
    text = (PROGRAMS / name).read_text().replace("@node@", FOLDER.as_posix())
    to.write_text(text.replace("@wrapper@", wrapper.as_posix()))


@dataclass(frozen=True)
class Codec:
    """The small codec in its two forms: exported tests that call it, and a program that speaks the line protocol."""

    beside: Path

    def tests(self, areas: Collection[str] = AREAS) -> Path:
        """The folder of the exported tests of these areas; if not of all, only for the types that the codec has."""
        folder = self.beside / "-".join(areas)
        if not folder.exists():
            export(folder, *of_kafka(areas))
            put("implementation.mjs", folder / "implementation.mjs", wrapper=self.beside / "codec.mjs")
            if areas != AREAS:
                keep(folder / "vectors", lambda line: line.get("type") in TYPES)
        return folder

    def by_kit(self, mutant: str, areas: Collection[str] = AREAS) -> dict[str, str]:
        program = f"exec:env {shlex.quote(f'MUTANT={mutant}')} node {self.beside / 'program.mjs'}"
        return by_kit(program, areas, timeout=5 if mutant == ENDLESS else 20)


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Codec:
    skip_without("node")
    beside = tmp_path_factory.mktemp("codec")
    put("codec.mjs", beside / "codec.mjs", wrapper=beside)
    put("program.mjs", beside / "program.mjs", wrapper=beside / "codec.mjs")
    return Codec(beside)


def test_as_written_they_pass(tmp_path: Path) -> None:
    """The example that is written offers VARINT."""
    skip_without("node")
    export(tmp_path, *of_kafka(["varints"]))
    code, output, found = run(tmp_path)
    assert code == 0, output[-2000:]
    assert Counter(found.values()).keys() == {"pass", "skip"}
    assert found["kafka/varints/varint-minus-1#decode"] == "pass"
    assert SKIPPED.search(output)
    assert len(output.splitlines()) < SCREEN < Counter(found.values())["skip"]
    code, output, _ = run(tmp_path, "--test-name-pattern=kafka/varints/varlong-0#")
    assert (code, "offers no type of those that were chosen. Fill in" in output) == (1, True)
    code, output, found = run(tmp_path, "--test-name-pattern=of another file")
    assert (code, found) == (0, {})
    assert re.search(r"nothing was asked: --test-name-pattern names no question\. One is kafka/\S+#\w+: dial", output)


def test_one_question_is_asked_alone(codec: Codec) -> None:
    """By the command of its failure, also beside a list of known deviations; a test has the name of its question."""
    folder = codec.tests(("varints",))
    wrong = {"MUTANT": "varint without zigzag"}
    _, output, found = run(folder, "--test-name-pattern", "kafka/varints/varint-minus-1#decode", **wrong)
    assert found == {"kafka/varints/varint-minus-1#decode": "fail"}
    assert run(folder, "--test-name-pattern=/VARINT-minus-1#dec/i", **wrong)[2].items() >= found.items()
    _, output, _ = run(folder, **wrong)
    (folder / "known.json").write_text(json.dumps({"kafka/varints/varint-minus-1#encode": "it is not asked"}))
    code, output, alone = ask_alone(output, folder, **wrong)
    (folder / "known.json").unlink()
    assert ([*alone.values()], code) == (["fail"], 1), output
    assert "known.json" not in output


def test_a_right_codec_has_the_verdicts_of_the_kit(codec: Codec) -> None:
    code, output, found = run(codec.tests())
    kits = codec.by_kit("")
    assert {identifier: verdict for identifier, verdict in found.items() if identifier in kits} == kits
    assert {found[identifier] for identifier in found.keys() - kits.keys()} == {"skip"}
    assert (code, Counter(found.values())["fail"]) == (0, 0), output[-2000:]
    assert Counter(found.values())["pass"] > 500


@pytest.mark.parametrize("mutant", some([*MUTANTS, *READINGS, *OWN_WAYS], 2))
def test_a_wrong_codec_has_the_verdicts_of_the_kit(codec: Codec, mutant: str) -> None:
    patience = {"WIREPROOF_TIMEOUT": "5"} if mutant == ENDLESS else {}
    areas = AREAS if mutant in EVERYWHERE else (dict(_NAMED)[mutant],)
    folder = codec.tests(areas)
    with ThreadPoolExecutor() as pool:  # side by side: with the one that never answers, both wait
        by_itself = pool.submit(run, folder, MUTANT=mutant, **patience)
        kits = codec.by_kit(mutant, areas)
        code, output, found = by_itself.result()
    assert ("no answer within 5 s" in output) is (mutant == ENDLESS)
    assert ("it ended the thread, exit code 3" in output) is (mutant == "exit at a wide varint")
    assert {identifier: found[identifier] for identifier in kits} == kits
    assert {found[identifier] for identifier in found.keys() - kits.keys()} <= {"skip"}
    counts = Counter(found.values())
    assert counts["pass"] > (500 if mutant in EVERYWHERE else 30)
    if mutant in (*READINGS, *OWN_WAYS):
        assert code == 0, output[-2000:]
        assert counts["contested"] > 1 or mutant in OWN_WAYS
    else:
        assert code == 1
        assert MUTANTS[mutant] in {one.split("/")[1] for one, verdict in found.items() if verdict == "fail"}


def test_what_another_reading_accepts_is_contested(codec: Codec) -> None:
    folder = codec.tests(("varints",))
    with accepted_line(folder) as name:
        assert run(folder)[2][name] == "contested"


def test_there_are_faults_of_each_area() -> None:
    assert len(MUTANTS) >= 10
    assert {*MUTANTS.values()} == {*AREAS}
    assert len(TYPES) == 14
    assert {*MUTANTS, *READINGS, *OWN_WAYS} == dict(_NAMED).keys()
    assert len({MUTANTS[name] for name in EVERYWHERE}) == len(EVERYWHERE)


def test_what_is_wrong_is_shown(codec: Codec) -> None:
    """The input, what was expected, what came."""
    _, output, _ = run(codec.tests(("varints",)), MUTANT="varint without zigzag")
    assert "decode VARINT: 01\n" in output
    assert "expected: -1\n" in output
    assert "got:      1\n" in output


def test_other_readings_are_chosen_in_one_place(codec: Codec) -> None:
    folder = codec.tests(("null-encodings",))
    _, _, found = run(folder, MUTANT=READINGS[0])
    code, output, strict = run(folder, MUTANT=READINGS[0], READINGS="none")
    assert code == 1
    assert "contested" in found.values()
    assert {one for one, verdict in strict.items() if verdict == "fail"} == {
        one for one, verdict in found.items() if verdict == "contested"
    }
    assert re.search("another reading of R-K-[0-9]+, which `readings` does not name", output)


def test_a_released_library(tmp_path: Path) -> None:
    """@platformatic/kafka, with its true deviations."""
    skip_unless_built()
    every = by_kit(spec("@platformatic/kafka"), more=ledger.every_vector("kafka"))
    # Its implementation here offers neither consume nor produce.
    kits = {one: verdict for one, verdict in every.items() if not one.endswith(("#consume", "#produce"))}
    export(tmp_path, *of_kafka((*AREAS, ledger.AREA)))
    asked = {one.partition("#")[0] for one in kits}
    keep(tmp_path / "vectors", lambda line: line["id"] in asked or "/messages/" not in line["id"])
    put("implementation.mjs", tmp_path / "implementation.mjs", wrapper=FOLDER / "platformatic" / "wrapper.mjs")
    modules = {"WIREPROOF_NODE_MODULES": str(installed() / "node_modules")}
    code, output, found = run(tmp_path, **modules)
    assert code == 1, output[-2000:]
    differ = {
        one: (found.get(one, "skip"), verdict) for one, verdict in kits.items() if found.get(one, "skip") != verdict
    }
    # Other bytes may mean the same, but the library cannot read the expected ones. The kit reads them itself.
    unread = {
        one for one in differ if re.fullmatch(r"kafka/framing/batch-(snappy-xerial.*|lz4-dictionary-id)#encode", one)
    }
    assert {differ.pop(one) for one in unread} <= {("skip", "pass")}
    # It drops unknown tags, which explains them beside another reading; a line has each reading alone.
    together = {one for one in differ if re.fullmatch(r"kafka/tag-ordering/(write|response-(key|unknown))-.*", one)}
    assert {differ.pop(one) for one in together} == {("fail", "contested")}
    assert differ == {
        # Readings that the wrapper declares, and whose answer no vector has.
        "kafka/framing/response-4-and-a-byte#decode": ("fail", "contested"),
        "kafka/tag-ordering/response-known-equal-to-default#decode": ("fail", "contested"),
        "kafka/tag-ordering/response-trailing#decode": ("fail", "contested"),
    }
    counts = Counter(found.values())
    assert counts["pass"] > 1_000
    assert counts["fail"] > 30


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An implementation that answers from a table, asked what may be in it, of every dialect."""
    skip_without("node")
    path = tmp_path_factory.mktemp("replaying")
    export_replayed("typescript", path)
    shutil.copy(PROGRAMS / "replay.mjs", path / "implementation.mjs")
    return path


@pytest.mark.parametrize("spec", some(REPLAYED, 2))
def test_exchanges_are_judged_as_by_the_kit(replaying: Path, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS)
    table, by_kit = replay(spec)
    (replaying / "table.json").write_text(json.dumps(table))
    code, output, found = run(replaying)
    assert {one: verdict for one, verdict in found.items() if one in by_kit} == {
        one: verdict for one, verdict in by_kit.items() if f"/{LONG}/" not in one
    }
    assert ("fail" in by_kit.values(), code) == (spec in WRONG, int(spec in WRONG)), output[-2000:]


def test_known_deviations_are_no_failures_and_stale_ones_are(codec: Codec) -> None:
    mutant = "tags in any order"
    folder = codec.tests(("tag-ordering",))
    _, _, found = run(folder, MUTANT=mutant)
    listed = folder / "known.json"
    listed.write_text(json.dumps({one: "it is known" for one, verdict in found.items() if verdict == "fail"}))
    code, output, _ = run(folder, MUTANT=mutant)
    assert code == 0, output[-2000:]
    right = next(one for one, verdict in found.items() if verdict == "pass")
    listed.write_text(json.dumps({right: "not at all", "kafka/no/such#decode": "neither"}))
    code, output, _ = run(folder)
    listed.unlink()
    assert code == 1
    assert "known.json lists it, but it ends as pass: take it out" in output
    assert "known.json lists ids that no question has" in output


def test_what_is_the_user_s_stays(tmp_path: Path) -> None:
    folder = tmp_path
    export(folder)
    for name in ("implementation.mjs", "known.json"):
        (folder / name).write_text("mine")
    (folder / "wireproof.mjs").write_text("an older one")
    export(folder, *of_kafka(), "--type", "VARINT", "--overwrite")
    assert [(folder / name).read_text() for name in ("implementation.mjs", "known.json")] == ["mine", "mine"]
    assert "export function same(" in (folder / "wireproof.mjs").read_text()
    assert {path.name for path in (folder / "vectors" / "kafka").iterdir()} <= {
        *(f"{area}.jsonl" for area in AREAS),
        "settings.json",
    }
