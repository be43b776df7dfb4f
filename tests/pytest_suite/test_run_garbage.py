"""A run of the suite leaves Python's garbage collector as it was, and with nothing to do at the end of the process."""

from __future__ import annotations

import subprocess
import sys

#: pytest's own last collection of garbage must not look through the suite's objects: they are then still frozen, those
#: of the run too.
_RUN = """
import gc, sys
import pytest

frozen = []
collect = gc.collect
counts = lambda: (gc.get_freeze_count(), len(gc.get_objects()))
gc.collect = lambda *generation: (frozen.append(counts()), collect(*generation))[1]
before = gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()
code = pytest.main(["-q", "-p", "no:cacheprovider", "--impl=reference", "--area=varints"])
count, others = frozen[-1]
print(code, count > 10_000, others < 2000, (gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()) == before)
"""


def test_objects_are_frozen_until_pytest_has_collected_garbage_and_no_longer() -> None:
    done = subprocess.run([sys.executable, "-c", _RUN], check=True, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1] == "0 True True True", done.stdout


#: What is registered first is called last.
_END = """
import atexit, gc
import pytest

atexit.register(lambda: print(gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 100))
for _ in range(2):
    assert pytest.main(["-q", "-p", "no:cacheprovider", "--impl=reference", "--area=varints"]) == 0
    assert not gc.get_freeze_count()
"""


def test_at_the_end_of_the_process_nothing_is_looked_through() -> None:
    done = subprocess.run([sys.executable, "-c", _END], check=True, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1] == "True True", done.stdout
