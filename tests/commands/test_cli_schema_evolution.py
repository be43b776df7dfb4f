"""`wireproof schema lift` and `wireproof schema diff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wireproof.cli import group
from wireproof.reference import catalog
from wireproof.reference.dialects.kip_482 import schemas
from wireproof.reference.dialects.kip_482.lift import lift

FOO: dict[str, Any] = {
    "apiKey": 9000,
    "type": "response",
    "name": "FooResponse",
    "validVersions": "0-1",
    "versionsWithOptional": "1+",
    "optionalFields": [{"name": "UserAgent", "type": "string", "tag": "0x0001"}],
    "fields": [],
}
WITHOUT = FOO | {"optionalFields": []}
REUSED = FOO | {"optionalFields": [{"name": "Hops", "type": "int32", "tag": 1}]}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(group, ["schema", *map(str, arguments)])


def files(folder: Path, **found: dict[str, Any]) -> list[Path]:
    paths = []
    for name, raw in found.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(raw), "utf-8")
        paths.append(path)
    return paths


class TestLift:
    def test_all_messages(self, tmp_path: Path) -> None:
        done = run("lift", tmp_path / "lifted")
        assert done.output == f"{tmp_path / 'lifted'}: 182 messages, lifted from kafka-clients 4.4.0\n"
        assert done.exit_code == 0
        written = {path.stem for path in (tmp_path / "lifted").glob("*.json")}
        assert written == {name for name in catalog.bundled().messages if name.endswith(("Request", "Response"))}

    @pytest.mark.parametrize("name", ["RequestHeader", "AbortedTxn"])
    def test_what_is_no_rpc_is_refused(self, name: str, tmp_path: Path) -> None:
        done = run("lift", tmp_path / "lifted", name)
        assert done.exit_code == 1
        assert f"{name} is no request or response" in done.output
        assert not (tmp_path / "lifted").exists()

    def test_some(self, tmp_path: Path) -> None:
        assert run("lift", tmp_path, "HeartbeatRequest").exit_code == 0
        (path,) = tmp_path.glob("*.json")
        schema = catalog.bundled().load("HeartbeatRequest")
        assert schema is not None
        assert schemas.parse(path.read_bytes(), path.name).schema == lift(schema).schema
        assert json.loads(path.read_text("utf-8"))["versionsWithOptional"] == "5+"

    def test_what_it_wrote_can_be_explained(self, tmp_path: Path) -> None:
        run("lift", tmp_path, "HeartbeatRequest")
        options = ["--dialect", "kip-482-v1", "--schema", str(tmp_path / "HeartbeatRequest.json"), "--version", "5"]
        body = "000001670000000100016dffff"
        done = CliRunner().invoke(group, ["explain", *options, "HeartbeatRequest", body])
        assert done.exit_code == 0, done.output
        assert "GroupInstanceId" in done.output
        assert "accepted to the last byte" in done.output

    def test_malformed_bytes_of_a_schema_of_one_s_own(self, tmp_path: Path) -> None:
        """The rulings are sought with that schema, not with one of the same name among the kit's."""
        (path,) = files(tmp_path, FooResponse=FOO)
        command = ["explain", "--dialect", "kip-482-v1", "--schema", str(path), "FooResponse", "--version", "1"]
        done = CliRunner().invoke(group, [*command, "0a" + "0001" + "0002616263" + "00"])
        assert done.exit_code == 1
        assert "length-mismatch at UserAgent" in done.output
        assert "R-482-9 ‡" in done.output
        assert "R-D-2" not in done.output
        own_name = files(tmp_path, Mine=FOO | {"name": "Mine", "apiKey": 9100})[0]
        mine = ["--dialect", "kip-482-v1", "--schema", str(own_name), "Mine", "--version", "1"]
        cut = CliRunner().invoke(group, ["explain", *mine, "0a" + "0001" + "00026162"])
        assert cut.exit_code == 1, cut.output
        assert "FieldLength 5: tag and value need 7 bytes, 6 are left" in cut.output

    def test_a_schema_for_a_dialect_without(self, tmp_path: Path) -> None:
        (path,) = files(tmp_path, FooResponse=FOO)
        done = CliRunner().invoke(group, ["explain", "--schema", str(path), "VARINT", "00"])
        assert done.exit_code == 2
        assert "--schema: the messages of kafka do not come from schemas" in done.output

    def test_a_message_that_is_none(self, tmp_path: Path) -> None:
        done = run("lift", tmp_path, "FooRequest")
        assert done.exit_code == 2
        assert "has no message 'FooRequest' with a version" in done.output


class TestDiff:
    def test_nothing(self, tmp_path: Path) -> None:
        done = run("diff", "--dialect", "kip-482-v1", *files(tmp_path, a=FOO, b=FOO))
        assert (done.output, done.exit_code) == ("compatible\n", 0)

    def test_a_tag_used_again_over_three_releases(self, tmp_path: Path) -> None:
        done = run("diff", "--dialect", "kip-482-v1", *files(tmp_path, a=FOO, b=WITHOUT, c=REUSED))
        assert done.output.splitlines() == [
            "FooResponse: tag-reused: Hops: tag 1 meant UserAgent, string; now it means a field of type int32",
            "FooResponse: compatible: Hops: new, under tag 1",
            "1 change breaks compatibility",
        ]
        assert done.exit_code == 1

    def test_two_releases_alone_do_not_show_it(self, tmp_path: Path) -> None:
        done = run("diff", "--dialect", "kip-482-v1", *files(tmp_path, b=WITHOUT, c=REUSED))
        assert done.exit_code == 0
        assert done.output.splitlines() == ["FooResponse: compatible: Hops: new, under tag 1", "compatible"]

    def test_a_renamed_message_is_one_message(self, tmp_path: Path) -> None:
        done = run("diff", "--dialect", "kip-482-v1", *files(tmp_path, a=FOO, b=REUSED | {"name": "BarResponse"}))
        assert done.exit_code == 1
        assert "BarResponse: tag-reused: Hops" in done.output

    def test_folders(self, tmp_path: Path) -> None:
        files(tmp_path / "1", Foo=FOO, Old=FOO | {"name": "OldResponse"})
        files(tmp_path / "2", Foo=REUSED, New=FOO | {"name": "NewResponse"})
        done = run("diff", "--dialect", "kip-482-v1", tmp_path / "1", tmp_path / "2")
        lines = done.output.splitlines()
        assert lines[0].startswith("FooResponse: tag-reused: Hops")
        assert {"NewResponse: new", "OldResponse: gone"} <= set(lines)
        assert done.exit_code == 1

    def test_shipped_schemas(self, tmp_path: Path) -> None:
        found = json.loads((Path(catalog.__file__).parent / "FetchRequest.json").read_text("utf-8"))
        newer = json.loads(json.dumps(found))
        tagged = next(field for field in newer["fields"] if field.get("tag") is not None)
        tagged["type"], tagged["name"] = "int64", "Other"
        tagged.pop("nullableVersions", None)
        tagged.pop("default", None)
        done = run("diff", *files(tmp_path, a=found, b=newer))
        assert done.exit_code == 1
        assert done.output.startswith("FetchRequest: tag-reused: Other: tag 0 meant ClusterId, string;")

    @pytest.mark.parametrize(
        ("raw", "text"),
        [
            (FOO | {"versionsWithOptional": "x"}, "FooResponse: versionsWithOptional: 'x' is no range of versions"),
            (
                FOO | {"optionalFields": [{"name": "A", "type": "bool"}]},
                "FooResponse: A: an optional field needs a tag",
            ),
        ],
    )
    def test_a_schema_that_is_refused(self, tmp_path: Path, raw: dict[str, Any], text: str) -> None:
        done = run("diff", "--dialect", "kip-482-v1", *files(tmp_path, a=FOO, b=raw))
        assert done.exit_code == 1
        assert text in done.output

    def test_usage(self, tmp_path: Path) -> None:
        (one,) = files(tmp_path, a=FOO)
        assert "two releases are needed, OLD and NEW" in run("diff", one).output
        assert "there is no dialect 'amqp'" in run("diff", "--dialect", "amqp", one, one).output
        assert "wire-format has no schemas" in run("diff", "--dialect", "wire-format", one, one).output
        (tmp_path / "empty").mkdir()
        assert "there is no *.json in it" in run("diff", tmp_path / "empty", one).output
        (tmp_path / "odd.json").write_text("{", "utf-8")
        assert "not JSON" in run("diff", tmp_path / "odd.json", one).output


class TestExplain:
    def test_the_vectors_own_schemas_are_known(self) -> None:
        data = "08 0001 0002 6162 00 00000001 00 0007"
        done = CliRunner().invoke(group, ["explain", "--dialect", "kip-482-v1", "--version", "9", "FooResponse", data])
        assert done.exit_code == 0
        assert "UserAgent" in done.output

    def test_a_fault_is_marked_at_its_offset_with_its_ruling(self) -> None:
        data = "02 ffff 01 04 0001 ffff 00"
        done = CliRunner().invoke(group, ["explain", "--dialect", "kip-482-v1", "OPTIONAL_FIELDS", data])
        assert done.exit_code == 1
        assert "tag 1 comes after tag 65535; tags ascend" in done.output
        assert "(byte 5)" in done.output
        assert "R-482-5" in done.output

    def test_a_schema_that_cannot_be_taken(self, tmp_path: Path) -> None:
        (bad,) = files(tmp_path, a=FOO | {"type": "reply"})
        for schema, text in ((bad, "FooResponse: type: 'reply' is no kind"), (tmp_path / "none", "cannot be read")):
            options = ["--dialect", "kip-482-v1", "--schema", str(schema)]
            done = CliRunner().invoke(group, ["explain", *options, "VARINT", "02"])
            assert done.exit_code == 2
            assert text in done.output


class TestDiffOfLedgers:
    """KIP-35's ledgers of ProtocolVersions, as JSON or in the page's own text form."""

    OLD = "ProduceRequest v0:\n    Added in ProtocolVersion: 1\n"
    NEW = f"{OLD}FetchRequest v0:\n    Added in ProtocolVersion: 2\nFetchRequest v1:\n    Added in ProtocolVersion: 2\n"

    @staticmethod
    def diff(folder: Path, old: str, new: str) -> Result:
        paths = [folder / "old.txt", folder / "new.json"]
        for path, content in zip(paths, (old, new), strict=True):
            path.write_text(content, "utf-8")
        return run("diff", "--dialect", "kip-35-v7", *paths)

    def test_a_shared_number_is_told_as_contested(self, tmp_path: Path) -> None:
        done = self.diff(tmp_path, self.OLD, self.NEW)
        assert done.exit_code == 0
        assert done.output == (
            "new: compatible: FetchRequest v1: added in 2, as FetchRequest v0 is "
            "(R-35-7 ‡: another reading calls it a break)\ncompatible\n"
        )

    def test_a_jump_breaks(self, tmp_path: Path) -> None:
        added = {"ProduceRequest": 1, "FetchRequest": 40}
        jump = {
            "protocolVersions": [{"request": name, "version": 0, "added": number} for name, number in added.items()]
        }
        done = self.diff(tmp_path, self.OLD, json.dumps(jump))
        assert done.exit_code == 1
        assert "new: number-skipped: FetchRequest v0: ProtocolVersion 40 comes after 1" in done.output

    def test_an_unchanged_ledger_breaks_nothing(self, tmp_path: Path) -> None:
        page = "ProduceRequest v3:\n" + "".join(
            f"    {word} in ProtocolVersion: {number}\n"
            for word, number in (("Added", 19), ("Deprecated", 25), ("Removed", 27))
        )
        done = self.diff(tmp_path, page, page)
        assert (done.exit_code, done.output) == (0, "compatible\n")

    @pytest.mark.parametrize("text", ["ProduceRequest 3", '{"protocolVersions": 5}', "{", "ProduceRequest v0:"])
    def test_what_is_no_ledger_is_refused(self, text: str, tmp_path: Path) -> None:
        done = self.diff(tmp_path, self.OLD, text)
        assert done.exit_code == 1
        assert done.output.startswith("Error: ")
        assert len(done.output.splitlines()) == 1

    def test_what_is_no_text_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "odd").write_bytes(b"Produce\xff")
        done = run("diff", "--dialect", "kip-35-v7", tmp_path / "odd", tmp_path / "odd")
        assert "odd: it is not UTF-8" in done.output
