"""`reference` is the kit's codec, in a clone and elsewhere, unless the user has a module of that name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.paths import ROOT

from wireproof.conformance.connection import open_connection
from wireproof.conformance.connection.spec import module_name

OWN = """\
name = "a codec of the user's"
types = {"kafka": {"INT8": None}}


def decode(type, data, *, dialect, version=None):
    return data[0]
"""


@pytest.mark.parametrize(
    ("spec", "module"),
    [
        ("reference", "wireproof.reference"),
        ("reference:name", "wireproof.reference"),
        ("reference.codec:decode", "wireproof.reference.codec"),
        ("wireproof.reference", "wireproof.reference"),
        ("references", "references"),
        ("their.reference", "their.reference"),
    ],
)
@pytest.mark.parametrize("in_a_clone", [False, True])
def test_reference_is_the_kits(
    spec: str, module: str, in_a_clone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT if in_a_clone else tmp_path)
    assert module_name(spec) == module


@pytest.mark.parametrize("file", ["reference.py", "reference/__init__.py"])
def test_a_module_of_the_users_comes_first(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text(OWN)
    assert module_name("reference:name") == "reference"
    with open_connection("reference") as connection:
        assert connection.description.name == "a codec of the user's"


def test_a_folder_without_a_module_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As it is where the kit is installed: an editable install finds the clone's own folder of this name.
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if Path(entry).resolve() != ROOT])
    monkeypatch.chdir(tmp_path)
    Path("reference").mkdir()
    Path("reference", "notes.txt").touch()
    assert module_name("reference") == "wireproof.reference"
    with open_connection("reference") as connection:
        assert connection.description.name == "reference"
