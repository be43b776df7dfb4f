"""`wireproof new wrapper`: the scaffolds run at once, and are asked as any implementation is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wireproof.cli import group
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.protocol.check import Inspection
from wireproof.conformance.connection.protocol.check import Result as Found
from wireproof.conformance.model import Case, Observation, Op, Status


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["new", "wrapper", *arguments])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_python(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("python", "deep/folder")
    assert result.exit_code == 0, result.output
    assert "    cd deep/folder\n    pytest --impl=my_codec\n" in result.output
    assert {file.name for file in (here / "deep/folder").iterdir()} == {"my_codec.py", "README.md"}
    monkeypatch.chdir(here / "deep/folder")
    check("my_codec", extra=[("STRING", "0002"), ("STRING", "0001ff")])


def test_exec(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("exec", ".")
    assert result.exit_code == 0, result.output
    assert 'wireproof wrapper check "exec:./wrapper.py"' in result.output
    assert {file.name for file in here.iterdir()} == {"wrapper.py", "README.md"}
    program = here / "wrapper.py"
    assert len(program.read_text().splitlines()) <= 45
    assert "wireproof" not in program.read_text().replace("Wireproof's line protocol", "").lower()
    monkeypatch.setattr("wireproof.conformance.connection.protocol.check.MANY", 500)
    monkeypatch.setattr("wireproof.conformance.connection.protocol.check.LARGE", 1 << 17)
    found = {done.name: done.result for done in Inspection("exec:./wrapper.py", Options()).run()}
    assert Found.BAD not in found.values()
    assert [name for name, result in found.items() if result is Found.NOT_RUN] == ["large and small numbers"]
    check(f"exec:{sys.executable} wrapper.py", extra=[("BYTES", "ffffffff"), ("BYTES", "0000000201")])


@pytest.mark.parametrize("fault", ["None.upper()", "b'' + 1", "[][0]", "{}['x']"])
def test_exec_shows_a_crash_as_a_crash(here: Path, fault: str) -> None:
    """AttributeError, TypeError, IndexError, KeyError in a library's reader are no refusals."""
    assert run("exec", ".").exit_code == 0
    program = here / "wrapper.py"
    reader = '    """Your library\'s reader goes here'
    text = program.read_text()
    assert reader in text
    program.write_text(text.replace(reader, f"    {fault}\n{reader}"))
    with open_connection(f"exec:{sys.executable} wrapper.py") as connection:
        (seen,) = connection.ask([Case("x", Op.DECODE, "kafka", "INT32", args={"data": b"\0\0\0\1"})])
    assert seen.status is Status.CRASH
    assert "Error" in seen.detail


def check(spec: str, extra: list[tuple[str, str]]) -> None:
    """INT32 and STRING there and back; what is wrong with them, and `extra`, is refused; the rest is not offered."""

    def ask(op: Op, kind: str, **args: object) -> Observation:
        (observation,) = connection.ask([Case("x", op, "kafka", kind, args=args)])
        return observation

    with open_connection(spec) as connection:
        assert {"INT32", "STRING"} <= connection.description.types["kafka"].keys()  # type: ignore[index]
        for kind, data, value in (("INT32", "fffffffe", -2), ("STRING", "0002c3a4", "ä"), ("STRING", "0000", "")):
            assert ask(Op.DECODE, kind, data=bytes.fromhex(data)).answer == value
            assert ask(Op.ENCODE, kind, value=value).answer == bytes.fromhex(data)
            assert ask(Op.RECODE, kind, data=bytes.fromhex(data)).answer == bytes.fromhex(data)
        wrong = [
            ("INT32", "000000"),
            ("INT32", "0000000000"),
            ("STRING", "ffff"),
            ("STRING", "00"),
            ("STRING", "000161ff"),
        ]
        for kind, data in wrong + extra:
            assert ask(Op.DECODE, kind, data=bytes.fromhex(data)).status is Status.REJECT, (kind, data)
        assert ask(Op.ENCODE, "STRING", value="a" * 32768).status is Status.REJECT
        assert ask(Op.ENCODE, "STRING", value=None).status is Status.REJECT
        assert ask(Op.DECODE, "VARINT", data=b"\x00").status is Status.UNSUPPORTED


@pytest.mark.parametrize("kind", ["python", "exec"])
def test_nothing_is_overwritten(here: Path, kind: str) -> None:
    (here / "README.md").write_text("mine")
    result = run(kind, ".")
    assert result.exit_code == 2
    assert "README.md cannot be written: there is a file already" in result.output
    assert {file.name: file.read_text() for file in here.iterdir()} == {"README.md": "mine"}


def test_usage_errors(here: Path) -> None:
    assert run("cobol", "folder").exit_code == 2
    (here / "file").touch()
    for folder in ("file", "file/inside"):
        result = run("exec", folder)
        assert result.exit_code == 2
        assert "Traceback" not in result.output
        assert isinstance(result.exception, SystemExit)
