"""Vectors with the catalogue of another Kafka: asked only where that has the same messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.pytest_run import run

from wireproof.cli import group
from wireproof.conformance import ledger, vectors
from wireproof.conformance.model import Op
from wireproof.conformance.questions.catalog_filter import holds
from wireproof.conformance.vectors import Vector
from wireproof.fuzz.targets.inputs import values
from wireproof.reference import catalog

Raw = dict[str, Any]


def edited(folder: Path, **changes: Callable[[Raw], None]) -> Path:
    """A catalogue like the bundled one, with some messages changed."""
    source = folder / "source"
    source.mkdir()
    for path in Path(catalog.__file__).parent.glob("*.json"):
        raw = json.loads(path.read_text())
        if path.stem in changes:
            changes[path.stem](raw)
        (source / path.name).write_text(json.dumps(raw))
    made = folder / "made"
    result = CliRunner().invoke(group, ["schema", "import", str(source), str(made)])
    assert result.exit_code == 0, result.output
    return made


def ends_with(version: int) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        raw["validVersions"] = f"{raw['validVersions'].partition('-')[0]}-{version}"

    return change


def renamed(old: str, new: str) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        (field,) = (field for field in raw["fields"] if field["name"] == old)
        field["name"] = new

    return change


def changed(name: str, **facts: Any) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        (field,) = (field for field in raw["fields"] if field["name"] == name)
        field.update(facts)

    return change


def gone(raw: Raw) -> None:
    raw |= {"validVersions": "none", "fields": [], "flexibleVersions": "none"}


def stored(identifier: str) -> Vector:
    found = ledger.find(f"kafka/messages/{identifier}#decode")
    assert found is not None
    return found[0]


def written(identifier: str) -> Vector:
    (found,) = (vector for vector in vectors.load() if vector.path == f"kafka/{identifier}")
    return found


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return edited(
        tmp_path_factory.mktemp("older"),
        ApiVersionsRequest=ends_with(4),
        ApiVersionsResponse=ends_with(4),
        MetadataRequest=ends_with(12),
        HeartbeatRequest=renamed("MemberId", "Member"),
        LeaveGroupRequest=changed("GroupId", nullableVersions="5+"),
        FindCoordinatorResponse=changed("NodeId", type="int64"),
        DescribeClusterRequest=gone,
        DescribeClusterResponse=gone,
        UpdateRaftVoterResponse=gone,
    )


def test_under_the_bundled_catalogue_everything_holds() -> None:
    assert all(holds(vector, op) for vector in vectors.load() for op in vector.ops)


def test_campaigns_begin_without_values_of_messages_that_are_not_there(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_the_message = b"UpdateRaftVoterResponse/"
    assert any(raw.startswith(of_the_message) for raw in values("kafka"))
    monkeypatch.setenv(catalog.VARIABLE, str(older))
    assert not any(raw.startswith(of_the_message) for raw in values("kafka"))


@pytest.mark.parametrize(
    ("identifier", "there"),
    [
        ("MetadataRequest/13/set", False),  # the version is not there
        ("MetadataRequest/12/set", True),
        ("MetadataResponse/13/set", True),
        ("HeartbeatRequest/0/default", False),  # another name
        ("LeaveGroupRequest/4/set", True),
        ("LeaveGroupRequest/5/set", False),  # another nullability
        ("FindCoordinatorResponse/3/set", False),  # another type
        ("FindCoordinatorResponse/4/set", True),  # whose version has no such field
        ("DescribeClusterRequest/0/default", False),  # no version is left
    ],
)
def test_ledger_cases(identifier: str, there: bool, older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(catalog.VARIABLE, str(older))
    assert [holds(stored(identifier), op) for op in Op if op in stored(identifier).ops] == [there] * 3


@pytest.mark.parametrize(
    ("identifier", "op", "there"),
    [
        ("unsupported-versions/request-frame-v5", Op.DECODE, False),
        ("unsupported-versions/request-frame-v5", Op.ENCODE, False),
        ("unsupported-versions/request-frame-v4", Op.DECODE, True),
        ("unsupported-versions/response-frame-v5", Op.DECODE, False),
        ("unsupported-versions/response-frame-v3", Op.ENCODE, True),
        ("unsupported-versions/response-frame-v6", Op.DECODE, True),  # neither Kafka has it
        ("unsupported-versions/request-v6", Op.DECODE, True),
        ("unsupported-versions/client-v5-accepts", Op.INTERPRET, False),
        ("unsupported-versions/client-v4-accepts", Op.INTERPRET, True),
        ("unsupported-versions/client-api-999-error-35", Op.INTERPRET, True),
        ("unsupported-versions/broker-v5", Op.SERVE, False),
        ("unsupported-versions/broker-v4", Op.SERVE, True),
        ("unsupported-versions/broker-versions-mixed", Op.SERVE, True),
        ("unsupported-versions/broker-nothing-received", Op.SERVE, True),
        ("unsupported-versions/negotiate-identical", Op.NEGOTIATE, True),
        ("framing/write-request-4-cluster", Op.ENCODE, True),  # its field is still known, by a version that is gone
    ],
)
def test_written_vectors(identifier: str, op: Op, there: bool, older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(catalog.VARIABLE, str(older))
    assert holds(written(identifier), op) is there


def test_a_field_of_another_version_matters_where_a_value_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Kafka that never had ClusterId: version 4 reads alike, but a value that names it is another question."""

    def forget(raw: Raw) -> None:
        ends_with(4)(raw)
        raw["fields"] = [field for field in raw["fields"] if field["versions"] != "5+"]

    monkeypatch.setenv(catalog.VARIABLE, str(edited(tmp_path, ApiVersionsRequest=forget)))
    assert not holds(written("framing/write-request-4-cluster"), Op.ENCODE)
    assert holds(stored("ApiVersionsRequest/4/set"), Op.ENCODE)
    assert holds(stored("ApiVersionsRequest/4/set"), Op.DECODE)


def test_an_api_that_only_the_other_kafka_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What every broker refuses to the bundled catalogue, this one answers."""

    def number_999(raw: Raw) -> None:
        raw["apiKey"] = 999

    monkeypatch.setenv(
        catalog.VARIABLE, str(edited(tmp_path, HeartbeatRequest=number_999, HeartbeatResponse=number_999))
    )
    assert not holds(written("unsupported-versions/broker-api-999"), Op.SERVE)
    assert not holds(written("unsupported-versions/client-api-999-error-35"), Op.INTERPRET)


#: What is changed in the older catalogue, by the beginning of its name; the rest is as it always is.
CHANGED = ("ApiVersions", "Metadata", "Heartbeat", "LeaveGroup", "FindCoordinator", "DescribeCluster")


def test_the_run_says_what_it_leaves_out(older: Path, tmp_path: Path) -> None:
    areas = ("--area=messages", "--area=unsupported-versions")
    chosen = " or ".join(("unsupported", *CHANGED))
    done = run("--impl=reference", f"--catalog={older}", *areas, "-k", chosen, "-v", cwd=tmp_path)
    assert done.code == 0, done.text
    assert "skip" not in done.text.rpartition("\n\n")[2]
    _, said, listed = " ".join(done.text.split()).partition(
        "questions not asked, without derived ones: not as in the vectors' schemas are "
    )
    assert said
    assert "HeartbeatRequest" in listed
    assert "MetadataResponse" not in listed
