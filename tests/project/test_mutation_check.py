"""The list of surviving mutants fits the code, and `tox -e mutation` sees what is wrong with a run."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.paths import ROOT

FOLDER = ROOT / "tests" / "mutation"


def load() -> ModuleType:
    """The script beside the tests, which no package holds."""
    spec = importlib.util.spec_from_file_location("mutation_check", FOLDER / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


check: Any = load()

FAULT = check.Fault("wireproof.reference.primitives._read_leb128", "start = reader.pos", "start = None")


def mutants(killed: int, survived: int, status: str = "survived") -> list[Any]:
    statuses = ["killed"] * killed + [status] * survived
    return [check.Mutant("wireproof.reference.cursor", "x_take", number, one) for number, one in enumerate(statuses)]


def test_what_is_wrong_with_a_run() -> None:
    low = check.judge(mutants(18, 2), [FAULT], {FAULT: "the same"})
    assert low.problems == ("wireproof.reference.cursor: fewer than 95 % of its mutants are killed",)
    unlisted = check.judge(mutants(20, 1), [FAULT], {})
    assert unlisted.unlisted == (FAULT,)
    assert unlisted.problems[0].startswith("wireproof.reference.primitives._read_leb128: survived, and is not listed:")
    gone = check.judge(mutants(20, 0), [], {FAULT: "the same"})
    assert gone.problems == (
        "survivors.toml: no longer survives in wireproof.reference.primitives._read_leb128: start = None",
    )
    for status in ("no tests", "not checked", "suspicious", "skipped"):
        (problem,) = check.judge(mutants(20, 1, status), [], {}).problems
        assert problem == f"wireproof.reference.cursor.x_take__mutmut_20: {status}"


def test_mutants_of_one_file() -> None:
    for file in ("reference/cursor.py", "wireproof/reference/cursor.py"):
        assert check.module_of(file) == "wireproof.reference.cursor"
    with pytest.raises(check.CheckError, match=r"reference/errors\.py is not among the files"):
        check.module_of("reference/errors.py")
    own, other = mutants(1, 0)[0], check.Mutant("wireproof.reference.primitives", "x_read", 1, "killed")
    assert check.of_modules([own, other], ["wireproof.reference.cursor"]) == [own]
    assert check.of_modules([own, other], []) == [own, other]


def test_the_list_is_whole_and_of_the_files_that_are_mutated() -> None:
    listed = check.read_list((FOLDER / "survivors.toml").read_text("utf-8"))
    files = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]["only_mutate"]
    modules = {file.removesuffix(".py").replace("/", "."): ROOT / file for file in files}
    for fault in listed:
        (source,) = (file for module, file in modules.items() if fault.function.startswith(f"{module}."))
        text = source.read_text("utf-8")
        assert all(line in text for line in fault.was.splitlines()), f"{fault.function} has changed"


def test_the_settings_name_what_there_is() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    keys = ("source_paths", "only_mutate", "also_copy", "pytest_add_cli_args_test_selection")
    assert [path for key in keys for path in settings[key] if not (ROOT / path).exists()] == []
    words = settings["pytest_add_cli_args"]
    left_out = [word.removeprefix("--deselect=").split("::") for word in words if "::" in word]
    assert [name for file, name in left_out if f"def {name}(" not in (ROOT / file).read_text("utf-8")] == []


def test_what_is_copied_is_enough_to_import_what_is_mutated() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    there = {Path(path).stem for key in ("source_paths", "also_copy") for path in settings[key]}
    sources = [file.read_text("utf-8") for path in settings["source_paths"] for file in (ROOT / path).rglob("*.py")]
    imported = re.compile(r"^ *(?:from|import) wireproof\.(\w+)", re.MULTILINE)
    assert {name for text in sources for name in imported.findall(text)} <= there
