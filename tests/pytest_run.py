"""`pytest --impl=…` in a process of its own, as a user starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Run:
    """What came of it: the exit code, and all that was printed, without its colours and with them."""

    code: int
    text: str
    coloured: str


def run(*arguments: str, cwd: Path, **settings: str) -> Run:
    """Run pytest with these arguments in a folder, without the settings of any pytest around it. `settings`: of the
    environment."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "PY_COLORS", "COLUMNS"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=cwd,
        env=env | {"COLUMNS": "120"} | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    return Run(done.returncode, _COLOUR.sub("", done.stdout), done.stdout)
