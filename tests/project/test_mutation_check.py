"""The list of surviving mutants fits the code, and `tox -e mutation` sees what is wrong with a run."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from types import ModuleType
from typing import Any

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
