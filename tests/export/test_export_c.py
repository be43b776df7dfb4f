"""Exported tests for C: they run as written, and their verdicts are the kit's, case by case, of a right codec, of wrong
ones, and of librdkafka's mock broker."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from support.exported import SCREEN, SKIPPED, accepted_line, ask_alone, by_the_kit, differences, write_export
from support.paths import TESTS
from support.replayed import LONG, REPLAYED, WRONG, export_replayed, replay
from support.thorough import some

from wireproof.conformance import vectors

PROGRAMS = TESTS / "programs" / "export_c"
AREAS = (
    "varints",
    "tag-ordering",
    "null-encodings",
    "header-multimaps",
    "unsupported-versions",
    "framing",
    "schema-evolution",
)
#: A planted fault → the area in which it has to show.
FAULTS = {
    "range": "varints",
    "sign": "varints",
    "hang": "varints",
    "order": "tag-ordering",
    "tag-size": "tag-ordering",
    "null": "null-encodings",
    "multimap": "header-multimaps",
    "crc": "framing",
    "endian": "framing",
    "epoch": "framing",
    "nan": "framing",
    "crash": "framing",
    "refuses": "null-encodings",
    "version": "unsupported-versions",
    "outcome": "unsupported-versions",
    "breaks": "schema-evolution",
}
#: Other readings of contested rulings, no faults.
READINGS = ("utf8", "trailing")
#: No fault either: the keys of headers are bytes, and a length is shown.
KEYS = "keys"
FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror")
MOST_SHOWN = 2000


def compiler() -> str:
    """A C compiler; without one the test is skipped, and under CI that is a failure."""
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None:
        missing("there is no C compiler on PATH")
    return found or ""


def missing(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def export(folder: Path, *more: str, areas: tuple[str, ...] = AREAS) -> None:
    chosen = ["--dialect", "kafka", *(word for name in areas for word in ("--area", name))]
    write_export("c", folder, *chosen, *more)


def compiled(folder: Path, name: str, *sources: Path | str, flags: tuple[str, ...] = ()) -> Path:
    """A program in the folder, of these sources and the exported ones."""
    command = [compiler(), *FLAGS, "-I.", "-o", name, "wireproof.c", *map(str, sources), *flags]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder / name


def run(folder: Path, *arguments: str, program: str = "wireproof-test", **env: str) -> tuple[int, str, dict[str, str]]:
    """The exported tests: exit code, output, and the verdicts by id."""
    report = folder / "report.jsonl"
    done = subprocess.run(
        [str(folder / program), *arguments],
        cwd=folder,
        env=os.environ | {"WIREPROOF_REPORT": str(report)} | env,
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
    """Exported tests of the small codec, and the same codec as a program that speaks the line protocol."""
    path = tmp_path_factory.mktemp("exported")
    export(path)
    compiled(path, "wireproof-test", PROGRAMS / "codec.c")
    compiled(path, "lines", PROGRAMS / "codec.c", PROGRAMS / "lines.c", flags=("-DWIREPROOF_NO_MAIN",))
    return path


def test_as_written_they_pass(tmp_path: Path) -> None:
    """The example that is written offers VARINT."""
    export(tmp_path, areas=("varints",))
    compiled(tmp_path, "wireproof-test", "implementation.c")
    code, output, found = run(tmp_path)
    assert code == 0, output[-MOST_SHOWN:]
    assert Counter(found.values()).keys() == {"pass", "skip"}
    assert found["kafka/varints/varint-minus-1#decode"] == "pass"
    assert SKIPPED.search(output)
    assert len(output.splitlines()) < SCREEN < Counter(found.values())["skip"]
    code, output, _ = run(tmp_path, "kafka/varints/varlong-0#")
    assert (code, "offers no type of those that were chosen. Fill in" in output) == (1, True)
    assert "skip       kafka/varints/varlong-0#decode: VARLONG\n" in output


def test_one_question_is_asked_alone(folder: Path) -> None:
    """By the command of its failure, also beside a list of known deviations."""
    _, output, found = run(folder, "kafka/varints/", WIREPROOF_WRONG="sign")
    (folder / "known.txt").write_text("kafka/varints/uvarint-0#decode it is not asked\n")
    code, output, alone = ask_alone(output, folder, WIREPROOF_WRONG="sign")
    (folder / "known.txt").unlink()
    assert ([*alone.values()], code) == (["fail"], 1), output
    assert alone.items() <= found.items()
    assert "known.txt" not in output


@pytest.mark.parametrize("op", ["decode", "recode"])
def test_bytes_that_have_to_be_refused_are_chosen_by_either_op(op: str, folder: Path) -> None:
    assert run(folder, f"kafka/varints/varint-trailing#{op}")[2] == {"kafka/varints/varint-trailing#decode": "pass"}


def test_in_one_process_they_pass_too(folder: Path) -> None:
    compiled(folder, "alone", PROGRAMS / "codec.c", flags=("-DWIREPROOF_ONE_PROCESS",))
    assert run(folder, program="alone") == run(folder)


def test_a_right_codec_has_the_verdicts_of_the_kit(folder: Path) -> None:
    code, output, found = run(folder)
    assert code == 0, output[-MOST_SHOWN:]
    counts = Counter(found.values())
    assert counts["pass"] > 1500
    by_kit = by_the_kit(f"exec:{folder / 'lines'}", ["kafka"], AREAS)
    assert differences(found, by_kit) == {}


@pytest.mark.parametrize("fault", some([*FAULTS, *READINGS, KEYS], 2))
def test_a_wrong_codec_has_the_verdicts_of_the_kit(fault: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREPROOF_WRONG", fault)
    code, output, found = run(folder, WIREPROOF_TIMEOUT="1")
    counts = Counter(found.values())
    areas = {identifier.split("/")[1] for identifier, verdict in found.items() if verdict in ("fail", "crash", "hang")}
    if fault in (*READINGS, KEYS):
        assert code == 0, output[-MOST_SHOWN:]
        assert counts["contested"] > (1 if fault == KEYS else 10)
    else:
        assert code == 1
        assert FAULTS[fault] in areas
        assert counts["pass"] > 500
    for name in ("crash", "hang"):
        assert (counts[name] > 0) is (fault == name)
    by_kit = by_the_kit(f"exec:{folder / 'lines'}", ["kafka"], AREAS, timeout=1)
    assert differences(found, by_kit) == {}


def test_what_a_writer_sets_itself_does_not_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(folder, "rebuilds", PROGRAMS / "codec.c", flags=("-DREBUILDS",))
    compiled(folder, "told", PROGRAMS / "codec.c", PROGRAMS / "lines.c", flags=("-DREBUILDS", "-DWIREPROOF_NO_MAIN"))
    monkeypatch.setenv("WIREPROOF_WRONG", "epoch")
    code, output, found = run(folder, program="rebuilds")
    assert code == 0, output[-MOST_SHOWN:]
    assert differences(found, by_the_kit(f"exec:{folder / 'told'}", ["kafka"], AREAS)) == {}


def test_known_deviations_are_no_failures_and_stale_ones_are(folder: Path) -> None:
    _, _, found = run(folder, WIREPROOF_WRONG="sign")
    known = folder / "known.txt"
    known.write_text("".join(f"{one} it is known\n" for one, verdict in found.items() if verdict == "fail"))
    code, output, _ = run(folder, WIREPROOF_WRONG="sign")
    assert code == 0, output[-MOST_SHOWN:]
    known.write_text("kafka/varints/varint-0#decode not at all\nkafka/no/such#decode neither\n")
    code, output, _ = run(folder)
    known.unlink()
    assert code == 1
    assert "varint-0#decode: known.txt lists it, but it ends as pass: take it out" in output
    assert "no/such#decode: known.txt lists it, but it was not asked" in output


def test_readings_that_were_not_chosen_fail(folder: Path) -> None:
    for ruling, verdict in (("R-K-11", "contested"), ("R-K-5", "fail")):
        compiled(folder, "chosen", PROGRAMS / "codec.c", flags=(f'-DCHOSEN="{ruling}"',))
        _, _, found = run(folder, "kafka/null-encodings", program="chosen", WIREPROOF_WRONG="utf8")
        assert Counter(found.values()).keys() == {"pass", "skip", verdict}


def test_what_another_reading_accepts_is_contested(folder: Path) -> None:
    with accepted_line(folder) as name:
        assert run(folder, name.partition("#")[0])[2][name] == "contested"


def test_a_run_that_asks_nothing_fails(folder: Path) -> None:
    code, output, _ = run(folder, "kafka/no/such")
    assert code == 1
    assert re.search(r"nothing was asked: no id begins so\. One is kafka/\S+#\w+: dialect, area, name, op\n", output)


def test_a_twin_that_is_refused_makes_a_refusal_a_skip(folder: Path) -> None:
    _, output, found = run(folder, "kafka/null-encodings/", WIREPROOF_WRONG="refuses")
    twins = json.loads((folder / "vectors" / "manifest.json").read_text())
    assert twins["files"]["kafka/null-encodings.jsonl"]["cases"] > 100
    assert found["kafka/null-encodings/string-null#decode"] == "skip", output[-MOST_SHOWN:]


def test_what_is_the_user_s_stays(tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / "implementation.c").write_text("mine")
    (tmp_path / "known.txt").write_text("mine")
    (tmp_path / "wireproof.c").write_text("an older one")
    export(tmp_path, "--type", "VARINT", "--overwrite")
    assert (tmp_path / "implementation.c").read_text() == "mine"
    assert (tmp_path / "known.txt").read_text() == "mine"
    assert f"vector set {vectors.digest()}" in (tmp_path / "wireproof.c").read_text()


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An implementation that answers from a table, asked what may be in it, of every dialect."""
    path = tmp_path_factory.mktemp("replaying")
    export_replayed("c", path)
    compiled(path, "wireproof-test", PROGRAMS / "replay.c")
    return path


@pytest.mark.parametrize("spec", some(REPLAYED, 2))
def test_exchanges_are_judged_as_by_the_kit(replaying: Path, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS)
    table, by_kit = replay(spec)
    lines = (f"{asked}\t{json.dumps(answer, ensure_ascii=False)}\n" for asked, answer in table.items())
    (replaying / "table.txt").write_text("".join(lines), "utf-8")
    code, output, found = run(replaying)
    assert {one: "fail" if verdict == "crash" else verdict for one, verdict in found.items() if one in by_kit} == {
        one: verdict for one, verdict in by_kit.items() if f"/{LONG}/" not in one
    }
    assert ("fail" in by_kit.values(), code) == (spec in WRONG, int(spec in WRONG)), output[-MOST_SHOWN:]


# --- librdkafka -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exported tests of librdkafka's mock broker, and the same code as a program."""
    path = tmp_path_factory.mktemp("broker")
    (path / "there.c").write_text(
        "#include <librdkafka/rdkafka.h>\n#include <librdkafka/rdkafka_mock.h>\nint main(void) { return 0; }\n"
    )
    command = [compiler(), "there.c", "-lrdkafka", "-o", "there"]
    if subprocess.run(command, cwd=path, capture_output=True, check=False).returncode != 0:
        missing("there is no librdkafka with its headers (Debian: librdkafka-dev)")
    for left in path.iterdir():
        left.unlink()
    export(path)
    compiled(path, "wireproof-test", PROGRAMS / "librdkafka.c", flags=("-lrdkafka",))
    sources = (PROGRAMS / "librdkafka.c", PROGRAMS / "lines.c")
    compiled(path, "lines", *sources, flags=("-DWIREPROOF_NO_MAIN", "-lrdkafka"))
    return path


def test_librdkafka_s_broker_has_the_verdicts_of_the_kit(broker: Path) -> None:
    """When it closes a connection, what it has sent before may be lost: such cases are left out."""
    chancy = {
        f"{vector.path}#serve"
        for vector in vectors.load(["kafka"], AREAS)
        if vector.kind is vectors.VectorKind.SERVE and all(vector.expected)
    }
    assert 0 < len(chancy) < 10
    _, _, found = run(broker)
    by_kit = by_the_kit(f"exec:{broker / 'lines'}", ["kafka"], AREAS)
    counts = Counter(verdict for verdict in by_kit.values() if verdict != "skip")
    assert min(counts["pass"], counts["fail"]) > 30
    assert {identifier.rpartition("#")[2] for identifier, verdict in by_kit.items() if verdict != "skip"} == {"serve"}
    assert differences(found, by_kit).keys() <= chancy


def test_librdkafka_s_deviations_are_known(broker: Path) -> None:
    done = subprocess.run(["pkg-config", "--modversion", "rdkafka"], capture_output=True, text=True, check=False)
    if done.stdout.strip() != "2.0.2":
        pytest.skip(f"the list is that of version 2.0.2, not of {done.stdout.strip() or 'an unknown one'}")
    listed = (PROGRAMS / "librdkafka.known.txt").read_text()
    (broker / "known.txt").write_text(listed)
    _, output, found = run(broker)
    (broker / "known.txt").unlink()
    ids = {line.split()[0] for line in listed.splitlines() if not line.startswith("#")}
    assert len(ids) > 30
    assert {found[identifier] for identifier in ids & found.keys()} == {"fail"}
    assert "ends as" not in output
    assert f"{len(ids & found.keys())} known" in output
