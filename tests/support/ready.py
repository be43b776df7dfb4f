"""Runs a module in a copy of itself for each line on stdin: what every run imports and loads is there already.

    python tests/support/ready.py pytest       what `pytest --impl=…` loads
    python tests/support/ready.py wireproof    what `wireproof fuzz …` loads

A line is `{"arguments", "cwd", "env", "output"}`, as JSON; when the run is over, its exit code stands on stdout.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import sys
from typing import Any

from wireproof.conformance import ledger, vectors
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.fuzz.corpus import vector_seeds

#: What a run imports. Not plugins that are installed: pytest rewrites these when it imports them.
IMPORTS = {
    "pytest": (
        "pytest",
        "_pytest.faulthandler",
        "_pytest.junitxml",
        "_pytest.unittest",
        "wireproof.conformance.connection.process.child",
        "wireproof.conformance.pytest_suite.plugin",
        "execnet",
        "unittest.case",
    ),
    "wireproof": ("wireproof.conformance.connection.process.child", "wireproof.cli", "wireproof.commands.fuzz"),
}


def main(module: str) -> None:
    for name in IMPORTS[module]:
        importlib.import_module(name)
    vectors.load()
    for _ in ledger.every_vector():
        pass
    reference_codec()
    if module == "wireproof":
        vector_seeds.dictionary("kafka")  # reads all messages' schemas
    gc.collect()
    gc.freeze()  # no copy has to look through what all of them share
    for line in sys.stdin:
        copy = os.fork()
        if copy == 0:
            _run(module, json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def _run(module: str, told: dict[str, Any]) -> None:
    """What `python -m MODULE` does; ends in SystemExit, and so this copy."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(told["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for there, wanted in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(there, wanted)
    os.environ.clear()
    os.environ.update(told["env"])
    os.chdir(told["cwd"])
    sys.path[0] = told["cwd"]
    sys.argv = [module, *told["arguments"]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1])
