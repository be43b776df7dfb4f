"""A run that ends early: by a signal, at a failure, by a full disk. Verdicts so far are not lost, and the run is marked
as incomplete."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.pytest_run import run

from wireproof.conformance.pytest_suite.signals import Signals
from wireproof.conformance.report.jsonl import read_report, read_reports

#: Answers as the reference does until it is asked for a VARLONG: then it writes a file, and waits for ever.
WAITS = """
import time
from pathlib import Path
from wireproof.reference import decode as _decode, encode

types = {"kafka": {"UNSIGNED_VARINT": None, "VARINT": None, "VARLONG": None}}


def decode(type, data, *, dialect, version=None):
    if type == "VARLONG":
        Path("waits").touch()
        while True:
            time.sleep(1)
    return _decode(type, data, dialect=dialect, version=version)
"""
REFUSES = """
types = {"kafka": {"UNSIGNED_VARINT": None, "VARINT": None, "VARLONG": None}}


def decode(type, data, *, dialect, version=None):
    raise ValueError("no")
"""
#: Seconds after which a test gives up.
PATIENCE = 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the run takes place, with both implementations."""
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "refuses.py").write_text(REFUSES)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def start(folder: Path, *options: str, limit: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """A run, in a process of its own."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "PY_COLORS", "COLUMNS"))}
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--area=varints", *options],
        cwd=folder,
        env=env | {"COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=limit,
    )


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """SIGINT has its effect here and in children, even where a shell started these tests with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Its exit code, and what it printed."""
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert "Traceback" not in output
    assert "INTERNALERROR" not in output
    return process.returncode, output


def finished(folder: Path, *options: str) -> tuple[int, str]:
    """The exit code of a run that ends by itself, and what it printed."""
    done = run("-q", "-p", "no:cacheprovider", "--area=varints", *options, cwd=folder)
    assert not re.search("Traceback|INTERNALERROR", done.text)
    return done.code, done.text


def lines(report: Path) -> list[dict[str, object]]:
    """What a report holds by now, whole lines."""
    whole = report.read_bytes().rpartition(b"\n")[0] if report.exists() else b""
    return [json.loads(line) for line in whole.splitlines()]


def until(state: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Wait for a state of a run that goes on."""
    deadline = time.monotonic() + PATIENCE
    while not state():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def waiting(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A run whose implementation waits for ever, after verdicts that its report already holds."""
    process = start(folder, "--impl=waits", "--case-timeout=1000", "--report=report.jsonl")
    try:
        until(lambda: (folder / "waits").exists() and len(lines(folder / "report.jsonl")) > 20, process)
        yield process
    finally:
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_in_order(waiting: subprocess.Popen[str], folder: Path, number: signal.Signals) -> None:
    waiting.send_signal(number)
    code, output = ended(waiting)
    assert code == pytest.ExitCode.INTERRUPTED
    with (folder / "report.jsonl").open("rb") as file:
        report = read_report(file)
    assert report.incomplete is not None
    assert report.incomplete.asked == len(report.lines) < report.incomplete.of
    assert f"incomplete: {report.incomplete.asked} of {report.incomplete.of} items asked" in output
    assert "100 %" not in output


class Interrupted:
    """Its destructor is interrupted: Python ignores what a signal's handler raises there."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_a_signal_in_a_destructor_is_not_lost() -> None:
    signals = Signals()
    signals.pytest_sessionstart()
    there = sys.unraisablehook
    try:
        Interrupted()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(PATIENCE)
        assert sys.unraisablehook == there
    finally:
        signals.end()
    assert sys.unraisablehook != there


def test_what_was_judged_before_a_process_is_killed_is_in_its_report(
    waiting: subprocess.Popen[str], folder: Path
) -> None:
    waiting.kill()
    waiting.communicate(timeout=PATIENCE)
    head, *found = lines(folder / "report.jsonl")
    assert "report" in head
    assert {one["verdict"] for one in found} == {"pass"}


@pytest.mark.parametrize(("option", "failures"), [("-x", 1), ("--maxfail=3", 3)])
def test_a_run_that_stops_at_a_failure_says_how_much_was_asked(folder: Path, option: str, failures: int) -> None:
    code, output = finished(folder, "--impl=refuses", option, "--report=report.jsonl")
    assert code == pytest.ExitCode.TESTS_FAILED
    with (folder / "report.jsonl").open("rb") as file:
        report = read_report(file)
    assert report.incomplete is not None
    assert report.incomplete.asked == len(report.lines) >= failures
    assert re.search(f"incomplete: {report.incomplete.asked} of {report.incomplete.of} items asked", output)
    assert "100 %" not in output


def test_a_report_of_several_implementations_says_of_each_how_much_was_asked(folder: Path) -> None:
    code, output = finished(folder, "--impl=reference", "--impl=refuses", "-x", "--report=report.jsonl")
    assert code == pytest.ExitCode.TESTS_FAILED
    with (folder / "report.jsonl").open("rb") as file:
        whole, cut = read_reports(file)
    assert whole.incomplete is None
    assert "100 %" in output
    assert cut.incomplete is not None
    assert cut.incomplete.asked == len(cut.lines)
    assert output.count("incomplete:") == 1


def test_a_run_that_comes_to_its_end_says_nothing_of_it(folder: Path) -> None:
    code, output = finished(folder, "--impl=reference", "--report=report.jsonl")
    assert code == pytest.ExitCode.OK
    assert "incomplete" not in output
    assert "incomplete" not in (folder / "report.jsonl").read_text()
    assert "100 %" in output


def test_workers_of_xdist_hand_over_what_they_judged_before_the_end(folder: Path) -> None:
    code, output = finished(folder, "--impl=refuses", "-x", "-n2", "--report=report.jsonl")
    assert code != pytest.ExitCode.OK
    with (folder / "report.jsonl").open("rb") as file:
        report = read_report(file)
    assert report.incomplete is not None
    assert report.incomplete.asked == len(report.lines) > 0
    assert "incomplete: " in output
    assert "100 %" not in output


def little_room() -> None:
    """Files may not grow beyond 20 kB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def no_room() -> None:
    """Files may not grow beyond a line."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


def test_a_report_that_finds_the_disk_full_ends_the_run_with_a_line(folder: Path) -> None:
    code, output = ended(start(folder, "--impl=reference", "--report=report.jsonl", limit=no_room))
    assert code == pytest.ExitCode.INTERRUPTED
    assert "report.jsonl: the report cannot be written there: File too large" in output
    assert "incomplete: 1 of " in output


def test_a_report_for_which_the_room_ends_keeps_what_it_has(folder: Path) -> None:
    code, output = ended(start(folder, "--impl=reference", "--report=report.jsonl", limit=little_room))
    assert code == pytest.ExitCode.INTERRUPTED
    assert "report.jsonl: the report cannot be written there: File too large" in output
    assert "100 %" not in output
    assert len(lines(folder / "report.jsonl")) > 20


#: A report for whose last line there is no room.
NO_END = """
from wireproof.conformance.report import jsonl


def summary(self, tally, incomplete):
    raise jsonl.ReportError("no room for the last line")


jsonl.ReportWriter.summary = summary
"""


@pytest.mark.parametrize("implementation", ["reference", "refuses"])
def test_a_report_without_its_end_is_no_result(folder: Path, implementation: str) -> None:
    (folder / "no_end.py").write_text(NO_END)
    code, output = finished(folder, f"--impl={implementation}", "-p", "no_end", "--report=report.jsonl", "--tb=no")
    assert code == pytest.ExitCode.INTERRUPTED
    assert output.rstrip().splitlines()[-2].endswith("no room for the last line")


def test_a_transcript_that_finds_the_disk_full_is_a_line(folder: Path) -> None:
    code, output = ended(start(folder, "--impl=reference", "--transcript=transcript.jsonl", limit=no_room))
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "transcript.jsonl cannot be written: File too large" in output


def test_a_transcript_for_which_the_room_ends_ends_the_run_with_a_line(folder: Path) -> None:
    code, output = ended(start(folder, "--impl=reference", "--transcript=transcript.jsonl", limit=little_room))
    assert code == pytest.ExitCode.INTERRUPTED
    assert "transcript.jsonl cannot be written: File too large" in output
    assert "incomplete: " in output
