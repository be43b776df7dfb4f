"""A broker attests only expectations that hold for the versions that it announces."""

from __future__ import annotations

import dataclasses

import pytest

from wireproof.conformance import vectors
from wireproof.conformance.model import Description, Op
from wireproof.conformance.questions import announced_apis

BROKER = Description(name="x", language="y", dialects=("kafka",), ops=frozenset({Op.SERVE}))


@pytest.mark.parametrize(
    ("name", "metadata", "held"),
    [("broker-metadata-v13", (0, 13), True), ("broker-metadata-v13", (0, 12), False), ("broker-v99", (0, 12), True)],
)
def test_what_its_versions_change_is_not_attested(name: str, metadata: tuple[int, int], held: bool) -> None:
    (vector,) = (one for one in vectors.load(["kafka"]) if one.id == name)
    described = dataclasses.replace(BROKER, apis={0: (3, 13), 3: metadata, 18: (0, 5)})
    assert announced_apis.holds(vector.case(Op.SERVE), described) is held
