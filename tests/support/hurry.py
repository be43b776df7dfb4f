"""Hangs without waiting: the time limit has passed as soon as a child says that it hangs, and not before."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from wireproof.conformance.connection.process.pipes import Process

#: The environment variable that names a file: a process of `tests/programs` notes its number there when it begins to
#: hang.
HANGING = "PROGRAMS_HANGING"


def hurry(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """However long the limit: a process that hangs has been silent for longer, any other for no time at all."""
    noted = folder / "hanging"
    noted.touch()
    monkeypatch.setenv(HANGING, str(noted))
    pump = Process.pump

    def pump_at_once(process: Process, timeout: float) -> list[bytes]:
        before = noted.read_text("utf-8").split()
        lines = pump(process, timeout)
        # What it answered before it hung may have come since: it is read first.
        hangs = process._answering is not None and str(process._answering.pid) in before and not lines
        process.silence = math.inf if hangs else 0.0
        return lines

    monkeypatch.setattr(Process, "pump", pump_at_once)
