"""Blocks in two steps: the implementation answers while the kit does something else."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.hurry import hurry
from support.paths import TESTS

from wireproof.conformance.connection import Connection, Options, open_connection
from wireproof.conformance.connection.process.child import ChildConnection
from wireproof.conformance.connection.protocol.conversation import WINDOW
from wireproof.conformance.model import Case, Observation, Op, Status

PROGRAMS = TESTS / "programs"
#: More than are open at a time.
COUNT = 5 * WINDOW
#: Seconds after which a state is not waited for any more.
PATIENCE = 60


@pytest.fixture(autouse=True)
def _in_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROGRAMS)
    monkeypatch.syspath_prepend(str(PROGRAMS))


def cases_of(count: int, *culprits: int) -> list[Case]:
    numbers = [-1 if number in culprits else number for number in range(count)]
    return [
        Case(str(place), Op.DECODE, "kafka", "INT32", args={"data": number.to_bytes(4, signed=True)})
        for place, number in enumerate(numbers)
    ]


def told(observations: list[Observation]) -> list[object]:
    return [one.answer if one.status is Status.ANSWER else one.error for one in observations]


def poll_until(connection: Connection, state: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not state():
        assert time.monotonic() < deadline, "the state was not reached"
        connection.poll()
        time.sleep(0.001)


def asked(log: Path) -> int:
    return log.read_text("utf-8").count("\n") if log.exists() else 0


SPECS = [("unruly:exits", True), ("unruly:exits", False), (f"exec:{sys.executable} shuffles.py", False)]


@pytest.mark.parametrize(("spec", "in_process"), SPECS, ids=["in-process", "module", "program"])
def test_a_block_in_two_steps_is_what_ask_gives(spec: str, in_process: bool) -> None:
    cases = cases_of(COUNT)
    with open_connection(spec, Options(in_process=in_process)) as connection:
        connection.poll()  # nothing to do
        whole = connection.ask(cases)
        for polls in (0, 3):
            connection.begin(cases)
            for _ in range(polls):
                connection.poll()
            assert connection.finish() == whole
        connection.begin([])
        assert connection.finish() == []
    assert told(whole) == list(range(COUNT))


@pytest.mark.parametrize(("spec", "in_process"), SPECS, ids=["in-process", "module", "program"])
def test_one_block_at_a_time(spec: str, in_process: bool) -> None:
    cases = cases_of(3)
    with open_connection(spec, Options(in_process=in_process)) as connection:
        with pytest.raises(RuntimeError, match="there is no block to finish"):
            connection.finish()
        connection.begin(cases)
        for open_another in (connection.begin, connection.ask):
            with pytest.raises(RuntimeError, match="a block of cases is open: finish it"):
                open_another(cases)
        assert told(connection.finish()) == [0, 1, 2]
        with pytest.raises(RuntimeError, match="there is no block to finish"):
            connection.finish()


def test_polling_keeps_the_child_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "asked"
    monkeypatch.setenv("UNRULY_LOG", str(log))
    with open_connection("unruly:exits") as connection:
        connection.begin(cases_of(COUNT))
        poll_until(connection, lambda: asked(log) == COUNT)
        assert told(connection.finish()) == list(range(COUNT))


@pytest.mark.skipif(sys.platform != "linux", reason="no copies there: only `finish` starts a process again")
def test_polling_goes_on_behind_the_end_of_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "asked"
    monkeypatch.setenv("UNRULY_LOG", str(log))
    places = (0, 3, 4, COUNT - 1)
    with open_connection("unruly:exits") as connection:
        connection.begin(cases_of(COUNT, *places))
        poll_until(connection, lambda: asked(log) == COUNT)
        observations = connection.finish()
    assert told(observations) == ["exit 3" if number in places else number for number in range(COUNT)]


def test_a_full_pipe_stops_nobody() -> None:
    cases = [Case(str(n), Op.DECODE, "kafka", "BYTES", args={"data": bytes([n % 251]) * 1000}) for n in range(800)]
    for spec in ("long_answers", f"exec:{sys.executable} long_answers.py"):
        with open_connection(spec) as connection:
            connection.begin(cases)
            for _ in range(20):
                connection.poll()
            assert [one.answer for one in connection.finish()] == [case.args["data"] * 2 for case in cases]


def test_the_drivers_own_time_is_not_held_against_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0
    clock = time.monotonic
    monkeypatch.setattr("time.monotonic", lambda: clock() + passed)
    with open_connection(f"exec:{sys.executable} shuffles.py") as connection:
        assert isinstance(connection, ChildConnection)
        assert connection._process is not None
        child = connection._process._guarded.child
        assert child is not None
        child.send_signal(signal.SIGSTOP)
        connection.begin(cases_of(3))
        for _ in range(5):
            passed += 1000
            connection.poll()
        child.send_signal(signal.SIGCONT)
        assert told(connection.finish()) == [0, 1, 2]


def test_a_hang_is_found_in_a_block_that_was_polled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hurry(monkeypatch, tmp_path)
    with open_connection("unruly:hangs") as connection:
        connection.begin(cases_of(5, 2))
        for _ in range(20):
            connection.poll()
        assert told(connection.finish()) == [0, 1, "timeout", 3, 4]


def test_settings_come_behind_the_block_that_is_open() -> None:
    with open_connection("settings") as connection:
        connection.configure("kafka", {"add": 5})
        connection.begin(cases_of(COUNT))
        connection.configure("kafka", {"add": 7})
        assert told(connection.finish()) == [number + 5 for number in range(COUNT)]
        assert told(connection.ask(cases_of(2))) == [7, 8]


#: Takes its settings once, and in every process that imported it once more; dies at -1.
FORGETFUL = """
import os
from pathlib import Path

def configure(settings, *, dialect):
    {act}

def decode(type, data, *, dialect, version=None):
    if data == bytes([255] * 4):
        os.abort()
    return int.from_bytes(data, "big") + _add

mark = Path("processes")
with mark.open("a") as file:
    file.write("begun\\n")
"""
TAKES_IT_ONCE = """
    global _add
    marks = Path("settings")
    if marks.exists() and marks.read_text() == str(os.getppid()):
        {fails}
    marks.write_text(str(os.getppid()))
    _add = settings["add"]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no copies there")
@pytest.mark.parametrize("fails", ["raise KeyError('add')", "os._exit(7)"], ids=["raises", "exits"])
def test_a_copy_that_does_not_take_its_settings_makes_room_for_a_process(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    act = TAKES_IT_ONCE.strip().format(fails=fails)
    (tmp_path / "forgetful.py").write_text(FORGETFUL.format(act=act), "utf-8")
    with open_connection("forgetful") as connection:
        connection.configure("kafka", {"add": 5})
        observations = connection.ask(cases_of(9, 2, 4))
    assert told(observations) == [5, 6, "SIGABRT", 8, "SIGABRT", 10, 11, 12, 13]
    assert (tmp_path / "processes").read_text("utf-8").count("begun") == 3


def test_closing_in_the_middle_of_a_block() -> None:
    connection = open_connection("settings")
    connection.begin(cases_of(COUNT))
    connection.close()
    connection.close()
