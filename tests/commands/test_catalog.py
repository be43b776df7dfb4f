"""Catalogues: the import, its refusals, and a suite that runs with another Kafka's catalogue."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.pytest_run import run

from wireproof import catalog_import
from wireproof.cli import group
from wireproof.reference import catalog
from wireproof.reference.schema import load_json, parse


def imported(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["schema", "import", *map(str, arguments)])
    return result.exit_code, result.output


def message(**changes: Any) -> dict[str, Any]:
    """A small request, with changes."""
    plain = {
        "name": "PingRequest",
        "type": "request",
        "apiKey": 99,
        "validVersions": "0-2",
        "flexibleVersions": "1+",
        "fields": [{"name": "Text", "type": "string", "versions": "0+", "about": "prose"}],
    }
    return plain | changes


def field(**changes: Any) -> dict[str, Any]:
    return {"name": "Extra", "type": "int32", "versions": "0+"} | changes


def loop(depth: int) -> list[dict[str, Any]]:
    """Structures inside structures, `depth` deep."""
    inner: list[dict[str, Any]] = [field()]
    for level in range(depth):
        inner = [{"name": f"S{level}", "type": f"T{level}", "versions": "0+", "fields": inner}]
    return inner


def test_the_bundled_catalogue_is_what_it_says() -> None:
    found = catalog.current()
    assert found.made_by == "kafka-clients 4.4.0"
    assert len(found.messages) == 195
    assert set(found.apis) <= set(range(95))
    schemas = [found.load(name) for name in found.messages]
    versions = [
        (schema, v) for schema in schemas if schema for v in range(schema.versions.low, schema.versions.high + 1)
    ]
    assert len(versions) == 640
    assert sum(version in schema.flexible for schema, version in versions) == 377
    assert all(
        (schema.versions.low, schema.versions.high) == found.messages[schema.name] for schema in schemas if schema
    )


@pytest.mark.parametrize(
    ("asked", "opened"),
    [
        ('"ApiVersionsResponse", b"\\0" * 6, dialect="kafka", version=0', {"index", "ApiVersionsResponse"}),
        (
            '"ResponseFrame:ApiVersions", b"\\0\\0\\0\\x0a" + b"\\0" * 10, dialect="kafka", version=0',
            {"index", "ApiVersionsResponse", "ResponseHeader"},
        ),
        ('"VARINT", b"\\0", dialect="kafka"', set()),
    ],
)
def test_only_the_schemas_that_are_needed_are_opened(asked: str, opened: set[str]) -> None:
    """In a fresh interpreter, from the import on."""
    source = (
        "import sys\n"
        "sys.addaudithook(lambda event, values: event == 'open' and print(values[0]))\n"
        "from wireproof import reference\n"
        f"reference.decode({asked})\n"
    )
    done = subprocess.run([sys.executable, "-c", source], check=True, capture_output=True, text=True)
    paths = [Path(line) for line in done.stdout.splitlines()]
    folder = Path(catalog.__file__).parent
    assert paths  # of the code, if of nothing else
    found = [path.stem for path in paths if path.parent == folder and path.suffix == ".json"]
    assert sorted(found) == sorted(opened)


def test_a_folder_becomes_a_catalogue_without_prose(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "PingRequest.json").write_text("// a licence\n" + json.dumps(message(listeners=["broker"])))
    code, text = imported(source, tmp_path / "made")
    assert (code, text) == (0, f"{tmp_path / 'made'}: 1 schemas, 1 messages with versions, from source\n")
    made = catalog.Catalog(tmp_path / "made")
    assert made.apis == {99: "Ping"}
    assert made.messages == {"PingRequest": (0, 2)}
    written = (tmp_path / "made" / "PingRequest.json").read_text()
    assert "prose" not in written
    assert "listeners" not in written
    assert made.load("PingRequest") == parse(json.dumps(message()))


def test_a_jar_is_read_as_it_is(tmp_path: Path) -> None:
    jar = tmp_path / "kafka-clients-9.9.9.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("common/message/PingRequest.json", json.dumps(message()))
        file.writestr("org/apache/kafka/Other.class", b"\xca\xfe\xba\xbe")
    assert catalog_import.make(jar, tmp_path / "made") == (1, 1)
    assert catalog.Catalog(tmp_path / "made").made_by == "kafka-clients 9.9.9"


def test_what_follows_a_schema_is_not_read_as_kafka_s_own_reader_does_not(tmp_path: Path) -> None:
    """In kafka-clients 2.8 a brace too many follows two schemas."""
    jar = tmp_path / "kafka-clients-2.8.2.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("common/message/PingRequest.json", "// Licence\n" + json.dumps(message()) + "\n}\n")
    assert catalog_import.make(jar, tmp_path / "made") == (1, 1)
    assert catalog.Catalog(tmp_path / "made").load("PingRequest") == parse(json.dumps(message()))


@pytest.mark.parametrize("place", [0, 1, 3])
def test_each_command_takes_a_catalogue_before_and_behind_its_name(place: int, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "PingRequest.json").write_text(json.dumps(message()))
    assert imported(tmp_path / "source", tmp_path / "made")[0] == 0
    words = ["schema", "show", "PingRequest", "--version", "1"]
    words.insert(place, f"--catalog={tmp_path / 'made'}")
    result = CliRunner().invoke(group, words)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("PingRequest version 1, ")
    assert "(source)" in result.output
    assert CliRunner().invoke(group, ["schema", "show", "PingRequest", "--version", "1"]).exit_code == 2
    refused = CliRunner().invoke(group, ["fuzz", "findings", "x", "--catalog", str(tmp_path / "source")])
    assert refused.exit_code == 2
    assert "a folder from `wireproof schema import` is expected" in " ".join(refused.output.split())


def test_the_fields_of_a_version_are_shown_as_a_wrapper_sees_them() -> None:
    result = CliRunner().invoke(group, ["schema", "show", "ConsumerGroupHeartbeatResponse", "--version", "0"])
    lines = result.output.splitlines()
    assert lines[0].startswith("ConsumerGroupHeartbeatResponse version 0, flexible")
    assert "  Assignment: Assignment or null, a structure, default null" in lines
    assert "      Partitions: COMPACT_ARRAY of INT32" in lines
    assert lines[-2].startswith('value  {"ThrottleTimeMs": 0, ')
    assert lines[-1] == "bytes  00 00 00 00 00 00 01 01 00 00 00 00 00 00 00 00 01 01 00 00"
    tagged = CliRunner().invoke(group, ["schema", "show", "ApiVersionsResponse", "--version", "3"]).output
    assert "FinalizedFeaturesEpoch: INT64, tag 1, default -1" in tagged
    none = CliRunner().invoke(group, ["schema", "show", "ApiVersionsResponse", "--version", "99"])
    assert (none.exit_code, "has the versions 0-" in none.output) == (2, True)


def test_making_it_again_changes_nothing(tmp_path: Path) -> None:
    bundled = Path(catalog.__file__).parent
    catalog_import.make(bundled, tmp_path)
    for path in bundled.glob("*.json"):
        if path.name != "index.json":
            assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} // end', {"a": 1}),
        ('{"a": "//no comment"}', {"a": "//no comment"}),
        ('{"a": "a \\" // still text"}', {"a": 'a " // still text'}),
        ('{/* one\n   two */ "a": 1}', {"a": 1}),
        ('// first\n{"a": [1, // one\n 2]}', {"a": [1, 2]}),
    ],
)
def test_comments_are_passed_over(text: str, value: Any) -> None:
    assert load_json(text) == value


@pytest.mark.parametrize(
    ("name", "broken", "says"),
    [
        (
            "a cycle",
            message(
                fields=[{"name": "A", "type": "T", "versions": "0+"}],
                commonStructs=[
                    {"name": "T", "versions": "0+", "fields": [{"name": "B", "type": "[]T", "versions": "0+"}]}
                ],
            ),
            "A.B: the structure T contains itself",
        ),
        ("a bad range", message(validVersions="3-1"), "validVersions: '3-1' is an empty or too large range"),
        (
            "a duplicate tag",
            message(
                fields=[
                    field(name="A", tag=0, taggedVersions="1+", versions="1+"),
                    field(name="B", tag=0, taggedVersions="1+", versions="1+"),
                ]
            ),
            "A and B share the tag 0",
        ),
        ("an unknown type", message(fields=[field(type="int33")]), "Extra: int33 is neither a scalar nor"),
        ("a hostile name", message(name="x'); import os #"), "is no name"),
        ("a hostile field", message(fields=[field(name="__class__")]), "is no name"),
        ("a huge default", message(fields=[field(default="99999999999")]), "Extra.default:"),
        ("a default of another type", message(fields=[field(type="bool", default="maybe")]), "no boolean default"),
        ("a null that can't be", message(fields=[field(nullableVersions="0+")]), "a int32 can't be null"),
        (
            "a tag in a version without tags",
            message(fields=[field(tag=0, taggedVersions="0+")]),
            "only 1+ are flexible",
        ),
        ("a gap in the tags", message(fields=[field(tag=1, taggedVersions="1+", versions="1+")]), "have a gap"),
        ("an unknown key", message(validVersion="0-2"), ": the key 'validVersion' is not known here; is validVersions"),
        (
            "an unknown key of a field",
            message(fields=[field(nullableVersion="0+")]),
            "Extra: the key 'nullableVersion' is not known here; is nullableVersions meant?",
        ),
        ("a UUID that is none", message(fields=[field(type="uuid", default="AAAA")]), "'AAAA' is no UUID; 22 charact"),
        ("the same field twice", message(fields=[field(), field()]), "the field Extra stands twice"),
        ("nested too deep", message(fields=loop(40)), "nested more than 32 deep"),
        ("no fields", {key: item for key, item in message().items() if key != "fields"}, "fields: a JSON array"),
        ("no JSON", '{"name": ', "not JSON"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_a_broken_schema_gets_one_clear_error(name: str, broken: Any, says: str, tmp_path: Path) -> None:
    (tmp_path / "Broken.json").write_text(broken if isinstance(broken, str) else json.dumps(broken))
    code, text = imported(tmp_path, tmp_path / "made")
    assert code == 1, name
    assert text.startswith("Error: Broken.json")
    assert says in text
    assert text.count("\n") == 1
    assert not (tmp_path / "made").exists()


def test_what_is_no_source_is_said(tmp_path: Path) -> None:
    (tmp_path / "no.jar").write_bytes(b"no zip")
    assert (
        "a kafka-clients jar or a folder of schemas is expected" in imported(tmp_path / "no.jar", tmp_path / "made")[1]
    )
    (tmp_path / "empty").mkdir()
    assert "there is no message schema in it" in imported(tmp_path / "empty", tmp_path / "made")[1]
    assert imported(tmp_path / "nowhere", tmp_path / "made")[0] == 2


def test_the_suite_runs_against_another_catalogue(tmp_path: Path) -> None:
    """A Kafka whose ApiVersions ended with version 3: later versions are not offered, the rest passes."""
    source = tmp_path / "source"
    source.mkdir()
    bundled = Path(catalog.__file__).parent
    for name in ("ApiVersionsRequest", "ApiVersionsResponse", "RequestHeader", "ResponseHeader"):
        raw = json.loads((bundled / f"{name}.json").read_text())
        if raw["type"] != "header":
            raw["validVersions"] = "0-3"
            raw["fields"] = [entry for entry in raw["fields"] if entry["versions"] != "5+"]
        (source / f"{name}.json").write_text(json.dumps(raw))
    assert imported(source, tmp_path / "made")[0] == 0
    done = run("--impl=reference", "--catalog=made", "--area=tag-ordering", "-v", cwd=tmp_path)
    assert done.code == 0, done.text
    assert "ApiVersionsResponse" in done.text  # among what is not offered
    refused = run("--impl=reference", "--catalog=source", cwd=tmp_path)
    assert refused.code == 4
    assert "a folder from `wireproof schema import` is expected" in refused.text
