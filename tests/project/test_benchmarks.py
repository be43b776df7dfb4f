"""Benchmarks are for people too: what cannot be measured is said in a line. No figure is judged here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import ROOT

SOURCE = """
types = {{"kafka": {{"{type}": None}}}}
name = "{name}"


def decode(*_, **__):
    return 0
"""
#: Wrapper → the type that it offers, and what is said of it.
CODECS = {"varints": ("VARINT", "does not offer"), "zeroes": ("INT32", "another number")}


def ask(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "benchmarks/ask.py", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_smallest_codec_is_measured() -> None:
    done = ask("10")
    assert done.returncode == 0, done.stderr
    assert "cases a second, benchmarks.ask" in done.stdout


@pytest.mark.parametrize("name", CODECS)
def test_what_cannot_be_asked_is_said_in_a_line(name: str, tmp_path: Path) -> None:
    offered, said = CODECS[name]
    (tmp_path / f"{name}.py").write_text(SOURCE.format(type=offered, name=name), "utf-8")
    done = ask("10", name, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert name in line
    assert said in line


def test_a_program_that_does_not_exist_is_said_in_a_line() -> None:
    done = ask("10", "exec:no-such-program")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
