"""Targets as programs of their own, and the build script of the page for fuzzing services: it is run as it stands."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from support.blocks import blocks
from support.fuzzing import need_atheris
from support.paths import ROOT

from wireproof.fuzz.corpus.vector_seeds import dictionary

PAGE = ROOT / "docs/how-to/fuzz-your-codec.md"
FILES = {block.name: block.text for block in blocks(PAGE) if block.kind == "file"}
BUILD = ".clusterfuzzlite/build.sh"
TARGET = ".clusterfuzzlite/wireproof_differential.py"
#: What the service's own command does, without making one file of it.
COMPILE = """#!/bin/bash -eu
[ "$2" = --copy-metadata ]
echo "${@:2}" > parts.txt
{ echo "#!PYTHON"; echo "import sys; sys.path.insert(0, '$PWD')"; cat "$1"; } > "$OUT/$(basename "$1" .py)"
chmod +x "$OUT/$(basename "$1" .py)"
"""


@pytest.fixture(autouse=True)
def _atheris() -> None:
    need_atheris()


def run(words: list[str | Path], folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "PYTHONHASHSEED": "0", **given}
    return subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=280,
        check=False,
    )


def program(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A target in a file, run with libFuzzer's options."""
    path = folder / "program.py"
    path.write_text(f"from wireproof.fuzz.standalone import main\n\nmain({text})\n")
    return run([sys.executable, path, *options], folder)


def test_a_deviation_ends_it_with_its_page_and_the_input_repeats_it(tmp_path: Path) -> None:
    (tmp_path / "my_codec.py").write_text(FILES["my_codec.py"])
    target = '"differential", impl="my_codec"'
    done = program(tmp_path, target, "-runs=2000", "-seed=1")
    assert done.returncode == 77, done.stdout
    assert "wireproof repro 'gen/kafka/VARINT/-/x01#decode' --impl=my_codec" in done.stdout
    (crash,) = tmp_path.glob("crash-*")
    again = program(tmp_path, target, str(crash))
    assert again.returncode == 77, again.stdout
    assert "fail (wrong-value)" in again.stdout


def test_it_sees_the_branches_of_the_fast_codec_of_records_too(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("""
import atheris

def show():
    from wireproof.reference.fast import records as fast
    print("branches:", "_trace_branch" in fast.decode_batch.__code__.co_names, flush=True)

atheris.Setup, atheris.Fuzz = lambda *_, **__: None, show
from wireproof.fuzz.standalone import main

main("differential", impl="reference")
""")
    assert "branches: True" in run([sys.executable, path], tmp_path).stdout


def test_without_atheris_it_says_what_to_install(tmp_path: Path) -> None:
    """A module that cannot be imported stands for one that is not installed."""
    (tmp_path / "atheris.py").write_text("raise ModuleNotFoundError('No module named atheris', name='atheris')\n")
    done = program(tmp_path, '"differential", impl="my_codec"')
    assert done.returncode == 2
    assert done.stdout == "fuzzing needs atheris, which is not installed: pip install 'wireproof[fuzz]'\n"


def test_what_the_known_file_explains_does_not_end_it(tmp_path: Path) -> None:
    (tmp_path / "my_codec.py").write_text(FILES["my_codec.py"])
    (tmp_path / "known.toml").write_text(
        '[[deviation]]\nsignature = {type = "VARINT"}\nclass = "bug"\nreason = "no zigzag"\nreported = "pending"\n'
    )
    done = program(tmp_path, '"differential", impl="my_codec", known="known.toml"', "-runs=300", "-seed=1")
    assert done.returncode == 0, done.stdout
    assert not [*tmp_path.glob("crash-*")]


@pytest.mark.parametrize(
    ("target", "only"), [("decode", "COMPACT_STRING"), ("stability", "TAG_BUFFER"), ("exchange", None)]
)
def test_the_reference_is_clean(target: str, only: str | None, tmp_path: Path) -> None:
    text = f'"{target}", impl="reference"' + (f', type="{only}"' if only else "")
    done = program(tmp_path, text, "-runs=300", "-seed=1")
    assert done.returncode == 0, done.stdout
    assert "cov: " in done.stdout


def test_the_dictionary_of_a_campaign_is_used_unless_another_is_given(tmp_path: Path) -> None:
    target = '"decode", impl="reference", type="COMPACT_STRING"'
    assert f"Dictionary: {len(dictionary('kafka'))} entries" in program(tmp_path, target, "-runs=10").stdout
    (tmp_path / "words").write_text('"abc"\n')
    assert "Dictionary: 1 entries" in program(tmp_path, target, "-runs=10", "-dict=words").stdout
    assert "Dictionary: " not in program(tmp_path, '"schema", impl="reference"', "-runs=10").stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('"differentially", impl="reference"', "the targets are decode"),
        ('"decode", impl="there_is_none"', "there_is_none"),
        ('"decode", impl="reference", type="VARIN"', "VARINT"),
        ('"decode", impl="reference", known="none.toml"', "none.toml"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(text: str, says: str, tmp_path: Path) -> None:
    done = program(tmp_path, text, "-runs=1")
    assert done.returncode == 2, done.stdout
    assert says in done.stdout
    assert "Traceback" not in done.stdout


def test_it_is_not_run_on_code_that_is_not_instrumented(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "from wireproof import reference\nfrom wireproof.fuzz.standalone import main\n"
        'main("decode", impl="reference")\n'
    )
    done = run([sys.executable, "late.py"], tmp_path)
    assert done.returncode == 1
    assert "before it could be instrumented" in done.stdout


def test_the_build_script_makes_a_target_and_its_inputs(tmp_path: Path) -> None:
    tools, out, work = (tmp_path / name for name in ("tools", "out", "work"))
    for folder in (tools, out, work, tmp_path / ".clusterfuzzlite"):
        folder.mkdir()
    for name in ("my_codec.py", BUILD, TARGET):
        (tmp_path / name).write_text(FILES[name])
    (tools / "pip3").write_text('#!/bin/sh\necho "$@" > pip3.txt\n')
    (tools / "compile_python_fuzzer").write_text(COMPILE.replace("PYTHON", sys.executable))
    for tool in tools.iterdir():
        tool.chmod(0o755)
    path = os.pathsep.join([str(tools), sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = run(["bash", "-eu", BUILD], tmp_path, PATH=path, OUT=str(out), WORK=str(work))
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "pip3.txt").read_text().split() == ["install", "./.wireproof[fuzz]"]
    parts = (tmp_path / "parts.txt").read_text().split()
    collected = {name for option, name in pairwise(parts) if option.startswith("--collect-")}
    assert len(collected) == 4
    assert all(importlib.util.find_spec(name) for name in collected), collected
    assert {entry.name for entry in out.iterdir()} == {
        "wireproof_differential",
        "wireproof_differential_seed_corpus.zip",
    }
    with zipfile.ZipFile(out / "wireproof_differential_seed_corpus.zip") as seeds:
        seeds.extractall(tmp_path / "corpus")
    assert len([entry for entry in (tmp_path / "corpus").rglob("*") if entry.is_file()]) > 10
    ended = run([out / "wireproof_differential", "-runs=0", "corpus"], tmp_path)
    assert ended.returncode == 77, ended.stdout
    assert "fail (wrong-value)" in ended.stdout
