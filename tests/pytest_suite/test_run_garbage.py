"""A run inside another program leaves Python's garbage collector as it was."""

from __future__ import annotations

import subprocess
import sys

_RUNS = """
import gc
import pytest

before = gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()
for _ in range(2):
    assert pytest.main(["-q", "-p", "no:cacheprovider", "--impl=reference", "--area=varints", "-k", "int8"]) == 5
    assert (gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()) == before
"""


def test_the_garbage_collector_is_as_it_was_before() -> None:
    done = subprocess.run([sys.executable, "-c", _RUNS], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
