"""`wireproof matrix`: builds and runs all implementations of a clone, and keeps finished runs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import click
import psutil
import pytest
from click.testing import CliRunner, Result
from support.page_reports import line, report, small
from support.paths import ROOT
from support.planted import CODEC, Clone

from wireproof.cli import group
from wireproof.clone import registry
from wireproof.commands import matrix
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.report.jsonl import read_report
from wireproof.conformance.report.text import to_string

LIAR = CODEC + "\n_right = decode\ndef decode(type, data, **named):\n    return _right(type, data, **named) or 1\n"
KNOWN = """
[[deviation]]
match = "kafka/framing/boolean-*"
class = "bug"
reason = "it is planted"
reported = "pending"
"""
#: A program that needs to be built: it runs a module that its build writes.
WRAPPER = '#!/bin/sh\ncd "$(dirname "$0")" && exec {python} built.py\n'
PROGRAM = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["op"] == "describe":
        types = {"kafka": {"INT8": None}}
        answer = {"name": "program", "version": "3", "language": "sh", "ops": ["decode", "encode"], "types": types}
    else:
        answer = {"seq": asked["seq"], "unsupported": "planted"}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    return Clone(tmp_path, monkeypatch)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["matrix", "--out=runs", *arguments])


def program(clone: Clone, build: str, library: str = "lib") -> None:
    """A wrapper in a folder of its language, with its build beside the folder."""
    for name, text in (
        (f"implementations/tongue/{library}/wrapper", WRAPPER.format(python=sys.executable)),
        ("implementations/tongue/build", f"#!/bin/sh\n{build}\n"),
    ):
        clone.write(name, text).chmod(0o755)


class TestRuns:
    def test_deviations_are_seen_and_finished_runs_are_kept(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        source = clone.add("liar", LIAR)
        done = run()
        assert done.exit_code == 1, done.output
        assert "honest: done" in done.output
        assert "liar: done" in done.output
        assert "honest 7" in done.output
        reports = {path.name.partition(".")[0]: path for path in (clone.folder / "runs").glob("*.jsonl")}
        assert reports.keys() == {"honest", "liar"}
        with reports["liar"].open("rb") as file:
            report = read_report(file)
        failed = {line.id for line in report.lines if line.outcome == "fail"}
        assert "kafka/framing/boolean-false#decode" in failed
        done = run()
        assert done.exit_code == 1  # of a kept run too
        assert "liar: kept from an earlier run" in done.output
        source.write_text(CODEC, "utf-8")
        done = run()
        assert done.exit_code == 0, done.output
        assert "honest: kept from an earlier run" in done.output
        assert "liar: done" in done.output
        assert len([*(clone.folder / "runs").glob("*.jsonl")]) == 2  # the old run is gone

    def test_another_known_file_is_another_run(self, clone: Clone) -> None:
        clone.add("liar", LIAR)
        assert run().exit_code == 1
        clone.write("liar.known.toml", KNOWN.replace("boolean-*", "boolean-false*"))
        done = run()
        assert "liar: done" in done.output
        assert " known " in done.output

    def test_a_program_is_built_first(self, clone: Clone) -> None:
        clone.write("built.py", PROGRAM)
        program(clone, 'cp "$(dirname "$0")/../../built.py" "$(dirname "$0")/lib"; echo >> built.log')
        clone.add("honest", CODEC)
        done = run()
        assert "lib: done" in done.output, done.output
        assert "lib 3" in done.output
        assert (clone.folder / "built.log").read_text().count("\n") == 1

    def test_what_cannot_be_built_is_told(self, clone: Clone) -> None:
        program(clone, 'echo "there is no compiler on PATH" >&2; exit 2')
        clone.add("honest", CODEC)
        done = run()
        assert done.exit_code == 0
        why = "not run: lib: implementations/tongue/build failed: there is no compiler on PATH"
        assert why in done.output
        done = run("--impl=lib", "--impl=honest")
        assert (done.exit_code, why in done.output) == (2, True)
        done = run("--impl=lib")
        assert (done.exit_code, "none of the implementations could be run" in done.output) == (2, True)

    def test_a_run_that_breaks_off_is_told(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        clone.add("breaks", CODEC + "\nreadings = {'R-K-0': 'no such ruling'}\n")
        done = run()
        assert done.exit_code == 2
        assert "not run: breaks: pytest ended with" in done.output
        assert "honest: done" in done.output
        assert not [*(clone.folder / "runs").glob("breaks.*.jsonl")]

    def test_wrong_use(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        assert run("--impl=other").exit_code == 2
        assert run("--jobs=0").exit_code == 2

    def test_an_interrupted_matrix_leaves_no_run_behind(self, clone: Clone) -> None:
        clone.add("sleeper", CODEC + "\nimport time\ndef decode(type, data, **named):\n    time.sleep(3600)\n")
        code = (
            "import signal, sys, pathlib; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from wireproof import cli\n"
            "from wireproof.clone import registry; registry.ROOT = pathlib.Path.cwd()\n"
            "cli.main(['matrix', '--out=runs', '--timeout=3000'])"
        )
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        part = clone.folder / "runs" / "sleeper.part"
        while not part.exists():
            assert process.poll() is None
            time.sleep(0.05)
        below = psutil.Process(process.pid).children(recursive=True)
        assert below
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        assert (process.returncode, b"it was interrupted" in said) == (130, True), said
        psutil.wait_procs(below, timeout=60)
        assert not any(child.is_running() for child in below)
        assert not [*(clone.folder / "runs").glob("*.jsonl")]


class TestRegistry:
    def test_of_this_clone(self) -> None:
        """Every file of known deviations belongs to an implementation, which names its build or how it is installed, or
        to a client or a proxy: `docs/reference/clients.md` is the table of clients, but for those that are modules."""
        found = registry.implementations()
        files = {one.known_file for one in found} - {None}
        listed = tomllib.loads((ROOT / "implementations/clients/clients.toml").read_text("utf-8"))
        clients = listed["client"]
        printing = {known_beside(one["spec"].replace(":", f":{ROOT}/", 1)) for one in listed["consumer"]}
        programs = [word for one in clients for word in one["spec"].replace(":", " ").split() if "/" in word]
        assert len(programs) == len(clients)
        commands = [f"client:{ROOT / program}" for program in programs]
        modules = [
            f"implementations.clients.{path.stem}" for path in (ROOT / "implementations/clients").glob("live_*.py")
        ]
        proxy = f"proxy:{ROOT / 'implementations/java/kroxylicious'}"
        peers = {known_beside(spec) for spec in (*commands, *modules, proxy)}
        assert None not in peers
        assert files | peers | (printing - {None}) == {*(ROOT / "implementations").rglob("*.known.toml")}
        assert all(one.language for one in found)
        assert all(one.build or one.install for one in found)
        assert all((ROOT / one.build).is_file() for one in found if one.build)
        groups = {one.name: one.group for one in found}
        assert groups["kafka-clients-schema"] == groups["kafka-clients"]

    def test_wrappers_in_folders_need_no_entry(self, clone: Clone) -> None:
        program(clone, "", "alone")
        program(clone, "", "fork")
        clone.add("honest", CODEC)
        table = clone.folder / "implementations" / "registry.toml"
        (clone.folder / "implementations" / "other").symlink_to(clone.folder / "implementations" / "tongue")
        assert {"tongue-alone", "other-alone"} <= {one.name for one in registry.implementations()}
        (clone.folder / "implementations" / "other").unlink()
        table.write_text(table.read_text() + '[[implementation]]\nname = "fork"\ngroup = "alone"\n')
        found = {one.name: one for one in registry.implementations()}
        assert found["alone"].spec == "exec:implementations/tongue/alone/wrapper"
        assert found["alone"].build == "implementations/tongue/build"
        assert found["alone"].language == "tongue"
        assert found["fork"].group == "alone"

    @pytest.mark.parametrize(
        ("table", "said"),
        [
            ("x", "registry.toml"),
            ("[[implementation]]\nname = 'a'\nspek = 'b'\n", "spek"),
            ("[[implementation]]\nname = 'a'\n", "a: there is no spec"),
            ("[[implementation]]\nname = 'a'\nspec = 'b'\n[[implementation]]\nname = 'a'\nspec = 'c'\n", "called a"),
        ],
    )
    def test_a_wrong_table(self, clone: Clone, table: str, said: str) -> None:
        clone.write("implementations/registry.toml", table)
        with pytest.raises(click.UsageError, match=said):
            registry.implementations()

    @pytest.mark.parametrize("command", ["attest", "matrix"])
    def test_outside_of_a_clone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
        monkeypatch.setattr(registry, "ROOT", tmp_path)
        done = CliRunner().invoke(group, [command])
        assert done.exit_code == 2
        assert "work in a clone" in done.output


def test_brokers_have_a_table_of_their_own(tmp_path: Path) -> None:
    held = [line("kafka/conversations/two-connections#serve", "pass", op="serve", area="conversations")]
    reports = {}
    for name, rows in (("codec", small()), ("broker", held), ("none", [])):
        with report(tmp_path / f"{name}.jsonl", rows, name=name).open("rb") as file:
            reports[name] = read_report(file)
    first, second = [to_string(table, width=100, color=False) for table in matrix.tables(reports)]
    assert first.startswith("questions by area")
    assert "codec 1.0" in first
    assert "none 1.0" in first
    assert second.startswith("questions of brokers by area")
    assert "broker 1.0" in second
    assert "broker 1.0" not in first
    assert "conversations" not in first


def test_reports_are_those_of_pytest(clone: Clone) -> None:
    clone.add("honest", CODEC)
    assert run().exit_code == 0
    (path,) = (clone.folder / "runs").glob("*.jsonl")
    first, *_, last = path.read_text("utf-8").splitlines()
    assert json.loads(first)["implementation"]["version"] == "7"
    assert "incomplete" not in json.loads(last)
