"""Targets as programs, with the options that OSS-Fuzz, ClusterFuzzLite and users of libFuzzer give them.

`tox -e fuzz-packed` runs them as a program of Python, and in the single file that the page's build script makes.
libFuzzer starts the program again for -merge, -minimize_crash, -fork and -jobs, with a shell.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support.blocks import blocks
from support.paths import ROOT

FILES = {block.name: block.text for block in blocks(ROOT / "docs/how-to/fuzz-your-codec.md") if block.kind == "file"}
TARGET = ".clusterfuzzlite/wireproof_differential.py"
BUILD = ".clusterfuzzlite/build.sh"
#: What OSS-Fuzz's `compile_python_fuzzer` does: a single file, and a script beside it that starts it.
COMPILE = """#!/bin/bash -eu
program=$1; shift; name=$(basename "$program" .py)
pyinstaller --distpath "$OUT" --workpath "$WORK/build" --onefile --name "$name.pkg" "$@" "$program"
chmod -x "$OUT/$name.pkg"
printf '%s\\n' '#!/bin/sh' 'this_dir=$(dirname "$0")' "chmod +x \\$this_dir/$name.pkg" \
    "\\$this_dir/$name.pkg \\$@" > "$OUT/$name"
chmod +x "$OUT/$name"
"""
#: What its `run_fuzzer` adds.
HELPER = ("-rss_limit_mb=2560", "-timeout=25")
#: An input that is read wrong, and is longer than it needs to be.
WRONG = b"VARINT/-\n\x81\x02"


def ran(words: list[str | Path], folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | given
    return subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.fixture(scope="module", params=["program", "packed"])
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """The page's target: how it is started. A shell needs quotes for the name of its folder."""
    folder = tmp_path_factory.mktemp("a project")
    (folder / ".clusterfuzzlite").mkdir()
    for name in ("my_codec.py", TARGET, BUILD):
        (folder / name).write_text(FILES[name])
    if request.param == "program":
        (folder / "target.py").write_text(FILES[TARGET])
        return [sys.executable, folder / "target.py"]
    tools, out, work = (tmp_path_factory.mktemp(name) for name in ("tools", "out", "work"))
    (tools / "pip3").write_text("#!/bin/sh\n")  # the kit is installed already
    (tools / "compile_python_fuzzer").write_text(COMPILE)
    for tool in tools.iterdir():
        tool.chmod(0o755)
    path = os.pathsep.join([str(tools), sysconfig.get_path("scripts"), os.environ["PATH"]])
    built = ran(["bash", "-eu", BUILD], folder, PATH=path, OUT=str(out), WORK=str(work))
    assert built.returncode == 0, built.stdout
    return [out / "wireproof_differential"]


@pytest.fixture
def crash(tmp_path: Path) -> Path:
    path = tmp_path / "crash-of-somebody"
    path.write_bytes(WRONG)
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two inputs that are read right, and one that is not."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name, data in (("zero", b"\x00"), ("cut-off", b"\xff"), ("wrong", b"\x01")):
        (folder / name).write_bytes(b"VARINT/-\n" + data)
    return folder


def test_a_crash_file_is_repeated(command: list[str | Path], crash: Path, tmp_path: Path) -> None:
    done = ran([*command, "-runs=100", *HELPER, crash], tmp_path)
    assert done.returncode == 77, done.stdout
    assert "fail (wrong-value): my-codec reads a wrong value" in done.stdout


def test_a_corpus_is_run(command: list[str | Path], corpus: Path, tmp_path: Path) -> None:
    (corpus / "wrong").unlink()
    done = ran([*command, "-runs=0", *HELPER, corpus], tmp_path)
    assert done.returncode == 0, done.stdout
    assert "seed corpus: files: 2" in done.stdout


def test_dictionary_length_artifacts_and_statistics(command: list[str | Path], corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "words").write_text('"abc"\n')
    (tmp_path / "kept").mkdir()
    options = ("-dict=words", "-max_len=64", "-artifact_prefix=kept/", "-print_final_stats=1", "-close_fd_mask=1")
    done = ran([*command, *options, *HELPER, corpus], tmp_path)
    assert done.returncode == 77, done.stdout
    assert "Dictionary: 1 entries" in done.stdout
    assert "stat::number_of_executed_units:" in done.stdout
    assert len([*(tmp_path / "kept").glob("crash-*")]) == 1
    assert "INFO: -max_len is not provided" not in done.stdout


def test_a_corpus_is_merged_without_what_deviates(command: list[str | Path], corpus: Path, tmp_path: Path) -> None:
    merged = tmp_path / "out"
    merged.mkdir()
    done = ran([*command, "-merge=1", *HELPER, merged, corpus], tmp_path)
    assert done.returncode == 0, done.stdout
    kept = {path.read_bytes() for path in merged.iterdir()}
    assert kept == {b"VARINT/-\n\x00", b"VARINT/-\n\xff"}


def test_a_crash_is_minimised(command: list[str | Path], crash: Path, tmp_path: Path) -> None:
    done = ran([*command, "-minimize_crash=1", "-runs=300", "-exact_artifact_path=small", *HELPER, crash], tmp_path)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "small").read_bytes().startswith(b"VARINT/-\n")
    assert len((tmp_path / "small").read_bytes()) < len(WRONG)


def test_a_crash_is_cleansed(command: list[str | Path], crash: Path, tmp_path: Path) -> None:
    """As many bytes as can be are replaced, by a space or by ff."""
    done = ran([*command, "-cleanse_crash=1", "-exact_artifact_path=clean", *HELPER, crash], tmp_path)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "clean").read_bytes() == b"VARINT/-\n\xff\x20"


def test_jobs_of_their_own_are_run(command: list[str | Path], corpus: Path, tmp_path: Path) -> None:
    (corpus / "wrong").unlink()
    done = ran([*command, "-jobs=2", "-workers=2", "-runs=1", *HELPER, corpus], tmp_path)
    assert done.returncode == 0, done.stdout
    for number in range(2):
        assert "seed corpus: files: 2" in (tmp_path / f"fuzz-{number}.log").read_text()


def test_a_fork_ends_with_the_deviation_of_its_job(command: list[str | Path], corpus: Path, tmp_path: Path) -> None:
    (corpus / "wrong").unlink()
    done = ran([*command, "-fork=1", "-max_total_time=120", *HELPER, corpus], tmp_path)
    assert done.returncode == 77, done.stdout
    assert "fail (wrong-value): my-codec reads a wrong value" in done.stdout
    assert [*tmp_path.glob("crash-*")]
