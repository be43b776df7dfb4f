"""The wrappers of Node.js's libraries; `implementations/node/build` installs what they wrap."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import toolchains
from support.paths import ROOT

FOLDER = ROOT / "implementations" / "node"
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


def skip_unless_built() -> None:
    """Skip, with what to do, where a wrapper does not run; under CI that is a failure."""
    toolchains.skip_without("node")
    tried = run(FOLDER / "kafkajs" / "wrapper")
    if tried.returncode == 2:
        toolchains.missing(tried.stderr.strip())
