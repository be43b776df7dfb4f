"""Which valid input is the twin of a question."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from wireproof.conformance import vectors
from wireproof.conformance.model import Case, Description, Op
from wireproof.conformance.questions.positive_control import offered_twin, twin_case
from wireproof.conformance.vectors import Reject
from wireproof.reference.errors import Reason


def test_a_vector_that_must_be_refused_is_nobody_s_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a vector of the same kind has to be found, the first one that no reading refuses is taken."""
    vector = next(
        one
        for one in vectors.load()
        if one.type is None and one.twin is None and one.reject is None and any(also.refuses for also in one.also)
    )
    (op, *_) = vector.ops
    refused = msgspec.structs.replace(vector, id="refused", also=(), reject=Reject(Reason.TRUNCATED))
    plain = msgspec.structs.replace(vector, id="plain", also=())
    file = vectors.load_file(vector.dialect, vector.area)
    assert file is not None
    changed = dataclasses.replace(file, vectors=(refused, vector, plain))
    monkeypatch.setattr(vectors, "files", lambda _dialects, _areas: [changed])
    assert twin_case(vector, vector.case(op)) == plain.case(op)


def test_the_twin_of_a_version_that_is_not_offered_is_of_the_lowest_one_that_is() -> None:
    name = "MetadataRequest"
    twin = Case(f"gen/kafka/{name}/0/x#decode", Op.DECODE, "kafka", name, 0, {"data": b""})
    case = msgspec.structs.replace(twin, id=f"gen/kafka/{name}/99/x#decode", version=99)
    offered = Description("some", ops=frozenset({Op.DECODE}), types={"kafka": {name: (2, 5)}})
    found = offered_twin(case, twin, offered)
    assert found is not None
    assert (found.type, found.version) == (name, 2)
