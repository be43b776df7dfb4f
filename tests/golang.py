"""The wrappers of Go's libraries; `implementations/go/build` builds them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

FOLDER = Path(__file__).parent.parent / "implementations" / "go"
#: Library → its version.
LIBRARIES = {"franz-go": "1.22.2", "kafka-go": "0.4.51"}


def spec(library: str) -> str:
    """What `--impl` takes."""
    return f"exec:{FOLDER / library / 'wrapper'}"


def run(program: Path, *arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """One whole run of a launcher."""
    command = [str(program), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=os.environ | env, check=False)


def go(*arguments: str, folder: Path) -> str:
    """What a command of Go's prints."""
    done = subprocess.run(
        ["go", *arguments],
        cwd=folder,
        env=os.environ | {"CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def skip_without_go() -> None:
    """Skip where there is no Go; under CI that is a failure."""
    if shutil.which("go") is None:
        _missing("there is no go on PATH")


def skip_unless_built() -> None:
    """Skip, with what to do, where a wrapper does not run; under CI that is a failure."""
    skip_without_go()
    tried = run(FOLDER / "franz-go" / "wrapper")
    if tried.returncode == 2:
        _missing(tried.stderr.strip())


def _missing(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
