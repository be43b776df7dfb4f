"""Values without hypothesis: valid for every type, the same for the same seed, and with borders among them."""

from __future__ import annotations

import subprocess
import sys
from random import Random
from typing import Any

import pytest
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance.generation import edge_values, random_values
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import ARRAYS, types_of
from wireproof.conformance.values.compare import equal
from wireproof.conformance.values.encoding import to_json
from wireproof.reference.primitives import INTEGERS

EVERY = [(dialect, name, version) for dialect in reference.dialects for name, version in types_of(dialect)]
#: Types whose attributes follow in part from the rest of the value, which is what comes back.
FOLLOWING = ("kip-82-int-keys", "kip-82-string-keys")


def without_attributes(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_attributes(item) for key, item in value.items() if key != "attributes"}
    return [without_attributes(item) for item in value] if isinstance(value, (list, tuple)) else value


def round_trip(dialect: str, name: str, version: int | None, value: Any) -> tuple[bytes, Any]:
    written = reference_codec().encode(name, value, dialect=dialect, version=version)
    assert reference_codec().recode(name, written, dialect=dialect, version=version) == written
    return written, reference_codec().decode(name, written, dialect=dialect, version=version)


@pytest.mark.parametrize("dialect", reference.dialects)
def test_the_simplest_value_of_every_type_comes_back_as_it_is(dialect: str) -> None:
    names = [(name, version) for of, name, version in EVERY if of == dialect]
    assert names
    for name, version in names:
        value = random_values.simplest(name, dialect=dialect, version=version)
        _, found = round_trip(dialect, name, version, value)
        assert equal(value, found), (name, version)
        assert equal(value, random_values.simplest(name, dialect=dialect, version=version))


@pytest.mark.parametrize("dialect", reference.dialects)
def test_twenty_values_of_every_type_come_back(dialect: str) -> None:
    for name, version in ((name, version) for of, name, version in EVERY if of == dialect):
        random = Random(f"{name}/{version}")
        for _ in range(20):
            value = random_values.value(name, random, dialect=dialect, version=version)
            written, found = round_trip(dialect, name, version, value)
            keep = without_attributes if dialect in FOLLOWING else lambda one: one
            assert equal(keep(value), keep(found)), (name, version, written.hex())
            assert len(written) < 2**16, (name, version)
            to_json(value)


def test_the_same_seed_gives_the_same_values() -> None:
    for dialect, name, version in EVERY[::7]:
        made = []
        for random in (Random(5), Random(5), Random(6)):
            made.append([random_values.value(name, random, dialect=dialect, version=version) for _ in range(9)])
        assert equal(made[0], made[1]), name
        assert not equal(made[0], made[2]) or equal(made[0][0], made[0][-1]), name


def test_hypothesis_stays_away() -> None:
    """So that whoever needs values alone, in a process of many, does not wait for it."""
    code = (
        "import sys, random; from wireproof.conformance.generation import case_ids, random_values;"
        "random_values.value('FetchResponse', random.Random(1), dialect='kafka', version=12);"
        "print('hypothesis' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("INT32", None, 0),
        ("BOOLEAN", None, False),
        ("COMPACT_NULLABLE_STRING", None, ""),
        ("NULLABLE_BYTES", None, b""),
        ("COMPACT_NULLABLE_ARRAY<INT32>", None, []),
        ("TAG_BUFFER", None, []),
        ("MessageSet", 1, []),
        ("ApiVersionsRequest", 3, {"ClientSoftwareName": "", "ClientSoftwareVersion": ""}),
        ("ListGroupsResponse", 5, {"ThrottleTimeMs": 0, "ErrorCode": 0, "Groups": []}),
        (
            "Record",
            None,
            {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": b"", "value": b"", "headers": []},
        ),
    ],
)
def test_what_is_simplest(name: str, version: int | None, expected: Any) -> None:
    assert random_values.simplest(name, dialect=KAFKA, version=version) == expected


def test_a_structure_that_may_be_null_is_simplest_when_it_is_there() -> None:
    found = random_values.simplest("ConsumerGroupHeartbeatResponse", dialect=KAFKA, version=0)
    assert found["Assignment"] is not None


def test_borders_nulls_and_lengths_are_drawn() -> None:
    random = Random(1)

    def generated(name: str, version: int | None = None, count: int = 600) -> list[Any]:
        return [random_values.value(name, random, dialect=KAFKA, version=version) for _ in range(count)]

    for name, (low, high) in INTEGERS.items():
        assert {low, low + 1, 0, high - 1, high} <= set(generated(name, count=3000)), name
    assert {None, *edge_values.TEXTS} <= set(generated("COMPACT_NULLABLE_STRING"))
    assert {None, *edge_values.OCTETS} <= set(generated("NULLABLE_BYTES"))
    arrays = generated("COMPACT_NULLABLE_ARRAY<NULLABLE_STRING>")
    assert {None if one is None else len(one) for one in arrays} == {None, 0, 1, 2, 3}
    responses = generated("ApiVersionsResponse", 3)
    assert {one["FinalizedFeaturesEpoch"] == -1 for one in responses} == {True, False}
    assert any(len(one.get("_tags", [])) > 1 for one in responses)
    assert all(tag > 2 for one in responses for tag, _ in one.get("_tags", []))
    headers = [[key for key, _ in one["headers"]] for one in generated("Record")]
    assert any(len(set(keys)) < len(keys) for keys in headers)
    assert {one["attributes"] & 7 for one in generated("RecordBatch")} == set(range(5))
    entries = [entry for one in generated("RecordSet") for entry in one]
    assert {(entry["magic"], "messages" in entry) for entry in entries} == {
        (0, False),
        (0, True),
        (1, False),
        (1, True),
        (2, False),
    }


def test_a_value_has_no_more_elements_than_it_may() -> None:
    def elements(value: Any) -> int:
        if isinstance(value, dict):
            return sum(map(elements, value.values()))
        return len(value) + sum(map(elements, value)) if isinstance(value, list) else 0

    random = Random(2)
    values = [random_values.value("DescribeLogDirsResponse", random, dialect=KAFKA, version=4) for _ in range(300)]
    assert 3 < max(map(elements, values)) <= 3 * random_values.MOST_IN_A_VALUE  # a tag is a pair, which counts as three


def test_request_frames_are_of_every_api() -> None:
    random = Random(3)
    frames = [random_values.value("RequestFrame", random, dialect=KAFKA) for _ in range(1500)]
    keys = {frame["header"]["RequestApiKey"] for frame in frames}
    assert keys == set(reference_codec().dialect(KAFKA).apis())


def test_a_type_that_is_none_has_no_values() -> None:
    with pytest.raises(reference.UnknownType):
        random_values.simplest("FOO", dialect=KAFKA)
    with pytest.raises(reference.DecodeError):
        random_values.simplest("ApiVersionsRequest", dialect=KAFKA, version=99)
    assert ARRAYS
