"""Exported tests for Rust: they run as written, and their verdicts are the kit's, case by case.

Asked are a small codec with a fault at a time (tests/programs/export_rust), a table of answers, and kafka-protocol by
the code of its wrapper. That one is built where the wrappers are, so that the library is not compiled once more.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.exported import SCREEN, SKIPPED, accepted_line, ask_alone, by_the_kit, differences, write_export
from support.paths import TESTS
from support.replayed import LONG, REPLAYED, WRONG, export_replayed, replay
from support.rust import FOLDER as WRAPPERS
from support.rust import LIBRARIES, built, skip_unless_built, spec
from support.thorough import some
from support.toolchains import skip_without

from wireproof.conformance import ledger, vectors
from wireproof.conformance.evidence import known_deviations

PROGRAMS = TESTS / "programs" / "export_rust"
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
    "silent": "framing",
    "refuses": "null-encodings",
    "version": "unsupported-versions",
    "outcome": "unsupported-versions",
    "breaks": "schema-evolution",
}
#: Other readings of contested rulings, no faults.
READINGS = ("utf8", "trailing")
#: No faults either: a field that the writer sets itself, and says so; keys that are bytes, and a length that is shown.
OWN_WAYS = ("rebuilds", "keys")
MANIFEST = """[package]
name = "exported"
version = "0.0.0"
edition = "2024"

[dependencies]
serde_json = "=1.0.154"

[profile.dev]
opt-level = 1
debug = false
overflow-checks = false

[[test]]
name = "filtered"
harness = false
"""
MOST_SHOWN = 2000
Run = tuple[int, str, dict[str, str]]


def cargo(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Cargo in a folder; what it builds stays there."""
    return subprocess.run(
        ["cargo", *arguments],
        cwd=folder,
        env=os.environ | {"CARGO_TARGET_DIR": str(folder / "target"), "RUST_BACKTRACE": "0"} | env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def export(package: Path, name: str, *more: str, areas: tuple[str, ...] = AREAS) -> Path:
    """Export into a package as the test `name`. Returns the folder."""
    place = package / "tests" / name
    chosen = [word for area in areas for word in ("--area", area)]
    write_export("rust", place, "--dialect", "kafka", *chosen, *more)
    return place


def run(package: Path, name: str, *arguments: str, **env: str) -> Run:
    """Exported tests: exit code, output, and the verdicts by id."""
    report = package / "report.jsonl"
    report.unlink(missing_ok=True)
    done = cargo(package, "test", "--test", name, *arguments, WIREPROOF_REPORT=str(report), **env)
    output = done.stdout + done.stderr
    assert report.exists(), output[-MOST_SHOWN:]
    found = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
    assert len({one["id"] for one in found}) == len(found)
    return done.returncode, output, {one["id"]: one["verdict"] for one in found}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with the exported tests `written`, as they are, `codec`, of the small one, `replaying`, of a table."""
    skip_without("cargo")
    path = tmp_path_factory.mktemp("exported")
    (path / "src").mkdir()
    (path / "Cargo.toml").write_text(MANIFEST)
    for name in ("written", "filtered"):
        export(path, name, areas=("varints",))
    shutil.copy(PROGRAMS / "codec.rs", export(path, "codec") / "implementation.rs")
    table = path / "tests" / "replaying"
    export_replayed("rust", table)
    shutil.copy(PROGRAMS / "replay.rs", table / "implementation.rs")
    shutil.copy(PROGRAMS / "lines.rs", path / "src" / "main.rs")
    return path


@pytest.fixture(scope="module")
def program(package: Path) -> str:
    """The small codec as a program that speaks the line protocol."""
    done = cargo(package, "build")
    assert done.returncode == 0, done.stderr
    return f"exec:{package / 'target' / 'debug' / 'exported'}"


def test_the_filter_of_cargo_asks_what_begins_so(package: Path) -> None:
    """Where the page's lines are in Cargo.toml."""
    asked = "kafka/varints/varint-minus-1#decode"
    code, output, verdicts = run(package, "filtered", "--", "--nocapture", asked)
    assert (code, verdicts) == (0, {asked: "pass"}), output
    ended = cargo(package, "test", "--test", "filtered", "--", "kafka/nothing")
    assert ended.returncode != 0
    assert "nothing was asked: no id begins with kafka/nothing" in ended.stderr
    ended = cargo(package, "test", "--test", "filtered", "--", asked, "kafka/varints")
    assert ended.returncode != 0
    assert "one beginning of ids is asked at a time" in ended.stderr


def test_as_written_they_pass(package: Path) -> None:
    """The example that is written offers VARINT."""
    code, output, found = run(package, "written")
    assert code == 0, output[-MOST_SHOWN:]
    assert "--> tests/written" not in output  # the compiler has no warnings
    assert Counter(found.values()).keys() == {"pass", "skip"}
    assert found["kafka/varints/varint-minus-1#decode"] == "pass"
    assert SKIPPED.search(output)
    assert len(output.splitlines()) < SCREEN < Counter(found.values())["skip"]
    code, output, _ = run(package, "written", WIREPROOF_ONLY="kafka/varints/varlong-0#")
    assert (code != 0, "offers no type of those that were chosen. Fill in" in output) == (True, True)
    assert "skip       kafka/varints/varlong-0#decode: VARLONG\n" in output


def test_one_question_is_asked_alone(package: Path) -> None:
    """By the command of its failure, also beside a list of known deviations."""
    of_codec = {"WIREPROOF_WRONG": "sign", "CARGO_TARGET_DIR": str(package / "target")}
    _, output, found = run(package, "codec", WIREPROOF_ONLY="kafka/varints/", **of_codec)
    listed = package / "tests" / "codec" / "known.txt"
    listed.write_text("kafka/varints/uvarint-0#decode it is not asked\n")
    code, output, alone = ask_alone(output, package, **of_codec)
    listed.unlink()
    assert ([*alone.values()], code != 0) == (["fail"], True), output
    assert alone.items() <= found.items()
    assert "known.txt" not in output


@pytest.mark.parametrize("op", ["decode", "recode"])
def test_bytes_that_have_to_be_refused_are_chosen_by_either_op(op: str, package: Path) -> None:
    _, _, found = run(package, "codec", WIREPROOF_ONLY=f"kafka/varints/varint-trailing#{op}")
    assert found == {"kafka/varints/varint-trailing#decode": "pass"}


def test_a_right_codec_has_the_verdicts_of_the_kit(package: Path, program: str) -> None:
    code, output, found = run(package, "codec")
    assert code == 0, output[-MOST_SHOWN:]
    assert Counter(found.values())["pass"] > 1500
    assert differences(found, by_the_kit(program, ["kafka"], AREAS)) == {}


@pytest.mark.parametrize("fault", some([*FAULTS, *READINGS, *OWN_WAYS], 3))
def test_a_wrong_codec_has_the_verdicts_of_the_kit(
    fault: str, package: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIREPROOF_WRONG", fault)
    code, output, found = run(package, "codec", WIREPROOF_TIMEOUT="1")
    counts = Counter(found.values())
    areas = {identifier.split("/")[1] for identifier, verdict in found.items() if verdict in ("fail", "crash", "hang")}
    if fault in (*READINGS, *OWN_WAYS):
        assert code == 0, output[-MOST_SHOWN:]
        assert counts["contested"] > 10 or fault in OWN_WAYS
    else:
        assert code != 0
        assert FAULTS[fault] in areas
        assert counts["pass"] > 500
    for name in ("crash", "hang"):
        assert (counts[name] > 0) is (fault == name)
    assert differences(found, by_the_kit(program, ["kafka"], AREAS, timeout=1)) == {}


def test_readings_that_were_not_chosen_fail(package: Path) -> None:
    for ruling, verdict in (("R-K-11", "contested"), ("R-K-5", "fail")):
        chosen = {"WIREPROOF_CHOSEN": ruling, "WIREPROOF_ONLY": "kafka/null-encodings"}
        _, _, found = run(package, "codec", WIREPROOF_WRONG="utf8", **chosen)
        assert Counter(found.values()).keys() == {"pass", "skip", verdict}


def test_what_another_reading_accepts_is_contested(package: Path) -> None:
    with accepted_line(package / "tests" / "codec") as name:
        assert run(package, "codec", WIREPROOF_ONLY=name.partition("#")[0])[2][name] == "contested"


def test_known_deviations_are_no_failures_and_stale_ones_are(package: Path) -> None:
    _, _, found = run(package, "codec", WIREPROOF_WRONG="sign")
    listed = package / "tests" / "codec" / "known.txt"
    listed.write_text("".join(f"{one} it is known\n" for one, verdict in found.items() if verdict == "fail"))
    code, output, _ = run(package, "codec", WIREPROOF_WRONG="sign")
    assert code == 0, output[-MOST_SHOWN:]
    listed.write_text("kafka/varints/varint-0#decode not at all\nkafka/no/such#decode neither\n")
    code, output, _ = run(package, "codec")
    listed.unlink()
    assert code != 0
    assert "varint-0#decode: known.txt lists it, but it ends as pass: take it out" in output
    assert "no/such#decode: known.txt lists it, but it was not asked" in output


def test_a_run_that_asks_nothing_fails(package: Path) -> None:
    code, output, _ = run(package, "codec", WIREPROOF_ONLY="kafka/no/such")
    assert code != 0
    assert re.search(r"nothing was asked: no id begins with kafka/no/such\. One is kafka/\S+#\w+: dialect", output)


def test_what_is_the_user_s_stays(tmp_path: Path) -> None:
    place = export(tmp_path, "wireproof")
    for name in ("implementation.rs", "known.txt", "main.rs"):
        (place / name).write_text("mine")
    export(tmp_path, "wireproof", "--type", "VARINT", "--overwrite")
    assert [(place / name).read_text() for name in ("implementation.rs", "known.txt")] == ["mine", "mine"]
    assert f"vector set {vectors.digest()}" in (place / "main.rs").read_text()


@pytest.mark.parametrize("replayed", some(REPLAYED, 2))
def test_exchanges_are_judged_as_by_the_kit(package: Path, replayed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS)
    table, by_kit = replay(replayed)
    of_sorted = {_sorted(asked): answer for asked, answer in table.items()}
    (package / "table.json").write_text(json.dumps(of_sorted), "utf-8")
    code, output, found = run(package, "replaying")
    assert {one: "fail" if verdict == "crash" else verdict for one, verdict in found.items() if one in by_kit} == {
        one: verdict for one, verdict in by_kit.items() if f"/{LONG}/" not in one
    }
    assert ("fail" in by_kit.values(), code != 0) == (replayed in WRONG,) * 2, output[-MOST_SHOWN:]


def _sorted(asked: str) -> str:
    """A key of the table with the fields of its schemas in the order of their names, as serde_json has them."""
    if not asked.startswith("evolve|"):
        return asked
    op, dialect, rest = asked.split("|", 2)
    return "|".join([op, dialect, *map(_compact, _schemas(rest))])


def _schemas(text: str) -> list[Any]:
    old, end = json.JSONDecoder().raw_decode(text)
    return [old, json.loads(text[end + 1 :])]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def test_a_released_library(tmp_path: Path) -> None:
    """Kafka-protocol, with its true deviations, those that the kit's own list has. With that list it passes."""
    skip_unless_built()
    areas = (*AREAS, "messages")
    place = export(tmp_path, "wireproof", areas=areas)
    shutil.copy(PROGRAMS / "kafka_protocol.rs", place / "implementation.rs")
    (tmp_path / "src").mkdir()
    library = (PROGRAMS / "library.rs").read_text().replace("@wrappers@", WRAPPERS.as_posix())
    (tmp_path / "src" / "lib.rs").write_text(library)
    (tmp_path / "Cargo.toml").write_text(_manifest_as_the_wrappers())
    if (WRAPPERS / "Cargo.lock").exists():  # another clone may have built the wrappers
        shutil.copy(WRAPPERS / "Cargo.lock", tmp_path)
    shared = {"CARGO_TARGET_DIR": str(built() / "target")}
    code, output, found = run(tmp_path, "wireproof", "--release", "--offline", **shared)
    assert code != 0, output[-MOST_SHOWN:]
    listed = known_deviations.load(WRAPPERS / "kafka-protocol" / "wrapper.known.toml", None).deviations
    deviates = [one for one, verdict in found.items() if verdict in ("fail", "crash")]
    reasons = {one: next(entry.reason for entry in listed if entry.matches_id(one)) for one in deviates}
    (place / "known.txt").write_text("".join(f"{one} {' '.join(why.split())}\n" for one, why in reasons.items()))
    code, output, _ = run(tmp_path, "wireproof", "--release", "--offline", **shared)
    assert (code, f"{len(deviates)} known" in output) == (0, True), output[-MOST_SHOWN:]
    cargo(tmp_path, "clean", "--release", "--offline", "--package=exported", **shared)
    every = by_the_kit(spec("kafka-protocol"), ["kafka"], areas, more=ledger.every_vector("kafka"))
    # Its program here offers no produce.
    by_kit = {one: verdict for one, verdict in every.items() if not one.endswith("#produce")}
    counts = Counter(found.values())
    assert counts["pass"] > 4_000
    assert counts["fail"] > 30
    differ = differences(found, by_kit)
    # Where its decode loses something, or does not read the expected bytes, it cannot be told here what it wrote.
    types = {one.path: one.type for one in (*vectors.load(["kafka"], areas), *ledger.every_vector("kafka"))}

    def kind_of(one: str) -> str:
        return types[one.rpartition("#")[0]] or ""

    written = {one: differ.pop(one) for one in [*differ] if kind_of(one) in ("RecordBatch", "RecordSet")}
    assert {*written.values()} == {("skip", "pass"), ("skip", "fail")}
    assert {one.rpartition("#")[2] for one in written} == {"encode", "recode"}
    # Its program offers no frames; the wrapper's are of the same functions.
    framed = {one for one in differ if kind_of(one).startswith(("RequestFrame", "ResponseFrame"))}
    assert {differ.pop(one)[0] for one in framed} == {"skip"}
    # Versions that the library does not have are not offered here. The kit asks them too, where a refusal is right.
    assert {one.split("/")[1] for one in differ} == {"unsupported-versions"}
    assert {*differ.values()} == {("skip", "pass")}


def _manifest_as_the_wrappers() -> str:
    """The manifest of a package that depends on what the wrappers do, so that all is built with the same features."""
    workspace = tomllib.loads((WRAPPERS / "Cargo.toml").read_text())
    common = workspace["workspace"]["dependencies"]
    needed = {"serde_json": common["serde_json"]}
    for folder in LIBRARIES.values():
        needed |= tomllib.loads((WRAPPERS / folder / "Cargo.toml").read_text())["dependencies"]
    needed = {name: common[name] if one == {"workspace": True} else one for name, one in needed.items()}
    needed["lines"] = {"path": str(WRAPPERS / "lines")}
    sections = {
        "package": {"name": "exported", "version": "0.0.0", "edition": "2024"},
        "dependencies": needed,
        "profile.release": workspace["profile"]["release"],
    }
    lines = []
    for name, of in sections.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in of.items())]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)
