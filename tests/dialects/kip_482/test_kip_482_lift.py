"""Lifting: the result for each kind of field, and that the new version round-trips; test_kip_482_ledger has the
bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from second_opinion import kip_482 as opinion
from support.trying import tried

from wireproof.conformance import ledger
from wireproof.conformance.generation import random_values
from wireproof.conformance.values.compare import equal
from wireproof.reference import DecodeError, EncodeError, Reason, Reference, Rules, SchemaError, catalog
from wireproof.reference.codec import NodeCodec, decode, encode
from wireproof.reference.dialects.kip_482 import schemas
from wireproof.reference.dialects.kip_482.lift import lift
from wireproof.reference.dialects.kip_482.schemas import MessageSchema, OptionalField, Structure
from wireproof.reference.evolution import Policy, compare
from wireproof.reference.schema import Schema, Versions, from_json
from wireproof.reference.schema.plan import plan

DIALECT = "kip-482-v1"
KAFKA = catalog.bundled()
#: Requests and responses: what the draft gives a new version.
NAMES = sorted(name for name in KAFKA.messages if name.endswith(("Request", "Response")))


def shipped(name: str) -> Schema:
    found = KAFKA.load(name)
    assert found is not None
    return found


LIFTED: Mapping[str, MessageSchema] = {name: lift(shipped(name)) for name in NAMES}


def codec(name: str, version: int) -> NodeCodec:
    return NodeCodec(plan(LIFTED[name].schema, version))


def test_every_message_is_lifted() -> None:
    assert len(LIFTED) == 182
    assert {message.kind for message in LIFTED.values()} == {"request", "response"}
    for name, message in LIFTED.items():
        found = shipped(name)
        new = found.versions.high + 1
        assert message.versions == Versions(found.versions.low, new)
        assert message.with_optional.low == new
        assert (message.name, message.api_key) == (found.name, found.api_key)


CLASSIC = [
    vector
    for name in NAMES
    for vector in ledger.load(name).vectors
    if vector.type == name and vector.version is not None and vector.version not in shipped(name).flexible
]


def test_the_ledger_has_classic_versions() -> None:
    assert len({(vector.type, vector.version) for vector in CLASSIC}) > 150


@pytest.mark.parametrize("name", sorted({vector.type or "" for vector in CLASSIC}))
def test_bytes_of_classic_versions_are_kafkas_own(name: str) -> None:
    """As Apache Kafka's classes wrote them, of which the ledger's bytes are."""
    for vector in (vector for vector in CLASSIC if vector.type == name):
        assert vector.version is not None
        found = codec(name, vector.version)
        assert encode(found, vector.value, Rules()) == vector.data, vector.path
        assert equal(found.complete(vector.value), decode(found, vector.data, Rules())), vector.path


@pytest.mark.parametrize("name", NAMES)
def test_generated_values_round_trip_and_cuts_are_refused(name: str) -> None:
    version = LIFTED[name].versions.high
    found = codec(name, version)
    expected = opinion.Opinion([schemas.to_json(LIFTED[name])])

    def made(random: Random) -> tuple[Any, float]:
        return random_values.of_node(found.node, random), random.random()

    def check(drawn: tuple[Any, float]) -> None:
        value, place = drawn
        data = encode(found, value, Rules())
        assert equal(value, decode(found, data, Rules())), data.hex()
        assert equal(value, expected.decode(name, version, data)), data.hex()
        with pytest.raises(DecodeError) as refused:
            decode(found, data[: int(place * len(data))], Rules())
        assert refused.value.reason is Reason.TRUNCATED

    tried(6, check, made, name)


@pytest.mark.parametrize("name", NAMES)
def test_the_json_reads_back(name: str) -> None:
    raw = json.loads(json.dumps(schemas.to_json(LIFTED[name])))
    assert schemas.from_json(raw).schema == LIFTED[name].schema


def test_what_was_tagged_is_optional_or_else_a_mandatory_field_of_the_new_version() -> None:
    fetch = LIFTED["FetchResponse"]
    assert [field.name for field in fetch.body.fields] == [
        "ThrottleTimeMs", "ErrorCode", "SessionId", "Responses", "NodeEndpoints"
    ]  # fmt: skip
    endpoints = fetch.body.fields[-1]
    assert endpoints.array
    assert endpoints.versions == Versions(19, 2**15 - 1)
    responses = fetch.body.fields[3].type
    assert isinstance(responses, Structure)
    partitions = next(field for field in responses.fields if field.name == "Partitions").type
    assert isinstance(partitions, Structure)
    assert {tag: field.name for tag, field in partitions.optional.items()} == {
        0: "DivergingEpoch", 1: "CurrentLeader", 2: "SnapshotId"
    }  # fmt: skip
    request = LIFTED["FetchRequest"].body.optional
    assert {tag: (field.name, field.nullable, field.default) for tag, field in request.items()} == {
        0: ("ClusterId", True, None), 1: ("ReplicaState", False, ...)
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_ignorable_is_kept(name: str) -> None:
    def told(fields: Any) -> dict[str, Any]:
        return {one.name: (one.ignorable, told(one.fields) if one.fields else None) for one in fields}

    assert told(sorted(LIFTED[name].schema.fields, key=lambda one: one.name)) == told(
        sorted(shipped(name).fields, key=lambda one: one.name)
    )


def test_lifting_what_was_never_flexible_is_a_compatible_change() -> None:
    """Of a message without flexible versions, the lifted one is the old one with a version more."""
    plain = [name for name in NAMES if not shipped(name).flexible]
    assert plain
    for name in plain:
        assert compare([shipped(name)], LIFTED[name].schema, Policy(null_by_version=False)).breaks == ()


HEARTBEAT = {"GroupId": "g", "GenerationId": 1, "MemberId": "m", "GroupInstanceId": None}


def test_a_lifted_request_frame_by_hand() -> None:
    """Heartbeat 5: key 12, classic strings, the buffer as the body's first byte."""
    own = Reference()
    own.configure({"schemas": [schemas.to_json(LIFTED["HeartbeatRequest"])]}, dialect=DIALECT)
    header = {"RequestApiKey": 12, "RequestApiVersion": 5, "CorrelationId": 9, "ClientId": "c"}
    frame = "00000018" + "000c" + "0005" + "00000009" + "000163" + "00" + "000167" + "00000001" + "00016d" + "ffff"
    value = {"header": header, "body": HEARTBEAT}
    assert own.encode("RequestFrame", value, dialect=DIALECT).hex() == frame
    assert own.decode("RequestFrame", bytes.fromhex(frame), dialect=DIALECT) == value


def made(*fields: dict[str, Any], versions: str = "0-2", flexible: str = "1+") -> Schema:
    raw = {"name": "M", "type": "request", "validVersions": versions, "flexibleVersions": flexible, "fields": [*fields]}
    return from_json(raw)


def tagged(name: str, type_name: str, versions: str = "1+", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_name, "versions": versions, "taggedVersions": versions, "tag": 0} | more


X = {"name": "X", "type": "int8", "versions": "0+"}


def test_ranges_that_reach_the_last_version_go_on() -> None:
    lifted = lift(made(X | {"versions": "0-2"}, {"name": "Y", "type": "int8", "versions": "0-1"}))
    assert [str(field.versions) for field in lifted.body.fields] == ["0+", "0-1"]


def test_a_tagged_structure_that_can_be_null_becomes_mandatory() -> None:
    lifted = lift(made(X, tagged("S", "S", fields=[X], nullableVersions="1+", default="null")))
    assert lifted.body.optional == {}
    structure = lifted.body.fields[1]
    assert (str(structure.versions), bool(structure.nullable), structure.default) == ("3+", True, None)
    found = NodeCodec(plan(lifted.schema, 3))
    assert encode(found, {"X": 5, "S": None}, Rules()).hex() == "0005ff"
    assert encode(found, {"X": 5, "S": {"X": 6}}, Rules()).hex() == "0005010006"


def test_a_tag_of_gone_versions_alone_is_gone() -> None:
    lifted = lift(made(X, tagged("Y", "int8", "1-1")))
    assert [field.name for field in lifted.schema.fields] == ["X"]


def test_a_field_that_was_plain_before_it_was_tagged_stays_mandatory() -> None:
    lifted = lift(made(X, {"name": "Y", "type": "int8", "versions": "0+", "taggedVersions": "1+", "tag": 0}))
    assert [(field.name, str(field.versions)) for field in lifted.body.fields] == [("X", "0+"), ("Y", "0+")]


def test_a_default_stays() -> None:
    lifted = lift(made(X | {"default": "-1"}, tagged("Y", "string", nullableVersions="1+", default="null")))
    assert lifted.body.fields[0].default == -1
    assert lifted.body.optional == {0: OptionalField("Y", "string", nullable=True, default=None)}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (made(versions="none"), "M has no version that could be lifted"),
        (made(X, versions="0-32767"), "M has version 32767, after which there is none"),
    ],
)
def test_what_cannot_be_lifted(schema: Schema, text: str) -> None:
    with pytest.raises(SchemaError, match=text):
        lift(schema)


@pytest.mark.parametrize("name", sorted(set(KAFKA.messages) - set(NAMES)))
def test_what_is_no_rpc_is_not_lifted(name: str) -> None:
    """Headers, which say whether a buffer follows, and what is stored."""
    with pytest.raises(SchemaError, match=f"{name} is no request or response"):
        lift(shipped(name))


def test_an_optional_field_is_refused_in_the_versions_before() -> None:
    lifted = lift(made(X, tagged("Y", "int8")))
    with pytest.raises(EncodeError) as refused:
        encode(NodeCodec(plan(lifted.schema, 2)), {"X": 1, "Y": 2}, Rules())
    assert refused.value.reason is Reason.FIELD_NOT_IN_VERSION
