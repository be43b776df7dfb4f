"""`pytest --impl=…` in a process of its own, as a user starts it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
#: So many seconds a run takes at most.
_LIMIT = 120


@dataclass(frozen=True)
class Run:
    """What came of it: the exit code, and all that was printed, without its colours and with them."""

    code: int
    text: str
    coloured: str


def run(*arguments: str, cwd: Path, **settings: str) -> Run:
    """Run pytest with these arguments in a folder, without the settings of any pytest around it. `settings`: of the
    environment.

    The process is a copy of one in which pytest and the kit are loaded: see `pytest_ready`. It goes without pytest's
    plugin of hypothesis, which loads all of hypothesis at the end of a run that needs nothing of it.
    """
    with tempfile.NamedTemporaryFile() as output:
        told = {
            "arguments": ["-p", "no:hypothesispytest", *arguments],
            "cwd": str(cwd),
            "env": _env() | settings,
            "output": output.name,
        }
        code = _Ready.there().run(json.dumps(told))
        return _found(code, output.read().decode())


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


class _Ready:
    """The process that is copied for each run. It ends with this one, whose end closes its stdin."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("pytest_ready.py"))],
            env=_env(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        atexit.register(self._close)

    @staticmethod
    @functools.cache
    def there() -> _Ready:
        return _Ready()

    def run(self, told: str) -> int:
        """The exit code. Raises TimeoutExpired, RuntimeError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(told + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], _LIMIT)[0]:
            os.killpg(self._process.pid, signal.SIGKILL)
            _Ready.there.cache_clear()
            raise subprocess.TimeoutExpired(told, _LIMIT)
        code = self._process.stdout.readline()
        if not code:
            raise RuntimeError("the process that is copied for each run of pytest has ended: see its stderr")
        return int(code)

    def _close(self) -> None:
        with self._process as process:
            process.kill()
