"""Asking implementations that misbehave: one verdict for the culprit, and every other case its own answer, once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
from support.hurry import hurry
from support.paths import TESTS

from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.connection.process import child
from wireproof.conformance.connection.process.child import ChildConnection, Launch
from wireproof.conformance.connection.process.pipes import Process
from wireproof.conformance.model import Case, Observation, Op, Status

FOLDER = TESTS / "programs"
CULPRIT = b"\xff\xff\xff\xff"
#: Long enough for the busiest machine: whatever hangs is found without waiting (see `hurry`).
LIMITS = Options(timeout=60, memory=96)
COUNT = 40
AT = 17


@pytest.fixture(autouse=True)
def _in_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The programs are found by their names; what is waited for in vain is not waited for long, all else is."""
    hurry(monkeypatch, tmp_path)
    monkeypatch.chdir(FOLDER)
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr("wireproof.conformance.connection.process.pipes.GRACE", 0.3)
    monkeypatch.setattr("wireproof.conformance.connection.process.child.GRACE", 30)
    monkeypatch.setattr("wireproof.conformance.connection.process.pipes.STACK_TIME", 30)
    monkeypatch.setattr("wireproof.conformance.connection.process.child.LONGEST_LINE", 1 << 23)


def decode(number: int, *, type: str = "INT32", derived: bool = False) -> Case:
    case_id = f"kafka/varints/{number}{'+prefix:1' if derived else ''}#decode"
    return Case(case_id, Op.DECODE, "kafka", type, args={"data": number.to_bytes(4, signed=True)})


def culprits(*places: int, count: int = COUNT) -> list[Case]:
    """Cases 0, 1, 2 …, with the culprit, -1, at the given places."""
    return [decode(-1 if number in places else number) for number in range(count)]


def exec_spec(name: str) -> str:
    return f"exec:{sys.executable} {name}.py"


def others_answered(cases: list[Case], observations: list[Observation], *places: int) -> None:
    """Each observation is of its own case; each case but those at the places has its own answer."""
    assert [observation.case for observation in observations] == cases
    numbers = [int.from_bytes(case.args["data"], signed=True) for case in cases]
    for place, (number, observation) in enumerate(zip(numbers, observations, strict=True)):
        if place not in places:
            assert (observation.status, observation.answer) == (Status.ANSWER, number), observation


# Python modules in a child process.

IN_A_CHILD = [
    ("aborts", Status.CRASH, "SIGABRT", "unruly:decode"),
    ("segfaults", Status.CRASH, "SIGSEGV", "unruly:<lambda>"),
    ("exits", Status.CRASH, "exit 3", ""),
    ("alarms", Status.CRASH, "SIGALRM", ""),
    ("leaves_grandchild", Status.CRASH, "SIGABRT", "unruly:_leave_grandchild_and_die"),
    # Python ends with 120 when it finds at last that it cannot flush its output.
    ("closes_everything", Status.CRASH, "exit 1|exit 120", ""),
    ("hangs", Status.HANG, "timeout", "unruly:_hang"),
    ("spins", Status.HANG, "timeout", "unruly:_hang"),
    ("eats_shared", Status.OOM, "memory", ""),
    ("eats", Status.OOM, "MemoryError", "unruly:_eat"),
    ("interrupts", Status.CRASH, "KeyboardInterrupt", "unruly:_raise"),
]
ANYWHERE = [
    ("leaves", Status.CRASH, "SystemExit", "unruly:<lambda>"),
    ("fails", Status.CRASH, "KeyError", "unruly:<lambda>"),
    ("fails_in_library", Status.CRASH, "JSONDecodeError", "unruly:_parse"),
    ("recurses", Status.CRASH, "RecursionError", "unruly:_recurse"),
    ("asks_too_much", Status.OOM, "MemoryError", "unruly:<lambda>"),
    ("refuses", Status.REJECT, "", ""),
    ("lacks", Status.UNSUPPORTED, "", ""),
    ("odd_value", Status.VIOLATION, "wrong form", ""),
]
DETAILS = {
    "aborts": "the process was ended by SIGABRT\nstderr ends:\n  Fatal Python error: Aborted\n",
    "exits": "the process ended with exit code 3",
    "hangs": "no answer within 60 seconds: the process was killed\nstderr ends:\n  Stack (most recent call first):\n",
    "eats_shared": "its memory grew by ",
    "fails": "Traceback (most recent call last):\n",
    "lacks": "not yet",
    "odd_value": "<object object at 0x",
}
HARMLESS = ["prints", "floods_stderr", "reads_stdin", "forks", "leaves_thread"]


@pytest.mark.parametrize(("manner", "status", "error", "frame"), IN_A_CHILD + ANYWHERE, ids=lambda item: str(item))
def test_a_module_in_a_child(
    manner: str, status: Status, error: str, frame: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "asked"
    monkeypatch.setenv("UNRULY_LOG", str(log))
    cases = culprits(AT)
    with open_connection(f"unruly:{manner}", LIMITS) as connection:
        observations = connection.ask(cases)
    others_answered(cases, observations, AT)
    culprit = observations[AT]
    assert (culprit.status, culprit.frame) == (status, frame), culprit
    assert culprit.error in error.split("|"), culprit
    assert culprit.detail.startswith(DETAILS.get(manner, ""))
    assert "conformance" not in culprit.detail, "our own frames are of no use to the reader"
    asked = log.read_text().splitlines()
    assert asked == [f"INT32 {case.args['data'].hex()}" for case in cases], "each was begun once, in order"
    if (manner, status, error, frame) in ANYWHERE:
        with open_connection(f"unruly:{manner}", Options(in_process=True)) as connection:
            inside = connection.ask(cases)
        assert [without_address(one) for one in inside] == [without_address(one) for one in observations]


def without_address(observation: Observation) -> Observation:
    return msgspec.structs.replace(observation, detail=re.sub(r"0x[0-9a-f]+", "0x", observation.detail))


@pytest.mark.parametrize("manner", HARMLESS)
def test_a_module_may_do_this(manner: str) -> None:
    cases = culprits(AT)
    with open_connection(f"unruly:{manner}", LIMITS) as connection:
        observations = connection.ask(cases)
    others_answered(cases, observations, AT)
    assert observations[AT].answer == (0 if manner == "reads_stdin" else -1)


def test_descriptions_are_the_same_in_process_and_in_a_child() -> None:
    with (
        open_connection("unruly:aborts") as outside,
        open_connection("unruly:aborts", Options(in_process=True)) as inside,
    ):
        assert outside.description == inside.description
        assert (inside.description.name, inside.description.version) == ("unruly", "1.2")
        assert inside.description.ops == {Op.DECODE}


def test_a_module_that_dies_at_many_cases() -> None:
    places = (0, 1, 20, 38, 39)
    cases = culprits(*places)
    with open_connection("unruly:exits", LIMITS) as connection:
        observations = connection.ask(cases)
        others_answered(cases, observations, *places)
        assert {observations[place].error for place in places} == {"exit 3"}
        again = connection.ask(culprits())
        others_answered(culprits(), again)


# Programs behind the line protocol.

PROGRAMS = [
    ("aborts", Status.CRASH, "SIGABRT"),
    ("exits", Status.CRASH, "exit 3"),
    ("hangs", Status.HANG, "timeout"),
    ("eats", Status.OOM, "memory"),
    ("allocates", Status.OOM, "SIGABRT"),
    ("chatters", Status.VIOLATION, "garbage"),
    ("prints_instead", Status.VIOLATION, "garbage"),
    ("prints_and_hangs", Status.VIOLATION, "garbage"),
    ("answers_twice", Status.VIOLATION, "answered twice"),
    ("answers_unasked", Status.VIOLATION, "unasked answer"),
    ("answers_wrongly", Status.VIOLATION, "wrong form"),
    ("floods_stdout", Status.VIOLATION, "garbage"),
    ("floods_stdout_unbroken", Status.VIOLATION, "flood"),
    ("answers_without_end", Status.OOM, "long answer"),
    ("buffers", Status.CRASH, "SIGABRT"),
    ("dies_once", Status.CRASH, "SIGABRT"),
    ("answers_and_dies", Status.CRASH, "exit 4"),
    ("closes_stdout", Status.CRASH, "closed stdout"),
    ("leaves_a_child", Status.CRASH, "SIGABRT"),
    ("floods_stderr", Status.ANSWER, ""),
    ("shuffles", Status.ANSWER, ""),
]


@pytest.mark.parametrize(("program", "status", "error"), PROGRAMS, ids=lambda item: str(item))
def test_a_program(program: str, status: Status, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROGRAMS_MARK", str(tmp_path / "mark"))
    if program in ("closes_stdout", "hangs"):  # it does not end by itself, nor tell where it stands
        monkeypatch.setattr("wireproof.conformance.connection.process.child.GRACE", 0.3)
        monkeypatch.setattr("wireproof.conformance.connection.process.pipes.STACK_TIME", 0.15)
    if (
        program == "dies_once"
    ):  # alone it does not repeat its death, so the oldest open question is taken for the culprit
        monkeypatch.setattr("wireproof.conformance.connection.protocol.conversation.WINDOW", 2)
        monkeypatch.setattr("wireproof.conformance.connection.process.child.DOUBT", 0.01)
    cases = culprits(AT)
    with open_connection(exec_spec(program), LIMITS) as connection:
        observations = connection.ask(cases)
        (alone,) = connection.ask([decode(7)])
    place = AT if program != "dies_once" else place_of_crash(observations)
    others_answered(cases, observations, place)
    culprit = observations[place]
    assert (culprit.status, culprit.error) == (status, error), culprit
    assert alone.answer == 7
    if program == "dies_once":
        assert place in (AT - 1, AT)
        assert "none of them repeats this" in culprit.detail


def place_of_crash(observations: list[Observation]) -> int:
    (place,) = (place for place, observation in enumerate(observations) if observation.status is Status.CRASH)
    return place


def test_what_a_program_said_is_shown_shortened_and_harmless() -> None:
    with open_connection(exec_spec("chatters"), LIMITS) as connection:
        (chatter,) = connection.ask([decode(-1)])
    assert chatter.detail.startswith("a line on stdout is no answer, not JSON")
    assert "\x1b" not in chatter.detail
    assert len(chatter.detail) < 250
    with open_connection(exec_spec("aborts"), LIMITS) as connection:
        (aborted,) = connection.ask([decode(-1)])
    assert aborted.detail.endswith("stderr ends:\n  assertion failed: length >= 0")


def test_the_cause_of_a_death_is_kept_however_much_follows_it() -> None:
    with open_connection(exec_spec("dies_loudly")) as connection:
        observations = connection.ask(culprits(AT))
    others_answered(culprits(AT), observations, AT)
    detail = observations[AT].detail.split("\n")
    assert detail[:4] == [
        "the process ended with exit code 2",
        "stderr begins:",
        "  panic: runtime error: index out of range [7] with length 3",
        r"  \x1b[31mgoroutine 1 [running]:",
    ]
    assert detail[-2:] == ["  main.read99999(0xc000012345)", "  exit status 2"]
    assert not any("loading table" in line for line in detail), "it answered after that"
    assert len(detail) < 30


def test_a_word_on_stdout_does_not_hide_the_cause_of_a_death() -> None:
    with open_connection(exec_spec("dies_on_both")) as connection:
        observations = connection.ask(culprits(AT))
    others_answered(culprits(AT), observations, AT)
    assert (observations[AT].status, observations[AT].error) == (Status.OOM, "exit 1")
    assert "stderr begins:\n  # There is insufficient memory" in observations[AT].detail


@pytest.mark.parametrize("there", [None, "1"])
def test_rust_walks_no_stack_unless_the_user_wants_it(there: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUST_BACKTRACE", raising=False)
    if there:
        monkeypatch.setenv("RUST_BACKTRACE", there)
    for spec, set_to in [
        ("environment", "0"),
        (f"exec:{sys.executable} environment.py", "0"),
        (f"exec:env RUST_BACKTRACE=full {sys.executable} environment.py", "full"),
    ]:
        with open_connection(spec) as connection:
            assert connection.ask([decode(-1)])[0].answer == set_to


def test_every_question_of_a_program_may_go_wrong() -> None:
    cases = [decode(-1) for _ in range(3)]
    with open_connection(exec_spec("exits"), LIMITS) as connection:
        assert [observation.error for observation in connection.ask(cases)] == ["exit 3"] * 3


@pytest.mark.parametrize(("ends", "launches"), [(False, 10), (True, 16)])
def test_who_dies_often_is_started_in_advance(ends: bool, launches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the third restart on a process is ready when one dies. One that ends while it waits costs no case.

    Six deaths, three of them twice to find who it was: nine restarts, behind seven of which another one is started."""
    at = (3, 8, 13, 18, 23, 28)
    launched: list[Process] = []
    launched_really = child.launched
    with open_connection(exec_spec("aborts"), LIMITS) as connection:
        assert isinstance(connection, ChildConnection)

        def launching(launch: Launch) -> Process:
            launched.append(launched_really(launch))
            if ends and connection._process is not None:  # it is to wait
                ahead = launched[-1]._guarded.child
                assert ahead is not None
                ahead.kill()
            return launched[-1]

        monkeypatch.setattr(child, "launched", launching)
        found = connection.ask(culprits(*at))
    others_answered(culprits(*at), found, *at)
    assert [found[place].status for place in at] == [Status.CRASH] * len(at)
    assert len(launched) == launches
    assert not any(process.running for process in launched), "none is left"


def test_a_program_that_does_not_start_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROGRAMS_MARK", str(tmp_path / "mark"))
    with open_connection(exec_spec("starts_once"), LIMITS) as connection:
        observations = connection.ask(culprits(4, count=10))
        (later,) = connection.ask([decode(1)])
    assert [observation.status for observation in observations] == (
        [Status.ANSWER] * 4 + [Status.CRASH] * 3 + [Status.NOT_ASKED] * 3
    )
    assert [observation.error for observation in observations[4:7]] == ["SIGABRT", "no restart", "no restart"]
    assert "the port is taken" in observations[4].detail
    assert later.status is Status.NOT_ASKED
    assert later.detail.startswith("not asked: 3 times in a row it did not start again")


# Volume.


@pytest.mark.parametrize("spec", ["long_answers", f"exec:{sys.executable} long_answers.py"])
def test_answers_beyond_the_pipes_buffer(spec: str) -> None:
    cases = [Case(str(n), Op.DECODE, "kafka", "BYTES", args={"data": bytes([n % 251]) * 1000}) for n in range(800)]
    cases[300] = Case("large", Op.DECODE, "kafka", "BYTES", args={"data": b"\x07" * (1 << 20)})
    with open_connection(spec) as connection:
        observations = connection.ask(cases)
    assert [observation.answer for observation in observations] == [case.args["data"] * 2 for case in cases]


def test_nothing_to_ask() -> None:
    with open_connection("unruly:aborts") as connection:
        assert connection.ask([]) == []


# Quarantine.


def test_quarantine_spares_derived_cases_only() -> None:
    cases = [decode(-1), decode(-1), decode(1, derived=True), decode(-1, derived=True)]
    spared = [decode(2, derived=True), decode(-1, derived=True)]
    asked = [decode(3), decode(-1), decode(4, derived=True, type="INT64")]
    with open_connection("unruly:exits", LIMITS) as connection:
        observations = connection.ask([*cases, *spared, *asked])
        (later,) = connection.ask([decode(5, derived=True)])
    crash, answer, not_asked = Status.CRASH, Status.ANSWER, Status.NOT_ASKED
    statuses = [observation.status for observation in observations]
    assert statuses == [crash, crash, answer, crash, not_asked, not_asked, answer, crash, answer]
    assert later.status is not_asked
    assert later.detail == "after 3 crashes or hangs in INT32, its derived cases are not asked"


def test_quarantine_counts_exceptions_and_is_the_same_in_process() -> None:
    cases = [decode(-1, derived=True) for _ in range(300)]
    expected = [Status.CRASH] * 3 + [Status.NOT_ASKED] * 297
    for options in (LIMITS, Options(in_process=True)):
        with open_connection("unruly:fails", options) as connection:
            assert [observation.status for observation in connection.ask(cases)] == expected


# Settings.


@pytest.mark.parametrize("in_process", [False, True])
def test_configure(in_process: bool) -> None:
    with open_connection("settings", Options(in_process=in_process)) as connection:
        assert connection.configure("kafka", {"add": 5})
        assert [observation.answer for observation in connection.ask([decode(1), decode(2)])] == [6, 7]
        with pytest.raises(ImplementationError, match=r"(?s)failed at configure for kafka: it raised.*KeyError: 'add'"):
            connection.configure("kafka", {})
        assert connection.ask([decode(1)])[0].status is Status.ANSWER
    with open_connection("unruly:fails", Options(in_process=in_process)) as connection:
        assert not connection.configure("kafka", {"add": 5})


#: Dies at -1, and keeps a record of the processes that imported it.
MORTAL = """
import os, sys, threading
print("imported by", os.getpid(), file=open("imports", "a"))
{more}
def decode(type, data, *, dialect, version=None):
    if data == bytes([255] * 4):
        print("last words", file=sys.stderr, flush=True)
        os.abort()
    return int.from_bytes(data, "big")
"""


@pytest.mark.parametrize(
    ("more", "imports"),
    [
        pytest.param("", 1, marks=pytest.mark.skipif(sys.platform != "linux", reason="no copies there")),
        ("threading.Thread(target=threading.Event().wait, daemon=True).start()", 4),  # it would not be in a copy
    ],
    ids=["plain", "with-a-thread"],
)
def test_a_module_that_ends_its_process_is_imported_once_if_it_can_be(
    more: str, imports: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mortal.py").write_text(MORTAL.format(more=more), "utf-8")
    monkeypatch.chdir(tmp_path)
    with open_connection("mortal", LIMITS) as connection:
        observations = connection.ask(culprits(3, 4, 30))
    others_answered(culprits(3, 4, 30), observations, 3, 4, 30)
    for place in (3, 4, 30):
        assert observations[place].error == "SIGABRT"
        assert observations[place].detail.count("last words") == 1, "those of the one before are not its own"
    assert len((tmp_path / "imports").read_text().splitlines()) == imports


#: Imports another module at its first use, which keeps a record of the processes that imported it; dies at -1.
LAZY = """
import os
os.environ["STAYS"] = str(os.getpid())
def decode(type, data, *, dialect, version=None):
    import used
    if data == bytes([255] * 4):
        os.abort()
    return int.from_bytes(data, "big")
"""
USED = """
import os, threading
print("by the one that stays:", os.environ["STAYS"] == str(os.getpid()), file=open("imports", "a"))
{more}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no copies there")
@pytest.mark.parametrize(
    ("more", "by_copies", "by_who_stays"),
    [
        ("", 1, 1),
        ("threading.Thread(target=threading.Event().wait, daemon=True).start()", 4, 0),  # it would not be in a copy
        ("if os.environ['STAYS'] == str(os.getpid()): raise SystemExit", 4, 3),
    ],
    ids=["plain", "with-a-thread", "in-copies-alone"],
)
def test_what_a_copy_imported_is_there_for_the_next_ones(
    more: str, by_copies: int, by_who_stays: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lazy.py").write_text(LAZY, "utf-8")
    (tmp_path / "used.py").write_text(USED.format(more=more), "utf-8")
    monkeypatch.chdir(tmp_path)
    with open_connection("lazy", LIMITS) as connection:
        observations = connection.ask(culprits(3, 8, 30))
    others_answered(culprits(3, 8, 30), observations, 3, 8, 30)
    by = [line.rpartition(" ")[2] == "True" for line in (tmp_path / "imports").read_text().splitlines()]
    assert (by.count(False), by.count(True)) == (by_copies, by_who_stays)


def test_settings_are_sent_again_after_a_death() -> None:
    with open_connection("settings", LIMITS) as connection:
        connection.configure("kafka", {"add": 5})
        observations = connection.ask(culprits(2, count=5))
    assert [observation.answer for observation in observations] == [5, 6, None, 8, 9]


def test_a_program_without_configure() -> None:
    with open_connection(exec_spec("shuffles")) as connection:
        assert not connection.configure("kafka", {})
        others_answered(culprits(), connection.ask(culprits()))


# The record.


@pytest.mark.parametrize("in_process", [False, True])
def test_transcript(tmp_path: Path, in_process: bool) -> None:
    path = tmp_path / "transcript"
    with open_connection("unruly:refuses", Options(transcript=path, in_process=in_process)) as connection:
        connection.ask([decode(5), decode(-1)])
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(entry.keys() == {"t", "dir", "line"} and entry["t"] >= 0 for entry in entries)
    talk = [(entry["dir"], entry["line"]) for entry in entries if "seq" in entry["line"]]
    question = {"op": "decode", "dialect": "kafka", "type": "INT32"}
    assert Counter(direction for direction, _ in talk) == {">": 2, "<": 2}
    assert (">", {"seq": 1, **question, "data": "00000005"}) in talk
    assert ("<", {"seq": 1, "value": 5}) in talk
    assert ("<", {"seq": 2, "reject": {"detail": "ValueError: no"}}) in talk


def test_transcript_of_garbage(tmp_path: Path) -> None:
    path = tmp_path / "transcript"
    with open_connection(exec_spec("prints_instead"), Options(transcript=path)) as connection:
        connection.ask([decode(-1)])
    assert "not implemented" in [json.loads(line)["line"] for line in path.read_text().splitlines()]


# The end.


@pytest.mark.parametrize("spec", ["unruly:hangs", exec_spec("hangs")])
def test_a_known_hang_is_not_waited_for_as_long_as_others(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireproof.conformance.connection.process.pipes.STACK_TIME", 0.15)
    cases = culprits(AT)
    with open_connection(spec, LIMITS) as connection:
        connection.expect_hangs(frozenset({cases[AT].id, cases[0].id}).__contains__)
        found = connection.ask(cases)
    others_answered(cases, found, AT)
    assert found[AT].status is Status.HANG
    assert found[AT].detail.startswith("no answer within 3 seconds, a brief wait because it is known to hang")


def test_an_answer_after_more_than_a_brief_wait_is_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_connection(exec_spec("hangs"), LIMITS) as connection:
        assert isinstance(connection, ChildConnection)
        assert connection._process is not None
        slow: list[bool] = []
        monkeypatch.setattr(connection._talk, "answered_slowly", lambda: slow.append(True))
        for silence, times in ((5.9, 0), (6.1, 1)):  # a brief wait is a tenth of the limit
            connection._process.silence = silence
            connection._hear([b"a line"])
            connection._hear([])
            assert len(slow) == times


def test_an_exception_in_the_middle_leaves_a_usable_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_connection("unruly:hangs") as connection:
        with monkeypatch.context() as patch:
            patch.setattr("wireproof.conformance.connection.process.child.endings.hung", _interrupt)
            with pytest.raises(KeyboardInterrupt):
                connection.ask(culprits(1, count=3))
        others_answered(culprits(), connection.ask(culprits()))


def _interrupt(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def processes(marker: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if marker in (process.info["cmdline"] or []) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def test_closing_ends_the_child_and_its_children() -> None:
    marker = f"marker-{os.getpid()}-close"
    for name in ("stays", "leaves_a_child"):
        connection = open_connection(f"{exec_spec(name)} {marker}", LIMITS)
        connection.ask([decode(1)])
        assert processes(marker)
        connection.close()
        connection.close()
        assert not processes(marker)


PARENT = """
import sys
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Case, Op

for spec in sys.argv[1:]:
    connection = open_connection(spec, Options(timeout=60))
    globals()[spec] = connection
sys.stdout.write("ready")
sys.stdout.flush()
connection.ask([Case("x", Op.DECODE, "kafka", "INT32", args={"data": bytes.fromhex("ffffffff")})])
"""


def test_the_parents_death_ends_the_children(monkeypatch: pytest.MonkeyPatch) -> None:
    marker = f"marker-{os.getpid()}-orphan"
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parents[1]))
    specs = [f"{exec_spec('stays')} {marker}", f"{exec_spec('hangs')} {marker}"]
    with subprocess.Popen([sys.executable, "-c", PARENT, *specs], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.read(5) == b"ready"
        children = [process for process in processes(marker) if process.pid != parent.pid]
        assert len(children) == 4, "two with a guard each"
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while any(process.is_running() for process in children) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert time.monotonic() < deadline


def test_a_zip_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a cluster, where the kit is shipped as one file."""
    import zipfile

    root = FOLDER.parents[1]
    with zipfile.ZipFile(tmp_path / "kit.zip", "w") as kit:
        for file in [*(root / "wireproof").glob("*.py"), *(root / "wireproof" / "conformance").rglob("*.py")]:
            kit.write(file, file.relative_to(root))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "kit.zip"))
    script = """
import sys
from wireproof.conformance.connection import open_connection
from wireproof.conformance.model import Case, Op

assert "kit.zip" in open_connection.__code__.co_filename
for spec in sys.argv[1:]:
    with open_connection(spec) as connection:
        (one,) = connection.ask([Case("x", Op.DECODE, "kafka", "INT32", args={"data": bytes(4)})])
        print(one.answer)
"""
    command = [sys.executable, "-P", "-c", script, "unruly:aborts", exec_spec("aborts")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() == ["0", "0"]


def test_between_looks_at_its_memory_is_ten_times_as_long_as_a_look_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []

    def look(self: Process) -> None:
        looks.append(time.monotonic())
        self._looking = 0.03

    monkeypatch.setattr(Process, "look", look)
    process = Process([sys.executable, "-c", "input()"])
    try:
        while len(looks) < 3:
            process.pump(0.01)
    finally:
        process.kill()
    assert min(looks[1] - looks[0], looks[2] - looks[1]) >= 0.25
