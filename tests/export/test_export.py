"""Exports: complete, the same bytes each time, and enough to judge as the kit does, without anything else of it."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from support.paths import ROOT, TESTS

from wireproof.cli import group as cli
from wireproof.commands import export as export_command
from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.protocol.shapes import plain
from wireproof.conformance.model import DEVIATIONS, Op, Outcome, Status
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.produced import as_divided, read_produced
from wireproof.conformance.questions import selection
from wireproof.conformance.values.encoding import from_json, to_json
from wireproof.export import plain_data
from wireproof.export.package import LANGUAGES, Export, ExportError, archive, export, for_language, write
from wireproof.reference.errors import DecodeError

#: Miniatures with faults of different kinds, without declared readings.
WRONG = (
    "miniatures.unsigned_for_zigzag",
    "miniatures.empties_unknown_tags",
    "miniatures.always_accepts",
    "miniatures.always_refuses",
    "miniatures.collapses_duplicate_headers",
    "miniatures.consumer_skips_broken_batches",
    "miniatures.consumer_tells_append_times_alone",
)
AREAS = [area for area in vectors.AREAS if area != "resource-limits"]


@pytest.fixture(scope="module")
def lines() -> dict[str, Any]:
    """All lines by id, but for the area that takes the longest."""
    found = [json.loads(line) for file in plain_data.files(areas=AREAS) for line in file.lines]
    assert len({line["id"] for line in found}) == len(found)
    return {line["id"]: line for line in found}


@pytest.fixture(scope="module")
def small() -> Export:
    """An export of little."""
    return export(["kafka"], ["varints"])


# --- A judge that knows the page alone --------------------------------------------------------------------------------


def same(expected: Any, answer: Any, optional: frozenset[str], path: str = "") -> bool:
    """Equality of values in the value encoding."""
    if isinstance(expected, dict) and isinstance(answer, dict):
        known = {name: f"{path}.{name}".removeprefix(".") for name in expected | answer}
        return all(
            same(expected[name], answer[name], optional, place)
            if name in expected and name in answer
            else (name in expected and place in optional) or (name == "_tags" and not (expected | answer)[name])
            for name, place in known.items()
        )
    if isinstance(expected, list) and isinstance(answer, list):
        return len(expected) == len(answer) and all(
            same(one, other, optional, f"{path}[{index}]")
            for index, (one, other) in enumerate(zip(expected, answer, strict=True))
        )
    return type(expected) is type(answer) and bool(expected == answer)


def verdict(line: dict[str, Any], judged: Judged) -> str:
    """pass, contested, skip or wrong."""
    seen, twin, op = judged.observation, judged.twin, str(judged.case.op)
    if seen.status is Status.UNSUPPORTED:
        return "skip"
    if seen.status not in (Status.ANSWER, Status.REJECT):
        return "wrong"
    refused = seen.status is Status.REJECT
    answer = None if refused else to_json(plain(seen.answer))
    must, may = "reject" in line, "or_reject" in line and op == "encode"
    if refused and (must or may):
        return "pass" if "twin" not in line or (twin is not None and twin.status is Status.ANSWER) else "skip"
    if not refused and not must and is_expected(line, op, answer):
        return "pass"
    for one in line.get("contested", ()):
        refuses = "refuses" in one and (one["refuses"] != "decode" or seen.half != "encode")
        if op in one["ops"] and (refuses if refused else "accepts" in one or is_reading(line, one, op, answer)):
            needs_twin = refused and twin is not None
            return "skip" if needs_twin and twin is not None and twin.status is not Status.ANSWER else "contested"
    return "wrong"


def is_expected(line: dict[str, Any], op: str, answer: Any) -> bool:
    optional = frozenset(line.get("optional", ()))
    match op:
        case "decode":
            return same(line["value"], answer, optional)
        case "encode" | "recode":
            return are_bytes(line, line["canonical"], answer, optional)
        case "convert":
            return are_bytes(line, line["gives"], answer, optional)
        case "lookup":
            return same(line["values"], answer, optional)
        case "consume":
            return is_delivered(line["delivers"], answer)
        case "produce":
            return is_written(line["writes"], answer)
        case "interpret":
            return is_outcome(line["outcome"], answer)
        case "negotiate":
            return bool(line["chooses"] == answer)
    assert op == "evolve"
    return bool(line["breaks"]) is bool(answer)


def is_reading(line: dict[str, Any], reading: dict[str, Any], op: str, answer: Any) -> bool:
    optional = frozenset(line.get("optional", ()))
    if op in ("encode", "recode", "convert"):
        return "bytes" in reading and are_bytes(line, reading["bytes"], answer, optional)
    if op == "interpret":
        return "outcome" in reading and is_outcome(reading["outcome"], answer)
    if op == "consume":
        return "delivers" in reading and is_delivered(reading["delivers"], answer)
    if op == "produce":
        return "writes" in reading and is_written(reading["writes"], answer)
    if op == "evolve":
        return "breaks" in reading and bool(reading["breaks"]) is bool(answer)
    return "value" in reading and same(reading["value"], answer, optional)


def is_delivered(expected: dict[str, Any], answer: Any) -> bool:
    told = any("timestamp_type" in record for record in answer["records"])
    left_out = set() if told else {"timestamp_type"}
    records = [{name: record[name] for name in record.keys() - left_out} for record in expected["records"]]
    return same({**expected, "records": records}, answer, frozenset())


def is_written(expected: list[Any], answer: Any) -> bool:
    """The one thing that the page alone does not say is how batches are read."""
    with contextlib.suppress(DecodeError):
        found = read_produced(from_json(answer), "kafka")
        return same(to_json(as_divided(from_json(expected), found)), to_json(found), frozenset())
    return False


def is_outcome(expected: dict[str, Any], answer: Any) -> bool:
    names = ["outcome", *(name for name in ("version", "error") if name in expected)]
    if "request" in expected and (expected["outcome"] != "malformed" or "request" in answer):
        names.append("request")
    return all(expected[name] == answer.get(name) for name in names)


def are_bytes(line: dict[str, Any], expected: str, answer: Any, optional: frozenset[str]) -> bool:
    if answer == {"hex": expected}:
        return True
    if line.get("compare") != "decoded":
        return False
    form = line.get("as", {"dialect": line["id"].split("/")[0], **line})
    read = []
    for digits in (expected, answer["hex"]):
        try:
            value = reference_codec().decode(
                form["type"], bytes.fromhex(digits), dialect=form["dialect"], version=form.get("version")
            )
        except ValueError:
            return False
        read.append(to_json(plain(value)))
    return same(read[0], read[1], optional)


def judged_of(spec: str) -> Iterator[Judged]:
    with Examiner(open_connection(spec, Options(in_process=True, timeout=20))) as examiner:
        chosen = [*vectors.load(areas=AREAS), *(ledger.every_vector() if spec == "reference" else ())]
        asked = selection.of_vectors(chosen, examiner.description)
        yield from examiner.judge(one for one in asked if one.case.op is not Op.SERVE)


CLASSES = {Outcome.PASS: "pass", Outcome.CONTESTED: "contested", Outcome.SKIP: "skip"}


@pytest.mark.parametrize("spec", ["reference", *WRONG])
def test_its_lines_give_the_verdicts_of_the_kit(
    spec: str, lines: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(TESTS)
    if spec != "reference":
        assert not getattr(importlib.import_module(spec), "readings", {})
    counts = Counter[str]()
    for judged in judged_of(spec):
        line = lines[judged.vector.path]
        by_kit = CLASSES.get(judged.verdict.outcome, "wrong")
        assert verdict(line, judged) == by_kit, (judged.case.id, judged.verdict)
        assert by_kit != "wrong" or judged.verdict.outcome in DEVIATIONS
        counts[by_kit] += 1
    if spec == "reference":
        assert counts.keys() == {"pass"}
        assert counts["pass"] > 10_000
    else:
        assert counts["wrong"]


# --- Its content ------------------------------------------------------------------------------------------------------


def test_every_vector_has_a_line_or_is_named(tmp_path: Path) -> None:
    made = export()
    write(made, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    ids, schema = [], json.loads((tmp_path / "out" / "case.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path, about in manifest["files"].items():
        content = (tmp_path / "out" / path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == about["sha256"]
        if path.endswith(".jsonl"):
            header, *found = map(json.loads, content.splitlines())
            assert len(found) == about["cases"]
            assert {name: header[name] for name in ("vectors", "licence")} == {
                "vectors": vectors.digest(),
                "licence": "Apache-2.0",
            }
            ids += [line["id"] for line in found]
            for line in (header, *found[:: 1 if len(found) < 100 else 40]):
                assert validator.is_valid(line), line
    every = {vector.path for vector in (*vectors.load(), *ledger.every_vector())}
    assert sorted([*ids, *manifest["left_out"]]) == sorted(every)
    assert 0 < len(manifest["left_out"]) < 20


def test_values_lose_nothing(lines: dict[str, Any]) -> None:
    for vector in vectors.load(areas=["varints", "null-encodings", "header-multimaps"]):
        if "value" in lines[vector.path]:
            value = from_json(lines[vector.path]["value"])
            codec = reference_codec()
            complete = codec.complete(vector.type or "", vector.value, dialect=vector.dialect, version=vector.version)
            assert to_json(plain(value)) == to_json(plain(complete))
    assert lines["kafka/framing/int64-9223372036854775807"]["value"] == {"int": "9223372036854775807"}


def test_negatives_have_their_twin(lines: dict[str, Any]) -> None:
    line = lines["kafka/varints/uvarint-six-bytes"]
    assert line["reject"] == {"reason": "varint-overflow", "offset": 0}
    assert line["twin"] == {"id": "kafka/varints/uvarint-overlong-0-in-5", "bytes": "8080808000"}
    without = [line["id"] for line in lines.values() if "reject" in line and "twin" not in line]
    assert without == []


def test_what_may_be_left_out_is_named(lines: dict[str, Any]) -> None:
    line = lines["kafka/messages/api-versions-response-3-two-features"]
    assert line["optional"] == [
        "ErrorCode",
        "ApiKeys",
        "ThrottleTimeMs",
        "ZkMigrationReady",
        "SupportedFeatures[1].MinVersion",
    ]


# --- Files ------------------------------------------------------------------------------------------------------------


def test_it_is_the_same_each_time_and_an_earlier_one_is_replaced(small: Export, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write(export(["kafka", "wire-format"], ["framing"]), folder)
    write(small, folder)
    there = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = export(["kafka"], ["varints"])
    assert there == small.files == again.files
    assert not (folder / "wire-format").exists()
    assert archive(small) == archive(again)
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(archive(small)))) as tar:
        name = f"vectors-{vectors.digest()}"
        assert {member.name.removeprefix(f"{name}/") for member in tar} == small.files.keys()
        assert {(member.mtime, member.uid, member.uname) for member in tar} == {(0, 0, "")}


def test_another_language_in_the_same_folder_leaves_nothing_of_the_first(small: Export, tmp_path: Path) -> None:
    """But for a file that the user filled in."""
    folder = tmp_path / "out"
    write(for_language(small, "go"), folder)
    assert write(for_language(small, "rust"), folder) == ()
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == {
        *for_language(small, "rust").files
    }
    (folder / "implementation.rs").write_text("// mine\n")
    assert write(for_language(small, "rust"), folder) == ()
    assert write(for_language(small, "go"), folder) == ("implementation.rs",)
    assert (folder / "implementation.rs").read_text() == "// mine\n"


#: Writes all formats into the folder that is its argument.
EVERY_FORMAT = """
import sys
from pathlib import Path
from wireproof.export.package import LANGUAGES, archive, export, for_language, write
from wireproof.export.parquet import as_table
out = Path(sys.argv[1])
every, small = export(areas={areas}), export(areas=["varints", "unsupported-versions"])
write(every, out / "json")
(out / "vectors.tar.gz").write_bytes(archive(every))
for form in LANGUAGES:
    made = for_language(small, form)
    write(made, out / form)
    (out / f"{form}.tar.gz").write_bytes(archive(made))
write(as_table(small), out / "parquet")
"""


#: Files are ASCII for the first one, which has no UTF-8 mode, and UTF-8 for the other.
SURROUNDINGS = (
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "UTC", "PYTHONHASHSEED": "1"},
    {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "2"},
)


def in_both_surroundings(program: str, tmp_path: Path) -> list[dict[str, bytes]]:
    """What a program writes into its folder, by path."""
    found = []
    for index, env in enumerate(SURROUNDINGS):
        folder = tmp_path / f"folder {index}"
        folder.mkdir()
        arguments = [sys.executable, "-c", program, "." if index else str(folder)]
        subprocess.run(arguments, cwd=folder, env=os.environ | env, check=True, timeout=300)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        found.append({str(path.relative_to(folder)): path.read_bytes() for path in paths})
    return found


def test_neither_locale_nor_time_zone_nor_hash_seed_nor_folder_matter(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    areas = [one for one in vectors.AREAS if one not in ("messages", "resource-limits")]  # they take most of the time
    found = in_both_surroundings(EVERY_FORMAT.replace("{areas}", repr(areas)), tmp_path)
    assert found[0] == found[1]
    tops = {path.split("/")[0] for path in found[0]}
    assert tops == {"json", "parquet", "vectors.tar.gz", *LANGUAGES, *(f"{form}.tar.gz" for form in LANGUAGES)}


#: What an export could take from its surroundings by mistake.
TAKEN = {
    "hash seed": "' '.join({'decode', 'encode', 'recode', 'lookup', 'convert'})",
    "time zone": "time.tzname[1]",
    "folder": "os.getcwd()",
    "locale": "locale.getpreferredencoding()",
}


def test_that_would_be_seen(tmp_path: Path) -> None:
    planted = f"""
import locale, os, sys, time
from pathlib import Path
from wireproof.export import package as module
about = module._about
module._about = lambda: about() | {{{", ".join(f"{what!r}: {taken}" for what, taken in TAKEN.items())}}}
module.write(module.export(["kafka"], ["varints"]), Path(sys.argv[1]))
"""
    found = in_both_surroundings(planted, tmp_path)
    assert found[0].keys() == found[1].keys()
    manifests = [json.loads(each["manifest.json"]) for each in found]
    assert {name for name in manifests[0] if manifests[0][name] != manifests[1][name]} >= {*TAKEN}


@pytest.mark.parametrize("form", LANGUAGES)
def test_each_file_has_licence_and_version(form: str, small: Export) -> None:
    made = for_language(small, form)
    for path, content in made.files.items():
        if path not in made.own and "schema" not in path and not path.endswith((".json", "README.md")):
            assert vectors.digest().encode() in content, path
            assert b"Apache-2.0" in content, path
    assert vectors.digest().encode() in made.files["README.md"]
    assert b"Apache" in made.files["README.md"]


def test_parquet_has_each_line(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    result = CliRunner().invoke(cli, ["export", "--format=parquet", str(tmp_path / "out"), "--dialect", "kip-482-v1"])
    assert result.exit_code == 0, result.output
    made = export(["kip-482-v1"])
    table = pq.read_table(tmp_path / "out" / "cases.parquet")
    lines = [line.decode() for path in made.files if path.endswith(".jsonl") for line in made.files[path].splitlines()]
    assert table.column("line").to_pylist() == [line for line in lines if "wireproof-export" not in line]
    page = (ROOT / "docs" / "reference" / "export-format.md").read_text()
    described = page.partition("| column | meaning |")[2].partition("\n\n")[0]
    assert {*re.findall(r"`(\w+)`", re.sub(r"\|[^|]*\|$", "", described, flags=re.MULTILINE))} == {*table.column_names}
    refused = [one for one in table.to_pylist() if one["reason"] == "varint-overflow"]
    assert refused
    for row in refused:
        line = json.loads(row["line"])
        assert (row["bytes"].hex(), row["value"]) == (line["bytes"], None)
        assert row["offset"] == line["reject"]["offset"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["files"]["cases.parquet"]["cases"] == table.num_rows == made.cases


def test_parquet_without_pyarrow_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = CliRunner().invoke(cli, ["export", "--format=parquet", str(tmp_path / "out"), "--area", "varints"])
    assert result.exit_code == 2
    assert "Parquet is written by pyarrow" in re.sub(r"\s+", " ", result.output)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_things_is_left_alone(small: Export, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(ExportError, match="holds other things"):
        write(small, tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("form", [2, "1", None, [1] * 100])
def test_an_export_of_another_format_is_left_alone(form: Any, small: Export, tmp_path: Path) -> None:
    write(small, tmp_path)
    manifest = tmp_path / "manifest.json"
    changed = json.dumps(json.loads(manifest.read_text()) | {"wireproof-export": form})
    manifest.write_text(changed)
    with pytest.raises(ExportError, match="this version of Wireproof writes format 1") as raised:
        write(export(["kafka"], ["framing"]), tmp_path)
    assert len(str(raised.value)) < 300 + len(str(tmp_path))
    assert manifest.read_text() == changed
    assert not (tmp_path / "kafka" / "framing.jsonl").exists()


def test_a_manifest_cannot_name_files_elsewhere(small: Export, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    out = tmp_path / "out"
    out.mkdir()
    named: dict[str, Any] = {"../mine": {}, str(tmp_path / "mine"): {}, "a\0b": {}}
    (out / "manifest.json").write_text(json.dumps({"wireproof-export": 1, "files": named}))
    write(small, out)
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a folder"),
        (["out", "--dialect", "kafkaesque"], "there is no dialect 'kafkaesque'"),
        (["out", "--area", "x"], "there is no area 'x'"),
        (["out", "--type", "Nonsense"], "no vector is about the type Nonsense"),
        (["out", "--type", "VARINT", "--type", "Nonsense"], "no vector is about the type Nonsense in"),
        (["out", "--area", "varints", "--type", "RecordBatch"], "no vector is about the type RecordBatch in"),
        (["file", "--area", "varints"], "is a file"),
        (["out", "--format", "cobol"], "'cobol' is not one of"),
        (["out", "--area", "varints", "--archive", "mine"], "mine: there is a file already, and Wireproof did not"),
        (["file/out", "--area", "varints"], "Not a directory"),
        (["--archive", "missing/x.tar.gz", "--area", "varints"], "missing: there is no such folder"),
        (["out", "--area", "varints", "--archive", "file/x.tar.gz"], "file: Not a directory"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("file", "mine"):
        (tmp_path / name).write_text(name)
    result = CliRunner().invoke(cli, ["export", *arguments])
    assert result.exit_code == 2
    assert said in re.sub(r"\s+", " ", result.output)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "file", "mine": "mine"}


def test_the_size_is_told_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what makes it smaller; the counted files are those that come."""
    sizes = {}
    for name, more in (("all", ()), ("few", ("--type", "VARINT"))):
        folder = tmp_path / name
        with monkeypatch.context() as patched:
            patched.setattr(export_command, "write", refuse_to_write)
            result = CliRunner().invoke(cli, ["export", str(folder), "--dialect", "kafka", "--area", "varints", *more])
        found = re.match(
            r"(\d+) files, ([\d.]+) MB, of which kafka/varints.jsonl has [\d.]+ MB\. (.+)\n", result.output
        )
        assert found, result.output
        assert found[3] == "Smaller with --area, --type, --dialect, --largest."
        assert (result.exit_code, folder.exists()) == (2, False)
        result = CliRunner().invoke(cli, ["export", str(folder), "--dialect", "kafka", "--area", "varints", *more])
        there = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
        assert (len(there), f"{sum(there) / 1e6:.2f}") == (int(found[1]), found[2])
        sizes[name] = sum(there)
    assert sizes["few"] < sizes["all"] / 10


def refuse_to_write(*_: object, **__: object) -> tuple[str, ...]:
    raise ExportError("the disk is full")


def test_what_is_left_out_is_named_ten_times(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        cli, ["export", str(tmp_path / "out"), "--dialect=kafka", "--area=resource-limits", "--largest=16384"]
    )
    named = re.findall("^left out, because its line has more than 16,384 bytes: (.+)$", result.output, re.MULTILINE)
    left_out = json.loads((tmp_path / "out" / "manifest.json").read_text())["left_out"]
    assert named == left_out[:10]
    assert f"left out too: {len(left_out) - 10} more, which manifest.json names\n" in result.output


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(
        cli, ["export", "out", "--area", "resource-limits", "--dialect", "kafka", "--archive", "x.tar.gz"]
    )
    assert result.exit_code == 0, result.output
    assert (
        "left out, because its line has more than 1,048,576 bytes: kafka/resource-limits/batch-gzip-bomb"
        in result.output
    )
    assert result.output.endswith("vectors in 4 files: out and x.tar.gz\n")
    digest = hashlib.sha256((tmp_path / "x.tar.gz").read_bytes()).hexdigest()
    assert (tmp_path / "x.tar.gz.sha256").read_text() == f"{digest}  x.tar.gz\n"
