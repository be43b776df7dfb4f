"""The pages are true: generated ones are fresh, links lead somewhere, commands do what the page says."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import socket
import subprocess
import sys
import sysconfig
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import pytest
from support.blocks import Block, blocks, unmarked_shell
from support.fuzzing import need_atheris
from support.listening import running
from support.paths import ROOT

from wireproof import reference
from wireproof.conformance.model import FailureKind, Op, Outcome
from wireproof.conformance.vectors import AREAS
from wireproof.reference.errors import Reason

README = ROOT / "README.md"
BROKER = ROOT / "docs/how-to/test-your-broker.md"
#: Blocks of the README that `.ci/run` runs in the checkout itself.
CI = "ci-"
#: What a newcomer reads first shows what a terminal of the usual width does.
FIRST = (README, ROOT / "docs/tutorial.md")
NARROW, WIDE = 80, 100
LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")


def _small_types() -> set[str]:
    """The types that the contract names one by one: messages stand there by their schema's name."""
    types = reference.types["kafka"].items()
    return {name for name, span in types if (span is None and ":" not in name) or name.endswith("Header")}


def pages() -> list[Path]:
    folders = ("docs", "implementations", "tests", "vectors", "wireproof")
    return sorted([*ROOT.glob("*.md"), *(page for folder in folders for page in (ROOT / folder).rglob("*.md"))])


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_generated_pages_are_fresh() -> None:
    command = [sys.executable, "docs/generate.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_of_planted_bugs_names_every_miniature() -> None:
    page = (ROOT / "docs/explanation/fuzzing-miniatures.md").read_text("utf-8")
    named = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    there = {path.stem for path in (ROOT / "tests/miniatures").glob("*.py")} - {"__init__"}
    assert sorted(named) == sorted(there)
    assert f"have {len(there)} deliberately wrong implementations" in page


def test_the_readme_has_a_row_for_every_file_of_known_deviations() -> None:
    every = (ROOT / "implementations").rglob("*.known.toml")
    files = [path for path in every if 'class = "bug"' in path.read_text("utf-8")]
    rows = re.findall(r"^\| \[.*?\]\((.*?)\) \| \S+ \| [1-9]\d* \| ", README.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(name(path) for path in files)


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """What a link's # may name: headings as GitHub writes them, and explicit anchors."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return frozenset(slugs | set(re.findall(r'<a id="([^"]+)">', text)))


@pytest.mark.parametrize("page", pages(), ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(page.read_text("utf-8")):
        if link.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("page", [page for page in pages() if page.parent.parent != ROOT / "implementations"], ids=name)
def test_shell_blocks_are_marked_so_they_are_run(page: Path) -> None:
    """But for wrappers in other languages, whose pages tell how to build them."""
    assert unmarked_shell(page) == []


def test_ci_runs_the_readme_s_commands() -> None:
    told = subprocess.run(["bash", ".ci/run", "-n"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    ours = [block for block in blocks(README) if block.name.startswith(CI)]
    assert [block.name for block in ours] == ["ci-reference", "ci-tests"]
    for block in ours:
        assert f"=== README: {block.name}\n{block.text}" in told


def test_the_contract_names_every_member_of_the_closed_lists() -> None:
    enums: tuple[type[StrEnum], ...] = (Reason, Op, Outcome, FailureKind)
    members = {str(member) for enum in enums for member in enum} | set(AREAS) | _small_types()
    text = (ROOT / "docs/reference/contract.md").read_text("utf-8")
    assert {member for member in members if not re.search(f'`"?{member}[^\\w-]', text)} == set()


@pytest.mark.parametrize("page", [page for page in pages() if blocks(page) and page != BROKER], ids=name)
def test_commands_in_pages_do_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """In one folder a page, in the page's order; `output` belongs to the run of its name."""
    if importlib.util.find_spec("aiokafka") is None:
        pytest.skip("pip install -e .[implementations]")
    if page.name == "fuzz-your-codec.md":
        need_atheris()
    if page.name in ("run-on-spark.md", "audit-logs.md"):
        need_spark()
    printed: dict[str, str] = {}
    for block in blocks(page):
        if block.kind == "file":
            path = tmp_path / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
        elif block.kind == "output":
            assert_shown(block, printed[block.name])
        elif not block.name.startswith(CI):
            printed[block.name] = run(block, tmp_path, NARROW if page in FIRST else WIDE)


def test_commands_for_a_broker_that_runs(tmp_path: Path) -> None:
    """As they stand, but with a few of the questions, and at another port."""
    runs = [block for block in blocks(BROKER) if block.kind == "run"]
    assert [block.name for block in runs] == ["repro", "load", "known"]
    few = "-k 'broker-v99 or two-connections'"
    with running("conforming") as address:
        for block in runs:
            printed = run(replace(block, text=block.text.replace("tcp://127.0.0.1:9092", address)), tmp_path, WIDE, few)
            assert "pass" in printed


#: A broker as a page calls it, `./my-broker --port PORT`.
MY_BROKER = """\
import socket
import sys

sys.path.insert(0, {programs!r})
from store import Storing, listen

Storing.port = int(sys.argv[2])
listen(Storing, socket.create_server(("127.0.0.1", Storing.port)))
"""


def test_the_kit_starts_the_broker_of_the_page(tmp_path: Path) -> None:
    (start,) = (one for one in blocks(BROKER) if one.kind == "file")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    mine = f"#!{sys.executable}\n{MY_BROKER.format(programs=str(ROOT / 'tests/programs/storing'))}"
    for name_, text in ((start.name, start.text.replace("19092", str(port))), ("my-broker", mine)):
        (tmp_path / name_).write_text(text, "utf-8")
        (tmp_path / name_).chmod(0o755)
    command = [sys.executable, "-m", "pytest", "--impl=exec:./start-broker", "-k", "two-connections or metadata-of"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "start-broker" in ended.stdout
    assert re.search(r"conversations +\d+", ended.stdout)


def need_spark() -> None:
    """Skip without Spark; under CI that fails."""
    if importlib.util.find_spec("pyspark") is None:
        reason = "pip install -e '.[pipeline]'"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def run(block: Block, folder: Path, width: int, options: str = "") -> str:
    """What a block's commands print. `options`: of pytest, beside those that stand there."""
    scripts = sysconfig.get_path("scripts")
    kept = {key: text for key, text in os.environ.items() if not key.startswith(("PYTEST", "COV_", "PYTHON"))}
    env = {**kept, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": str(width), "NO_COLOR": "1"}
    if options:
        env["PYTEST_ADDOPTS"] = options
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == block.code, f"line {block.line}:\n{block.text}\nprinted\n{done.stdout}"
    return done.stdout


def assert_shown(block: Block, printed: str) -> None:
    """Every line of the block was printed, in its order, and one after another where no `…` stands between them. A
    number with thousands stands for any: it grows with the vectors."""
    lines = [_any_thousands(line.rstrip()) for line in printed.splitlines()]
    at, loose = 0, True
    for wanted in block.text.splitlines():
        if wanted.strip() == "…":
            loose = True
            continue
        rest = lines[at:] if loose else lines[at : at + 1]
        line = _any_thousands(wanted)
        assert line in rest, f"line {block.line}: {wanted!r} is not printed (there):\n{printed}"
        at += rest.index(line) + 1
        loose = False


def _any_thousands(line: str) -> str:
    return re.sub(r"\b\d{1,3}(,\d{3})+\b", "1,000", line)
