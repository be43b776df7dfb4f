"""Configuration and fixtures of all tests."""

from __future__ import annotations

import functools
import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

# A shell starts what it runs in the background with Ctrl-C ignored, and programs pass that on to those they start.
# Tests that interrupt a program need it as it is on a terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)


#: The rooms of `pytest -m fast`, which takes about half a minute on two cores.
FAST = ("asking", "judging", "reference", "values", "vectors")
#: What is slower in them: its tests start processes, generate code, or repeat all vectors many times.
SLOW = frozenset(
    {
        "compiled",
        "test_added_vectors.py",
        "test_bombs.py",
        "test_coverage.py",
        "test_fast_arrays_and_records.py",
        "test_findings.py",
        "test_ledger.py",
        "test_one_core.py",
        "test_other_catalog.py",
        "test_readings.py",
        "test_recode_alone.py",
        "test_records_fast.py",
        "test_refuses_everything.py",
        "test_rows.py",
        "test_vectors_set.py",
    }
)
TESTS = Path(__file__).parent


@functools.cache
def is_fast(path: Path) -> bool:
    """Whether tests of this file are among the fast ones; whether a folder can have some."""
    parts = path.relative_to(TESTS).parts if path.is_relative_to(TESTS) else ("",)
    return not parts or (parts[0] in FAST and SLOW.isdisjoint(parts))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m fast` no other file is imported: that would take half of the time."""
    return config.option.markexpr == "fast" and not is_fast(collection_path) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: the garbage collector does not look for any in it, which would take a third
    of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_fast(item.path):
            item.add_marker("fast")


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same width for every output, whatever terminal the tests run in."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def generated_anew() -> None:
    """What the fast codec generates for a test is generated in it, whatever others have asked for before."""
    from wireproof.reference.fast import decoding, encoding

    for function in (decoding.decoder, decoding._ready, encoding.encoder, encoding._has_lookalikes):
        function.cache_clear()


@pytest.fixture(scope="session")
def spark_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which Spark's workers look for modules."""
    return tmp_path_factory.mktemp("modules")


@pytest.fixture(scope="session")
def spark(spark_modules: Path) -> Iterator[Any]:
    """A session of Spark on this machine, for all tests of a process. Without the extra `pipeline` they are skipped;
    under CI they fail."""
    try:
        from wireproof.pipeline.spark.session import session
    except ImportError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"the extra `pipeline` is not installed: {error}")
    with session("local[2]", settings={"spark.executorEnv.PYTHONPATH": str(spark_modules)}) as started:
        yield started
