"""What xdist's workers send: one report an item, of which the controller makes again what reporters wait for."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.pytest_run import run

ASKED = ("--impl=reference", "--dialect=wire-format", "--area=framing")
#: Writes what a process of pytest is told about each item, and what a worker sends.
WATCHED = """\
import os
from pathlib import Path


class Watch:
    def __init__(self, name):
        self.file = Path(name)

    def tell(self, *words):
        with self.file.open("a") as file:
            file.write(" ".join(words) + "\\n")

    def pytest_runtest_logstart(self, nodeid, location):
        self.tell(nodeid, "start")

    def pytest_runtest_logreport(self, report):
        self.tell(report.nodeid, report.when, report.outcome, "on-a-worker" if hasattr(report, "node") else "here")

    def pytest_runtest_logfinish(self, nodeid, location):
        self.tell(nodeid, "finish")


class Sent:
    def pytest_report_to_serializable(self, report):
        with open("sent", "a") as file:
            file.write(report.when + "\\n")


def pytest_configure(config):
    worker = hasattr(config, "workerinput")
    if worker:
        config.pluginmanager.register(Sent())
    if not worker or "WATCH_WORKERS" in os.environ:
        config.pluginmanager.register(Watch(f"told-{config.workerinput['workerid']}" if worker else "told"))
"""

WRONG = """\
types = {"kafka": {"VARINT": None}}


def decode(type, data, *, dialect, version=None):
    return 77
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "watched.py").write_text(WATCHED)
    return tmp_path


def told(folder: Path) -> dict[str, list[str]]:
    """What the main process was told of each item, in its order."""
    items: dict[str, list[str]] = {}
    for line in (folder / "told").read_text().splitlines():
        nodeid, _, event = line.partition(" ")
        items.setdefault(nodeid, []).append(event)
    (folder / "told").unlink()
    return items


def cases(folder: Path) -> dict[str | None, list[str]]:
    """The names in junit.xml, each with what its case holds."""
    return {
        case.get("name"): [one.tag for one in case]
        for case in ET.parse(folder / "junit.xml").getroot().iter("testcase")
    }


def test_reporters_notice_no_difference(folder: Path) -> None:
    options = (*ASKED, "-p", "watched", "--junitxml=junit.xml")
    assert run(*options, cwd=folder).code == 0
    alone, in_junit = told(folder), cases(folder)
    assert {tuple(events) for events in alone.values()} == {
        ("start", "setup passed here", "call passed here", "teardown passed here", "finish")
    }
    done = run(*options, "-n", "2", cwd=folder)
    assert done.code == 0, done.text
    with_workers = told(folder)
    assert {tuple(events) for events in with_workers.values()} == {
        ("start", "setup passed on-a-worker", "call passed on-a-worker", "teardown passed on-a-worker", "finish")
    }
    assert with_workers.keys() == alone.keys()
    assert cases(folder) == in_junit
    assert (folder / "sent").read_text().splitlines() == ["call"] * len(alone)


def test_a_worker_with_a_listener_sends_everything(folder: Path) -> None:
    done = run(*ASKED, "-p", "watched", "-n", "2", cwd=folder, WATCH_WORKERS="1")
    assert done.code == 0, done.text
    events = [line.partition(" ")[2] for one in folder.glob("told-gw*") for line in one.read_text().splitlines()]
    items = told(folder)
    assert sorted(events) == sorted(
        ["start", "setup passed here", "call passed here", "teardown passed here", "finish"] * len(items)
    )
    assert all([event.split()[0] for event in one].count("setup") == 1 for one in items.values())
    assert sorted((folder / "sent").read_text().split()) == sorted(["setup", "call", "teardown"] * len(items))


def test_a_failure_has_its_teardown_too(folder: Path) -> None:
    (folder / "wrong.py").write_text(WRONG)
    done = run(
        *("--impl=wrong", "--dialect=kafka", "--area=varints", "-p", "watched", "-n", "2", "--tb=no"),
        *("-k", "varint-0"),
        cwd=folder,
    )
    assert done.code == 1, done.text
    events = {tuple(event.split()[0] for event in one) for one in told(folder).values()}
    assert events == {("start", "setup", "call", "teardown", "finish")}


#: Counts the reports that are made.
COUNTED = """\
import pytest

made = []
report = pytest.TestReport


class Counted(report):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        made.append(self.when)


pytest.TestReport = Counted


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        print(f"made: {made.count('setup')} {made.count('teardown')}")
"""


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        ((), False),
        (("-v",), False),
        (("--junitxml=junit.xml",), True),
        (("--durations=3",), True),
        (("-p", "watched"), True),
    ],
)
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_reports_of_setup_and_teardown_are_made_where_somebody_needs_them(
    folder: Path, options: tuple[str, ...], needed: bool, workers: tuple[str, ...]
) -> None:
    (folder / "counted.py").write_text(COUNTED)
    done = run(*ASKED, "-p", "counted", *options, *workers, cwd=folder)
    assert done.code == 0, done.text
    (passed,) = re.findall(r"(\d+) passed", done.text)
    count = int(passed) if needed else 0
    assert f"made: {count} {count}" in done.text.splitlines()
