"""The schemas of the files in `vectors/`: there is one for each kind of file, and all files keep to it. What the loader
refuses in a vectors file, and the schema too, is in test_vectors_format.py."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from wireproof.conformance import vectors

FOLDER = Path(vectors.__file__).parents[2] / "vectors"
SCHEMAS: dict[str, Any] = {path.name: json.loads(path.read_bytes()) for path in FOLDER.glob("*.schema.json")}
_REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(SCHEMAS[f"{name}.schema.json"], registry=_REGISTRY)


def problems(name: str, lines: Iterator[tuple[str, Any]]) -> list[str]:
    """What the schema finds, with its place. `lines`: place → JSON."""
    checks = validator(name)
    return [f"{place}: {error.message[:200]}" for place, line in lines for error in checks.iter_errors(line)]


def of_lines(path: Path) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        yield f"{path.name}, line {number}", json.loads(line)


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_is_a_schema_with_an_id_of_its_own(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert [other for other, schema in SCHEMAS.items() if schema["$id"] == SCHEMAS[name]["$id"]] == [name]


def test_every_kind_of_file_has_a_schema() -> None:
    """Kafka's message schemas of kip-482-v1 are in the draft's own format."""
    kinds = {
        "vectors.schema.json": {f"{path.parent.name}/{path.name}" for path in FOLDER.glob("*/*.json")},
        "ledger.schema.json": {path.name for path in FOLDER.glob("*/messages/*.jsonl")},
        "attestation.schema.json": {path.name for path in FOLDER.glob("attested/*.jsonl")},
        "decisions.schema.json": {path.name for path in FOLDER.glob("attested/*.toml")},
        "bugs.schema.json": {"bugs.json"},
        "broker_bugs.schema.json": {"broker_bugs.json"},
        "requests.schema.json": {"requests.json"},
        "conversations.schema.json": {"conversations.json", "faults.json"},
        "scripts.schema.json": {"scripts.json"},
    }
    assert kinds.keys() == SCHEMAS.keys()
    known = {name for names in kinds.values() for name in names} | SCHEMAS.keys()
    files = (path for kind in ("json", "jsonl", "toml") for path in FOLDER.rglob(f"*.{kind}"))
    unknown = [
        path
        for path in files
        if "schemas" not in path.parts and not {path.name, f"{path.parent.name}/{path.name}"} & known
    ]
    assert unknown == []


@pytest.mark.parametrize("dialect", ["kafka", "kip-482-v1"])
def test_the_ledgers_keep_to_theirs(dialect: str) -> None:
    paths = sorted((FOLDER / dialect / "messages").glob("*.jsonl"))
    assert len(paths) > 150
    assert problems("ledger", (line for path in paths for line in of_lines(path))) == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("attested/*.jsonl")), ids=lambda path: path.stem)
def test_the_attestations_keep_to_theirs(path: Path) -> None:
    assert problems("attestation", of_lines(path)) == []


@pytest.mark.parametrize("name", ["bugs", "broker_bugs"])
def test_the_bugs_keep_to_theirs(name: str) -> None:
    content = json.loads((FOLDER / f"{name}.json").read_bytes())
    assert problems(name, iter([(f"{name}.json", content)])) == []


def test_the_requests_keep_to_theirs() -> None:
    assert problems("requests", iter([("requests.json", json.loads((FOLDER / "requests.json").read_bytes()))])) == []


@pytest.mark.parametrize("name", ["conversations.json", "faults.json"])
def test_the_conversations_keep_to_theirs(name: str) -> None:
    content = json.loads((FOLDER / name).read_bytes())
    assert problems("conversations", iter([(name, content)])) == []


def test_the_scripts_keep_to_theirs() -> None:
    assert problems("scripts", iter([("scripts.json", json.loads((FOLDER / "scripts.json").read_bytes()))])) == []


def test_the_decisions_keep_to_theirs() -> None:
    decisions = tomllib.loads((FOLDER / "attested" / "decisions.toml").read_text("utf-8"))
    assert problems("decisions", iter([("decisions.toml", decisions)])) == []


#: Of each kind of line one that is right.
RIGHT: dict[str, Any] = {
    "ledger header": {"ledger": 1, "message": "X", "made_by": "y", "derive_from": ["set"]},
    "ledger case": {"case": "set", "value": {"A": 1}, "bytes": {"0-3": "00", "4": "01"}, "canonical": {"4": "02"}},
    "ledger same": {"case": "set", "same_as": "kafka", "versions": "0-3"},
    "attestation header": {
        "attested": 1,
        "name": "kio",
        "version": None,
        "language": "python",
        "group": "kio",
        "dialect": "kafka",
    },
    "attestation vector": {
        "vector": "varints/a-1",
        "digest": "01234567",
        "agree": "decode encode",
        "dissent": {"recode": "wrong-bytes"},
    },
    "attestation ledger": {
        "ledger": "X",
        "digest": "01234567",
        "agree": {"decode encode": "0-3 set:4-5"},
        "dissent": {"crash": {"recode": "6"}},
    },
    "bugs": {
        "format": 1,
        "bugs": [
            {
                "id": "A01",
                "repo": "a/b",
                "ref": "#1",
                "date": "2025",
                "area": "varints",
                "title": "t",
                "wrong_behaviour": "w",
                "detect": "d",
                "certainty": "high",
                "ruled": {"ruling": "R-K-21", "how": "contested", "why": "y"},
            }
        ],
    },
    "decisions": {"decision": [{"subject": "s", "match": ["kafka/a#decode"], "outcome": "stands", "why": "y"}]},
}


@pytest.mark.parametrize("kind", RIGHT)
def test_what_is_right(kind: str) -> None:
    assert list(validator(kind.partition(" ")[0]).iter_errors(RIGHT[kind])) == []


@pytest.mark.parametrize(
    ("kind", "put"),
    [
        ("ledger header", {"ledger": 2}),
        ("ledger header", {"derive_from": []}),
        ("ledger header", {"colour": "red"}),
        ("ledger case", {"case": "odd"}),
        ("ledger case", {"value": 0.5}),
        ("ledger case", {"value": {"A": {"hex": "0"}}}),
        ("ledger case", {"bytes": {}}),
        ("ledger case", {"bytes": {"0-": "00"}}),
        ("ledger case", {"bytes": {"0": "0"}}),
        ("ledger case", {"version": 0}),
        ("ledger same", {"versions": 0}),
        ("ledger same", {"value": {}}),
        ("attestation header", {"vectors": "0123456789ab"}),
        ("attestation header", {"group": ""}),
        ("attestation vector", {"vector": "varints"}),
        ("attestation vector", {"digest": "0"}),
        ("attestation vector", {"agree": "read"}),
        ("attestation vector", {"dissent": {"read": "crash"}}),
        ("attestation ledger", {"agree": {"decode": "all"}}),
        ("attestation ledger", {"dissent": {"crash": "6"}}),
        ("bugs", {"format": 2}),
        ("bugs", {"bugs": [{"id": "A01"}]}),
        ("bugs", {"bugs": [{**RIGHT["bugs"]["bugs"][0], "area": "odds"}]}),
        ("bugs", {"bugs": [{**RIGHT["bugs"]["bugs"][0], "unreached": "why"}]}),
        ("decisions", {"decision": [{**RIGHT["decisions"]["decision"][0], "outcome": "perhaps"}]}),
        ("decisions", {"decision": [{**RIGHT["decisions"]["decision"][0], "match": []}]}),
        ("decisions", {"decision": [{**RIGHT["decisions"]["decision"][0], "ruling": "K-1"}]}),
    ],
)
def test_what_is_wrong(kind: str, put: dict[str, Any]) -> None:
    assert not validator(kind.partition(" ")[0]).is_valid({**RIGHT[kind], **put})
