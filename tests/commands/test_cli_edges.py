"""Commands with bad input: each ends, with a paragraph and exit code 1 or 2."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from support.full_disk import full_disk
from support.pytest_run import run as run_pytest

import wireproof
from wireproof import catalog_import, cli
from wireproof.conformance.evidence.known_deviations import KnownError, load
from wireproof.conformance.report.text import safe
from wireproof.errors import WireproofError
from wireproof.explain import hex_input
from wireproof.reference import evolution
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.errors import DecodeError, EncodeError, Reason, SchemaError
from wireproof.reference.schema import Versions

MESSAGE: dict[str, Any] = {
    "name": "PingRequest",
    "type": "request",
    "apiKey": 99,
    "validVersions": "0-2",
    "flexibleVersions": "1+",
    "fields": [{"name": "Text", "type": "string", "versions": "0+"}],
}


def command(*arguments: str, given: bytes | str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(cli.group, arguments, input=given)
    return result.exit_code, result.output


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of sh, in which $W is the command."""
    program = f"'{sys.executable}' -c 'from wireproof.cli import main; main()'"
    return subprocess.run(
        ["sh", "-c", line.replace("$W", program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"PYTHONPATH": ":".join(sys.path)} | environment,
    )


# --- The guard ---


def test_everything_printed_goes_through_one_module() -> None:
    """Nothing but `console` and `cli_errors` writes to a stream."""
    folder = Path(wireproof.__file__).parent
    found = []
    for path in folder.rglob("*.py"):
        if path.name in ("console.py", "cli_errors.py") or "templates" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "click.echo", "click.secho", "echo"):
                found.append(f"{path.name}: {ast.unparse(node)}")
    assert found == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("$W explain VARINT 00 > /dev/full", "No space left on device"),
        ("$W --help > /dev/full", "No space left on device"),
        ("$W explain VARINT 00 >&-", "standard output is closed"),
        ("$W explain VARINT - <&-", "standard input is closed"),
        ("printf '\\377' | PYTHONIOENCODING=utf-8 $W explain VARINT -", "standard input is not text"),
    ],
)
def test_streams_that_are_closed_or_full(line: str, said: str) -> None:
    done = shell(line)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_both_streams_closed() -> None:
    assert shell("$W explain VARINT 00 >&- 2>&-").returncode == 2


def test_a_reader_that_leaves_is_told_nothing() -> None:
    done = shell("{ $W explain STRING 7fff$(printf '61%.0s' $(seq 32767)) --json; echo $? >&2; } | true")
    assert done.stderr.strip() in ("0", "1", "2")  # whether the reader left before or after; click says 1


def test_a_fault_of_ours_is_told_with_the_words_to_report_it(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def broken() -> None:
        raise LookupError("\x1b[31m" + "x" * 1_000_000)

    monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: broken)
    code, text = command("broken")
    assert code == 3
    assert "Traceback" in text
    assert "a fault of Wireproof's own" in text
    assert "\x1b" not in text
    assert len(text) < 50_000


@pytest.mark.parametrize("error", [DecodeError(Reason.TRUNCATED, "1 byte", 0), EncodeError(Reason.OUT_OF_RANGE, "7")])
def test_a_refusal_that_no_command_shows_is_a_fault_of_ours(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def broken() -> None:
        raise error

    monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: broken)
    code, text = command("broken")
    assert code == 3
    assert str(error) in text


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KnownError("a.toml: no TOML"), "a.toml: no TOML"),
        (SchemaError("no name"), "no name"),
        (SchemaError("no name", "A.fields[1]"), "A.fields[1]: no name"),
        (WireproofError("anything else"), "anything else"),
    ],
)
def test_errors_of_the_kit_are_a_line(error: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def broken() -> None:
        raise error

    monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: broken)
    assert command("broken") == (2, f"Error: {said}\n")


def test_errors_have_one_base_class() -> None:
    """No class but the base derives from ValueError."""
    folder = Path(wireproof.__file__).parent
    classes = [
        node
        for part in (folder, *(one for one in folder.iterdir() if one.is_symlink()))
        for path in part.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    own = [node.name for node in classes if "ValueError" in map(ast.unparse, node.bases)]
    assert own == ["WireproofError"]


@pytest.mark.parametrize("error", [MemoryError(), OSError(28, "No space left on device"), OSError("odd")])
def test_what_the_system_refuses_is_no_fault_of_ours(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def broken() -> None:
        raise error

    monkeypatch.setattr(cli.LazyGroup, "get_command", lambda *_: broken)
    code, text = command("broken")
    assert code == 2
    assert text.startswith("Error: ")
    assert "Traceback" not in text


def test_a_catalogue_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WIREPROOF_CATALOG", str(tmp_path / "none"))
    for arguments in (
        ("explain", "MetadataRequest", "--version", "0", "00000000"),
        ("schema", "lift", str(tmp_path / "lifted")),
        ("ledger", "make", str(tmp_path / "made"), "--impl=reference"),
    ):
        code, text = command(*arguments)
        assert code in (1, 2), text
        assert "index.json" in text
        assert "Traceback" not in text


def test_a_full_disk(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "PingRequest.json").write_text(json.dumps(MESSAGE))
    transcript = tmp_path / "transcript.jsonl"
    for arguments in (
        ("schema", "import", str(source), str(tmp_path / "made")),
        ("repro", "gen/kafka/INT8/-/x00#decode", "--impl=reference", "--in-process", f"--transcript={transcript}"),
    ):
        with full_disk(20):
            code, text = command(*arguments)
        assert code == 2
        assert "File too large" in text


# --- Options ---


@pytest.mark.parametrize("option", ["--timeout=nan", "--timeout=inf", "--timeout=-1", "--timeout=1e300", "--memory=0"])
def test_limits_that_are_none(option: str, tmp_path: Path) -> None:
    for arguments in (
        ("repro", "gen/kafka/INT8/-/x00#decode", "--impl=reference", option),
        ("readings", "--impl=reference", option),
        ("wrapper", "check", "exec:true", option),
    ):
        code, text = command(*arguments)
        assert code == 2
        assert "Traceback" not in text
    done = run_pytest(
        "--impl=reference", option.replace("--timeout", "--case-timeout"), "-p", "no:cacheprovider", cwd=tmp_path
    )
    assert done.code == 4, done.text


def test_properties_of_less_than_one_example(tmp_path: Path) -> None:
    done = run_pytest("--impl=reference", "--properties=-1", "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.code == 4
    assert "--properties=-1: it has to be from 1 to 100,000" in done.text


# --- Known deviations ---

ENTRY = '[[deviation]]\nmatch = "a/b/c#decode"\nclass = "bug"\nreason = "r"\nurl = "u"\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "9" * 100_000, "not TOML"),
        (ENTRY + ENTRY, "deviations 1 and 2: a/b/c#decode stands twice"),
        (ENTRY.replace('"a/b/c#decode"', '["x", "y", "x"]'), "deviation 1: x stands twice"),
        (ENTRY.replace('url = "u"', 'reported = "yes"'), "\"pending\" or the address of the report is expected"),
        (ENTRY.replace('"a/b/c#decode"', "[]"), "`match` without an id"),
        (ENTRY.replace('match = "a/b/c#decode"', "signature = {}"), "names no type, cause or frame"),
    ],
)  # fmt: skip
def test_a_known_file_that_cannot_be_meant(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.known.toml"
    file.write_text(content)
    with pytest.raises(KnownError) as caught:
        load(file, None)
    assert said in str(caught.value)


def test_a_known_file_without_an_end() -> None:
    with pytest.raises(KnownError, match="the limit for such a file"):
        load(Path("/dev/zero"), None)


def test_entries_of_different_versions_may_have_one_id(tmp_path: Path) -> None:
    file = tmp_path / "mine.known.toml"
    file.write_text(f'{ENTRY}versions = "1.*"\n{ENTRY}versions = "2.*"\n')
    assert len(load(file, None).deviations) == 2


# --- schema import ---


def jar(folder: Path, entries: Sequence[tuple[str, dict[str, Any]]]) -> Path:
    path = folder / "kafka-clients-1.0.jar"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in entries:
            file.writestr(f"common/message/{name}.json", json.dumps(content))
    return path


def changed(path: Path, old: bytes, new: bytes) -> Path:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    return path


def test_a_jar_that_is_encrypted_or_oddly_compressed(tmp_path: Path) -> None:
    for offset, value in ((6, b"\x01"), (8, b"\x63")):  # of a local header: flags, the way of compression
        path = jar(tmp_path, [("PingRequest", MESSAGE)])
        content = bytearray(path.read_bytes())
        central = content.index(b"PK\x01\x02")
        content[offset] = content[central + offset + 2] = value[0]
        path.write_bytes(content)
        code, text = command("schema", "import", str(path), str(tmp_path / "made"))
        assert code == 1, text
        assert "cannot be taken out of the jar" in text


def test_a_jar_whose_bytes_are_corrupt(tmp_path: Path) -> None:
    path = changed(jar(tmp_path, [("PingRequest", MESSAGE)]), b'"apiKey": 99', b'"apiKey": 98')
    code, text = command("schema", "import", str(path), str(tmp_path / "made"))
    assert code == 1
    assert "Bad CRC-32" in text


def test_a_jar_with_a_schema_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.jar"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("common/message/PingRequest.json", b'{"name": "\xff"}')
    code, text = command("schema", "import", str(path), str(tmp_path / "made"))
    assert code == 1
    assert "not UTF-8" in text


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([("A", MESSAGE), ("B", MESSAGE)], "B.json: A.json has a message of the name PingRequest too"),
        (
            [("A", MESSAGE), ("B", MESSAGE | {"name": "pingrequest"})],
            "A.json has a message of the name pingrequest too",
        ),
        ([("A", MESSAGE | {"name": "index"})], "a message cannot be called index"),
        ([("A", MESSAGE | {"name": "Index"})], "a message cannot be called Index"),
    ],
)
def test_messages_that_would_overwrite_each_other(
    entries: list[tuple[str, dict[str, Any]]], said: str, tmp_path: Path
) -> None:
    code, text = command("schema", "import", str(jar(tmp_path, entries)), str(tmp_path / "made"))
    assert code == 1
    assert said in text
    assert not (tmp_path / "made").exists()


def test_a_schema_that_is_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_import, "_LARGEST", 10)
    code, text = command("schema", "import", str(jar(tmp_path, [("A", MESSAGE)])), str(tmp_path / "made"))
    assert code == 1
    assert "common/message/A.json has more than 10 bytes" in text
    monkeypatch.setattr(catalog_import, "_LARGEST", 1000)
    monkeypatch.setattr(catalog_import, "_LARGEST_OF_ALL", 20)
    code, text = command("schema", "import", str(tmp_path / "kafka-clients-1.0.jar"), str(tmp_path / "made"))
    assert code == 1
    assert "more than 20 bytes together" in text


# --- Sizes ---


@pytest.mark.parametrize("arguments", [("@/dev/zero",), ("VARINT", "@/dev/zero")])
def test_a_file_without_an_end_is_refused(arguments: tuple[str, ...]) -> None:
    code, text = command("explain", *arguments)
    assert code == 2
    assert "it has more than 16 MiB, the limit for such a file" in text


def test_hex_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hex_input, "LARGEST", 16)
    monkeypatch.setattr(hex_input, "_LONGEST_TEXT", 80)
    assert command("explain", "BYTES", "-", given="0000000c" + "00" * 12)[0] == 0
    code, text = command("explain", "BYTES", "-", given="00" * 17)
    assert (code, "HEX are 17 bytes; 16 bytes is the most" in text) == (2, True)
    code, text = command("explain", "BYTES", "-", given="00 " * 100)
    assert (code, "goes on behind 80 bytes" in text) == (2, True)


@pytest.mark.parametrize(
    "text", ["00 01:02,03", "0x00 0x01 \\x02\n0X03", "0x00010203", "0 0 0 1 0 2 0 3", "00010x0203"]
)
def test_hex_as_people_write_it(text: str) -> None:
    assert hex_input.input_bytes((text,)) == bytes([0, 1, 2, 3])


def test_an_array_of_millions_has_spans_for_its_first_elements() -> None:
    data = (1 << 20).to_bytes(4) + bytes(1 << 20)
    code, text = command("explain", "ARRAY<INT8>", "-", given=data.hex())
    assert code == 0
    assert "(after the first 50000 fields)" in text
    assert text.count("\n") < 60_000


def test_more_frames_than_anybody_reads_are_refused() -> None:
    code, text = command("explain", "-", given="00000000" * 6000)
    assert code == 2
    assert "more than 5000 frames" in text


# --- schema diff over all versions that there can be ---


def test_a_history_of_all_versions_is_told_in_spans(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(MESSAGE | {"validVersions": "0-32767"}))
    new.write_text(json.dumps(MESSAGE | {"validVersions": "0-32767", "flexibleVersions": "9+"}))
    code, text = command("schema", "diff", str(old), str(new))
    assert code == 1
    assert "flexibleVersions: 1+ before, 9+ now: not the same for versions 1 to 8," in text


def test_versions_are_looked_at_a_span_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 32,768 versions those are looked at in which something begins; the changes are those of a look at each."""
    import random

    layout, looked_at = evolution._Pair._layout, []

    def counted(self: Any, old: Any, new: Any, version: int, path: str) -> Any:
        looked_at.append(version)
        return layout(self, old, new, version, path)

    monkeypatch.setattr(evolution._Pair, "_layout", counted)
    wide = [MESSAGE | {"validVersions": "0-32767", "flexibleVersions": f"{start}+"} for start in (1, 9)]
    DIALECTS["kafka"].compare([wide[0]], wide[1])
    assert len(looked_at) < 10
    monkeypatch.undo()

    def one_by_one(self: Any, versions: Versions) -> list[Versions]:
        return [Versions(version, version) for version in range(versions.low, versions.high + 1)]

    for seed in range(200):
        chosen = random.Random(seed)
        old, new = _drawn(chosen), _drawn(chosen)
        found = DIALECTS["kafka"].compare([old], new)
        with monkeypatch.context() as patch:
            patch.setattr(evolution._Pair, "_spans", one_by_one)
            assert DIALECTS["kafka"].compare([old], new) == found, f"seed {seed}"


def _drawn(chosen: Any) -> dict[str, Any]:
    """A message of a few fields that come, go, and turn nullable."""

    def span(low: int = 0) -> str:
        first = chosen.randint(low, 12)
        return f"{first}+" if chosen.random() < 0.5 else f"{first}-{first + chosen.randint(0, 6)}"

    fields = [
        {
            "name": f"F{number}",
            "type": chosen.choice(["string", "bytes"]),
            "versions": span(),
            "nullableVersions": span(),
        }
        for number in range(chosen.randint(1, 4))
    ]
    return MESSAGE | {"validVersions": f"0-{chosen.randint(5, 12)}", "flexibleVersions": span(), "fields": fields}


def test_names_in_a_diff_are_safe(tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[31m.json"
    file.write_text("{}")
    code, text = command("schema", "diff", str(file), str(file))
    assert code == 1
    assert safe("\x1b[31m") in text
    assert "\x1b" not in text
