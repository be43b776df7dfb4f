"""`--impl` beside other people's pytest plugins, all at once: `tox -e plugins` installs them."""

from __future__ import annotations

import importlib.util
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from support.pytest_run import SLOW, Run, run

PLUGINS = ("randomly", "timeout", "cov", "html", "sugar", "rerunfailures", "jsonreport")
MISSING = [name for name in PLUGINS if importlib.util.find_spec(f"pytest_{name}") is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"tox -e plugins has pytest-{', pytest-'.join(MISSING)}")

ASKED = ("--area=varints", "--dialect=kafka")
#: It reads whatever follows a number, and numbers that are too long.
LOOSE = """\
types = {"kafka": {"UNSIGNED_VARINT": None}}


def decode(type, data, *, dialect, version=None):
    return sum((byte & 127) << 7 * at for at, byte in enumerate(data))
"""
#: Everything that they can do, with an order that can be had again.
ALL = (
    *("-p", "randomly", "-p", "no:cacheprovider", "--randomly-seed=7", "--timeout=60", "--cov=slow", "--force-sugar"),
    *("--html=page.html", "--self-contained-html", "--reruns=1", "--junitxml=junit.xml", "--report=report.jsonl"),
    *("--json-report", "--json-report-file=page.json"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path


def names(folder: Path, failed: bool = False) -> list[str]:
    """What junitxml has of the run, in its order."""
    cases = ET.parse(folder / "junit.xml").getroot().iter("testcase")
    return [str(case.get("name")) for case in cases if not failed or case.find("failure") is not None]


def judged(folder: Path) -> list[str]:
    """The ids in the report."""
    lines = [json.loads(line) for line in (folder / "report.jsonl").read_text().splitlines()]
    return [line["id"] for line in lines if "verdict" in line]


def told(folder: Path) -> Any:
    """What json-report has of the run."""
    return json.loads((folder / "page.json").read_text())


def plain(folder: Path, implementation: str) -> list[str]:
    """The same items without any of them, in the suite's own order."""
    without = [word for name in PLUGINS for word in ("-p", f"no:{name}")]
    done = run(f"--impl={implementation}", *ASKED, *without, "--junitxml=junit.xml", "--tb=no", cwd=folder)
    assert done.code in (0, 1), done.text
    return names(folder)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_all_of_them_together(folder: Path, workers: tuple[str, ...]) -> None:
    alone = plain(folder, "reference")
    done = run("--impl=reference", *ASKED, *ALL, *workers, cwd=folder)
    assert done.code == 0, done.text
    assert sorted(names(folder)) == sorted(alone)
    assert names(folder) != alone  # shuffled
    assert sorted(judged(folder)) == sorted(alone)
    assert f"{len(alone)} passed" in done.text or re.search(rf"Results.*\n\s+{len(alone)} passed", done.text), done.text
    assert f"{len(alone)} Passed" in (folder / "page.html").read_text()
    assert told(folder)["summary"]["passed"] == len(alone)


def test_failures_are_counted_once_however_often_they_are_run_again(folder: Path) -> None:
    alone = plain(folder, "slow")
    failed = names(folder, failed=True)
    done = run("--impl=slow", *ASKED, *ALL, "--tb=line", cwd=folder)
    assert done.code == 1, done.text
    assert "--cov: the implementation runs in a process of its own" in done.text
    assert sorted(names(folder, failed=True)) == sorted(failed)
    assert sorted(judged(folder)) == sorted(alone)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_pages_tell_known_and_contested_verdicts_from_passes(folder: Path, workers: tuple[str, ...]) -> None:
    (folder / "loose.py").write_text(LOOSE)
    asked = ("--impl=loose", *ASKED, "-k", "uvarint", "--tb=no", *ALL, *workers)
    drafted = run(*asked, "--write-known=loose.known.toml", cwd=folder)
    assert drafted.code == 1, drafted.text
    before = told(folder)["summary"]
    (crash, *_) = [test["call"]["crash"] for test in told(folder)["tests"] if test["outcome"] == "failed"]
    assert (Path(crash["path"]).name, crash["lineno"] > 1) == ("varints.json", True)
    assert run(*asked, cwd=folder).code == 0
    after = told(folder)["summary"]
    assert before["failed"] > 0
    assert before["contested"] > 0
    assert (after["known"], after["contested"]) == (before["failed"], before["contested"])
    assert f"{before['failed']} Expected failures" in (folder / "page.html").read_text()


def test_a_test_s_timeout_is_not_a_case_s(folder: Path) -> None:
    """A block takes a second and more, all of which the first item waits for."""
    alone = plain(folder, "slow")
    done = run(
        *("--impl=slow", *ASKED, "--timeout=0.3", "--case-timeout=7", "--tb=line"),
        *("-p", "no:randomly", "--junitxml=junit.xml"),
        cwd=folder,
    )
    assert done.code == 1, done.text
    assert "timeout=7 s" in done.text
    assert "Timeout" not in done.text
    assert names(folder) == alone


def test_shuffled_items_are_asked_a_few_times_at_most(folder: Path) -> None:
    def asked(*options: str) -> int:
        (folder / "said.jsonl").unlink(missing_ok=True)
        done: Run = run("--impl=reference", *ASKED, "--area=framing", "--transcript=said.jsonl", *options, cwd=folder)
        assert done.code == 0, done.text
        return sum('"dir":">"' in line.replace(" ", "") for line in (folder / "said.jsonl").read_text().splitlines())

    ordered, shuffled = asked("-p", "no:randomly"), asked("-p", "randomly", "--randomly-seed=7")
    assert 0 < shuffled <= 3 * ordered
