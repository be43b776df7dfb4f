"""The wrapper of kafka-clients, asked over the line protocol; `implementations/java/build` builds it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from support.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = ROOT / "implementations" / "java"
LAUNCHERS = {"generated": FOLDER / "wrapper", "schema": FOLDER / "wrapper-schema"}
#: What keeps a JVM that dies from writing a file about it into the current folder.
NO_CRASH_FILE = "-XX:+ErrorFileToStderr"
DESCRIBE = {"op": "describe", "protocol": 1}
#: Seconds after which an answer does not come any more.
PATIENCE = 30


class Wrapper:
    """A running wrapper, asked one question or many at a time."""

    def __init__(self, launcher: Path) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([launcher], stdin=pipe, stdout=pipe, stderr=pipe)

    def ask(self, *questions: dict[str, Any]) -> list[dict[str, Any]]:
        """The answers, in the order of the questions, while its stdin stays open."""
        assert self._process.stdin
        assert self._process.stdout
        writer = threading.Thread(target=self._write, args=(questions,))
        writer.start()
        guard = threading.Timer(PATIENCE, self._process.kill)
        guard.start()
        answers = [json.loads(self._process.stdout.readline()) for _ in questions]
        guard.cancel()
        writer.join()
        return answers

    def _write(self, questions: Sequence[dict[str, Any]]) -> None:
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(b"".join(json.dumps(question).encode() + b"\n" for question in questions))
            self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=PATIENCE)


def run(launcher: Path, *arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """One whole run of a launcher."""
    command = [str(launcher), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=os.environ | env, check=False)


def built() -> Path:
    """The folder of what is built, with the wrapper's jar and `lib`."""
    script = 'here=$1; . "$here/layout.sh"; directory_of "$default_version"'
    found = subprocess.run(["sh", "-c", script, "sh", str(FOLDER)], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


def skip_unless_built() -> None:
    """Skip, with what to do, where there is no wrapper to run."""
    if shutil.which("java") is None:
        pytest.skip("there is no java on PATH")
    tried = run(LAUNCHERS["generated"])
    if tried.returncode == 2:
        pytest.skip(tried.stderr.strip())


def question(op: str, type_name: str, version: int | None, **argument: Any) -> dict[str, Any]:
    """A question of the line protocol; bytes may have spaces."""
    asked = {"seq": 1, "op": op, "dialect": "kafka", "type": type_name, **argument}
    if isinstance(argument.get("data"), str):
        asked["data"] = argument["data"].replace(" ", "")
    return asked if version is None else asked | {"version": version}
