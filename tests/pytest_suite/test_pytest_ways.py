"""The suite's items are pytest's: what pytest does around an item, it does around these too."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pytest_run import SLOW, counted, run

ASKED = ("--area=varints", "--dialect=kafka", "-p", "no:cacheprovider")
#: A judge that warns, and writes down which item pytest says is running.
WATCHED = """\
import os
import warnings

from wireproof.conformance.asking import examiner

_judge = examiner.judge


def judge(vector, *args, **kwargs):
    warnings.warn("planted in the judge", stacklevel=1)
    with open("running", "a") as file:
        file.write(os.environ.get("PYTEST_CURRENT_TEST", "-") + "\\n")
    return _judge(vector, *args, **kwargs)


examiner.judge = judge
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "watched.py").write_text(WATCHED)
    return tmp_path


def test_warnings_while_judging_are_in_the_summary_and_the_item_is_named(folder: Path) -> None:
    asked = ("--impl=reference", *ASKED, "-p", "watched", "-k", "varint-1#decode")
    done = run(*asked, cwd=folder)
    assert done.code == 0, done.text
    assert "planted in the judge" in done.text
    assert counted(done.text, "warnings") > 0
    assert (folder / "running").read_text().splitlines()[-1].endswith("varint-1#decode (call)")
    assert run(*asked, "-W", "error", cwd=folder).code == 1


@pytest.mark.parametrize("option", ["--setup-only", "--setup-plan"])
def test_setup_only_asks_nothing(folder: Path, option: str) -> None:
    done = run("--impl=slow", *ASKED, "--transcript=said.jsonl", option, cwd=folder)
    assert done.code == 0, done.text
    assert "slow::kafka/varints/varint-1#decode" in done.text
    assert '"op":"decode"' not in (folder / "said.jsonl").read_text().replace(" ", "")


def test_setup_show_names_each_item_before_it_is_asked(folder: Path) -> None:
    done = run("--impl=reference", *ASKED, "--setup-show", "-k", "varint-1#decode", cwd=folder)
    assert done.code == 0, done.text
    assert "\n        reference::kafka/varints/uvarint-1#decode" in done.text


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_a_project_s_time_limit_of_a_test_is_not_an_item_s(folder: Path, workers: tuple[str, ...]) -> None:
    """A block takes a second and more, all of which the first item waits for."""
    (folder / "pytest.ini").write_text("[pytest]\nfaulthandler_timeout = 0.3\nfaulthandler_exit_on_timeout = true\n")
    done = run("--impl=slow", *ASKED, "--tb=line", *workers, cwd=folder)
    assert done.code == 1, done.text
    assert "Timeout" not in done.text
    assert counted(done.text, "failed") > 1
