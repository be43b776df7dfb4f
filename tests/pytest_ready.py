"""Runs pytest in a copy of itself for each line on stdin: what every run imports and loads is there already.

A line is `{"arguments", "cwd", "env", "output"}`, as JSON; when the run is over, its exit code stands on stdout.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from typing import Any

import pytest  # noqa: F401 (is loaded)

import conformance.suite.plugin  # noqa: F401 (is loaded)
from conformance import vectors
from conformance.reference_codec import reference_codec


def main() -> None:
    vectors.load()
    reference_codec()
    for line in sys.stdin:
        copy = os.fork()
        if copy == 0:
            _run(json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def _run(told: dict[str, Any]) -> None:
    """What `python -m pytest` does; ends in SystemExit, and so this copy."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(told["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for there, wanted in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(there, wanted)
    os.environ.clear()
    os.environ.update(told["env"])
    os.chdir(told["cwd"])
    sys.path[0] = told["cwd"]
    sys.argv = ["pytest", *told["arguments"]]
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
