"""Exported tests for Rust: they run as written, and their verdicts are the kit's, case by case, of a right codec, of
wrong ones, and of kafka-protocol."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from exported import by_the_kit, differences

from conformance import vectors
from wireproof.cli import group as cli

PROGRAMS = Path(__file__).parent / "programs" / "export_rust"
WRAPPERS = Path(__file__).parent.parent / "implementations" / "rust"
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
"""
LIBRARY = """
[dependencies.lines]
path = "@wrappers@/lines"

[dependencies.kafka-protocol]
version = "=0.18.0"
features = ["messages_enums"]
"""
MOST_SHOWN = 2000


def cargo(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Cargo in a folder; what it builds of other crates is kept for the next run."""
    if shutil.which("cargo") is None:
        reason = "there is no cargo on PATH"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wireproof" / "export-rust"
    return subprocess.run(
        ["cargo", *arguments],
        cwd=folder,
        env=os.environ | {"CARGO_TARGET_DIR": str(cache / folder.parent.name), "RUST_BACKTRACE": "0"} | env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def export(folder: Path, *more: str, areas: tuple[str, ...] = AREAS) -> None:
    chosen = [word for area in areas for word in ("--area", area)]
    place = str(folder / "tests" / "wireproof")
    result = CliRunner().invoke(cli, ["export", "--format=rust", place, "--dialect", "kafka", *chosen, *more])
    assert result.exit_code == 0, result.output


def crate(folder: Path, implementation: str | None, manifest: str = MANIFEST) -> Path:
    """A crate with exported tests, and a program that speaks the line protocol for the same implementation."""
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(manifest)
    export(folder)
    if implementation is not None:
        shutil.copy(PROGRAMS / implementation, folder / "tests" / "wireproof" / "implementation.rs")
    shutil.copy(PROGRAMS / "lines.rs", folder / "src" / "main.rs")
    return folder


def run(folder: Path, **env: str) -> tuple[int, str, dict[str, str]]:
    """The exported tests: exit code, output, and the verdicts by id."""
    report = folder / "report.jsonl"
    report.unlink(missing_ok=True)
    done = cargo(folder, "test", "--test", "wireproof", WIREPROOF_REPORT=str(report), **env)
    output = done.stdout + done.stderr
    assert report.exists(), output[-MOST_SHOWN:]
    found = [json.loads(line) for line in report.read_text().splitlines()]
    assert len({one["id"] for one in found}) == len(found)
    return done.returncode, output, {one["id"]: one["verdict"] for one in found}


def program(folder: Path) -> str:
    """The program that speaks the line protocol."""
    done = cargo(folder, "build", "--message-format=json")
    (found,) = {one for one in map(_executable, done.stdout.splitlines()) if one}
    return found


def _executable(line: str) -> str | None:
    told = json.loads(line)
    found = told.get("executable")
    return found if told.get("target", {}).get("kind") == ["bin"] else None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exported tests of the small codec."""
    return crate(tmp_path_factory.mktemp("export") / "codec" / "crate", "codec.rs")


def test_as_written_they_pass(tmp_path: Path) -> None:
    """The example that is written offers INT16."""
    folder = crate(tmp_path / "written" / "crate", None)
    code, output, found = run(folder)
    assert code == 0, output[-MOST_SHOWN:]
    assert "warning" not in re.sub(r"warning: field.*|warning: `exported`.*", "", cargo(folder, "check").stderr)
    assert Counter(found.values()).keys() == {"pass", "skip"}
    assert found["kafka/framing/int16-1#decode"] == "pass"


def test_a_right_codec_has_the_verdicts_of_the_kit(folder: Path) -> None:
    code, output, found = run(folder)
    assert code == 0, output[-MOST_SHOWN:]
    assert Counter(found.values())["pass"] > 1500
    assert differences(found, by_the_kit(f"exec:{program(folder)}", ["kafka"], AREAS)) == {}


@pytest.mark.parametrize("fault", [*FAULTS, *READINGS])
def test_a_wrong_codec_has_the_verdicts_of_the_kit(fault: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREPROOF_WRONG", fault)
    code, output, found = run(folder, WIREPROOF_TIMEOUT="1")
    counts = Counter(found.values())
    areas = {identifier.split("/")[1] for identifier, verdict in found.items() if verdict in ("fail", "crash", "hang")}
    if fault in READINGS:
        assert code == 0, output[-MOST_SHOWN:]
        assert counts["contested"] > 10
    else:
        assert code != 0
        assert FAULTS[fault] in areas
        assert counts["pass"] > 500
    for name in ("crash", "hang"):
        assert (counts[name] > 0) is (fault == name)
    by_kit = by_the_kit(f"exec:{program(folder)}", ["kafka"], AREAS, timeout=1)
    assert differences(found, by_kit) == {}


def test_readings_that_were_not_chosen_fail(folder: Path) -> None:
    _, _, found = run(folder, WIREPROOF_WRONG="utf8", WIREPROOF_CHOSEN="R-K-5", WIREPROOF_ONLY="kafka/null-encodings")
    assert Counter(found.values()).keys() == {"pass", "skip", "fail"}


def test_known_deviations_are_no_failures_and_stale_ones_are(folder: Path) -> None:
    _, _, found = run(folder, WIREPROOF_WRONG="sign")
    known = folder / "tests" / "wireproof" / "known.txt"
    known.write_text("".join(f"{one} it is known\n" for one, verdict in found.items() if verdict == "fail"))
    code, output, _ = run(folder, WIREPROOF_WRONG="sign")
    assert code == 0, output[-MOST_SHOWN:]
    known.write_text("kafka/varints/varint-0#decode not at all\nkafka/no/such#decode neither\n")
    code, output, _ = run(folder)
    known.unlink()
    assert code != 0
    assert "varint-0#decode: known.txt lists it, but it ends as pass: take it out" in output
    assert "no/such#decode: known.txt lists it, but it was not asked" in output


def test_a_run_that_asks_nothing_fails(folder: Path) -> None:
    code, output, _ = run(folder, WIREPROOF_ONLY="kafka/no/such")
    assert code != 0
    assert "nothing was asked" in output


def test_what_is_the_user_s_stays(tmp_path: Path) -> None:
    export(tmp_path)
    place = tmp_path / "tests" / "wireproof"
    for name in ("implementation.rs", "known.txt", "main.rs"):
        (place / name).write_text("mine")
    export(tmp_path, "--type", "VARINT")
    assert [(place / name).read_text() for name in ("implementation.rs", "known.txt")] == ["mine", "mine"]
    assert f"vector set {vectors.digest()}" in (place / "main.rs").read_text()


def test_kafka_protocol_has_the_verdicts_of_the_kit(tmp_path: Path) -> None:
    needed = re.findall(
        r"^(?:anyhow|indexmap) = .*$", (WRAPPERS / "kafka-protocol" / "Cargo.toml").read_text(), re.MULTILINE
    )
    needed += re.findall(r"^bytes = .*$", (WRAPPERS / "Cargo.toml").read_text(), re.MULTILINE)
    pinned = MANIFEST.replace("[profile", "\n".join([*needed, "", "[profile"]))
    folder = crate(
        tmp_path / "library" / "crate",
        "kafka_protocol.rs",
        (pinned + LIBRARY).replace("@wrappers@", WRAPPERS.as_posix()),
    )
    library = (PROGRAMS / "library.rs").read_text().replace("@wrappers@", WRAPPERS.as_posix())
    (folder / "src" / "lib.rs").write_text(library)
    areas = (*AREAS, "messages")
    export(folder, areas=areas)
    code, _, found = run(folder)
    by_kit = by_the_kit(f"exec:{program(folder)}", ["kafka"], areas)
    found = {
        identifier: verdict
        for identifier, verdict in found.items()
        if "/messages/" not in identifier or identifier in by_kit
    }
    counts = Counter(found.values())
    assert code != 0
    assert counts["pass"] > 500
    assert counts["fail"] > 10
    assert differences(found, by_kit) == {}
