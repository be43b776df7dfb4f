"""A real broker for tests: `implementations/java/broker`."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.paths import ROOT

FOLDER = ROOT / "implementations" / "java"
#: Seconds in which it has to start (the first time Maven fetches its jars), and to stop.
STARTS_WITHIN, STOPS_WITHIN = 600, 60


def skip_unless_possible() -> None:
    """Skip the test where a broker can't run; under CI that fails."""
    missing = [name for name in ("java", "mvn") if shutil.which(name) is None]
    if missing:
        reason = f"a broker needs {' and '.join(missing)}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker that runs. `data`: the folder of its segments."""

    address: str
    data: Path


@contextlib.contextmanager
def broker(folder: Path, **settings: str) -> Iterator[Broker]:
    """A broker until the end of the block. `settings`: LOG_CLEANER_BACKOFF_MS="100"."""
    environment = os.environ | {f"KAFKA_{name}": value for name, value in settings.items()}
    pipe = subprocess.PIPE
    process = subprocess.Popen([FOLDER / "broker", folder], stdin=pipe, stdout=pipe, env=environment, text=True)
    guard = threading.Timer(STARTS_WITHIN, process.kill)
    guard.start()
    try:
        assert process.stdout
        line = process.stdout.readline()
        guard.cancel()
        assert line, f"the broker did not start: {process.wait()}"
        address, data = line.split()
        yield Broker(address, Path(data))
    finally:
        guard.cancel()
        with contextlib.suppress(BrokenPipeError):
            process.communicate(timeout=STOPS_WITHIN)  # the end of its standard input stops it
        assert process.returncode == 0
