"""The command line as a whole: help, versions, unknown commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from wireproof import cli
from wireproof.conformance import vectors


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.group, arguments)
    return result.exit_code, result.output


def test_help_names_every_command_that_is_there() -> None:
    code, text = run("--help")
    assert code == 0
    for name in ("explain", "repro", "readings"):
        assert f"  {name} " in text
    assert "Exit codes" in text
    assert run("-h") == (code, text)


def test_version_names_the_kit_and_the_vector_set() -> None:
    code, text = run("--version")
    assert code == 0
    assert text.startswith("wireproof 0.")
    assert vectors.digest() in text
    assert f"{len(vectors.load())} vectors" in text


def test_an_unknown_command() -> None:
    code, text = run("explian")
    assert code == 2
    assert "There is no command 'explian'. Did you mean explain?" in text
    assert run("zzz")[1].count("Did you mean") == 0


def test_a_command_whose_module_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.COMMANDS, "gone", cli.LazyCommand("wireproof.commands.gone", "gone", "Nothing."))
    assert "gone" not in run("--help")[1]
    code, text = run("gone")
    assert code == 2
    assert "There is no command 'gone'" in text


def test_a_command_that_needs_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "wireproof.commands.explain", raising=False)
    monkeypatch.setitem(sys.modules, "wireproof.reference.errors", None)
    code, text = run("explain", "VARINT", "00")
    assert code == 1
    assert "explain needs a package that is not there: import of wireproof.reference.errors halted" in text


def test_a_module_without_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.COMMANDS, "odd", cli.LazyCommand("wireproof.console", "WIDEST", "Odd."))
    code, text = run("odd")
    assert code == 1
    assert "is no command: the installation is broken" in text


def test_help_imports_nothing_heavy() -> None:
    """So that it is there at once: rich, msgspec and the kit itself cost several times the whole of it."""
    program = (
        "import sys\n"
        "from wireproof.cli import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "heavy = {'rich', 'msgspec', 'pytest', 'hypothesis', 'conformance', 'reference', 'vectors'}\n"
        "sys.exit(f'imported: {heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Commands:" in done.stdout


def test_output_that_the_terminal_cannot_show_is_escaped() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from wireproof.cli import main; main()", "explain", "STRING", "0003e280a1"],
        capture_output=True,
        check=False,
        env={"PYTHONIOENCODING": "latin-1", "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert rb"'\u2021'" in done.stdout


def _commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        yield (*path, name)
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))


@pytest.mark.parametrize("path", list(_commands(cli.group)), ids=" ".join)
def test_every_command_has_help_that_can_be_read(path: tuple[str, ...]) -> None:
    code, text = run(*path, "--help")
    assert code == 0
    assert r"\b" not in text
    assert "Options:" in text
