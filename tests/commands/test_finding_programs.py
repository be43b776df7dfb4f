"""The programs in the texts of `wireproof finding`: they are taken out of the text that is printed, and run in an empty
folder with the library from its registry. They show what the text says they show."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support.thorough import some
from support.toolchains import skip_without

from wireproof.clone import registry, reproducers
from wireproof.commands.finding import finding
from wireproof.conformance import vectors

NAMES = sorted(path.parent.name for path in reproducers.FOLDER.glob("*/reproducers.toml"))
#: Language → the programs that the set-up and the program need.
TOOLS = {
    "c": ("cc", "pkg-config"),
    "go": ("go",),
    "java": ("java", "mvn"),
    "javascript": ("node", "npm"),
    "python": ("python3",),
    "rust": ("cargo",),
}
#: Seconds for one command; a set-up fetches and builds a library.
PATIENCE = 400
SECTION = re.compile(
    r"^## Reproduce it\n\nIn an empty folder:\n\n```sh\n(?P<setup>.*?)\n```\n\n`(?P<file>[^`]+)`:\n\n"
    r"```(?P<language>\w+)\n(?P<text>.*?)\n```\n\n```sh\n(?P<run>.*?)\n```\n\n"
    r"This prints (?P<shows>.+), and ends with the exit code (?P<exit>\d+)\.$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Printed:
    """The section of a text."""

    setup: list[str]
    file: str
    language: str
    text: str
    run: str
    shows: list[str]
    exit: int


def printed(name: str, case: str) -> Printed:
    """What `wireproof finding` prints."""
    result = CliRunner().invoke(finding, [name, case])
    assert result.exit_code == 0, result.output
    found = SECTION.search(result.output)
    assert found, result.output
    shows = re.findall(r"`([^`]+)`", found["shows"])
    return Printed(
        found["setup"].splitlines(),
        found["file"],
        found["language"],
        found["text"],
        found["run"],
        shows,
        int(found["exit"]),
    )


def sh(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line of a shell, and all that it prints. A signal's exit code is that of a shell."""
    return subprocess.run(
        ["sh", "-c", f"{command}\nexit $?"],
        cwd=folder,
        env=os.environ | {"GOFLAGS": "-mod=mod"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def in_order(texts: list[str], output: str) -> bool:
    """Whether the texts stand in the output, in this order."""
    return re.search(".*".join(map(re.escape, texts)), output, re.DOTALL) is not None


@pytest.mark.parametrize("name", some(NAMES, 5))
def test_the_printed_programs_show_the_findings(name: str, tmp_path: Path) -> None:
    cases = sorted(reproducers.cases(name))
    assert cases
    texts = [printed(name, case) for case in cases]
    skip_without(*TOOLS[texts[0].language])
    for command in texts[0].setup:
        done = sh(command, tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
    for text in texts:
        program = tmp_path / text.file
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"{text.text}\n")
        done = sh(text.run, tmp_path)
        assert in_order(text.shows, done.stdout), f"{text.run}\n{done.stdout}"
        assert done.returncode == text.exit, done.stdout


def test_ten_findings_and_every_language_have_a_program() -> None:
    assert sum(len(reproducers.cases(name)) for name in NAMES) >= 10
    languages = {one.name: one.language for one in registry.implementations()}
    assert set(NAMES) <= set(languages)
    assert {languages[name] for name in NAMES} == set(languages.values())


def test_no_program_is_left_over() -> None:
    """Each file belongs to a finding."""
    for name in NAMES:
        used = {printed(name, case).file for case in reproducers.cases(name)}
        folder = reproducers.FOLDER / name
        files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        assert files == used | {"reproducers.toml"}


def test_a_finding_without_a_program() -> None:
    (listed, *_) = CliRunner().invoke(finding, ["kafka-wire-protocol"]).output.splitlines()
    case = listed.partition(": ")[0]
    assert case not in reproducers.cases("kafka-wire-protocol")
    text = CliRunner().invoke(finding, ["kafka-wire-protocol", case]).output
    assert "There is no program for this finding yet that needs the library alone." in text


CASE = "kafka/varints/record-timestamp-delta-1#decode"
TABLE = f"""
language = "python"
setup = []
[[program]]
case = "{CASE}"
file = "program.py"
run = "python3 program.py"
shows = ["x"]
exit = 1
"""


class TestWrongTables:
    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reproducers, "FOLDER", tmp_path)
        made = tmp_path / "liar"
        made.mkdir()
        (made / "reproducers.toml").write_text(TABLE)
        (made / "program.py").write_text("")
        return made

    def made(self) -> reproducers.Reproducer | None:
        (vector,) = (one for one in vectors.load(["kafka"]) if one.path == CASE.partition("#")[0])
        return reproducers.reproducer("liar", CASE, vector, "1")

    def test_a_good_one(self, folder: Path) -> None:
        assert self.made()

    @pytest.mark.parametrize(
        ("table", "said"),
        [
            (TABLE.replace("exit = 1", ""), "exit"),
            (TABLE.replace("setup = []", "setup = 5"), "array"),
            (TABLE + "\nother = 1", "other"),
            ("[", "reproducers.toml"),
        ],
    )
    def test_the_table(self, folder: Path, table: str, said: str) -> None:
        (folder / "reproducers.toml").write_text(table)
        with pytest.raises(click.UsageError, match=said):
            self.made()

    def test_a_missing_program(self, folder: Path) -> None:
        (folder / "program.py").unlink()
        with pytest.raises(click.UsageError, match=r"program\.py of liar can't be read"):
            self.made()

    def test_a_twin_that_there_is_not(self, folder: Path) -> None:
        (folder / "program.py").write_text("@twin@")
        with pytest.raises(click.UsageError, match=r"has @twin@, but .* has no twin"):
            self.made()
