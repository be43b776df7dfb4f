"""The ledger of lifted messages: made from Kafka's own bytes, equal in two independent codecs, and able to fail."""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from second_opinion import kip_482 as opinion
from second_opinion import lifted
from support.paths import TESTS

from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome, Verdict
from wireproof.conformance.questions import selection
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import VectorError
from wireproof.reference import catalog
from wireproof.reference.dialects.kip_482 import schemas
from wireproof.reference.dialects.kip_482.lift import lift
from wireproof.reference.schema import Schema

VECTORS = TESTS.parent / "vectors"
DIALECT = "kip-482-v1"
KAFKA = catalog.bundled()
#: Requests and responses: what the draft gives a new version.
NAMES = sorted(name for name in KAFKA.messages if name.endswith(("Request", "Response")))
OPINION = opinion.Opinion(vectors.settings(DIALECT)["schemas"])


def shipped(name: str) -> Schema:
    found = KAFKA.load(name)
    assert found is not None
    return found


def test_every_message_is_there() -> None:
    assert list(ledger.names(DIALECT)) == NAMES == lifted.names()
    assert len(NAMES) == 182


@pytest.mark.parametrize("name", NAMES)
def test_schema_and_bytes_are_what_is_made_of_kafkas(name: str) -> None:
    """`wireproof schema lift` makes the schema; the ledger is made without it."""
    schema = (VECTORS / DIALECT / "schemas" / "lifted" / f"{name}.json").read_text("utf-8")
    assert schema == json.dumps(schemas.to_json(lift(shipped(name))), indent=2) + "\n"
    assert (VECTORS / DIALECT / "messages" / f"{name}.jsonl").read_bytes() == lifted.content(name)


def test_what_lays_it_out_imports_nothing_of_the_kit() -> None:
    tree = ast.parse(Path(lifted.__file__).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported == {"__future__", "collections.abc", "itertools", "json", "pathlib", "sys", "typing"}


@pytest.mark.parametrize("name", NAMES)
def test_every_version_has_a_case_and_a_classic_one_has_kafkas_bytes(name: str) -> None:
    found = shipped(name)
    cases = ledger.load(name, DIALECT).vectors
    versions = range(found.versions.low, found.versions.high + 2)
    assert {vector.version for vector in cases} == set(versions)
    new = {vector.id.rpartition("/")[2] for vector in cases if vector.version == versions[-1]}
    assert new >= ({"set", "lowest", "greatest", "unknown-tags"} if found.fields else {"default", "unknown-tags"})
    for vector in cases:
        kafkas = ledger.vector(vector.id)
        if vector.version in found.versions and vector.version not in found.flexible:
            assert kafkas is not None
            assert (vector.data, vector.value) == (kafkas.data, kafkas.value)
        elif kafkas is not None and vector.data:
            assert vector.data != kafkas.data


@pytest.mark.parametrize("name", NAMES)
def test_the_second_opinion_reads_and_writes_it(name: str) -> None:
    for vector in ledger.load(name, DIALECT).vectors:
        assert equal(vector.value, OPINION.decode(name, vector.version, vector.data)), vector.path
        assert OPINION.encode(name, vector.version, vector.value) == vector.canonical_data, vector.path


def test_only_the_new_version_is_cut() -> None:
    found = ledger.load("HeartbeatRequest", DIALECT)
    assert {version: [one.id for one in ones] for version, ones in ledger.richest_first(found).items()} == {
        5: ["HeartbeatRequest/5/unknown-tags"]
    }


@pytest.mark.parametrize(
    "identifier",
    ["FetchResponse/4/set#encode", "FetchResponse/19/set#decode", "HeartbeatRequest/5/unknown-tags+prefix:3#decode"],
)
def test_ids_are_found_again(identifier: str) -> None:
    found = ledger.find(f"{DIALECT}/messages/{identifier}")
    assert found is not None
    assert found[1].id == f"{DIALECT}/messages/{identifier}"
    assert found[1].dialect == DIALECT


@pytest.mark.parametrize("path", [f"{DIALECT}/messages/FetchResponse/20/set", "kip-82/messages/FetchResponse/4/set"])
def test_ids_that_are_none(path: str) -> None:
    assert ledger.find(f"{path}#decode") is None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            '{"case":"set","same_as":"kafka","versions":"9"}',
            "line 2: the ledger of kafka has no case HeartbeatRequest/9",
        ),
        ('{"case":"set","same_as":"kip-82","versions":"0"}', "line 2: the ledger of kip-82 has no case"),
        ('{"case":"set","same_as":"kafka","versions":"0","bytes":{}}', "line 2: Object contains unknown field"),
    ],
)
def test_a_line_that_stands_for_nothing_is_refused(line: str, says: str) -> None:
    head = '{"ledger":1,"message":"HeartbeatRequest","made_by":"x"}\n'
    with pytest.raises(VectorError, match=says):
        ledger.parse((head + line).encode(), "odd.jsonl", DIALECT)


# --- It can fail ------------------------------------------------------------------------------------------------------


def judged(spec: str, messages: Iterable[str]) -> list[Verdict]:
    """The verdicts on these messages' cases, without those that are derived."""
    chosen = (vector for name in messages for vector in ledger.load(name, DIALECT).vectors)
    with Examiner(open_connection(spec, Options(in_process=True))) as examiner:
        return [one.verdict for one in examiner.judge(selection.of_vectors(chosen, examiner.description))]


MESSAGES = ("FetchResponse", "HeartbeatRequest", "ProduceResponse", "VoteRequest")


@pytest.mark.parametrize(
    "name",
    [
        "miniatures.kip_482_buffers_last",
        "readings.kip_482_drops_unknown_fields",
        "readings.kip_482_counts_the_tag",
        "readings.kip_482_sends_defaults",
    ],
)
def test_a_wrong_reading_is_seen_in_the_new_version_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a failure, or as contested where it is a reading."""
    monkeypatch.chdir(TESTS)
    module = importlib.import_module(name)
    found: dict[bool, set[Outcome]] = {False: set(), True: set()}
    for verdict in judged(module.__name__, MESSAGES):
        assert verdict.version is not None
        found[verdict.version in shipped(verdict.type or "").versions].add(verdict.outcome)
    assert found[True] == {Outcome.PASS}
    contested = {outcome for _, outcome, _ in module.PRODUCES} == {"contested"}
    assert found[False] - {Outcome.PASS} == {Outcome.CONTESTED if contested else Outcome.FAIL}


@pytest.mark.parametrize(
    ("name", "planted", "versions"),
    [
        ("compact_where_kafka_is", "right(type, value, dialect='kafka', version=4)", {4}),
        ("early_buffer", "b'\\0' + right(type, value, dialect=dialect, version=version)", {0, 3}),
        ("no_buffer", "right(type, value, dialect=dialect, version=5).removeprefix(b'\\0')", {5}),
        ("tag_buffer", "right(type, value, dialect='kafka', version=4)", {5}),
    ],
)
def test_a_wrong_lift_is_noticed(
    name: str, planted: str, versions: set[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{name}.py").write_text(
        f"""
from wireproof.reference import configure, rejects
from wireproof.reference import encode as right
dialects = ("kip-482-v1",)
def encode(type, value, *, dialect, version=None):
    if version in {versions}:
        return {planted}
    return right(type, value, dialect=dialect, version=version)
"""
    )
    monkeypatch.chdir(tmp_path)
    found = judged(name, ["HeartbeatRequest"])
    assert {verdict.version for verdict in found if verdict.outcome is not Outcome.PASS} == versions
    assert {verdict.outcome for verdict in found} == {Outcome.FAIL, Outcome.PASS}
