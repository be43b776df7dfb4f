"""Every switch of kip-482-v1 under each reading, and the points that no vector can ask."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from support.judging import judged

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.model import Case, Description, Op, Outcome
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.properties import properties
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import VectorKind
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.reference import DecodeError, EncodeError, Reason, Reference, Rules
from wireproof.reference.cursor import Reader
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.dialects.kip_482 import Kip482, schemas
from wireproof.reference.optional_fields import absent
from wireproof.reference.schema.plan import plan

DIALECT = "kip-482-v1"
RULINGS = reference.rulings(DIALECT)
VECTORS = vectors.load([DIALECT])


def under(**switches: Any) -> Reference:
    return configured_reference(DIALECT).under(Rules(**switches))


def read(asked: Reference, type_name: str, digits: str, version: int | None = None) -> Any:
    """The value, or the reason and offset of a refusal."""
    try:
        return asked.decode(type_name, bytes.fromhex(digits), dialect=DIALECT, version=version)
    except DecodeError as error:
        return error.reason, error.offset


def written(asked: Reference, type_name: str, value: Any, version: int | None = None) -> Any:
    try:
        return asked.encode(type_name, value, dialect=DIALECT, version=version).hex()
    except EncodeError as error:
        return error.reason


NO_FOOS = "00000000"


@pytest.mark.parametrize(
    ("switches", "digits", "expected"),
    [
        ({}, "0400 01ffff 00", [(1, b"\xff\xff")]),
        ({"field_length": "unsigned"}, "0200 01ffff 00", [(1, b"\xff\xff")]),
        ({"field_length": "unsigned"}, "0400 01ffff 00", (Reason.TRUNCATED, 0)),
        ({"field_length_counts": "tag-and-value"}, "0800 01ffff 00", [(1, b"\xff\xff")]),
        ({"field_length_counts": "tag-and-value"}, "0400 01ffff 00", (Reason.ZERO_LENGTH_FIELD, 0)),
        ({"field_length_counts": "tag-and-value"}, "0200 01ffff 00", (Reason.ZERO_LENGTH_FIELD, 0)),
        ({"field_length": "unsigned", "field_length_counts": "tag-and-value"}, "0400 01ffff 00", [(1, b"\xff\xff")]),
        ({"overlong_varints": "refused"}, "8400 0001ffff 00", (Reason.VARINT_OVERFLOW, 0)),
    ],
)
def test_lengths(switches: dict[str, Any], digits: str, expected: Any) -> None:
    found = read(under(**switches), "OPTIONAL_FIELDS", digits)
    assert found == expected


@pytest.mark.parametrize(
    ("switches", "digits", "agent"),
    [
        ({}, "00", ""),
        ({"absent_optional": "null"}, "00", None),
        ({"tag_at_default": "sent"}, "00", ""),
        ({"absent_optional": "null"}, "04 0001 0000 00", ""),
    ],
)
def test_what_absent_stands_for(switches: dict[str, Any], digits: str, agent: str | None) -> None:
    found = read(under(**switches), "FooResponse", digits + NO_FOOS, 9)
    assert found == {"UserAgent": agent, "Foos": []}


@pytest.mark.parametrize(
    ("switches", "agent", "digits"),
    [
        ({}, "", "00"),
        ({}, None, "040001ffff00"),
        ({"absent_optional": "null"}, "", "040001000000"),
        ({"absent_optional": "null"}, None, "00"),
        ({"tag_at_default": "sent"}, "", "040001000000"),
        ({"tag_at_default": "sent"}, None, "040001ffff00"),
        ({"absent_optional": "null", "tag_at_default": "sent"}, None, "040001ffff00"),
    ],
)
def test_what_is_sent(switches: dict[str, Any], agent: str | None, digits: str) -> None:
    assert written(under(**switches), "FooResponse", {"UserAgent": agent, "Foos": []}, 9) == digits + NO_FOOS


def test_absent_is_null_inside_of_an_absent_structure_too() -> None:
    inner = {"name": "Note", "type": "string", "nullable": True, "tag": 0}
    raw = {
        "type": "data",
        "name": "M",
        "validVersions": "0",
        "versionsWithOptional": "0+",
        "optionalFields": [
            {"name": "S", "type": "S", "tag": 1, "optionalFields": [inner], "fields": []},
            {"name": "L", "type": "[]int8", "tag": 2},
        ],
    }
    body = plan(schemas.from_json(raw).schema, 0)
    assert absent(body.tagged[1], Rules()) == {"Note": ""}
    assert absent(body.tagged[1], Rules(absent_optional="null")) == {"Note": None}
    assert absent(body.tagged[2], Rules(absent_optional="null")) == []


def test_defaults_are_nobody_else_s() -> None:
    found = [read(reference_codec(), "LookupRequest", "00" + "00000000" + "ff", 1) for _ in range(2)]
    found[0]["Trace"]["Hops"].append(1)
    assert found[1]["Trace"]["Hops"] == []
    assert read(reference_codec(), "LookupRequest", "00" + "00000000" + "ff", 1)["Trace"]["Hops"] == []


UNKNOWN = "02 0005 2a"


@pytest.mark.parametrize(("reading", "tags"), [("kept", [(5, b"*")]), ("dropped", None)])
def test_unknown_fields(reading: str, tags: Any) -> None:
    asked = under(unknown_tags=reading)
    assert read(asked, "FooResponse", UNKNOWN + "00" + NO_FOOS, 9).get("_tags") == tags
    value = {"UserAgent": "", "Foos": [], "_tags": [(5, b"*")]}
    digits = "0200052a00" if tags else "00"
    assert written(asked, "FooResponse", value, 9) == digits + NO_FOOS


@pytest.mark.parametrize("value", [{"UserAgent": "a", "Foos": []}, {"Foos": [], "_tags": [(5, b"*")]}])
def test_what_is_set_in_a_version_without_optional_fields(value: dict[str, Any]) -> None:
    assert written(under(field_not_in_version="left-out"), "FooResponse", value, 8) == NO_FOOS
    assert written(under(field_not_in_version="ignorable"), "FooResponse", value, 8) in (
        Reason.FIELD_NOT_IN_VERSION,
        Reason.TAGS_NOT_ALLOWED,
    )


@pytest.mark.parametrize("reading", ["kept", "dropped"])
def test_a_buffer_by_itself_knows_no_field(reading: str) -> None:
    assert read(under(unknown_tags=reading), "OPTIONAL_FIELDS", UNKNOWN + "00") == [(5, b"*")]


@pytest.mark.parametrize(
    ("digits", "exact", "ignored"),
    [
        ("0a 0001 0002 6162 63 00", (Reason.LENGTH_MISMATCH, 0), "ab"),
        ("06 0001 0002 61 00", (Reason.TRUNCATED, 3), (Reason.TRUNCATED, 3)),
        ("08 0001 0002 6162 00", "ab", "ab"),
    ],
)
def test_sizes(digits: str, exact: Any, ignored: Any) -> None:
    for reading, expected in (("exact", exact), ("ignored", ignored)):
        found = read(under(optional_size=reading), "FooResponse", digits + NO_FOOS, 9)
        assert (found["UserAgent"] if isinstance(found, dict) else found) == expected


def test_what_is_passed_over_has_a_span_too() -> None:
    found = under(optional_size="ignored").explain(
        "FooResponse", bytes.fromhex("0a000100026162630000000000"), dialect=DIALECT, version=9
    )
    assert found.error is None
    covered = sorted((span.start, span.end) for span in found.spans)
    assert [start for start, _ in covered] == [0, *(end for _, end in covered[:-1])]
    assert covered[-1][1] == 13
    assert "passed over" in {span.what for span in found.spans}


# --- Rulings as a whole -----------------------------------------------------------------------------------------------


def test_rulings_are_whole() -> None:
    assert [name for name in RULINGS if name.startswith("R-482-")] == [f"R-482-{number}" for number in range(1, 20)]
    contested = {name for name, ruling in RULINGS.items() if ruling.contested}
    assert contested == {f"R-482-{number}" for number in (1, 2, 5, 7, 8, 9, 10, *range(13, 20))} | {
        "R-D-1",
        "R-D-2",
        "R-D-5",
        "R-D-6",
    }
    for name, ruling in RULINGS.items():
        assert ruling.id == name
        assert bool(ruling.others) == ruling.contested
        assert ruling.source


OTHERS = [(name, reading) for name, ruling in RULINGS.items() for reading in ruling.others]
TOGETHER = [
    *(((one,)) for one in OTHERS),
    *(both for both in itertools.combinations(OTHERS, 2) if both[0][0] != both[1][0]),
]


@pytest.mark.parametrize("readings", TOGETHER, ids=lambda readings: "+".join(f"{one}:{name}" for one, name in readings))
def test_declared_readings_are_contested_alone_and_two_at_once(readings: tuple[tuple[str, str], ...]) -> None:
    asked = configured_reference(DIALECT).under(reference.rules_with(RULINGS.values(), dict(readings)))
    declared = readings_for(DIALECT, dict(readings))
    named: set[str] = set()
    for vector in VECTORS:
        for op in (Op.DECODE,) if vector.kind is VectorKind.INVALID else vector.ops:
            verdict = judged(vector, ask(asked, vector.case(op)), declared)
            assert verdict.outcome in (Outcome.PASS, Outcome.CONTESTED), (vector.path, op, verdict.detail)
            named |= set(verdict.rulings)
    there = {name for name, _ in readings}
    assert named & there
    if len(there) == 1:  # two may come to what an undeclared third gives, or hide each other
        # A layout by which a schema cannot be read refuses it, as the other reading of R-482-10 does.
        refused = {"R-482-10"} if any(RULINGS[name].layout for name in there) else set()
        assert there <= named <= there | refused


AREAS = set(vectors.AREAS) - reference.dialect_named(DIALECT).empty_areas.keys()


def test_every_area_has_vectors() -> None:
    assert {vector.area for vector in VECTORS} == AREAS


@pytest.mark.parametrize(
    "digits",
    [
        "080001000261620000000001000007",
        "040001ffff02ffff0100",
        "040001000261620000000001000007",
        "0c0001000261620000000001000007",
        "060001000261620000000001000007",
    ],
)
def test_the_worked_bytes_are_vectors(digits: str) -> None:
    assert bytes.fromhex(digits) in {vector.data for vector in VECTORS}


# --- What no vector holds ---------------------------------------------------------------------------------------------


def test_every_tag_at_once() -> None:
    value = [(tag, b"\1") for tag in range(2**16)]
    data = reference_codec().encode("OPTIONAL_FIELDS", value, dialect=DIALECT)
    assert len(data) == 4 * 2**16 + 1
    assert reference_codec().decode("OPTIONAL_FIELDS", data, dialect=DIALECT) == value


def test_a_length_is_checked_before_memory_is_taken() -> None:
    """The smallest input that announces the most."""
    for digits, offset in (("feffffff0f", 0), ("feffffff0f0001", 0), ("0800017fff6162", 3)):
        assert read(reference_codec(), "FooResponse", digits, 9) == (Reason.TRUNCATED, offset)


def test_nothing_is_read_behind_a_window() -> None:
    reader = Reader(bytes.fromhex("08000100026162000000000099"), Rules())
    codec = reference_codec().dialect(DIALECT).codec("FooResponse", 9)
    assert codec.read(reader) == {"UserAgent": "ab", "Foos": []}
    assert reader.remaining == 1


def test_every_byte_of_a_message_has_a_span() -> None:
    for vector in VECTORS:
        if vector.type is None or not vector.data:
            continue
        found = reference_codec().explain(vector.type, vector.data, dialect=DIALECT, version=vector.version)
        if found.error is None:
            covered = sorted((span.start, span.end) for span in found.spans)
            assert [start for start, _ in covered] == [0, *(end for _, end in covered[:-1])], vector.path
            assert covered[-1][1] == len(vector.data), vector.path


def test_paths_of_faults() -> None:
    data = bytes.fromhex("00" + "00000001" + "040001ffff" + "00" + "0007")
    with pytest.raises(DecodeError) as refused:
        reference_codec().decode("FooResponse", data, dialect=DIALECT, version=9)
    assert (refused.value.path, refused.value.offset) == ("Foos[0].Bar", 8)
    with pytest.raises(EncodeError) as unwritable:
        reference_codec().encode("FooResponse", {"Foos": [{"Bar": None, "Baz": 1}]}, dialect=DIALECT, version=9)
    assert unwritable.value.path == "Foos[0].Bar"


def test_a_missing_key_is_its_default() -> None:
    assert written(reference_codec(), "FooResponse", {}, 9) == "00" + NO_FOOS
    whole = reference_codec().complete("FooResponse", {"Foos": [{}]}, dialect=DIALECT, version=9)
    assert equal(whole, {"UserAgent": "", "Foos": [{"Bar": "hello world", "Baz": 0}]})


def test_every_prefix_is_a_property_of_what_is_a_buffer_alone() -> None:
    """A body without fields has one byte in the new version, and none before."""
    everything = Description("all", ops=frozenset({Op.DECODE}), dialects=(DIALECT,))
    cut = {
        (found.type, found.version) for found in properties.offered(everything, [DIALECT]) if found.name == "prefixes"
    }
    assert {("OPTIONAL_FIELDS:FooResponse", None), ("ListGroupsRequest", 6)} <= cut
    assert ("ListGroupsRequest", 0) not in cut


def test_answers_are_read_as_their_request_says() -> None:
    found = reference_codec().dialect(DIALECT)
    assert found.answer_type(9000, 9, b"") == ("ResponseFrame:Foo", 9, "")
    assert found.answer_type(8999, 9, b"") is None
    assert found.apis() == {**Kafka().apis(), 9000: "Foo", 9001: "Lookup", 9002: "Range", 9003: "Open"}


def test_it_answers_nothing_for_a_broker_or_a_client() -> None:
    found = DIALECTS[DIALECT]
    assert isinstance(found, Kip482)
    for question in (
        lambda: found.serve([], {}, Rules()),
        lambda: found.interpret(b"", b"", Rules()),
        lambda: found.negotiate(0, (0, 1), None),
        lambda: found.lookup("VARINT", b"", "a", None, Rules()),
    ):
        with pytest.raises(NotImplementedError):
            question()


def test_a_version_is_needed() -> None:
    assert read(reference_codec(), "FooResponse", "00") == (Reason.UNSUPPORTED_VERSION, None)


def test_a_star_stands_for_the_types_of_schemas() -> None:
    said = Description(
        "s", ops=frozenset({Op.DECODE}), dialects=(DIALECT,), types={DIALECT: {"VARINT": None, "*": None}}
    )
    for name, version in (("VARINT", None), ("FooResponse", 9), ("ResponseFrame:Foo", 77)):
        assert said.offers(Case("", Op.DECODE, DIALECT, name, version))
    assert not said.offers(Case("", Op.ENCODE, DIALECT, "FooResponse", 9))
    listed = Description("s", ops=frozenset({Op.DECODE}), dialects=(DIALECT,), types={DIALECT: {"VARINT": None}})
    assert not listed.offers(Case("", Op.DECODE, DIALECT, "FooResponse", 9))
