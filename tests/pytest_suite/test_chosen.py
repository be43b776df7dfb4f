"""Choosing a part of the suite as in any pytest suite: ids as arguments, `-k`, `--tb`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.pytest_run import Run, run

#: Reads nothing of what it is given.
UNREAD = """\
types = {"kafka": {"VARINT": None, "INT8": None, "ARRAY": None, "HeartbeatRequest": (4, 4)}}


def decode(type, data, *, dialect, version=None):
    return 77
"""
ONE = "kafka/varints/varint-1#decode"
LEDGER = "kafka/messages/HeartbeatRequest/4"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "unread.py").write_text(UNREAD)
    (tmp_path / "again.py").write_text(UNREAD)
    (tmp_path / "tests").mkdir()
    return tmp_path


def failed(done: Run) -> list[str]:
    """The ids in the FAILED lines."""
    return re.findall(r"^FAILED (\S+)", done.text, re.MULTILINE)


def test_an_id_as_copied_from_a_failed_line_runs_that_one(folder: Path) -> None:
    (copied,) = failed(run("--impl=unread", "-k", "varint-1:decode and kafka", "--area=varints", cwd=folder))
    done = run("--impl=unread", copied, cwd=folder)
    assert failed(done) == [copied] == [f"unread::{ONE}"]
    assert done.text.rstrip().splitlines()[-1].count("1 failed") == 1
    assert "passed" not in done.text.rstrip().splitlines()[-1]


def test_an_id_without_an_implementation_runs_for_all(folder: Path) -> None:
    done = run("--impl=unread", "--impl=again", ONE, cwd=folder)
    assert failed(done) == [f"unread::{ONE}", f"again::{ONE}"]
    one = run("--impl=unread", "--impl=again", f"again::{ONE}", cwd=folder)
    assert failed(one) == [f"again::{ONE}"]


@pytest.mark.parametrize(
    ("argument", "asked"),
    [
        (f"{LEDGER}/unknown-tags", f"{LEDGER}/unknown-tags"),
        (f"{LEDGER}/unknown-tags#decode", f"{LEDGER}/unknown-tags"),
        (f"{LEDGER}/derived", f"{LEDGER}/derived"),
        (f"{LEDGER}/unknown-tags+prefix:1#decode", f"{LEDGER}/derived"),
        ("kafka/framing/int8-127#decode", "kafka/framing/int8-127#decode"),
    ],
)
def test_a_case_s_id_runs_the_item_that_asks_it(folder: Path, argument: str, asked: str) -> None:
    assert failed(run("--impl=unread", argument, "--tb=no", cwd=folder)) == [f"unread::{asked}"]


def test_a_property_is_chosen_by_its_id(folder: Path) -> None:
    named = "gen/kafka/INT8/-/round-trip"
    lacking = run("--impl=unread", named, cwd=folder)
    assert lacking.code == 4
    assert "add --properties" in lacking.text
    there = run("--impl=unread", "--properties=1", "--collect-only", "-q", "-k", "INT8", cwd=folder)
    (first, *_) = re.findall(r"unread::(gen/kafka/INT8/\S+)", there.text)
    done = run("--impl=unread", "--properties=1", first, "--tb=no", cwd=folder)
    assert re.search(r"\b1 (failed|passed)", done.text.rstrip().splitlines()[-1]), done.text


def test_workers_run_the_one_too(folder: Path) -> None:
    assert failed(run("--impl=unread", f"unread::{ONE}", "-n", "1", cwd=folder)) == [f"unread::{ONE}"]


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("tests", "There is no vector 'tests'"),
        ("tests/", "There is no vector 'tests/'"),
        ("unread.py", "There is no vector 'unread.py'"),
        ("unread.py::test_own", "'unread.py' is not tested here, only unread"),
        ("kafka/varints/varint-1", "asks more than one question"),
        ("kafka/varints/varint-11111#decode", "There is no vector"),
        ("kafka/varints/varint-1#encode", "is asked this: none offers it"),
        ("wire-format/framing/nothing#decode", "There is no vector"),
        (f"{LEDGER}/unknown-tags+prefix:999999#decode", "no"),
        ("gen/kafka/INT8/-/x00#decode", "`wireproof repro` asks it again"),
        ("::", "'' is not tested here, only unread"),
    ],
)
def test_a_path_that_is_no_id_is_refused(folder: Path, argument: str, said: str) -> None:
    done = run("--impl=unread", argument, cwd=folder)
    assert done.code == 4, done.text
    shown = {"::": r":\x3a"}.get(argument, argument)  # at a line's beginning it may be a command for a CI's log
    assert f"ERROR: {shown}" in done.text
    assert said in done.text
    assert "Traceback" not in done.text


@pytest.mark.parametrize(
    ("expression", "asked"),
    [
        (ONE, [ONE]),
        ("varint-1#decode", [ONE]),
        ("varint-1#decode or int8-127#decode", ["kafka/framing/int8-127#decode", ONE]),
        (f"{LEDGER}/unknown and not varint-1#decode", [f"{LEDGER}/unknown-tags"]),
    ],
)
def test_k_takes_ids(folder: Path, expression: str, asked: list[str]) -> None:
    done = run("--impl=unread", "--dialect=kafka", "--tb=no", "-k", expression, cwd=folder)
    assert sorted(failed(done)) == sorted(f"unread::{one}" for one in asked), done.text


def pages(done: Run) -> tuple[int, int]:
    """How many failures are shown with what was asked, and how many with how to repeat them."""
    return len(re.findall(r"^asked ", done.text, re.MULTILINE)), len(re.findall("^repeat ", done.text, re.MULTILINE))


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
@pytest.mark.parametrize(("style", "shown"), [("long", (1, 1)), ("short", (0, 1)), ("line", (0, 0)), ("no", (0, 0))])
def test_tb_says_how_much_is_shown(folder: Path, style: str, shown: tuple[int, int], workers: tuple[str, ...]) -> None:
    done = run("--impl=unread", ONE, f"--tb={style}", *workers, cwd=folder)
    assert pages(done) == shown, done.text
    line = f"unread::{ONE}: wrong-value: expected 1, got 77\n"
    assert (line in done.text) is (style == "line")


def test_the_summary_says_in_a_few_words_what_is_wrong(folder: Path) -> None:
    done = run("--impl=unread", ONE, "--tb=no", cwd=folder)
    assert f"FAILED unread::{ONE} - wrong-value: expected 1, got 77\n" in done.text
