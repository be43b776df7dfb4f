"""The workflow of docs/how-to/fuzz-your-codec.md: its commands do what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import yaml
from support.blocks import blocks
from support.fuzzing import need_atheris
from support.paths import ROOT

PAGE = ROOT / "docs/how-to/fuzz-your-codec.md"
FILES = {block.name: block.text for block in blocks(PAGE) if block.kind == "file"}
WORKFLOW = yaml.safe_load(FILES["fuzz.yml"])
KEEP = "Keep corpus and findings for the next night, also after a red one"
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["fuzz"]["steps"]


def step(name: str) -> dict[str, Any]:
    (found,) = [one for one in STEPS if one["name"] == name]
    return found


def run(name: str, folder: Path, **given: str) -> int:
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), **given}
    shell = ["bash", "-eo", "pipefail", "-c", step(name)["run"]]
    assert "${{" not in step(name)["run"]  # what comes from outside never becomes part of a command
    return subprocess.run(shell, cwd=folder, env=env, check=False).returncode


def test_it_installs_the_extra_that_there_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert step("Install the kit")["run"] == "python -m pip install './.wireproof[fuzz]'"
    assert "fuzz" in project["optional-dependencies"]


def test_the_corpus_is_kept_after_red_nights_too_and_findings_are_uploaded() -> None:
    take_up, keep = (step(name) for name in ("Take up what earlier nights kept", KEEP))
    assert take_up["uses"].startswith("actions/cache/restore@")
    assert keep["uses"].startswith("actions/cache/save@")
    assert STEPS.index(take_up) < STEPS.index(step("Fuzz")) < STEPS.index(keep)
    assert keep["if"] == step("Keep the findings")["if"] == "${{ always() }}"
    assert keep["with"] == {name: take_up["with"][name] for name in ("path", "key")}
    assert keep["with"]["path"] == "fuzz-out"
    # A cache is never written again: each attempt needs a key of its own.
    assert keep["with"]["key"].startswith(take_up["with"]["restore-keys"])
    assert {"${{ github.run_id }}", "${{ github.run_attempt }}"} <= {*re.findall(r"\$\{\{.*?\}\}", keep["with"]["key"])}
    assert step("Keep the findings")["with"]["path"].split() == ["fuzz-out/findings", "fuzz.txt"]
    assert step("Fuzz")["env"]["TIME"] == "${{ github.event_name == 'schedule' && '2h' || '60s' }}"


def test_a_finding_fails_the_job_and_stands_in_its_summary(tmp_path: Path) -> None:
    need_atheris()
    (tmp_path / "my_codec.py").write_text(FILES["my_codec.py"])
    assert run("Fuzz", tmp_path, TIME="16s") == 1
    assert [*(tmp_path / "fuzz-out" / "findings").glob("*.json")]
    assert run("Show the result on the job's page", tmp_path) == 0
    assert "new findings" in (tmp_path / "summary.md").read_text()


def test_it_only_reads_the_repository() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
