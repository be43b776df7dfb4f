"""Generated cases by number: a seed and a number decide them, and each can be asked by its id alone."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance.generation import mutations, random_values
from wireproof.conformance.generation.arguments import seed_of
from wireproof.conformance.generation.expectations import vector_of_arguments
from wireproof.conformance.generation.generated_cases import GeneratedCases, Kind
from wireproof.conformance.generation.mutations import checksums
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Observation, Op, Outcome, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.vectors import VectorKind


def test_a_number_decides_the_case() -> None:
    numbers = [5, 3, 900, 4]
    assert [GeneratedCases(7).case(number) for number in numbers] == [
        GeneratedCases(7).case(number) for number in numbers
    ]
    assert {GeneratedCases(7).case(number).id for number in range(50)} != {
        GeneratedCases(8).case(number).id for number in range(50)
    }


def test_each_kind_and_op_is_made_in_every_dialect() -> None:
    cases = [GeneratedCases(0).case(number) for number in range(1500)]
    assert {(case.dialect, case.kind) for case in cases} == {
        (dialect, kind) for dialect in reference.dialects for kind in Kind
    }
    assert {case.op for case in cases} == {Op.DECODE, Op.ENCODE, Op.RECODE}
    changed = Counter(case.mutation for case in cases if case.kind is Kind.MUTATED)
    assert {"varint-stretch", "tag-unknown", "count-change", "cut"} <= changed.keys()
    assert None not in changed
    assert all(case.mutation is None for case in cases if case.kind is not Kind.MUTATED)
    assert {name for name in changed if name not in mutations.names()} == {mutations.RANDOM_BYTE}


def test_every_version_of_a_type_is_made() -> None:
    generated = GeneratedCases(0, ("kafka",), ("MetadataResponse",))
    versions = {generated.case(number).version for number in range(300)}
    assert versions == {version for name, version in types_of("kafka") if name == "MetadataResponse"}


def test_cases_are_what_they_say() -> None:
    for number in range(400):
        case = GeneratedCases(1).case(number)
        question = find(case.id)
        assert question.case.op is case.op
        assert (question.vector.dialect, question.vector.type, question.vector.version, question.vector.area) == (
            case.dialect,
            case.type,
            case.version,
            case.area,
        )
        if case.op is Op.PRODUCE:
            assert case.size == len(seed_of(case.op, question.case.args))
            continue
        assert case.size == len(question.vector.data)
        if case.kind is not Kind.MUTATED:
            assert question.vector.kind is VectorKind.VALID


def test_what_producers_write_is_asked_too() -> None:
    generated = GeneratedCases(0, ("kafka",), ("RecordSet",))
    asked = [case for case in map(generated.case, range(400)) if case.op is Op.PRODUCE]
    assert {case.kind for case in asked} == {Kind.VALID, Kind.BOUNDARY}
    assert {(case.type, case.area) for case in asked} == {(None, "delivery")}
    args = [find(case.id).case.args for case in asked]
    assert {one["magic"] for one in args} == {0, 1, 2}
    assert {one["codec"] for one in args} == {"none", "gzip", "snappy", "lz4", "zstd"}
    assert {one["options"]["transactional"] for one in args} == {False, True}


def test_the_reference_passes_them() -> None:
    for number in range(300):
        question = find(GeneratedCases(2).case(number).id)
        observation = ask(reference_codec(), question.case)
        twin = None if question.twin is None else ask(reference_codec(), question.twin)
        readings = readings_for(question.case.dialect, {})
        assert judge(question.vector, observation, readings, twin, ()).outcome is Outcome.PASS


def test_boundary_values_are_at_the_borders() -> None:
    from random import Random

    values = {random_values.boundary("INT16", Random(number), dialect="kafka") for number in range(300)}
    assert {-(2**15), 2**15 - 1, 0, 127, 128} <= values
    lengths = {len(random_values.boundary("COMPACT_BYTES", Random(number), dialect="kafka")) for number in range(50)}
    assert lengths == {0, 1, 126, 127}


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"dialects": ("kafak",)}, "there is no dialect 'kafak'; there are kafka, "),
        ({"types": ("Metadata",)}, "there is no type 'Metadata' in kafka, "),
        ({"dialects": ("wire-format",), "types": ("RecordBatch",)}, "there is no type 'RecordBatch' in wire-format"),
    ],
)
def test_a_wrong_selection_is_refused(selection: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GeneratedCases(0, **selection)


@pytest.mark.parametrize(
    ("op", "did"),
    [
        (Op.DECODE, {"status": Status.OOM}),
        (Op.CONSUME, {"status": Status.ANSWER, "answer": {"records": [], "position": 1}}),
    ],
)
def test_what_only_the_limit_of_the_reference_refuses_may_be_read(op: Op, did: dict[str, Any]) -> None:
    """A batch whose content of 34 KB is 33 MiB of zeros, and one whose content is no gzip."""
    content = zlib.compress(bytes(33 << 20), wbits=31)
    for held, rulings in ((content, ("R-K-35",)), (content[2:], ())):
        data = checksums.sealed(_BATCH + held)
        arguments = {"data": data} | ({} if op is Op.DECODE else _CONSUMER)
        type_name = "RecordBatch" if op is Op.DECODE else None
        vector, case = vector_of_arguments(op, "kafka", type_name, None, arguments)
        verdict = judge(vector, Observation(case, **did))
        assert verdict.rulings == rulings
        assert (verdict.outcome is Outcome.CONTESTED) is bool(rulings)


#: A batch of one record, up to its content: gzip, and a length and a CRC that are none yet.
_BATCH = bytes(16) + b"\x02" + bytes(4) + b"\x00\x01" + bytes(34) + b"\x00\x00\x00\x01"
_CONSUMER = {"position": 0, "isolation": "read_uncommitted", "aborted": []}
