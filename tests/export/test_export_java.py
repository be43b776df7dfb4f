"""Exported tests for Java: they run as written, and their verdicts are the kit's, case by case.

Asked are a small codec with a fault at a time (tests/programs/java), and Kafka's own classes by the code of their
wrapper. Maven runs the tests once, as a user does; after that JUnit's console runs what is compiled.
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
from support.java import FOLDER, NO_CRASH_FILE, built, skip_unless_built
from support.paths import TESTS
from support.replayed import LONG, REPLAYED, WRONG, export_replayed, replay
from support.thorough import some

from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome
from wireproof.conformance.questions import selection

PROGRAMS = TESTS / "programs" / "java"
SOURCES = Path("src/test/java/wireproof/exported")
AREAS = ("varints", "tag-ordering", "null-encodings", "header-multimaps", "framing")
MUTANTS = dict(re.findall(r'Map\.entry\("(.+)", "([a-z-]+)"\)', (PROGRAMS / "WrongCodec.java").read_text()))
#: No faults: a writer that sets a field itself, and keys that are bytes.
OWN_WAYS = re.findall(r'(?:REBUILT|AS_IT_IS) = "(.+)";', (PROGRAMS / "WrongCodec.java").read_text())
SAME = {Outcome.PASS: "pass", Outcome.CONTESTED: "contested", Outcome.SKIP: "skip"}
CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.11.4"
DEPENDENCY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
OF_KAFKA = ("--dialect", "kafka", *(word for area in AREAS for word in ("--area", area)))
WITH_MESSAGES = (*OF_KAFKA, "--area", "messages")


def export(folder: Path, *chosen: str) -> None:
    write_export("java", folder, *(chosen or OF_KAFKA))


def command(*arguments: str, folder: Path, **env: str) -> tuple[int, str]:
    """Exit code and output."""
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=os.environ | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


def report_of(folder: Path) -> dict[str, str]:
    """The verdicts of an exported run, by id."""
    found = [json.loads(line) for line in (folder / "report.jsonl").read_text("utf-8").splitlines()]
    assert len({one["id"] for one in found}) == len(found)
    return {one["id"]: one["verdict"] for one in found}


@dataclass(frozen=True)
class Built:
    """Exported tests with an implementation, compiled into `classes` in their folder."""

    folder: Path
    classpath: str

    def run(self, *flags: str, mutant: str = "") -> tuple[int, str, dict[str, str]]:
        """Exit code, output, and the verdicts by id."""
        chosen = ["--select-class", "wireproof.exported.VectorsTest", "--details=summary", "--disable-banner"]
        console = ["org.junit.platform.console.ConsoleLauncher", "execute", *chosen]
        report = str(self.folder / "report.jsonl")
        code, output = command(
            *(*self.java(*flags), *console), folder=self.folder, MUTANT=mutant, WIREPROOF_REPORT=report
        )
        return code, output, report_of(self.folder)

    def java(self, *flags: str) -> tuple[str, ...]:
        options = (NO_CRASH_FILE, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *flags)
        return "java", *options, "-cp", f"classes:{self.classpath}"


@pytest.fixture(scope="module")
def as_written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str]:
    """Exported tests as they are, run by Maven: their folder, the exit code and the output."""
    skip_unless_built()
    folder = tmp_path_factory.mktemp("as-written")
    export(folder, "--dialect", "kafka", "--area", "varints")
    code, output = command(
        *("mvn", "--batch-mode", "--no-transfer-progress", "test"),
        # What `libraries` needs, in the same run.
        *(f"{DEPENDENCY}:copy", f"-Dartifact={CONSOLE}", "-DoutputDirectory=console"),
        *(f"{DEPENDENCY}:build-classpath", "-Dmdep.outputFile=classpath"),
        folder=folder,
        WIREPROOF_REPORT=str(folder / "report.jsonl"),
    )
    return folder, code, output


@pytest.fixture(scope="module")
def libraries(as_written: tuple[Path, int, str]) -> str:
    """The classpath of Jackson and of JUnit's console."""
    folder, code, output = as_written
    assert code == 0, output
    (console,) = (folder / "console").iterdir()
    return f"{(folder / 'classpath').read_text()}:{console}"


def build(folder: Path, classpath: str, *sources: str) -> Built:
    """Add these sources to exported tests (the first one has the implementation), and compile."""
    (folder / SOURCES / "MyImplementation.java").unlink()
    for source in (*sources, "Json.java"):
        name = "MyImplementation.java" if source.endswith("Implementation.java") else source
        shutil.copy(PROGRAMS / source, folder / SOURCES / name)
    if "WrongCodec.java" in sources:
        mine = "package wireproof.exported;\n\nfinal class MyImplementation extends WrongCodec {}\n"
        (folder / SOURCES / "MyImplementation.java").write_text(mine)
    files = sorted(str(path) for path in (folder / SOURCES).iterdir())
    code, output = command(
        *("javac", "-Xlint:all,-processing,-classfile", "-Werror", "-d", "classes", "-cp", classpath, *files),
        folder=folder,
    )
    assert code == 0, output
    return Built(folder, classpath)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory, libraries: str) -> Built:
    """The wrong codec."""
    folder = tmp_path_factory.mktemp("wrong")
    export(folder)
    return build(folder, libraries, "WrongCodec.java", "WrongProgram.java")


def by_kit(spec: str, *, with_ledger: bool = False) -> dict[str, str]:
    """The kit's verdicts through the line protocol, by id."""
    with Examiner(open_connection(spec, Options(timeout=20))) as examiner:
        chosen = [*vectors.load(["kafka"], AREAS), *(ledger.every_vector("kafka") if with_ledger else ())]
        asked = selection.of_vectors(chosen, examiner.description)
        return {one.verdict.id: SAME.get(one.verdict.outcome, "fail") for one in examiner.judge(asked)}


def kit_on_wrong(wrong: Built, mutant: str) -> dict[str, str]:
    java = shlex.join(wrong.java()).replace("classes:", f"{wrong.folder}/classes:")
    return by_kit(f"exec:env {shlex.quote(f'MUTANT={mutant}')} {java} wireproof.exported.WrongProgram")


def test_as_written_they_pass(as_written: tuple[Path, int, str]) -> None:
    """The example that is written offers VARINT."""
    folder, code, output = as_written
    assert code == 0, output[-2000:]
    found = report_of(folder)
    assert Counter(found.values()).keys() == {"pass", "skip"}
    assert found["kafka/varints/varint-minus-1#decode"] == "pass"
    assert re.search(r"wireproof: \d+ pass, 0 contested, \d+ skip, 0 fail, 0 known\n", output)
    assert SKIPPED.search(output)
    assert len(output.splitlines()) < SCREEN < Counter(found.values())["skip"]


def test_one_question_is_asked_alone(wrong: Built, as_written: tuple[Path, int, str]) -> None:
    """By the command of its failure, also beside a list of known deviations. The failure is of the wrong codec, and the
    command is run where Maven's project is: there it passes."""
    folder = as_written[0]
    only = "-Dwireproof.only=kafka/varints/varint-minus-1#decode"
    _, output, found = wrong.run(only, mutant="varint without zigzag")
    assert found == {"kafka/varints/varint-minus-1#decode": "fail"}
    (folder / "known.json").write_text(json.dumps({"kafka/varints/uvarint-0#decode": "it is not asked"}))
    code, output, alone = ask_alone(output, folder)
    (folder / "known.json").unlink()
    assert (alone, code) == ({"kafka/varints/varint-minus-1#decode": "pass"}, 0), output


@pytest.mark.parametrize("op", ["decode", "recode"])
def test_bytes_that_have_to_be_refused_are_chosen_by_either_op(op: str, wrong: Built) -> None:
    _, _, found = wrong.run(f"-Dwireproof.only=kafka/varints/varint-trailing#{op}")
    assert found == {"kafka/varints/varint-trailing#decode": "pass"}


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("kafka/varints/uvarint-0#", "MyImplementation offers no type of those that were chosen. Fill in"),
        ("kafka/no/such", "no id begins with kafka/no/such. One is kafka/"),
    ],
)
def test_a_run_that_asks_nothing_says_what_to_do(only: str, said: str, wrong: Built) -> None:
    code, output, _ = wrong.run(f"-Dwireproof.only={only}")
    assert (code, f"nothing was asked: {said}" in output) == (1, True), output[-2000:]


@pytest.mark.parametrize("mutant", ["", *some([*MUTANTS, *OWN_WAYS], 3)])
def test_verdicts_are_those_of_the_kit(wrong: Built, mutant: str) -> None:
    code, output, found = wrong.run(mutant=mutant)
    kits = kit_on_wrong(wrong, mutant)
    assert {identifier: verdict for identifier, verdict in found.items() if identifier in kits} == kits
    assert {found[identifier] for identifier in found.keys() - kits.keys()} == {"skip"}
    failed = {identifier for identifier, verdict in found.items() if verdict == "fail"}
    assert Counter(found.values())["pass"] > 500
    if mutant not in MUTANTS:
        assert (code, failed) == (0, set()), output[-2000:]
    else:
        assert code == 1
        assert MUTANTS[mutant] in {identifier.split("/")[1] for identifier in failed}


def test_what_another_reading_accepts_is_contested(wrong: Built) -> None:
    with accepted_line(wrong.folder) as name:
        assert wrong.run()[2][name] == "contested"


def test_what_is_wrong_is_shown(wrong: Built) -> None:
    _, output, _ = wrong.run(mutant="varint without zigzag")
    assert re.search(r"decode VARINT: 01\s+expected: -1\s+got: +1\s", output)


def test_a_released_library(tmp_path: Path, libraries: str) -> None:
    """Kafka's own classes, with their true deviations."""
    wrapper = built()
    jars = ":".join(str(jar) for jar in (wrapper / "wrapper.jar", *sorted((wrapper / "lib").iterdir())))
    export(tmp_path, *WITH_MESSAGES)
    clients = build(tmp_path, f"{jars}:{libraries}", "ClientsImplementation.java")
    code, output, found = clients.run()
    assert code == 1, output[-2000:]
    kits = by_kit(f"exec:{FOLDER / 'wrapper'}", with_ledger=True)
    # Its implementation here offers no lookup, convert, consume and produce.
    left_out = ("#lookup", "#convert", "#consume", "#produce")
    asked = {one: verdict for one, verdict in kits.items() if not one.endswith(left_out)}
    assert {one: (found[one], verdict) for one, verdict in asked.items() if found[one] != verdict} == {
        # Both skip: it does not decode the bytes that are expected, so it is not known what it wrote.
        "kafka/framing/batch-lz4-dictionary-id#encode": ("skip", "pass"),
        "kafka/framing/batch-lz4-linked#encode": ("skip", "pass"),
        "kafka/framing/batch-lz4-linked-flag#encode": ("skip", "pass"),
    }
    counts = Counter(found.values())
    assert counts["pass"] > 5_000
    assert counts["fail"] > 5


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory, libraries: str) -> Built:
    """An implementation that answers from a table, asked what may be in it, of every dialect."""
    folder = tmp_path_factory.mktemp("replaying")
    export_replayed("java", folder)
    return build(folder, libraries, "ReplayImplementation.java")


@pytest.mark.parametrize("spec", some(REPLAYED, 2))
def test_exchanges_are_judged_as_by_the_kit(replaying: Built, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS)
    table, kits = replay(spec)
    (replaying.folder / "table.json").write_text(json.dumps(table))
    code, output, found = replaying.run()
    assert {one: verdict for one, verdict in found.items() if one in kits} == {
        one: verdict for one, verdict in kits.items() if f"/{LONG}/" not in one
    }
    assert ("fail" in kits.values(), code) == (spec in WRONG, int(spec in WRONG)), output[-2000:]


def test_known_deviations_are_no_failures_and_stale_ones_are(wrong: Built) -> None:
    mutant = "tags in any order"
    _, _, found = wrong.run(mutant=mutant)
    known = wrong.folder / "known.json"
    known.write_text(json.dumps({one: "it is known" for one, verdict in found.items() if verdict == "fail"}))
    code, output, _ = wrong.run(mutant=mutant)
    assert code == 0, output[-2000:]
    known.write_text(json.dumps({"kafka/varints/varint-0#decode": "not at all"}))
    code, output, _ = wrong.run()
    assert code == 1
    assert "known.json lists it, but it ends as pass: take it out" in output
    known.write_text(json.dumps({"kafka/no/such#decode": "neither"}))
    code, output, _ = wrong.run()
    known.unlink()
    assert code == 1
    assert "known.json lists kafka/no/such#decode: there is no such question" in output
