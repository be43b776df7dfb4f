"""A broker attests only expectations that hold for the versions that it announces."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from wireproof.conformance import vectors
from wireproof.conformance.evidence import attestation
from wireproof.conformance.model import Description, Op
from wireproof.conformance.questions import announced_apis, conversations

BROKER = Description(name="x", language="y", dialects=("kafka",), ops=frozenset({Op.SERVE}))


@pytest.mark.parametrize(
    ("name", "metadata", "held"),
    [("broker-metadata-v13", (0, 13), True), ("broker-metadata-v13", (0, 12), False), ("broker-v99", (0, 12), True)],
)
def test_what_its_versions_change_is_not_attested(name: str, metadata: tuple[int, int], held: bool) -> None:
    (vector,) = (one for one in vectors.load(["kafka"]) if one.id == name)
    described = dataclasses.replace(BROKER, apis={0: (3, 13), 3: metadata, 18: (0, 5)})
    assert announced_apis.holds(vector.case(Op.SERVE), described) is held


def test_a_conversation_is_an_expectation_in_each_version() -> None:
    """What it asks and demands makes its digest, in whatever words."""
    (one, *_) = (each for each in conversations.every_vector() if each.id == "produce-then-fetch/3")
    assert attestation.expectations(one) == (Op.SERVE,)
    assert attestation.LedgerCase.of(one) is None
    other = msgspec.structs.replace(one, about="in other words", source="")
    changed = msgspec.structs.replace(one, expected=str(one.expected).replace("7631", "7632"))
    assert attestation.digest(one) == attestation.digest(other) != attestation.digest(changed)
    assert "a record is fetched" not in one.expected


@pytest.mark.parametrize(("name", "held"), [("kafka-broker", 800), ("kfake-broker", 700)])
def test_brokers_attest_conversations(name: str, held: int) -> None:
    (file,) = (one for one in attestation.load() if one.header.name == name)
    answers = [file.answer(one, Op.SERVE) for one in conversations.every_vector()]
    assert sum(one is not None and one.result is attestation.Result.AGREE for one in answers) > held - 60
