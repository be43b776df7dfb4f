"""A schema and a version make a flat plan: which fields, in which encoding, with which defaults."""

from __future__ import annotations

import time
from typing import Any

import pytest
from support.wire import field, schema, tagged

from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.primitives import PRIMITIVES, Primitive
from wireproof.reference.schema import MAX_DEPTH, from_json
from wireproof.reference.schema.plan import Array, Node, PlannedField, Struct, plan


def planned(raw: dict[str, Any], version: int) -> Struct:
    return plan(from_json(raw), version)


def node_of(kind: str, version: int, **more: Any) -> Node:
    return planned(schema(field("A", kind, **more), flexible="3+"), version).fields[0].node


SCALARS = {
    "bool": ("BOOLEAN", "BOOLEAN"),
    "int8": ("INT8", "INT8"),
    "int16": ("INT16", "INT16"),
    "int32": ("INT32", "INT32"),
    "int64": ("INT64", "INT64"),
    "uint16": ("UINT16", "UINT16"),
    "uint32": ("UINT32", "UINT32"),
    "float64": ("FLOAT64", "FLOAT64"),
    "uuid": ("UUID", "UUID"),
    "string": ("STRING", "COMPACT_STRING"),
    "bytes": ("BYTES", "COMPACT_BYTES"),
    "records": ("BYTES", "COMPACT_BYTES"),
}


@pytest.mark.parametrize("kind", SCALARS)
def test_scalars_and_arrays_of_them(kind: str) -> None:
    classic, compact = (PRIMITIVES[name] for name in SCALARS[kind])
    assert node_of(kind, 2) is classic
    assert node_of(kind, 3) is compact
    assert node_of(f"[]{kind}", 2) == Array(classic, compact=False, nullable=False)
    assert node_of(f"[]{kind}", 3) == Array(compact, compact=True, nullable=False)
    assert node_of(f"[]{kind}", 3, nullableVersions="3+") == Array(compact, compact=True, nullable=True)
    assert node_of(f"[]{kind}", 2, nullableVersions="3+") == Array(classic, compact=False, nullable=False)


@pytest.mark.parametrize("kind", ["string", "bytes", "records"])
def test_null_in_some_versions(kind: str) -> None:
    name = "STRING" if kind == "string" else "BYTES"
    assert node_of(kind, 0, nullableVersions="1+") is PRIMITIVES[name]
    assert node_of(kind, 1, nullableVersions="1+") is PRIMITIVES[f"NULLABLE_{name}"]
    assert node_of(kind, 3, nullableVersions="1+") is PRIMITIVES[f"COMPACT_NULLABLE_{name}"]


def test_a_field_may_keep_its_classic_form() -> None:
    assert node_of("string", 3, flexibleVersions="none") is PRIMITIVES["STRING"]
    assert node_of("string", 3, flexibleVersions="4+", nullableVersions="0+") is PRIMITIVES["NULLABLE_STRING"]
    assert node_of("string", 4, flexibleVersions="4+") is PRIMITIVES["COMPACT_STRING"]


def test_structures_and_their_markers() -> None:
    inside = [field("X", "string")]
    plain = node_of("In", 3, fields=inside)
    assert isinstance(plain, Struct)
    assert (plain.name, plain.flexible, plain.marker) == ("In", True, "none")
    assert plain.plain == (PlannedField("X", PRIMITIVES["COMPACT_STRING"], "", None),)
    nullable = node_of("In", 2, fields=inside, nullableVersions="2+")
    assert isinstance(nullable, Struct)
    assert (nullable.flexible, nullable.marker) == (False, "int8")
    before = node_of("In", 1, fields=inside, nullableVersions="2+")
    assert isinstance(before, Struct)
    assert before.marker == "none"
    behind_tag = planned(schema(tagged("A", "In", 0, "3+", fields=inside, nullableVersions="3+"), flexible="3+"), 3)
    node = behind_tag.tagged[0].node
    assert isinstance(node, Struct)
    assert node.marker == "uvarint"
    array = node_of("[]In", 3, fields=inside, nullableVersions="0+")
    assert isinstance(array, Array)
    assert array.nullable
    assert isinstance(array.element, Struct)
    assert array.element.marker == "none"


def test_which_fields_a_version_has() -> None:
    raw = schema(
        field("Old", "int8", "0-2", default=5),
        field("Always", "int16"),
        field("New", "int32", "3+", ignorable=True),
        tagged("Later", "string", 1, "4+"),
        tagged("Tagged", "int64", 0, "3+", default=-1),
        flexible="3+",
    )
    zero = planned(raw, 0)
    assert [one.name for one in zero.fields] == ["Old", "Always"]
    assert zero.foreign == {"New": (0, True), "Later": ("", False), "Tagged": (-1, False)}
    assert (zero.tagged, zero.foreign_tags, zero.flexible, zero.name) == ({}, frozenset({0, 1}), False, "Small")
    three = planned(raw, 3)
    assert [one.name for one in three.fields] == ["Always", "New", "Tagged"]
    assert [one.name for one in three.plain] == ["Always", "New"]
    assert three.tagged == {0: PlannedField("Tagged", PRIMITIVES["INT64"], -1, 0)}
    assert three.foreign == {"Old": (5, False), "Later": ("", False)}
    assert (three.foreign_tags, three.flexible) == (frozenset({1}), True)
    four = planned(raw, 4)
    assert [one.name for one in four.fields] == ["Always", "New", "Later", "Tagged"]
    assert list(four.tagged) == [0, 1]
    assert four.foreign_tags == frozenset()


def test_a_field_may_be_plain_before_it_is_tagged() -> None:
    raw = schema(field("A", "int8", "0+", taggedVersions="4+", tag=0), flexible="3+")
    three, four = planned(raw, 3), planned(raw, 4)
    assert ([one.name for one in three.plain], dict(three.tagged)) == (["A"], {})
    assert three.foreign_tags == frozenset({0})
    assert (four.plain, list(four.tagged)) == ((), [0])


def default_of(kind: str, version: int, **more: Any) -> Any:
    return planned(schema(field("A", kind, **more), flexible="3+"), version).fields[0].default


def test_a_null_default_is_the_types_own_where_there_is_no_null() -> None:
    """As for the first versions of a field that could be null later."""
    inside = [field("X", "int8", default=3), field("Y", "string", "2+")]
    for kind, own in (("string", ""), ("bytes", b""), ("records", b""), ("[]int8", []), ("[]string", [])):
        assert default_of(kind, 0, nullableVersions="1+", default="null") == own
        assert default_of(kind, 1, nullableVersions="1+", default="null") is None
    assert default_of("In", 0, fields=inside, nullableVersions="1+", default="null") == {"X": 3}
    assert default_of("In", 1, fields=inside, nullableVersions="1+", default="null") is None


def test_a_structures_default_is_its_fields_defaults_in_that_version() -> None:
    inside = [field("X", "int8", default=3), field("Y", "In2", "2+", fields=[field("Z", "uuid")])]
    assert default_of("In", 1, fields=inside) == {"X": 3}
    assert default_of("In", 2, fields=inside) == {"X": 3, "Y": {"Z": PRIMITIVES["UUID"].default}}


def test_a_missing_structures_default_has_the_fields_of_every_version() -> None:
    inside = [field("X", "int8", "3+", default=3), field("Y", "In2", "4+", fields=[field("Z", "[]int8", "4+")])]
    raw = schema(field("A", "In", "3+", fields=inside))
    assert planned(raw, 0).foreign == {"A": ({"X": 3, "Y": {"Z": []}}, False)}


@pytest.mark.parametrize("version", [-1, 10, 32768])
def test_a_version_that_the_message_does_not_have(version: int) -> None:
    with pytest.raises(DecodeError) as caught:
        planned(schema(field("A", "int8")), version)
    error = caught.value
    assert (error.reason, error.offset) == (Reason.UNSUPPORTED_VERSION, None)
    assert error.detail == f"Small has versions 0-9, not {version}"


def test_a_message_without_versions_has_none() -> None:
    with pytest.raises(DecodeError, match="Small has versions none, not 0"):
        planned(schema(versions="none"), 0)


def test_deep_plans_are_made_in_good_time() -> None:
    """Once a level, not twice: 2³² steps would never end."""
    inner = field("Last", "int8", default=7)
    for level in range(MAX_DEPTH):
        inner = field(f"F{level}", f"S{level}", fields=[inner])
    began = time.perf_counter()
    value: Any = planned(schema(inner), 0).fields[0].default
    assert time.perf_counter() - began < 5
    for level in reversed(range(MAX_DEPTH - 1)):
        value = value[f"F{level}"]
    assert value == {"Last": 7}


def test_every_scalar_has_a_plan() -> None:
    assert all(isinstance(node_of(kind, 0), Primitive) for kind in SCALARS)
