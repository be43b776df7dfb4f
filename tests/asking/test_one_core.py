"""A plain loop, two processes with rows between them, and pytest get the same verdicts from the core."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from support.blocks import blocks
from support.paths import TESTS
from support.pytest_run import run

from wireproof.conformance import vectors
from wireproof.conformance.asking import rows
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome, Verdict
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.question import Question

PAGE = TESTS.parent / "docs" / "explanation" / "one-core.md"
AREAS = ("null-encodings", "framing")
#: Right; dies of some bytes; its messages are recoded, and wrong in three ways.
SPECS = ("reference", "miniatures.aborts", "miniatures.messages_by_recode_as_it_turns_out")
#: A plugin that saves what pytest concluded, as rows.
SAVES = """\
import json

from wireproof.conformance.asking import rows
from wireproof.conformance.pytest_suite.items import VERDICTS


def pytest_runtest_logreport(report):
    with open({path!r}, "a") as file:
        for verdict in getattr(report, VERDICTS, []):
            file.write(json.dumps(rows.verdict_row(verdict)) + "\\n")
"""


@cache
def questions(spec: str) -> tuple[Question, ...]:
    with open_connection(spec, Options()) as connection:
        return tuple(selection.of_vectors(vectors.load(["kafka"], AREAS), connection.description))


@cache
def by_loop(spec: str) -> tuple[Verdict, ...]:
    with Examiner(open_connection(spec, Options())) as examiner:
        return tuple(judged.verdict for judged in examiner.judge(questions(spec)))


@pytest.fixture(autouse=True)
def _in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child finds modules from its current folder."""
    monkeypatch.chdir(TESTS)


def test_they_are_asked_something_and_do_differ() -> None:
    outcomes = {spec: {verdict.outcome for verdict in by_loop(spec)} for spec in SPECS}
    assert outcomes["reference"] == {Outcome.PASS}
    assert outcomes["miniatures.aborts"] == {Outcome.PASS, Outcome.CRASH}
    assert outcomes["miniatures.messages_by_recode_as_it_turns_out"] == {Outcome.PASS, Outcome.FAIL, Outcome.SKIP}


@pytest.mark.parametrize("spec", SPECS)
def test_two_processes_with_rows_between_them(spec: str) -> None:
    """The other one runs the loop that stands in the page."""
    loop = next(block.text for block in blocks(PAGE) if block.name == "examine.py")
    assert len(loop.splitlines()) == 11
    sent = "".join(f"{json.dumps(rows.question_row(question))}\n" for question in questions(spec))
    done = subprocess.run(
        [sys.executable, "-c", loop, spec], input=sent, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    judged = [rows.judged_of(json.loads(line)) for line in done.stdout.splitlines()]
    assert tuple(one.verdict for one in judged) == by_loop(spec)


def test_what_the_page_promises_is_what_the_packages_list() -> None:
    promised = PAGE.read_text("utf-8").partition("## What is promised")[2]
    imports = re.findall(r"^from (\S+) import (.+)$", promised, re.MULTILINE)
    listed: dict[str, list[str]] = {}
    for package, names in imports:
        listed.setdefault(package, []).extend(names.split(", "))
    assert listed.pop("wireproof.conformance") == ["vectors"]
    assert listed.keys() == {f"wireproof.conformance.{room}" for room in ("asking", "connection", "model", "questions")}
    for package, promised_names in listed.items():
        module = importlib.import_module(package)
        assert all(hasattr(module, name) for name in promised_names)
        if package != "wireproof.conformance.model":
            assert sorted(module.__all__) == sorted(promised_names), package


@pytest.mark.parametrize("spec", SPECS)
def test_pytest(spec: str, tmp_path: Path) -> None:
    saved = tmp_path / "verdicts.jsonl"
    (tmp_path / "saves_verdicts.py").write_text(SAVES.format(path=str(saved)))
    chosen = [f"--area={area}" for area in AREAS]
    plugin = ("-p", "saves_verdicts", "-p", "no:cacheprovider", "-o", f"pythonpath={tmp_path}")
    done = run(f"--impl={spec}", "--dialect=kafka", *chosen, "--known=none", "--tb=no", "-q", *plugin, cwd=TESTS)
    assert done.code == (0 if spec == "reference" else 1), done.text
    found = tuple(rows.verdict_of(json.loads(line)) for line in saved.read_text().splitlines())
    assert found == by_loop(spec)
