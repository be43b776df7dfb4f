"""How results of mutation testing are read and judged; `tox -e mutation` does the testing."""

from __future__ import annotations

import importlib.util
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

RESULTS = """
    wireproof.reference.cursor.xǁReaderǁtake__mutmut_1: killed
    wireproof.reference.cursor.xǁReaderǁ__init____mutmut_12: timeout
    wireproof.reference.primitives.x__read_leb128__mutmut_3: survived
    wireproof.reference.primitives.x_integer__mutmut_1: killed
"""

DIFF = """# wireproof.reference.primitives.x__read_leb128__mutmut_3: survived
--- reference/primitives.py
+++ reference/primitives.py
@@ -1,4 +1,4 @@
 def _read_leb128(reader: Reader) -> int:
-    start = reader.pos
+    start = None
     longest = 5
"""

FAULT = check.Fault("wireproof.reference.primitives._read_leb128", "start = reader.pos", "start = None")


def mutants(killed: int, survived: int, status: str = "survived") -> list[Any]:
    statuses = ["killed"] * killed + [status] * survived
    return [check.Mutant("wireproof.reference.cursor", "x_take", number, one) for number, one in enumerate(statuses)]


def test_results_are_read() -> None:
    found = check.read_results(RESULTS)
    assert [(one.function, one.number, one.status) for one in found] == [
        ("wireproof.reference.cursor.Reader.take", 1, "killed"),
        ("wireproof.reference.cursor.Reader.__init__", 12, "timeout"),
        ("wireproof.reference.primitives._read_leb128", 3, "survived"),
        ("wireproof.reference.primitives.integer", 1, "killed"),
    ]
    assert found[0].id == "wireproof.reference.cursor.xǁReaderǁtake__mutmut_1"
    with pytest.raises(check.CheckError, match="there are no mutants"):
        check.read_results("nothing here")


def test_a_diff_says_what_a_mutant_changes() -> None:
    assert check.read_fault("wireproof.reference.primitives._read_leb128", DIFF) == FAULT


def test_a_list_gives_reasons() -> None:
    text = FAULT.draft() + '\nreason = "the same"\n'
    assert check.read_list(text) == {FAULT: "the same"}
    assert check.read_list("") == {}
    with pytest.raises(check.CheckError, match="entry 1 needs function, was, now and a reason"):
        check.read_list(FAULT.draft())
    with pytest.raises(check.CheckError, match="entry 1 needs"):
        check.read_list(FAULT.draft() + "\nreason = ' '\n")
    with pytest.raises(check.CheckError, match=r"entry 2, in .*_read_leb128, stands twice"):
        check.read_list(text + text)


def test_listed_survivors_are_well() -> None:
    verdict = check.judge(mutants(19, 1), [FAULT], {FAULT: "the same"})
    assert (verdict.problems, verdict.unlisted) == ((), ())
    assert verdict.shares == ("wireproof.reference.cursor: 19 of 20 mutants killed (95.0 %)",)


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
        assert problem == f"reference.cursor.x_take__mutmut_20: {status}"


def test_the_list_is_whole_and_of_the_files_that_are_mutated() -> None:
    listed = check.read_list((FOLDER / "survivors.toml").read_text("utf-8"))
    files = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]["only_mutate"]
    modules = {file.removesuffix(".py").replace("/", "."): ROOT / file for file in files}
    for fault in listed:
        (source,) = (file for module, file in modules.items() if fault.function.startswith(f"{module}."))
        text = source.read_text("utf-8")
        assert all(line in text for line in fault.was.splitlines()), f"{fault.function} has changed"


def test_a_sample_is_chosen_by_its_seed_alone() -> None:
    found = [check.Mutant(f"reference.{name}", "x_f", number, "killed") for name in "ab" for number in range(50)]
    chosen = check.sample(found, 10, "one commit")
    assert [one.module for one in chosen] == ["reference.a"] * 10 + ["reference.b"] * 10
    assert chosen == check.sample(found[::-1], 10, "one commit")[::-1]
    assert chosen != check.sample(found, 10, "another")
    assert check.sample(found, 50, "one commit") == found


def test_a_commit_made_during_a_run_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was run is what is judged: of the mutants of another commit's sample no test result is known."""
    commits = iter(f"commit {number}" for number in range(9))
    made = [f"reference.cursor.x_f__mutmut_{number}" for number in range(200)]
    asked: set[str] = set()

    def mutmut(*words: str, quiet: bool = True, fails: bool = False) -> str:
        if words[0] == "run":
            asked.update(words[1:])
        return "\n".join(f"{one}: {'killed' if one in asked else 'not checked'}" for one in made)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(check, "commit", lambda: next(commits))
    monkeypatch.setattr(check, "mutmut", mutmut)
    assert check.check(["--sample=10"]) == 0
    assert len(asked - {check.NOBODY}) == 10


def test_of_a_sample_nothing_is_claimed_of_what_was_not_made() -> None:
    assert check.judge(mutants(100, 0), [], [FAULT], sampled=True).problems == ()
    assert len(check.judge(mutants(100, 0), [], [FAULT]).problems) == 1
    assert len(check.judge(mutants(100, 1), [FAULT], [], sampled=True).problems) == 1


def test_of_a_sample_no_share_is_demanded_but_each_survivor_is_listed() -> None:
    assert check.judge(mutants(37, 3), [FAULT], {FAULT: "the same"}, sampled=True).problems == ()
    assert len(check.judge(mutants(37, 3), [FAULT], {FAULT: "the same"}).problems) == 1
    assert check.judge(mutants(37, 3), [FAULT], {}, sampled=True).unlisted == (FAULT,)
