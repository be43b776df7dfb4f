"""The wrappers of Node.js's libraries; `implementations/node/build` installs what they wrap."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

FOLDER = Path(__file__).parent.parent / "implementations" / "node"
#: Library → the folder of its wrapper.
LIBRARIES = {"kafkajs": "kafkajs", "@platformatic/kafka": "platformatic", "kafka-ts": "kafka-ts"}


def spec(library: str) -> str:
    """What `--impl` takes."""
    return f"exec:{FOLDER / LIBRARIES[library] / 'wrapper'}"


def installed() -> Path:
    """The folder that `build` fills."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("WIREPROOF_NODE_BUILD") or cache / "wireproof" / "node")


def run(program: Path, *arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """One whole run of a launcher."""
    command = [str(program), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=os.environ | env, check=False)


def skip_without_node() -> None:
    """Skip where there is no Node.js; under CI that is a failure."""
    if shutil.which("node") is None:
        _missing("there is no node on PATH")


def skip_unless_built() -> None:
    """Skip, with what to do, where a wrapper does not run; under CI that is a failure."""
    skip_without_node()
    tried = run(FOLDER / "kafkajs" / "wrapper")
    if tried.returncode == 2:
        _missing(tried.stderr.strip())


def _missing(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
