"""The implementations of `--impl` start while pytest and the suite are still getting ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import psutil
import pytest
from support.pytest_run import run

from wireproof.conformance.connection import ImplementationError, Options
from wireproof.conformance.connection.process.start import Starting
from wireproof.conformance.pytest_suite.start import start

#: Writes down its process when it is imported.
MARKS = """\
import os

with open("started", "a") as file:
    file.write(f"{os.getpid()}\\n")

types = {"kafka": {"VARINT": None}}


def decode(type, data, *, dialect, version=None):
    raise ValueError("no")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "marks.py").write_text(MARKS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def processes(folder: Path) -> list[int]:
    """The processes that have imported the module."""
    file = folder / "started"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def await_end(pid: int) -> None:
    """Wait until a process is gone."""
    deadline = time.monotonic() + 60
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_it_starts_once(folder: Path) -> None:
    run("--impl=marks", "--area=varints", "--tb=no", cwd=folder)
    (pid,) = processes(folder)
    await_end(pid)


def started(**asked: object) -> tuple[Mapping[str, Starting], list[Callable[[], object]]]:
    """What the suite starts with these options of pytest, and what pytest does at its end. A process may end before it
    has imported anything, so the suite's function is called here."""
    options = {"impl": ["marks", "marks"], "help": False, "version": 0} | asked
    others: dict[str, object] = {"--case-timeout": None, "--transcript": None, "--memory": 1024, "--in-process": False}
    others |= {"--silence": None, "--allow-remote": False, "--allow-writes": False, "--load": 0, "--tls-ca": None}
    others |= {"--sasl": None, "--prints": None, "--dialect": None}
    cleanups: list[Callable[[], object]] = []
    config = SimpleNamespace(
        option=SimpleNamespace(**options), getoption=others.__getitem__, add_cleanup=cleanups.append
    )
    return start(cast(pytest.Config, config)), cleanups


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("asked", [{"help": True}, {"version": 1}])
def test_what_asks_nothing_starts_nothing(asked: dict[str, object]) -> None:
    assert started(**asked) == ({}, [])


@pytest.mark.usefixtures("folder")
def test_the_end_of_pytest_ends_what_nobody_connected_to() -> None:
    """As when an option turns out to be wrong."""
    by_spec, cleanups = started()
    (starting,) = by_spec.values()
    process = starting._process
    assert process is not None
    assert process.running
    for cleanup in cleanups:
        cleanup()
    assert not process.running
    with pytest.raises(RuntimeError, match="was closed"):
        starting.connection()


def test_one_of_several_that_cannot_start_is_named(folder: Path) -> None:
    done = run("--impl=marks", "--impl=exec:./none", cwd=folder)
    assert done.code == 4, done.text
    assert "there is no program './none'" in done.text


def test_a_process_that_nobody_connected_to_is_killed(folder: Path) -> None:
    starting = Starting("marks", Options())
    process = starting._process
    assert process is not None
    starting.close()
    assert not process.running
    starting.close()  # harmless


def test_a_process_whose_connection_fails_is_killed(folder: Path) -> None:
    starting = Starting("marks", Options(transcript=folder / "no" / "where"))
    process = starting._process
    assert process is not None
    with pytest.raises(ImplementationError, match="no/where cannot be written"):
        starting.connection()
    assert not process.running
