"""`wireproof repro`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof import __version__
from wireproof.cli import group
from wireproof.conformance import vectors
from wireproof.conformance.vectors import Vector, VectorKind

#: A codec that reads and writes nothing but VARINT, and takes its zigzag for plain numbers.
WRONG = '''
"""A wrong implementation."""
name = "wrong"
version = "0.1"
types = {"kafka": {"VARINT": None}}

def decode(type, data, *, dialect, version=None):
    value = 0
    for index, byte in enumerate(data):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            if index + 1 < len(data):
                raise ValueError("bytes are left")
            return value
    raise ValueError("cut off")
'''


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["repro", *arguments])
    return result.exit_code, result.output


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The spec of an implementation that deviates."""
    (tmp_path / "wrong_codec.py").write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "wrong_codec"


def _first(kind: VectorKind, type_name: str) -> Vector:
    return next(one for one in vectors.load() if one.kind is kind and one.type == type_name)


VALID = _first(VectorKind.VALID, "VARINT")
#: Its zigzag form is not the number itself.
NEGATIVE = next(one for one in vectors.load() if one.type == "VARINT" and one.value == -1)
INVALID = _first(VectorKind.INVALID, "VARINT")


def test_a_pass() -> None:
    code, text = run(f"{VALID.path}#decode", "--impl=reference", "--in-process")
    assert code == 0
    assert f"pass: reference {__version__} does what is demanded\ndecode VARINT, dialect kafka: {VALID.about}" in text
    assert "expected" in text


def test_a_deviation(wrong: str) -> None:
    code, text = run(f"{NEGATIVE.path}#decode", f"--impl={wrong}")
    assert code == 1
    assert "implementation wrong 0.1 (python), wrong_codec" in text
    assert f'"op": "decode", "dialect": "kafka", "type": "VARINT", "data": "{NEGATIVE.data.hex()}"' in text
    assert "fail (wrong-value): wrong 0.1 reads a wrong value" in text
    assert f"repeat    wireproof repro '{NEGATIVE.path}#decode' --impl=wrong_codec" in text


def test_a_negative_is_asked_with_its_twin() -> None:
    code, text = run(f"{INVALID.path}#decode", "--impl=reference", "--in-process")
    assert code == 0
    assert f"valid twin kafka/{INVALID.area}/{INVALID.twin}#decode: accepted as" in text


def test_what_is_not_offered_is_no_pass(wrong: str) -> None:
    code, text = run(f"{VALID.path}#encode", f"--impl={wrong}", "--in-process")
    assert code == 1
    assert "was not judged" in text


def test_the_id_of_pytest_is_taken_too() -> None:
    assert run(f"some.module::{VALID.path}#decode", "--impl=reference", "--in-process")[0] == 0


def test_a_generated_case() -> None:
    code, text = run("gen/kafka/VARINT/-/x01#decode", "--impl=reference", "--in-process")
    assert code == 0
    assert "zigzag" not in text
    assert "expected  -1" in text


def test_the_transcript_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    for _ in range(2):
        assert run(f"{VALID.path}#decode", "--impl=reference", "--in-process", f"--transcript={path}")[0] == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["dir"] for line in lines].count(">") >= 2


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        (f"{VALID.path}x#decode", f"Near it are {VALID.path}"),
        ("nothing", "An id is DIALECT/AREA/VECTOR#OP"),
        ("", "An id is DIALECT/AREA/VECTOR#OP"),
        (VALID.path, "asks more than one question"),
        (f"{VALID.path}#serve", f"{VALID.path} does not ask 'serve': say {VALID.path}#decode or"),
        ("gen/kafka/VARINT/-/round-trip", "is no id of a generated case"),
        ("gen/kafka/NOTHING/-/x00#decode", "NOTHING"),
    ],
)
def test_unknown_ids(identifier: str, words: str) -> None:
    code, text = run(identifier, "--impl=reference")
    assert code == 2
    assert words in " ".join(text.split())
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Missing option '--impl'"),
        (("--impl=no.such.module",), "no.such.module"),
        (("--impl=reference", "--timeout=0"), "--timeout"),
        (("--impl=reference", "--memory=0"), "--memory"),
        (("--impl=reference", "--in-process", "--transcript=missing/folder/x"), "cannot be written"),
    ],
)
def test_usage_errors(options: tuple[str, ...], words: str) -> None:
    code, text = run(f"{VALID.path}#decode", *options)
    assert code == 2
    assert words in text
    assert "Traceback" not in text


def test_a_child_that_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dying_codec.py").write_text(
        "import os, sys\n"
        f"BAD = {INVALID.data!r}\n"
        "def decode(type, data, *, dialect, version=None):\n"
        "    if data == BAD:\n"
        "        print('last \\x1b[31mwords', file=sys.stderr, flush=True)\n"
        "        os.abort()\n"
        "    return 0\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    code, text = run(f"{INVALID.path}#decode", "--impl=dying_codec")
    assert code == 1
    assert "crash: dying_codec crashed (SIGABRT)" in text
    assert "(the child was started again)" in text
    assert r"last \x1b[31mwords" in text
    assert f"valid twin kafka/{INVALID.area}/{INVALID.twin}#decode: accepted as 0" in text
