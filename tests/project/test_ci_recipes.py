"""The workflow of docs/how-to/run-in-ci.md and the action at the root: their commands do what they say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from support.blocks import blocks
from support.paths import ROOT

PAGE = ROOT / "docs/how-to/run-in-ci.md"
WORKFLOW, USE = (yaml.safe_load(block.text) for block in blocks(PAGE) if block.kind == "file")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
#: Actions that are not run here, and the settings that they know.
KNOWN = {
    "actions/checkout": {"repository", "ref", "path"},
    "actions/setup-python": {"python-version", "cache", "cache-dependency-path"},
    "actions/upload-artifact": {"name", "path"},
    "OWNER/wireproof": set(ACTION["inputs"]),
}
RIGHT = """\
from wireproof.reference import decode, encode

name = "my-codec"
types = {"kafka": {"VARINT": None, "INT8": None}}
"""


class Machine:
    """A folder as a job finds it. What pip would install is written down: it is installed here already."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.summary = folder / "summary.md"
        (folder / "my_codec.py").write_text(RIGHT)
        (folder / ".wireproof").symlink_to(ROOT)
        python = folder / "bin" / "python"
        python.parent.mkdir()
        python.write_text('#!/bin/sh\nif [ "$1 $2" = "-m pip" ]; then echo "$@" >> pip.txt; else exit 9; fi\n')
        python.chmod(0o755)

    def run(self, step: Mapping[str, Any], inputs: Mapping[str, str]) -> int:
        """The exit code of a step's commands."""

        def filled(text: str) -> str:
            return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], text)

        kept = {key: text for key, text in os.environ.items() if not key.startswith(("PYTEST", "PYTHON", "COV_"))}
        path = os.pathsep.join([str(self.folder / "bin"), sysconfig.get_path("scripts"), os.environ["PATH"]])
        given = {"PATH": path, "GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_ACTION_PATH": str(ROOT)}
        own = {key: filled(text) for key, text in step.get("env", {}).items()}
        assert "${{" not in step["run"]  # what comes from outside never becomes part of a command
        shell = ["bash", "-eo", "pipefail", "-c"] if step.get("shell") == "bash" else ["bash", "-e", "-c"]
        return subprocess.run([*shell, step["run"]], cwd=self.folder, env=kept | given | own, check=False).returncode

    def job(self, steps: list[dict[str, Any]], inputs: Mapping[str, str]) -> int:
        """All steps as a job runs them: after one that failed, only those that say so."""
        failed = 0
        for step in steps:
            if "run" in step and (not failed or "cancelled()" in str(step.get("if"))):
                failed = self.run(step, inputs) or failed
        return failed

    def kept(self, steps: list[dict[str, Any]]) -> list[Path]:
        """The files that are uploaded."""
        (upload,) = [step for step in steps if str(step.get("uses")).startswith("actions/upload-artifact@")]
        return [self.folder / name for name in upload["with"]["path"].split()]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def steps_of(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    (job,) = workflow["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


FUZZ = next(block.text for block in blocks(ROOT / "docs/how-to/fuzz-your-codec.md") if block.name == "fuzz.yml")
RECIPES = [steps_of(WORKFLOW), steps_of(USE), ACTION["runs"]["steps"]]


@pytest.mark.parametrize("steps", RECIPES, ids=["workflow", "use", "action"])
def test_every_step_is_a_command_or_an_action_with_settings_that_it_knows(steps: list[dict[str, Any]]) -> None:
    for step in steps:
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            name, _, pin = step["uses"].partition("@")
            assert pin
            assert step.get("with", {}).keys() <= KNOWN[name]
    assert WORKFLOW[True] == ["push", "pull_request"]  # YAML 1.1 reads `on` so
    assert all("shell" in step for step in ACTION["runs"]["steps"] if "run" in step)


@pytest.mark.parametrize(
    "text", [*(block.text for block in blocks(PAGE)), FUZZ, (ROOT / "action.yml").read_text("utf-8")]
)
def test_actions_are_pinned_by_commit(text: str) -> None:
    """A tag can be moved to other code."""
    for used in re.findall(r"uses: (.*)", text):
        assert re.fullmatch(r"OWNER/wireproof@COMMIT|actions/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used)


@pytest.mark.parametrize("steps", [RECIPES[0], RECIPES[2], steps_of(yaml.safe_load(FUZZ))])
def test_no_text_ends_the_fence_around_it(steps: list[dict[str, Any]], machine: Machine) -> None:
    (show,) = [step for step in steps if "GITHUB_STEP_SUMMARY" in str(step.get("run"))]
    for text in ("```\n![](//evil)\n`````\n<b>\n", "nothing\n", "\n"):
        for name in ("wireproof.txt", "fuzz.txt"):
            (machine.folder / name).write_text(text)
        machine.summary.unlink(missing_ok=True)
        assert machine.run(show, {}) == 0
        first, *lines, last = machine.summary.read_text().splitlines(keepends=True)
        assert "".join(lines) == text
        assert first == f"{last.rstrip()}text\n"
        assert last.rstrip() not in text
        assert len(last.rstrip()) >= 3


def test_the_workflow_checks_out_caches_runs_keeps_and_shows(machine: Machine) -> None:
    steps = steps_of(WORKFLOW)
    uses = [str(step.get("uses")).partition("@")[0] for step in steps]
    assert uses[:3] == ["actions/checkout", "actions/checkout", "actions/setup-python"]
    assert (machine.folder / steps[2]["with"]["cache-dependency-path"]).is_file()
    assert machine.job(steps, {}) == 0
    assert (machine.folder / "pip.txt").read_text() == "-m pip install ./.wireproof\n"
    assert all(file.stat().st_size for file in machine.kept(steps))
    shown = machine.summary.read_text()
    assert shown.startswith("```text\n")
    assert shown.endswith("```\n")
    assert " passed" in shown


def test_a_failure_fails_the_workflow_and_is_kept_and_shown_all_the_same(machine: Machine) -> None:
    with (machine.folder / "my_codec.py").open("a") as file:
        file.write("\n\ndef decode(type, data, *, dialect, version=None):\n    return 77\n")
    steps = steps_of(WORKFLOW)
    assert machine.job(steps, {}) == 1
    assert re.search(r"FAILED my_codec::kafka/.* \d+ failed", machine.summary.read_text(), re.DOTALL)
    verdicts = [json.loads(line).get("verdict") for line in machine.kept(steps)[0].read_text().splitlines()]
    assert "fail" in verdicts


def test_the_action_takes_what_its_use_gives_it(machine: Machine) -> None:
    (given,) = [step["with"] for step in steps_of(USE) if step["uses"].startswith("OWNER/")]
    (machine.folder / given["known"]).write_text("")
    steps = ACTION["runs"]["steps"]
    defaults = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    assert machine.job(steps, defaults | given) == 0
    assert (machine.folder / "pip.txt").read_text() == f"-m pip install {ROOT}\n"
    report = [json.loads(line) for line in machine.kept(steps)[0].read_text().splitlines()]
    assert {line["area"] for line in report if "area" in line} == {"varints", "framing"}
    assert " passed" in machine.summary.read_text()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"catalog": "no where"}, "--catalog='no where'"),
        ({"vectors": "my vectors"}, "my vectors"),
        ({"contested": "sometimes"}, "argument --contested"),
        ({"properties": "none"}, "argument --properties"),
    ],
)
def test_the_action_hands_on_each_of_its_inputs(given: dict[str, str], says: str, machine: Machine) -> None:
    defaults = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    assert machine.job(ACTION["runs"]["steps"], defaults | {"impl": "my_codec", "areas": "varints"} | given) == 4
    assert says in machine.summary.read_text()


def test_the_action_asks_own_vectors_and_generated_cases(machine: Machine) -> None:
    folder = machine.folder / "my-own"
    folder.mkdir()
    one = {"id": "one", "about": "one", "type": "VARINT", "source": "mine", "bytes": [["02", "one"]], "value": 1}
    content = {"format": 1, "dialect": "kafka", "area": "varints", "vectors": [one]}
    (folder / "own.json").write_text(json.dumps(content))
    defaults = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    given = {"impl": "my_codec", "areas": "varints", "vectors": "my-own", "properties": "1", "contested": "fail"}
    steps = ACTION["runs"]["steps"]
    assert machine.job(steps, defaults | given) == 0
    first, *lines = map(json.loads, machine.kept(steps)[0].read_text().splitlines())
    assert "contested=fail" in first["options"]
    assert "properties=1" in first["options"]
    ids = {line["id"] for line in lines if "id" in line}
    assert "gen/kafka/VARINT/-/round-trip" in ids
    assert "my-own/varints/one#decode" in ids


def test_an_area_is_no_pattern_of_files(machine: Machine) -> None:
    defaults = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    assert machine.job(ACTION["runs"]["steps"], defaults | {"impl": "my_codec", "areas": "my_code* varints"}) == 4
    assert "my_code*" in machine.summary.read_text()


def test_the_action_takes_several_implementations_and_its_defaults(machine: Machine) -> None:
    defaults = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    several = defaults | {
        "impl": "my_codec\nexec:" + f"{sys.executable} my_codec.py; touch owned\n",
        "areas": "varints",
    }
    machine.job(ACTION["runs"]["steps"], several)
    assert "ERROR: --impl=exec:" in machine.summary.read_text()
    assert not (machine.folder / "owned").exists()
    assert machine.job(ACTION["runs"]["steps"], defaults | {"impl": "my_codec", "known": "none"}) == 0


def test_what_is_claimed_of_python_is_what_ci_runs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    claimed = {name.rpartition(" ")[2] for name in project["classifiers"] if "Python ::" in name}
    readme = re.search(r"with Python (.*) on Linux", (ROOT / "README.md").read_text("utf-8"))
    assert readme is not None
    assert set(re.findall(r"3\.\d+", readme[1])) == claimed
    told = subprocess.run(["bash", ".ci/run", "-n"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    environments = (ROOT / "tox.ini").read_text("utf-8")
    (listed,) = re.findall(r"^env_list = (.*)$", environments, re.MULTILINE)
    assert {f"3.{minor}" for minor in re.findall(r"py3(\d+)", listed)} == claimed
    assert "run-parallel" in told
    assert "suite-" not in told  # left out of none


def test_zstd_is_python_s_own_from_3_14_on() -> None:
    """backports.zstd ends before it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (needed,) = [Requirement(name) for name in project["dependencies"] if name.startswith("backports.zstd")]
    assert needed.marker is not None
    for version, wanted in (("3.11", True), ("3.13", True), ("3.14", False), ("3.15", False)):
        assert needed.marker.evaluate({"python_version": version}) is wanted
