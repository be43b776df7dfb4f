"""The wrappers of Go's libraries; `implementations/go/build` builds them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import toolchains
from support.paths import ROOT

FOLDER = ROOT / "implementations" / "go"
#: Library → its version.
LIBRARIES = {"franz-go": "1.22.2", "kafka-go": "0.4.51", "sarama": "1.61.1"}


def spec(library: str) -> str:
    """What `--impl` takes."""
    return f"exec:{FOLDER / library / 'wrapper'}"


def run(program: Path, *arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """One whole run of a launcher."""
    command = [str(program), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=os.environ | env, check=False)


#: Go's flags, in its environment: those of `implementations/go/build`. Go keeps what it compiles by flags, so that no
#: library is compiled twice.
FLAGS = {"CGO_ENABLED": "0", "GOFLAGS": "-trimpath -buildvcs=false"}


def go(*arguments: str, folder: Path) -> str:
    """What a command of Go's prints."""
    done = subprocess.run(
        ["go", *arguments],
        cwd=folder,
        env=os.environ | FLAGS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def skip_unless_built() -> None:
    """Skip, with what to do, where a wrapper does not run; under CI that is a failure."""
    toolchains.skip_without("go")
    tried = run(FOLDER / "franz-go" / "wrapper")
    if tried.returncode == 2:
        toolchains.missing(tried.stderr.strip())
