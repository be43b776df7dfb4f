"""Nesting of any depth and bytes that are no UTF-8, in what is read line by line: reports, findings, conversations."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wireproof.cli import group
from wireproof.conformance.evidence.known_deviations import KnownError, load

PROGRAM = Path(__file__).parent / "programs" / "says.py"
ID = "gen/kafka/INT32/-/xffffffff#decode"
DEEP = 200_000
HEADER = {
    "report": 2,
    "kit": "1",
    "vectors": "0",
    "implementation": {"name": "a", "version": None, "language": "any"},
    "options": "",
}
#: What stands in place of a value, in JSON → words of the error.
CONTENTS = {
    "arrays": (b"[" * DEEP + b"]" * DEEP, "nested too deeply"),
    "objects": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, "nested too deeply"),
    "open": (b"[" * DEEP, "nested too deeply"),
    "latin-1": (b'"caf\xe9"', "it is no UTF-8"),
    "surrogate": (b'"\xed\xa0\x80"', "it is no UTF-8"),
}


def wireproof(*arguments: str | Path) -> Result:
    return CliRunner().invoke(group, list(map(str, arguments)))


def lines(content: bytes, member: str) -> bytes:
    """A report in which this content is a member of the header, or of the second line."""
    header = json.dumps({**HEADER, "options": {"x": "HERE"} if member == "options" else ""}).encode()
    line = b'{"id": "a", "detail": "HERE"}' if member == "detail" else b'{"summary": "HERE"}'
    return b"\n".join([header, line, b""]).replace(b'"HERE"', content)


@pytest.mark.parametrize("member", ["options", "detail", "summary"])
@pytest.mark.parametrize("content", CONTENTS)
def test_a_report(content: str, member: str, tmp_path: Path) -> None:
    raw, words = CONTENTS[content]
    report = tmp_path / "report.jsonl"
    report.write_bytes(lines(raw, member))
    done = wireproof("report", f"--html={tmp_path / 'page.html'}", report)
    assert done.exit_code == 2, done.output
    if member == "options":  # elsewhere it is of a wrong type first
        assert words in " ".join(done.output.split())
    assert f"line {1 if member == 'options' else 2}" in " ".join(done.output.split())
    assert len(done.output) < 2000
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("content", CONTENTS)
def test_a_finding_of_a_campaign(content: str, tmp_path: Path) -> None:
    raw, words = CONTENTS[content]
    folder = tmp_path / "kept" / "findings"
    folder.mkdir(parents=True)
    (folder / "a.json").write_bytes(b'{"finding": {"row": {"a": ' + raw + b"}}}")
    for arguments in (
        ("fuzz", "findings", folder.parent),
        ("fuzz", "promote", folder / "a.json", tmp_path / "out.json"),
    ):
        done = wireproof(*arguments)
        assert done.exit_code == 2, done.output
        assert words in " ".join(done.output.split())


@pytest.mark.parametrize("content", ["arrays", "open", "latin-1", "surrogate"])
def test_known_deviations(content: str, tmp_path: Path) -> None:
    raw, words = CONTENTS[content]
    known = tmp_path / "known.toml"
    known.write_bytes(b"[[deviation]]\nmatch = " + raw)
    with pytest.raises(KnownError) as raised:
        load(known, None)
    assert words in str(raised.value)
    assert len(str(raised.value)) < 500


@pytest.mark.parametrize("depth", [100, 400, 900, 990, 1100, 5000, DEEP])
def test_a_conversation(depth: int, tmp_path: Path) -> None:
    """In a file of its own: a list of arguments has 128 KiB a word at most."""
    line = tmp_path / "line"
    line.write_bytes(b'{"seq":N,"value":' + b"[" * depth + b"]" * depth + b"}")
    spec = f"exec:{shlex.join([sys.executable, str(PROGRAM), f'@{line}'])}"
    transcript = tmp_path / "transcript.jsonl"
    done = wireproof("repro", ID, f"--impl={spec}", f"--transcript={transcript}")
    assert done.exit_code == 1, done.output
    assert "Traceback" not in done.output
    assert not isinstance(done.exception, RecursionError)
    assert len(done.output) < 20_000
    assert transcript.stat().st_size > depth
