"""The request of each api for a sweep: one for every api of the catalogue, which every version can write."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from wireproof.conformance.model import Effect
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors import VectorError, requests

APIS = reference_codec().dialect("kafka").apis()
#: What takes machines out of a cluster, or speaks for one of them.
OF_A_CLUSTER = (
    "UnregisterBroker",
    "UnregisterController",
    "RemoveRaftVoter",
    "BrokerHeartbeat",
    "Vote",
    "WriteTxnMarkers",
)


def request(api: str, version: int) -> dict[str, object]:
    key = next(key for key, name in APIS.items() if name == api)
    body: dict[str, object] = reference_codec().decode(
        "RequestFrame", requests.frame(api, key, version), dialect="kafka"
    )["body"]
    return body


def test_every_api_has_one() -> None:
    assert requests.parse((resources.files("wireproof.vectors") / "requests.json").read_bytes()).keys() == {
        *APIS.values()
    }


@pytest.mark.parametrize("api", APIS.values())
def test_every_version_can_write_it(api: str) -> None:
    low, high = reference_codec().dialect("kafka").types[f"{api}Request"] or (0, 0)
    for version in range(low, high + 1):
        assert request(api, version) is not None


def test_a_version_has_the_fields_that_it_knows() -> None:
    assert "TopicNames" in request("DeleteTopics", 5)
    assert "TopicNames" not in request("DeleteTopics", 6)
    assert request("DeleteTopics", 6)["Topics"] != []


def test_a_produce_request_wants_an_answer() -> None:
    assert {request("Produce", version)["Acks"] for version in range(3, 14)} == {-1}


def test_nothing_is_made_by_metadata() -> None:
    assert {request("Metadata", version)["AllowAutoTopicCreation"] for version in range(4, 14)} == {False}


@pytest.mark.parametrize(("api", "field"), [("Metadata", "AllowAutoTopicCreation"), ("CreateTopics", "validateOnly")])
def test_a_version_that_cannot_say_that_nothing_is_made_writes(api: str, field: str) -> None:
    for version in range(20):
        if requests.has_version(api, version):
            reads = requests.effect(api, version) is Effect.READ
            assert reads is (field in request(api, version)), version
    assert requests.effect(api, 0) is Effect.WRITE


@pytest.mark.parametrize("api", OF_A_CLUSTER)
def test_what_is_for_a_cluster_is_said_so(api: str) -> None:
    assert requests.effect(api) is Effect.CLUSTER


def test_an_api_that_is_not_there_may_do_the_most() -> None:
    assert requests.effect("ControlledShutdown") is Effect.CLUSTER


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"Metadata": {"effect": "read", "value": {"Topic": []}}}, "Metadata has no field Topic"),
        ({"Fetch": {"effect": "read", "value": {"Topics": [{"Topicc": ""}]}}}, "Fetch has no field Topicc"),
        ({"Nothing": {"effect": "read"}}, "there is no api Nothing"),
        ({"Metadata": {"effect": "harmless"}}, "harmless"),
        ({"Metadata": {}}, "effect"),
        ({"Metadata": {"effect": "read", "values": {}}}, "values"),
    ],
)
def test_a_wrong_entry_is_named(said: object, wrong: str) -> None:
    with pytest.raises(VectorError, match=wrong):
        requests.parse(json.dumps({"format": 1, "requests": said}).encode())
