"""Common code of the tests of fuzzing: they need atheris, and are skipped without it."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.copies import run_copy
from support.paths import ROOT
from wireproof.fuzz.campaign.store import Kept, read_findings

TESTS = ROOT / "tests"
#: So many seconds a command takes at most.
_LIMIT = 280


def need_atheris() -> None:
    """Skip this test without atheris; under CI its absence is a failure."""
    if importlib.util.find_spec("atheris") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("atheris is not installed, and CI=true: pip install -e '.[fuzz]'")
        pytest.skip("atheris is not installed: pip install -e '.[fuzz]'")


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    text: str


def command(*words: str | Path, env: dict[str, str] | None = None) -> list[str]:
    """`wireproof fuzz …` as words."""
    return [sys.executable, "-m", "wireproof", "fuzz", *map(str, words)]


def fuzz(*words: str | Path) -> Ran:
    """`wireproof fuzz …`, from the folder of the tests, where the miniatures are found. The process is a copy of one in
    which the kit is loaded: see `ready`."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return Ran(*run_copy("wireproof", ["fuzz", *map(str, words)], TESTS, env, _LIMIT))


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a command, and wait until its children have noticed and ended: until then they write to its folder."""
    children = _descendants(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    while any(_runs(child) for child in children):
        time.sleep(0.02)


def _descendants(pid: int) -> list[int]:
    """The ids of the processes that a process has started, and of those that they have started."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text("ascii").split()):
            found += [child, *_descendants(child)]
    return found


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def named(found: list[Kept]) -> set[tuple[str | None, ...]]:
    """The findings by op, type, verdict and kind."""
    return {tuple(kept.finding.row["verdict"][part] for part in ("op", "type", "verdict", "kind")) for kept in found}


def findings(folder: Path) -> list[Kept]:
    return read_findings(folder)
