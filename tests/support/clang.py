"""The wrapper of C's library; `implementations/c/build` builds it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from support import toolchains
from support.paths import ROOT

FOLDER = ROOT / "implementations" / "c"
LAUNCHER = FOLDER / "librdkafka" / "wrapper"
SPEC = f"exec:{LAUNCHER}"


def run(program: Path, *arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """One whole run of a launcher."""
    command = [str(program), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=os.environ | env, check=False)


def skip_unless_built() -> None:
    """Skip, with what to do, where the wrapper does not run; under CI that is a failure."""
    tried = run(LAUNCHER)
    if tried.returncode == 2:
        toolchains.missing(tried.stderr.strip())


def build_changed(changes: list[tuple[str, str, str]], folder: Path) -> str:
    """Build a copy of the wrapper in a folder; returns what `--impl` takes.

    `changes`: a file of implementations/c, a text that stands in it once, and what it is replaced by.
    """
    copy, built = folder / "c", folder / "built"
    shutil.copytree(FOLDER, copy)
    for file, text, wrong in changes:
        source = (copy / file).read_text("utf-8")
        assert source.count(text) == 1, text
        (copy / file).write_text(source.replace(text, wrong), "utf-8")
    done = run(copy / "build", WIREPROOF_C_BUILD=str(built))
    assert done.returncode == 0, done.stderr
    return f"exec:env WIREPROOF_C_BUILD={built} {copy / 'librdkafka' / 'wrapper'}"
