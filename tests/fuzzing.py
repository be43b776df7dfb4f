"""What the tests of fuzzing share: they need atheris, and say so where it is missing."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from fuzz.store import Kept, read_findings

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"


def need_atheris() -> None:
    """Skip this test without atheris; under CI its absence is a failure."""
    if importlib.util.find_spec("atheris") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("atheris is not installed, and CI=true: pip install -e '.[fuzz]'")
        pytest.skip("atheris is not installed: pip install -e '.[fuzz]'")


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    text: str


def command(*words: str | Path, env: dict[str, str] | None = None) -> list[str]:
    """`wireproof fuzz …` as words."""
    return [sys.executable, "-m", "wireproof", "fuzz", *map(str, words)]


def fuzz(*words: str | Path) -> Ran:
    """`wireproof fuzz …`, from the folder of the tests, where the miniatures are found."""
    done = subprocess.run(
        command(*words),
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=280,
        check=False,
    )
    return Ran(done.returncode, done.stdout)


def named(found: list[Kept]) -> set[tuple[str | None, ...]]:
    """The findings by op, type, verdict and kind."""
    return {tuple(kept.finding.signature[part] for part in ("op", "type", "verdict", "kind")) for kept in found}


def findings(folder: Path) -> list[Kept]:
    return read_findings(folder)
