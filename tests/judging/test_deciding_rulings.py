"""The rulings behind a refusal, compared with those that people wrote into the vectors."""

from __future__ import annotations

import pytest

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.rulings import deciding_rulings
from wireproof.conformance.model import Op
from wireproof.conformance.vectors import Vector, VectorKind


def _contested_refusals() -> list[tuple[Vector, str]]:
    """Vectors that are refused, and accepted under the other reading of a ruling that they name. The limit on what
    content holds (R-K-35) has no reading that the reference could take."""
    return [
        (vector, also.rulings[0])
        for vector in vectors.load(["kafka"])
        if vector.type and vector.reject and vector.reject.offset is not None and Op.DECODE in vector.ops
        for also in vector.also
        if len(also.rulings) == 1
        and not also.refuses
        and not also.accepts
        and (also.ops is None or Op.DECODE in also.ops)
    ]


def of(type_name: str, digits: str, version: int | None = None) -> tuple[str, ...]:
    data = bytes.fromhex(digits)
    found = reference.explain(type_name, data, dialect="kafka", version=version)
    assert found.error is not None
    return deciding_rulings(type_name, data, "kafka", version, found.error, found.spans)


def test_a_vector_s_contested_ruling_is_named() -> None:
    cases = _contested_refusals()
    assert len(cases) > 40
    for vector, ruling in cases:
        assert vector.type is not None
        assert ruling in of(vector.type, vector.data.hex(), vector.version), vector.path


def test_a_refusal_of_the_draft_rests_on_what_its_vector_names() -> None:
    grounded = 0
    for vector in vectors.load(["kip-35-v7"]):
        if vector.kind is VectorKind.INVALID and vector.type:
            found = reference.explain(vector.type, vector.data, dialect=vector.dialect, version=vector.version)
            assert found.error is not None
            named = deciding_rulings(vector.type, vector.data, vector.dialect, vector.version, found.error, found.spans)
            assert set(named) <= set(vector.rulings), vector.path
            grounded += bool(named)
    assert grounded > 30


@pytest.mark.parametrize(
    ("type_name", "digits", "named"),
    [
        ("VARINT", "ffffffff1f", ("R-K-6",)),  # bits above the width
        ("VARINT", "ffffffffff01", ("R-K-6c",)),  # a sixth byte
        ("STRING", "ffff", ("R-K-16",)),  # null
        ("TAG_BUFFER", "0205000300", ("R-K-1",)),  # 5, then 3
        ("ARRAY<INT32>", "7fffffff", ("R-K-10",)),  # a count bomb
        ("COMPACT_NULLABLE_STRING", "ffffffff0f", ("R-K-15b", "R-K-10")),
        ("STRING", "000361", ("R-K-10",)),
        ("INT32", "0000", ()),  # plainly cut off
        ("RequestFrame", "0000000403e70000", ()),  # no such api
        ("RequestFrame", "7f000000", ()),  # a frame size is no bomb: the connection goes on
        ("UNSIGNED_VARINT", "8080", ()),
    ],
)
def test_rulings(type_name: str, digits: str, named: tuple[str, ...]) -> None:
    assert of(type_name, digits) == named


def test_another_reading_that_refuses_earlier_has_no_say() -> None:
    # An overlong length (R-K-5 ‡) that is read, then a text that is cut off.
    assert of("ARRAY<COMPACT_STRING>", "00000002" + "8280000061" + "0561") == ("R-K-10",)


def test_what_is_refused_at_no_byte_has_no_ground() -> None:
    assert of("ApiVersionsRequest", "00", 99) == ()
