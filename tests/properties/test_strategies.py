"""What hypothesis draws: values of every type that can be written and read back, borders often; bytes nearly right."""

from __future__ import annotations

import collections
import json
import math
import struct
from typing import Any

import pytest
from hypothesis import strategies as st
from support.wire import KAFKA, field, schema, tagged

from wireproof import reference
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.properties import strategies
from wireproof.conformance.properties.deterministic import each
from wireproof.conformance.values import encoding as encoding
from wireproof.conformance.values.compare import equal
from wireproof.reference import catalog, codec
from wireproof.reference.codec import NodeCodec
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.rules import Rules
from wireproof.reference.schema import from_json
from wireproof.reference.schema.plan import plan
from wireproof.reference.schema.shapes import Shaped


def drawn(strategy: st.SearchStrategy[Any], count: int = 100) -> list[Any]:
    """So many examples, always the same ones."""
    found: list[Any] = []
    each(strategy, count, found.append)
    return found


HEADED = "kip-82-int-keys"


@pytest.mark.parametrize(("name", "version"), list(types_of(KAFKA)))
def test_values_can_be_written_and_read_back(name: str, version: int | None) -> None:
    values = drawn(strategies.values(name, dialect=KAFKA, version=version), 10 if version is None else 4)
    assert values
    for value in values:
        written = reference.encode(name, value, dialect=KAFKA, version=version)
        found = reference.decode(name, written, dialect=KAFKA, version=version)
        assert equal(value, found)
        assert reference.recode(name, written, dialect=KAFKA, version=version) == written
        assert equal(value, encoding.from_json(json.loads(json.dumps(encoding.to_json(value)))))


@pytest.mark.parametrize(
    ("dialect", "name", "version"),
    [(dialect, *found) for dialect in (HEADED, "kip-82-string-keys") for found in types_of(dialect)],
)
def test_so_can_those_of_shapes_but_for_attributes_that_follow_from_the_rest(
    dialect: str, name: str, version: int | None
) -> None:
    values = drawn(strategies.values(name, dialect=dialect, version=version), 20)
    assert values
    for value in values:
        written = reference.encode(name, value, dialect=dialect, version=version)
        found = reference.decode(name, written, dialect=dialect, version=version)
        assert equal(without_attributes(value), without_attributes(found))
        assert reference.recode(name, written, dialect=dialect, version=version) == written


def without_attributes(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_attributes(item) for key, item in value.items() if key != "attributes"}
    return [without_attributes(item) for item in value] if isinstance(value, (list, tuple)) else value


def test_a_type_that_is_none_has_no_values() -> None:
    with pytest.raises(reference.UnknownType):
        strategies.values("FOO", dialect=KAFKA)


@pytest.mark.parametrize(
    ("name", "borders"),
    [
        ("INT8", {-128, -127, -1, 0, 1, 126, 127}),
        ("UNSIGNED_VARINT", {0, 127, 128, 16383, 16384, 2**21 - 1, 2**21, 2**28 - 1, 2**28, 2**32 - 1}),
        ("VARLONG", {-(2**63), 2**63 - 1, 0}),
        ("BOOLEAN", {False, True}),
        ("COMPACT_NULLABLE_STRING", {None, "", "a" * 127}),
        ("NULLABLE_BYTES", {None, b"", b"\0"}),
    ],
)
def test_borders_are_drawn(name: str, borders: set[Any]) -> None:
    assert set(drawn(strategies.values(name, dialect=KAFKA), 400)) >= borders


def test_every_primitive_has_values_of_its_kind() -> None:
    for name, primitive in PRIMITIVES.items():
        kinds = {type(value) for value in drawn(strategies.of_codec(NodeCodec(primitive), KAFKA), 30)}
        expected = {type(primitive.default)} | ({type(None)} if "NULLABLE" in name else set())
        assert kinds == expected


def test_floats_are_of_every_kind() -> None:
    values = drawn(strategies.values("FLOAT64", dialect=KAFKA), 150)
    exponents = {struct.pack(">d", value)[0] & 0x7F for value in values}
    assert len(exponents) > 15
    assert any(math.isnan(value) for value in values)


def test_nulls_and_empty_arrays_are_drawn() -> None:
    values = drawn(strategies.values("COMPACT_NULLABLE_ARRAY<NULLABLE_STRING>", dialect=KAFKA))
    assert {None, 0, 1, 2} <= {None if value is None else len(value) for value in values}
    assert any(value and None in value for value in values)
    assert None not in drawn(strategies.values("ARRAY<INT8>", dialect=KAFKA), 100)


def test_tags_are_drawn_in_order_and_none_is_known() -> None:
    values = drawn(strategies.values("ApiVersionsResponse", dialect=KAFKA, version=3))
    numbers = [[tag for tag, _ in value["_tags"]] for value in values if "_tags" in value]
    assert any(len(tags) > 1 for tags in numbers)
    for tags in numbers:
        assert tags == sorted(set(tags))
        assert not set(tags) & {0, 1, 2, 3}
    assert any("_tags" not in value for value in values)
    assert all("_tags" not in value for value in drawn(strategies.values(
        "ApiVersionsResponse", dialect=KAFKA, version=2
    ), 50))  # fmt: skip


def test_tagged_fields_are_often_at_their_default() -> None:
    values = drawn(strategies.values("ApiVersionsResponse", dialect=KAFKA, version=3))
    epochs = collections.Counter(value["FinalizedFeaturesEpoch"] == -1 for value in values)
    assert epochs[True] > 10
    assert epochs[False] > 10


def test_request_frames_are_of_every_version() -> None:
    values = drawn(strategies.values("RequestFrame", dialect=KAFKA))
    keys = {value["header"]["RequestApiKey"] for value in values}
    assert keys <= set(catalog.current().apis)
    assert len(keys) > 10
    for value in values:
        header = value["header"]
        low, high = catalog.current().messages[f"{catalog.current().apis[header['RequestApiKey']]}Request"]
        assert low <= header["RequestApiVersion"] <= high


def test_structures_of_a_schema() -> None:
    raw = schema(
        field("S", "In", nullableVersions="0+", fields=[field("X", "int8")]),
        tagged("T", "In", 0, nullableVersions="0+", default="null", fields=[field("X", "int8")]),
        field("L", "[]In", nullableVersions="0+", fields=[field("X", "uuid")]),
        field("R", "records", nullableVersions="0+"),
        flexible="0+",
    )
    node = plan(from_json(raw), 0)
    own = NodeCodec(node)
    values = drawn(strategies.of_codec(own, KAFKA), 100)
    for name in ("S", "T", "L", "R"):
        assert {value[name] is None for value in values} == {True, False}
    for value in values:
        assert equal(value, codec.decode(own, codec.encode(own, value, Rules()), Rules()))


def test_headers_are_multimaps() -> None:
    records = drawn(strategies.values("Record", dialect=KAFKA), 300)
    keys = [[key for key, _ in record["headers"]] for record in records]
    assert any(len(set(names)) < len(names) for names in keys)
    assert any(names != sorted(names) for names in keys)
    assert [] in keys
    assert {"", "é", "e\u0301"} <= {name for names in keys for name in names}
    values = [value for record in records for _, value in record["headers"]]
    assert None in values
    assert b"" in values
    for name in ("key", "value"):
        assert {None, b""} <= {record[name] for record in records}
    for name, bits in (("timestampDelta", 32), ("offsetDelta", 16)):
        assert max(record[name] for record in records) >= 1 << bits
        assert min(record[name] for record in records) <= -1 << bits


def test_batches_have_every_codec_and_any_attributes() -> None:
    batches = drawn(strategies.values("RecordBatch", dialect=KAFKA), 400)
    assert {batch["attributes"] & 7 for batch in batches} == set(range(5))
    assert any(batch["attributes"] & ~0x7F for batch in batches)
    assert {len(batch["records"]) for batch in batches} == {0, 1, 2, 3}
    wide = ("baseOffset", "baseTimestamp", "maxTimestamp", "producerId")  # a border is one among sixty
    assert {-(2**63), 2**63 - 1, -1} <= {batch[name] for batch in batches for name in wide}
    assert {-1, 0, 1_600_000_000_123} <= {batch["baseTimestamp"] for batch in batches}


def test_sets_have_entries_of_every_magic() -> None:
    sets = drawn(strategies.values("RecordSet", dialect=KAFKA), 200)
    assert [] in sets
    assert {entry["magic"] for entries in sets for entry in entries} == {0, 1, 2}
    assert any(len({entry["magic"] for entry in entries}) > 1 for entries in sets)


@pytest.mark.parametrize("magic", [0, 1])
def test_wrappers_are_of_every_codec_and_under_every_kind_of_offset(magic: int) -> None:
    sets = drawn(strategies.values("MessageSet", dialect=KAFKA, version=magic), 300)
    wrappers = [entry for entries in sets for entry in entries if "messages" in entry]
    assert {wrapper["attributes"] & 7 for wrapper in wrappers} == {1, 2, 3}
    last = {wrapper["messages"][-1]["offset"] == wrapper["offset"] for wrapper in wrappers if wrapper["offset"]}
    assert last == ({True} if magic else {True, False} & last)
    assert any(wrapper["offset"] == 0 for wrapper in wrappers)
    assert any(len(wrapper["messages"]) > 1 for wrapper in wrappers)
    plain = [entry for entries in sets for entry in entries if "value" in entry]
    assert {entry["attributes"] & 7 for entry in plain} == {0}
    assert all(("timestamp" in entry) is bool(magic) for entry in (*plain, *wrappers))


def test_headers_under_int_keys_are_maps() -> None:
    found = drawn(strategies.values("HEADERS", dialect=HEADED), 300)
    keys = [[key for key, _ in headers] for headers in found]
    assert all(names == sorted(set(names)) for names in keys)
    assert {0, 1, 2, 3, 4} == {len(names) for names in keys}
    assert {-(2**31), -1, 0, 1, 2**31 - 1} <= {key for names in keys for key in names}
    assert b"" in [value for headers in found for _, value in headers]


def test_messages_with_headers_are_of_every_magic_codec_and_kind_of_offset() -> None:
    sets = drawn(strategies.values("MESSAGE_SET", dialect=HEADED), 400)
    assert [] in sets
    assert any(len({entry["magic"] for entry in entries}) > 1 for entries in sets)
    entries = [entry for found in sets for entry in found]
    wrappers = [entry for entry in entries if "messages" in entry]
    assert {(one["magic"], one["attributes"] & 7) for one in wrappers} == {(m, c) for m in (0, 1, 2) for c in (1, 2, 3)}
    assert {one["attributes"] & 7 for one in entries if "value" in one} == {0}
    inner = [message for one in wrappers for message in one["messages"]]
    for magic in (0, 1, 2):
        own = [one for one in (*entries, *inner) if one["magic"] == magic]
        assert {bool(one["headers"]) for one in own} == ({True, False} if magic == 2 else {False})
        assert {"timestamp" in one for one in own} == {magic > 0}
        assert {None, b""} <= {one["key"] for one in own} & {one["value"] for one in own if "value" in one}
    for one in wrappers:
        offsets = [message["offset"] for message in one["messages"]]
        if one["magic"] and one["offset"]:
            assert offsets == sorted(offsets)
            assert 0 <= offsets[0] <= offsets[-1] == one["offset"]
    relative = [one for one in wrappers if one["magic"] and one["offset"]]
    assert any(len(one["messages"]) > 1 for one in relative)
    assert any(one["offset"] == 0 and one["messages"][-1]["offset"] for one in wrappers if one["magic"])
    assert max(one["offset"] for one in relative) > 2**50


def test_a_codec_of_which_no_values_are_known_says_so() -> None:
    class Unknown:
        def read(self, reader: Any) -> Any: ...

        def append(self, writer: Any, value: Any) -> None: ...

        def complete(self, value: Any) -> Any: ...

        def fast_decoder(self, rules: Rules) -> None: ...

        def fast_encoder(self) -> None: ...

    with pytest.raises(NotImplementedError, match="nothing says which values"):
        drawn(strategies.of_codec(Unknown(), KAFKA), 1)


def test_bytes_that_are_nearly_right() -> None:
    canonical = b"\0\x05kafka"
    found = drawn(strategies.nearly(st.just(canonical)), 200)
    assert len(set(found)) > 100
    assert all(isinstance(data, bytes) for data in found)
    assert any(len(data) < len(canonical) and canonical.startswith(data) for data in found)
    assert any(len(data) > len(canonical) for data in found)
    near = [data for data in found if sum(a != b for a, b in zip(data, canonical, strict=False)) == 1]
    assert near


def test_every_codec_of_records_says_which_values_it_has() -> None:
    for dialect in reference.dialects:
        found = reference.dialect_named(dialect)
        for name in found.entries:
            span = found.types[name]
            assert isinstance(found.codec(name, None if span is None else span[0]), Shaped), name
    assert isinstance(reference.dialect_named(KAFKA).codec("Record", None), Shaped)
