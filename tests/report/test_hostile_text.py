"""Text from outside, in every place that it can come from: terminal, junitxml and JSON lines show it escaped and
cut."""

from __future__ import annotations

import json
import re
import shlex
import sys
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hostile import COMMANDS, IN_A_PATH, TEXT, clean, clean_xml
from support.paths import TESTS
from support.pytest_run import run

from wireproof.cli import group
from wireproof.conformance.model import Description, Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.report.failure import render_failure
from wireproof.conformance.report.summary import new_findings, numbers
from wireproof.conformance.report.text import json_text, paragraph, safe, safe_json

PROGRAM = TESTS / "programs" / "says_hostile_words.py"
#: Where the program of `tests/programs` puts the text.
IN_DESCRIPTION = [
    "name",
    "version",
    "language",
    "dialects",
    "ops",
    "types",
    "versions",
    "rebuilds",
    "readings",
    "reading",
    "protocol",
    "member",
    "describe-error",
]
IN_ANSWER = [
    "value",
    "keys",
    "reserved",
    "reject-reason",
    "reject-detail",
    "reject-half",
    "reject-offset",
    "reject-member",
    "unsupported",
    "error",
    "exception",
    "frame",
    "violation",
    "data",
    "answer-member",
    "seq",
    "junk",
    "dies",
]
IN_SETTINGS = ["configure-error", "configure-ok", "configure-unsupported", "configure-member"]


def spec(place: str) -> str:
    return f"exec:{sys.executable} {shlex.quote(str(PROGRAM))} {place}"


def command(*arguments: str, given: str | None = None) -> tuple[int, str]:
    """A command's exit code and all that it writes; in colour, so that nothing is taken out."""
    result = CliRunner().invoke(group, arguments, input=given, color=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


# --- The step itself ---


def test_a_paragraph_is_safe_and_cut() -> None:
    shown = paragraph(f"first\n{TEXT}\n" + "y" * 10_000_000 + "\n" + "z\n" * 100_000 + "last")
    clean(shown, 10_000)
    assert shown.startswith("first\n\\x1b[31m")
    assert shown.endswith("\nlast")
    assert "… 99" in shown


def test_json_says_the_same_with_escapes() -> None:
    value = {TEXT: [TEXT, "ünïcode", "\U0001f600"]}
    for indent in (None, 2):
        text = json_text(value, indent)
        clean(text)
        assert json.loads(text) == value
        assert "ünïcode" in text
    line = safe_json(json.dumps(value, ensure_ascii=False).encode())
    clean(line.decode())
    assert json.loads(line) == value


# --- What an implementation says ---


@given(st.integers(0, 60), st.integers(60, 130), st.booleans())
@settings(max_examples=60, deadline=None)
def test_pages_and_tables_of_any_width(length: int, width: int, color: bool) -> None:
    """Wherever lines are wrapped, no command for a CI service begins one."""
    text = "x" * length + COMMANDS
    look: dict[str, Any] = {"width": width, "color": color}
    described = Description(f"name {text}", text, rejects=(text, text))
    case_id = "kafka/varints/varint-minus-1#decode"
    question = find(case_id)
    failed = Verdict(
        case_id,
        "kafka",
        "varints",
        "VARINT",
        None,
        Op.DECODE,
        Outcome.CRASH,
        error=text,
        frame=text,
        detail=text,
        note=text,
    )
    skipped = msgspec.structs.replace(failed, outcome=Outcome.SKIP)
    seen = Observation(question.case, Status.CRASH, error=text, frame=text, detail=f"{text}\n{text}")
    refused = Observation(question.case, Status.REJECT, reason=text, error=text, detail=text)
    for observation in (seen, refused):
        page = render_failure(
            question.vector, question.case, observation, failed, implementation=described, repro="repeat", **look
        )
        colourless(page)
    verdicts = {"a": [failed, skipped], text: [skipped]}
    descriptions = {"a": described, text: described}
    for shown in numbers(verdicts, descriptions, {}, verbose=True, **look):
        colourless(shown)
    for shown in new_findings(verdicts, descriptions, {}, **look):
        colourless(shown)


def colourless(text: str) -> None:
    """Clean, but for our own colours."""
    clean(re.sub(r"\x1b\[[\d;]*m", "", text))


@pytest.fixture(scope="module")
def question_id() -> str:
    from wireproof.conformance import vectors

    return next(
        case.id
        for vector in vectors.load(("kafka",))
        for case in vector.cases()
        if case.type == "INT32" and case.op == "decode" and not vector.reject
    )


@pytest.mark.parametrize("place", [*IN_DESCRIPTION, *IN_ANSWER, *IN_SETTINGS])
def test_repro_of_a_program(place: str, question_id: str) -> None:
    code, text = command("repro", question_id, f"--impl={spec(place)}")
    assert code in (0, 1, 2)
    clean(text)


@pytest.mark.parametrize("place", ["describe-error", "configure-error", "error", "name", "dies"])
def test_a_text_of_ten_megabytes(place: str, question_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREPROOF_TEST_SIZE", "10000000")
    code, text = command("repro", question_id, f"--impl={spec(place)}", "--timeout=60")
    assert code in (1, 2)
    clean(text, 200_000)


@pytest.mark.parametrize("place", [*IN_DESCRIPTION, *IN_SETTINGS, "unsupported", "error", "dies"])
def test_wrapper_check_of_a_program(place: str) -> None:
    code, text = command("wrapper", "check", spec(place), "--timeout=2")
    assert code in (0, 1, 2)
    clean(text)


@pytest.mark.parametrize("place", ["name", "readings", "configure-error", "error"])
@pytest.mark.parametrize("more", [(), ("--json",)], ids=["table", "json"])
def test_readings_of_a_program(place: str, more: tuple[str, ...]) -> None:
    code, text = command("readings", f"--impl={spec(place)}", *more)
    assert code in (0, 1, 2)
    clean(text)


@pytest.mark.parametrize("place", ["name", "version", "value", "reject-detail", "unsupported", "error", "dies"])
def test_a_run_under_pytest(place: str, tmp_path: Path) -> None:
    arguments = ("--area=framing", "-rA", "-v", "--junitxml=j.xml", "--report=r.jsonl", "-p", "no:cacheprovider")
    done = run(f"--impl={spec(place)}", "--dialect=kafka", *arguments, cwd=tmp_path)
    assert done.code in (0, 1), done.text
    clean(done.coloured)
    clean_xml((tmp_path / "j.xml").read_bytes())
    clean((tmp_path / "r.jsonl").read_text("utf-8"))


@pytest.mark.parametrize("more", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_failed_configure_ends_a_run_once(
    more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIREPROOF_TEST_SIZE", "10000000")
    arguments = ("--area=framing", "--junitxml=j.xml", "-p", "no:cacheprovider", *more)
    done = run(f"--impl={spec('configure-error')}", *arguments, cwd=tmp_path)
    assert done.code in (2, 4)
    clean(done.coloured, 20_000)
    assert done.text.count("failed at configure for kafka") == 1
    assert "Traceback" not in done.text
    assert "INTERNALERROR" not in done.text
    clean_xml((tmp_path / "j.xml").read_bytes())


MODULE = """
from support.hostile import COMMANDS, TEXT
H = TEXT + COMMANDS
name = H
version = H
Odd = type(H.replace("\\0", ""), (Exception,), {})
def configure(settings, *, dialect): raise NotImplementedError(H)
def decode(type, data, *, dialect, version=None):
    match len(data) % 6:
        case 0: raise Odd(H)
        case 1: raise ValueError(H)
        case 2: raise NotImplementedError(H)
        case 3: return {H: H}
        case 4: return Shown()
        case 5: raise SystemExit(H)
class Shown:
    def __repr__(self): return H
"""


@pytest.mark.parametrize("how", [(), ("--in-process",)], ids=["child", "in-process"])
def test_a_python_module(how: tuple[str, ...], tmp_path: Path) -> None:
    found = f"import sys\nsys.path.append({str(TESTS)!r})\n"
    (tmp_path / "unkind.py").write_text(
        found + (MODULE if not how else MODULE.replace("raise SystemExit", "raise Odd"))
    )
    arguments = ("--area=varints", "-rA", "--junitxml=j.xml", "--report=r.jsonl", "-p", "no:cacheprovider", *how)
    done = run("--impl=unkind", "--dialect=kafka", *arguments, cwd=tmp_path)
    assert done.code == 1
    clean(done.coloured)
    clean_xml((tmp_path / "j.xml").read_bytes())
    clean((tmp_path / "r.jsonl").read_text("utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "raise RuntimeError({text!r})",
        "decode = lambda: {text!r}",
        "name = {text!r} * 2, 1\ndef decode(type, data, *, dialect, version=None): pass",
        "rejects = {text!r}\ndef decode(type, data, *, dialect, version=None): pass",
        "globals()[{text!r}] = 1",
        "import sys; sys.stderr.write({text!r}); import os; os._exit(3)",
    ],
)
def test_a_python_module_that_is_no_implementation(
    text: str, tmp_path: Path, question_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unkind.py").write_text(text.format(text=TEXT))
    monkeypatch.chdir(tmp_path)
    code, said = command("repro", question_id, "--impl=unkind")
    assert code == 2
    clean(said)
    done = run("--impl=unkind", "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.code == 4
    clean(done.coloured)


# --- What stands on the command line and in the environment ---


@pytest.mark.parametrize(
    "arguments",
    [
        [IN_A_PATH],
        [f"--{IN_A_PATH}"],
        ["explain", IN_A_PATH],
        ["explain", f"A{IN_A_PATH}", "00"],
        ["explain", "INT8", IN_A_PATH],
        ["explain", "INT8", f"@{IN_A_PATH}"],
        ["explain", "--dialect", IN_A_PATH, "INT8", "00"],
        ["explain", "--version", IN_A_PATH, "INT8", "00"],
        ["explain", "--schema", IN_A_PATH, "--dialect", "kip-482-v1", "Mine", "00"],
        ["explain", "--register", IN_A_PATH, "--dialect", "kip-82-int-keys", "HEADERS", "00"],
        ["repro", IN_A_PATH, "--impl=reference"],
        ["repro", f"gen/kafka/{IN_A_PATH}/-/x00#decode", "--impl=reference"],
        ["repro", "gen/kafka/INT8/-/x00#decode", f"--impl={IN_A_PATH}"],
        ["repro", "gen/kafka/INT8/-/x00#decode", f"--impl=exec:{IN_A_PATH}"],
        ["repro", "gen/kafka/INT8/-/x00#decode", f"--impl=exec:'{IN_A_PATH}"],
        ["readings", "--impl=reference", "--dialect", IN_A_PATH],
        ["readings", f"--impl=reference:{IN_A_PATH}"],
        ["wrapper", "check", IN_A_PATH],
        ["wrapper", "check", f"exec:{IN_A_PATH}"],
        ["new", "wrapper", IN_A_PATH, "x"],
        ["new", "wrapper", "python", f"/dev/null/{IN_A_PATH}"],
        ["ledger", "make", "x", "--impl=reference", "--message", IN_A_PATH],
        ["schema", "import", IN_A_PATH, "x"],
        ["schema", "lift", "x", IN_A_PATH],
        ["schema", "diff", IN_A_PATH, IN_A_PATH],
        ["schema", "diff", "--dialect", IN_A_PATH, ".", "."],
    ],
    ids=lambda arguments: " ".join(safe(one)[:20] for one in arguments),
)
def test_an_argument(arguments: list[str]) -> None:
    code, text = command(*arguments)
    assert code in (1, 2)
    clean(text)


@pytest.mark.parametrize(
    "option", ["--impl", "--dialect", "--area", "--known", "--report", "--transcript", "--catalog"]
)
def test_an_option_of_pytest(option: str, tmp_path: Path) -> None:
    path = f"{IN_A_PATH}/x" if option in ("--report", "--transcript") else IN_A_PATH
    done = run("--impl=reference", f"{option}={path}", "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.code == 4
    clean(done.coloured)


@pytest.mark.parametrize(
    "argument", [IN_A_PATH, f"reference::{IN_A_PATH}", f"reference::kafka/varints/{IN_A_PATH}#decode"]
)
def test_an_argument_of_pytest(argument: str, tmp_path: Path) -> None:
    done = run("--impl=reference", argument, "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.code == 4
    clean(done.coloured)


def test_a_catalogue_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREPROOF_CATALOG", IN_A_PATH)
    code, text = command("explain", "MetadataRequest", "--version", "0", "00000000")
    assert code == 2
    clean(text)
    assert "index.json" in text
    done = run("--impl=reference", "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.code == 4
    clean(done.coloured)
    assert "index.json" in done.text


# --- What stands in files ---


def message(**changes: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "name": "PingRequest",
        "type": "request",
        "apiKey": 99,
        "validVersions": "0-2",
        "flexibleVersions": "1+",
        "fields": [{"name": "Text", "type": "string", "versions": "0+", "default": "a"}],
    }
    return plain | changes


MESSAGES = [
    message(name=TEXT),
    message(type=TEXT),
    message(validVersions=TEXT),
    message(**{TEXT: 1}),
    message(fields=[{"name": TEXT, "type": "string", "versions": "0+"}]),
    message(fields=[{"name": "Text", "type": TEXT, "versions": "0+"}]),
    message(fields=[{"name": "Text", "type": "string", "versions": "0+", "default": TEXT}]),
    message(fields=[{"name": "Text", "type": "int8", "versions": "0+", "default": TEXT}]),
    message(fields=[{"name": "Text", "type": "string", "versions": "0+", TEXT: TEXT}]),
]


@pytest.mark.parametrize("number", range(len(MESSAGES)))
def test_a_schema(number: int, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    plain, odd = tmp_path / "plain.json", source / f"{IN_A_PATH}.json"
    plain.write_text(json.dumps(message()))
    odd.write_text(json.dumps(MESSAGES[number]))
    for arguments in (
        ("schema", "import", str(source), str(tmp_path / IN_A_PATH)),
        ("schema", "diff", str(plain), str(odd)),
        ("schema", "diff", "--dialect", "kip-482-v1", str(plain), str(odd)),
        ("schema", "diff", str(source), str(source)),
        ("explain", "--dialect", "kip-482-v1", "--schema", str(odd), "PingRequest", "--version", "0", "0000"),
    ):
        code, text = command(*arguments)
        assert code in (0, 1, 2)
        clean(text)


def test_a_schema_of_a_draft(tmp_path: Path) -> None:
    field = {"name": "Text", "type": "string", "versions": "0+", "about": TEXT}
    raw = {"name": "Mine", "type": "data", "validVersions": "0-1", "versionsWithOptional": "1+", "fields": [field]}
    for changes in ({}, {"name": TEXT}, {"fields": [field | {"name": TEXT}]}, {TEXT: 1}):
        file = tmp_path / "Mine.json"
        file.write_text(json.dumps(raw | changes))
        code, text = command(
            "explain", "--dialect", "kip-482-v1", "--schema", str(file), "Mine", "--version", "0", "00"
        )
        assert code in (1, 2)
        clean(text)


def test_a_jar(tmp_path: Path) -> None:
    jar = tmp_path / f"kafka-clients-9{IN_A_PATH}.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("common/message/PingRequest.json", json.dumps(message()))
        file.writestr(f"common/message/{TEXT}.json", TEXT)
    code, text = command("schema", "import", str(jar), str(tmp_path / "made"))
    assert code == 0
    clean(text)
    code, text = command("schema", "lift", str(tmp_path / "lifted"))
    index = tmp_path / "made" / "index.json"
    index.write_text(index.read_text().replace('"kafka-clients', json.dumps(TEXT)[:-1]))
    done = run(
        "--impl=reference", f"--catalog={index.parent}", "--area=varints", "-p", "no:cacheprovider", cwd=tmp_path
    )
    clean(done.coloured)


def test_a_register(tmp_path: Path) -> None:
    for text in (
        f"key,name,description,by,url\n0x00200000,{TEXT},{TEXT},me,\n0x00200000,b,b,me,\n",
        TEXT,
        f"key,name,description,by,{TEXT}\n",
        f"key,name,description,by,url\n{TEXT},a,a,a,a\n",
    ):
        file = tmp_path / f"{IN_A_PATH}.csv"
        file.write_text(text, "utf-8")
        data = "000100200000 0000000161".replace(" ", "")
        code, said = command("explain", "--dialect", "kip-82-int-keys", "--register", str(file), "HEADERS", data)
        assert code in (0, 1, 2)
        clean(said)
        code, said = command(
            "explain", "--dialect", "kip-82-int-keys", "--register", str(file), "HEADERS", data, "--json"
        )
        clean(said)


@pytest.mark.parametrize("key", ["match", "class", "reason", "url", "reported", "versions", "signature"])
def test_a_file_of_known_deviations(key: str, tmp_path: Path) -> None:
    entry: dict[str, Any] = {"match": "kafka/varints/varint-0#decode", "class": "bug", "reason": "r", "url": "u"}
    entry |= {"signature": {"op": TEXT}} if key == "signature" else {key: TEXT}
    if key == "signature":
        del entry["match"]
    lines = [
        f"{name} = {{op = {_toml(TEXT)}}}" if isinstance(value, dict) else f"{name} = {_toml(value)}"
        for name, value in entry.items()
    ]
    (tmp_path / "mine.known.toml").write_text("[[deviation]]\n" + "\n".join(lines), "utf-8")
    arguments = ("--area=varints", "--dialect=kafka", "--junitxml=j.xml", "--report=r.jsonl", "-p", "no:cacheprovider")
    done = run("--impl=reference", "--known=mine.known.toml", *arguments, cwd=tmp_path)
    assert done.code in (0, 1, 4), done.text
    clean(done.coloured)


def _toml(text: str) -> str:
    return (
        '"'
        + "".join(
            char if char.isascii() and char.isprintable() and char not in '"\\' else f"\\U{ord(char):08x}"
            for char in text
        )
        + '"'
    )


def test_bytes_that_hold_such_text() -> None:
    data, commands = TEXT.encode(), COMMANDS.encode()
    for arguments in (
        ("STRING", (len(commands).to_bytes(2) + commands).hex()),
        ("STRING", (len(commands).to_bytes(2) + commands).hex(), "--json"),
        ("STRING", (len(data).to_bytes(2) + data).hex()),
        ("ApiVersionsRequest", "--version", "3", f"{bytes([len(data) + 1]).hex()}{data.hex()}0231 00".replace(" ", "")),
        ("STRING", (len(data).to_bytes(2) + data).hex(), "--json"),
        ("TAG_BUFFER", f"0105{len(data):02x}{data.hex()}"),
    ):
        code, text = command("explain", *arguments)
        assert code == 0, text
        clean(text)
