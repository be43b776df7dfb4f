"""Processes that an implementation leaves behind, in sessions of their own, end with the run, however that ends."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from support.pytest_run import run_anew

MODULES = Path(__file__).parent / "modules"
PROGRAM = f"exec:{shlex.join([sys.executable, str(MODULES.parent / 'programs' / 'serves.py'), 'leaves_a_session'])}"
SPECS = {"module": "leaves_a_session", "program": PROGRAM}
ARGUMENTS = ("--area=varints", "-k", "varint-minus-1", "--case-timeout=1")


def left(file: Path, seconds: float = 0.0) -> bool:
    """Whether the process whose number stands in the file still runs after so many seconds."""
    process = psutil.Process(int(file.read_text())) if psutil.pid_exists(int(file.read_text())) else None
    deadline = time.monotonic() + seconds
    while process is not None and runs(process):
        if time.monotonic() >= deadline:
            process.kill()
            return True
        time.sleep(0.02)
    return False


def runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system has no subreapers")
@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize(("leaves", "code"), [("answers", 0), ("hangs", 1), ("dies", 1)])
def test_none_outlives_the_run(spec: str, leaves: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / "left"
    done = run_anew(f"--impl={spec}", *ARGUMENTS, cwd=MODULES, LEFT=str(file), LEAVES=leaves)
    assert done.code == code, done.text
    assert not left(file)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system has no subreapers")
@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_none_outlives_a_run_that_is_killed(spec: str, tmp_path: Path) -> None:
    file = tmp_path / "left"
    command = [sys.executable, "-m", "pytest", "-q", f"--impl={spec}", *ARGUMENTS[:-1], "--case-timeout=600"]
    env = {**os.environ, "LEFT": str(file), "LEAVES": "hangs"}
    with subprocess.Popen(command, cwd=MODULES, env=env, stdout=subprocess.DEVNULL) as kit:
        try:
            while not file.is_file() or not file.read_bytes():
                assert kit.poll() is None
                time.sleep(0.02)
        finally:
            kit.send_signal(signal.SIGKILL)
    assert not left(file, seconds=20)
