"""Commands in copies of a process that has loaded what they need: see `ready`."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_copy(module: str, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], limit: float) -> tuple[int, str]:
    """What `python -m MODULE ARGUMENTS` does in this folder and environment: its exit code, and what it printed.
    `limit`: seconds. Raises TimeoutExpired, RuntimeError."""
    with tempfile.NamedTemporaryFile() as output:
        told = {"arguments": [*arguments], "cwd": str(cwd), "env": {**env}, "output": output.name}
        code = _Ready.there(module).run(json.dumps(told), limit)
        return code, output.read().decode()


class _Ready:
    """The process that is copied for each run. It ends with this one, whose end closes its stdin."""

    def __init__(self, module: str) -> None:
        variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("ready.py")), module],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        atexit.register(self._close)

    @staticmethod
    @functools.cache
    def there(module: str) -> _Ready:
        return _Ready(module)

    def run(self, told: str, limit: float) -> int:
        """The exit code. Raises TimeoutExpired, RuntimeError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(told + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], limit)[0]:
            os.killpg(self._process.pid, signal.SIGKILL)
            _Ready.there.cache_clear()
            raise subprocess.TimeoutExpired(told, limit)
        code = self._process.stdout.readline()
        if not code:
            raise RuntimeError("the process that is copied for each run has ended: see its stderr")
        return int(code)

    def _close(self) -> None:
        with self._process as process:
            process.kill()
