"""What a run does with Python's garbage collector: it is as it was after a run inside another program, and the end of
the process does not look for garbage, which takes two seconds after a whole run."""

from __future__ import annotations

import subprocess
import sys

import pytest

_RUNS = """
import gc
import pytest

before = gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()
for _ in range(2):
    assert pytest.main(["-q", "-p", "no:cacheprovider", "--impl=reference", "--area=varints", "-k", "int8"]) == 5
    assert (gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()) == before
"""
# What is registered first runs last: after all that the run registered.
_ENDS = """
import atexit
import gc
import sys
import pytest

atexit.register(lambda: print("frozen at the end:", gc.get_freeze_count() > 0))
pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]])
"""


def _printed(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_garbage_collector_is_as_it_was_before() -> None:
    _printed(_RUNS)


@pytest.mark.parametrize(
    ("arguments", "frozen"),
    [(("--impl=reference", "--area=varints", "-k", "int8"), True), (("--version",), False)],
    ids=["the suite", "pytest alone"],
)
def test_all_objects_are_frozen_at_the_end_of_a_process_that_ran_the_suite(
    arguments: tuple[str, ...], *, frozen: bool
) -> None:
    assert _printed(_ENDS, *arguments).splitlines()[-1] == f"frozen at the end: {frozen}"
