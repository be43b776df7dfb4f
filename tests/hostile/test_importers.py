"""What is under test is imported in its own process only, in every command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.pytest_run import run_anew

#: A right codec in a package that notes the command line of each process in which it is imported.
PACKAGE = """\
import json
import sys

with open({file!r}, "a") as file:
    file.write(json.dumps(sys.orig_argv) + "\\n")
"""
CODEC = """\
from wireproof import reference

dialects = ("kafka",)
types = {"kafka": {"VARINT": None, "STRING": None}}


def decode(type, data, *, dialect, version=None):
    return reference.decode(type, data, dialect=dialect, version=version)


def encode(type, value, *, dialect, version=None):
    return reference.encode(type, value, dialect=dialect, version=version)
"""
#: A program that serves it, and the kit's command line in the clone that the current folder is.
SERVER = Path(__file__).parent / "programs" / "serves.py"
CLONE = """\
import pathlib, sys

from wireproof import cli
from wireproof.clone import registry

registry.ROOT = pathlib.Path.cwd()
cli.main(sys.argv[1:])
"""
REGISTRY = '[[implementation]]\nname = "noted"\nspec = "noted.codec"\nlanguage = "python"\n'
#: The programs of the kit in which it may be imported, all of them children that do nothing else: the one that answers,
#: the fuzzing one, the one that lists its packages for fuzzing, and the one that lists its files for Spark.
OWN = (
    "wireproof.conformance.connection.process.worker",
    "wireproof.fuzz.process.child",
    "wireproof.fuzz.campaign.dependencies",
    "-c",
    str(SERVER),
)
CASE = "kafka/varints/varint-minus-1#decode"
SPEC = "--impl=noted.codec"
COMMANDS = {
    "suite": ("-m", "pytest", "-q", SPEC, "--area=varints"),
    "xdist": ("-m", "pytest", "-q", SPEC, "--area=varints", "-n1"),
    "collect-only": ("-m", "pytest", "-q", SPEC, "--area=varints", "--collect-only"),
    "repro": ("-m", "wireproof", "repro", CASE, SPEC),
    "readings": ("-m", "wireproof", "readings", SPEC),
    "fuzz": ("-m", "wireproof", "fuzz", "run", "decode", SPEC, "--type=VARINT", "--runs=200", "--out=kept"),
    "wrapper check": ("-m", "wireproof", "wrapper", "check", f"exec:{sys.executable} {SERVER} noted.codec"),
    "attest": ("clone.py", "attest", "--impl=noted"),
    "matrix": ("clone.py", "matrix", "--impl=noted", "--out=runs"),
    "pipeline": ("-m", "wireproof", "pipeline", "run", SPEC, "--cases=200", "--out=store"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package = tmp_path / "noted"
    package.mkdir()
    (package / "__init__.py").write_text(PACKAGE.format(file=str(tmp_path / "importers.jsonl")))
    (package / "codec.py").write_text(CODEC)
    (package / "codec.known.toml").write_text("")
    (tmp_path / "clone.py").write_text(CLONE)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "implementations").mkdir()
    (tmp_path / "implementations" / "registry.toml").write_text(REGISTRY)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_it_is_imported_in_its_own_process_only(command: tuple[str, ...], folder: Path) -> None:
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False)
    importers = [json.loads(line) for line in (folder / "importers.jsonl").read_text().splitlines()]
    assert importers, done.stdout + done.stderr
    others = [words for words in importers if not any(own in words for own in OWN)]
    assert others == [], done.stdout + done.stderr


def test_a_package_that_ends_its_importer_does_not_end_the_run() -> None:
    """The file of known deviations is found by its path."""
    done = run_anew("--impl=ends_its_importer.codec", "--area=varints", cwd=Path(__file__).parent / "modules")
    assert done.code == 1
    assert "wrong-value" in done.text
