"""A verdict is there as soon as its answer, though the rest of the block is still being asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.pytest_run import run

from wireproof.conformance.connection.base import Options
from wireproof.conformance.connection.in_process import InProcessConnection
from wireproof.conformance.model import Case, Op

#: An implementation that answers the question after the first few only when the report has a verdict on one of them.
#: What it saw is in a file for each process.
WAITS = """\
import json, os, sys, time
from pathlib import Path

types = {"kafka": {"VARINT": None, "INT16": None}}
asked = 0


def answer():
    global asked
    asked += 1
    if asked != 6:
        return
    for _ in range(300):
        if Path("report.jsonl").read_bytes().count(b'"verdict"') > 1:
            Path(f"seen-{os.getpid()}").touch()
            return
        time.sleep(0.1)


def decode(type, data, *, dialect, version=None):
    answer()
    return 77


def encode(type, value, *, dialect, version=None):
    answer()
    return b"77"


if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        said = {"seq": question.get("seq")}
        if question["op"] == "describe":
            said = {"name": "waits", "ops": ["decode", "encode"], "dialects": ["kafka"], "types": types}
        elif question["op"] == "configure":
            said["unsupported"] = True
        else:
            answer()
            said["value"] = 77
        print(json.dumps(said), flush=True)
"""
ASKED = ("--dialect=kafka", "-p", "no:cacheprovider", "--report=report.jsonl", "--case-timeout=60", "--tb=line")
PROGRAM = f"exec:{sys.executable} waits.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "waits.py").write_text(WAITS)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [("--impl=waits",), (f"--impl={PROGRAM}",), ("--impl=waits", "-n", "2")],
    ids=["module", "program", "two workers"],
)
def test_the_report_has_the_first_verdicts_while_others_are_asked(folder: Path, words: tuple[str, ...]) -> None:
    done = run(*words, *ASKED, cwd=folder)
    assert done.code == 1, done.text
    assert [*folder.glob("seen-*")], done.text


def test_a_module_in_this_process_is_asked_for_a_moment_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    connection = InProcessConnection("waits", Options())
    cases = [Case(f"{n}", Op.DECODE, "kafka", "VARINT", args={"data": b"\0"}) for n in range(4)]
    connection.begin(cases)
    assert [one.case for one in connection.answered(0.0)] == cases[:1]
    assert [one.case for one in connection.answered(60.0)] == cases[1:]
    assert (connection.poll(), connection.answered(0.0), connection.finish()) == (True, [], [])
