"""Bytes that are no UTF-8, and JSON that is none: in a program's answers, and in files, names and arguments."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.pytest_run import run

from wireproof import cli
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.model import Case, Op, Status

MODULES = Path(__file__).parent / "modules"
PROGRAM = Path(__file__).parent / "programs" / "says.py"
ID = "gen/kafka/INT32/-/xffffffff#decode"
DEEP = 20_000

#: The line that a program answers with, N being the question's number → what it is told to be.
LINES = {
    "error": (b'{"seq":N,"error":"\xfc"}', r"""it is no UTF-8: byte 18 is 0xfc: '{"seq":2,"error":"\xfc"}'"""),
    "detail": (b'{"seq":N,"reject":{"detail":"caf\xe9"}}', "byte 32 is 0xe9"),
    "value": (b'{"seq":N,"value":"caf\xe9"}', "byte 21 is 0xe9"),
    "name": (b'{"seq":N,"value":{"caf\xe9":1}}', "byte 22 is 0xe9"),
    "kind": (b'{"seq":N,"caf\xe9":1}', "byte 13 is 0xe9"),
    "seq": (b'{"s\xe9q":N,"value":1}', "a line on stdout is no answer, it is no UTF-8: byte 3 is 0xe9"),
    "utf-16": ('{"seq":2,"value":-1}'.encode("utf-16"), "a line on stdout is no answer, not JSON"),
    "surrogate": (b'{"seq":N,"error":"\xed\xa0\x80"}', "byte 18 is 0xed"),
    "escape": (b'{"seq":N,"error":"\\u00e9 caf\xe9"}', "byte 28 is 0xe9"),
    "control": (b'{"seq":N,"error":"a\x00b"}', "a line on stdout is no answer, not JSON"),
    "two values": (b'{"seq":N,"value":0,"value":-1}', "an object has the name 'value' twice"),
    "two numbers": (b'{"seq":1,"seq":N,"value":-1}', "an object has the name 'seq' twice"),
    "two fields": (b'{"seq":N,"value":{"a":[{"b":0,"b":-1}]}}', "an object has the name 'b' twice"),
    "deep value": (b'{"seq":N,"value":' + b"[" * 900 + b"]" * 900 + b"}", "nested too deeply"),
    "deep line": (b"[" * DEEP + b"]" * DEEP, "a line on stdout is no answer, not JSON (it is nested too deeply)"),
    "number": (b'{"seq":N,"value":' + b"9" * 5000 + b"}", "a line on stdout is no answer, not JSON"),
}  # fmt: skip


def program(line: bytes, *more: str) -> str:
    return f"exec:{shlex.join([sys.executable, str(PROGRAM), line.hex(), *more])}"


def wireproof(*arguments: str) -> Result:
    return CliRunner().invoke(cli.group, list(arguments))


def int32(digits: str) -> Case:
    return Case(
        f"gen/kafka/INT32/-/x{digits}#decode", Op.DECODE, "kafka", "INT32", None, {"data": bytes.fromhex(digits)}
    )


@pytest.mark.parametrize("what", LINES)
def test_a_line_that_is_no_answer_is_a_violation_of_its_question_alone(what: str, tmp_path: Path) -> None:
    line, words = LINES[what]
    transcript = tmp_path / "transcript.jsonl"
    with open_connection(program(line), Options(transcript=transcript)) as connection:
        first, bad, last = connection.ask([int32("00000001"), int32("ffffffff"), int32("00000003")])
    assert (first.status, first.answer, last.status, last.answer) == (Status.ANSWER, 1, Status.ANSWER, 3)
    assert bad.status is Status.VIOLATION
    assert words in bad.detail
    assert bad.detail.isprintable()
    heard = [entry["line"] for entry in map(json.loads, transcript.read_text().splitlines()) if entry["dir"] == "<"]
    assert len(heard) == 4


def test_a_value_is_read_though_it_is_written_in_another_way() -> None:
    line = b' { "value" : -1e0 , "seq" : N } '.replace(b"-1e0", b"-1")
    with open_connection(program(line), Options()) as connection:
        (one,) = connection.ask([int32("ffffffff")])
    assert one.answer == -1


def test_a_run_a_repetition_and_a_check_tell_it(tmp_path: Path) -> None:
    spec = program(LINES["error"][0])
    report = tmp_path / "report.jsonl"
    suite = run(f"--impl={spec}", "--area=framing", "-k", "int32", f"--report={report}", cwd=tmp_path)
    assert suite.code == 1
    assert "it is no UTF-8: byte " in suite.text
    assert "Traceback" not in suite.text
    assert '"verdict":"protocol-violation"' in report.read_text()
    repeated = wireproof("repro", f"--impl={spec}", ID)
    assert repeated.exit_code == 1
    assert "it is no UTF-8" in repeated.output
    assert '"error":"\\xfc"' in repeated.output


@pytest.mark.parametrize("name", ["error", "unsupported", "reason", "detail"])
def test_a_long_text_is_cut_when_it_comes(name: str) -> None:
    said = json.dumps({name: "x" * 20_000})[1:-1]
    line = f'{{"seq":N,"reject":{{{said}}}}}' if name in ("reason", "detail") else f'{{"seq":N,{said}}}'
    with open_connection(program(line.encode()), Options()) as connection:
        (one,) = connection.ask([int32("ffffffff")])
    text = one.reason if name == "reason" else one.detail
    assert text is not None
    assert len(text) < 4200
    assert "(20000 characters)" in text


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(MODULES)


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("where", ["reason", "message", "name", "function"])
def test_a_long_text_is_cut_when_it_comes_in_process(where: str) -> None:
    with open_connection(f"says_much:{where}", Options(in_process=True)) as connection:
        (one,) = connection.ask([int32("ffffffff")])
    texts = (one.reason or "", one.error, one.frame, one.detail)
    assert max(map(len, texts)) < 4200
    assert where == "message" or "characters)" in "".join(texts)


def test_a_word_of_a_command_may_be_longer_than_a_name_of_a_file(tmp_path: Path) -> None:
    spec = program(LINES["deep value"][0])
    assert len(spec.split()[-1]) > 255
    assert "protocol-violation" in run(f"--impl={spec}", "--area=framing", "-k", "int32", cwd=tmp_path).text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"name":"caf\xe9","ops":["decode"]}', "it is no UTF-8: byte 12 is 0xe9"),
        (b'{"name":"a","name":"b","ops":["decode"]}', "an object has the name 'name' twice"),
        (b"[" * DEEP + b"]" * DEEP, "it is nested too deeply"),
    ],
)
def test_a_description_is_told(line: bytes, words: str) -> None:
    with pytest.raises(ImplementationError, match=words):
        open_connection(program(line, "describe"), Options())
    checked = wireproof("wrapper", "check", program(line, "describe"))
    assert checked.exit_code == 1
    assert "13 not run" in checked.output
