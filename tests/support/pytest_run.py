"""`pytest --impl=…` in a process of its own, as a user starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support.copies import run_copy

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
#: So many seconds a run takes at most.
_LIMIT = 120
#: A library that takes its time: a block of questions takes longer than a timer of a test. It reads nothing right.
SLOW = """\
import time

types = {"kafka": {"VARINT": None}}


def decode(type, data, *, dialect, version=None):
    time.sleep(0.02)
    return 77
"""


@dataclass(frozen=True)
class Run:
    """What came of it: the exit code, and all that was printed, without its colours and with them."""

    code: int
    text: str
    coloured: str


def run(*arguments: str, cwd: Path, **settings: str) -> Run:
    """Run pytest with these arguments in a folder, without the settings of any pytest around it. `settings`: of the
    environment.

    The process is a copy of one in which pytest and the kit are loaded: see `ready`. It goes without pytest's
    plugin of hypothesis, which loads all of hypothesis at the end of a run that needs nothing of it.
    """
    code, printed = run_copy("pytest", ["-p", "no:hypothesispytest", *arguments], cwd, _env() | settings, _LIMIT)
    return _found(code, printed)


def run_anew(*arguments: str, cwd: Path, **settings: str) -> Run:
    """As `run`, in a process in which nothing was imported before: where what is imported from where is the point."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=cwd,
        env=_env() | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    return _found(done.returncode, done.stdout)


def _env() -> dict[str, str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "PY_COLORS", "COLUMNS"))}
    return env | {"COLUMNS": "120"}


def _found(code: int, printed: str) -> Run:
    return Run(code, _COLOUR.sub("", printed), printed)


def counted(text: str, word: str) -> int:
    """How many of these pytest's last line counts."""
    found = re.search(rf"(\d+) {word}", text.strip().splitlines()[-1])
    return int(found[1]) if found else 0
