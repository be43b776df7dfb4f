"""The second opinion on KIP-482's first draft agrees with the reference, and differs where a wrong reading is
planted."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from second_opinion import kip_482 as opinion
from support import opinions
from support.opinions import Plant
from support.trying import nearly, tried, values_of

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference import message, optional_fields
from wireproof.reference.cursor import Reader
from wireproof.reference.primitives import read_int16

DIALECT = "kip-482-v1"
SCHEMAS = vectors.settings(DIALECT)["schemas"]
OPINION = opinion.Opinion(SCHEMAS)


def said(type_name: str, version: int | None, data: bytes) -> Any:
    """What the second opinion reads; "refused" where it refuses."""
    try:
        return OPINION.decode(type_name, version, data)
    except opinion.RefusedError:
        return "refused"


READ = [vector for vector in vectors.load([DIALECT]) if Op.DECODE in vector.ops]
WRITTEN = [vector for vector in READ if vector.kind is VectorKind.VALID and Op.ENCODE in vector.ops]


def test_all_that_is_read_is_asked() -> None:
    assert len(READ) > 150
    assert len(WRITTEN) > 60


@pytest.mark.parametrize("vector", READ, ids=lambda vector: vector.path)
def test_it_reads_what_the_vectors_demand(vector: Vector) -> None:
    assert vector.type is not None
    found = said(vector.type, vector.version, vector.data)
    if vector.kind is VectorKind.INVALID:
        assert found == "refused"
    else:
        assert equal(vector.value, found), found


@pytest.mark.parametrize("vector", WRITTEN, ids=lambda vector: vector.path)
def test_it_writes_what_the_vectors_demand(vector: Vector) -> None:
    assert vector.type is not None
    value = reference_codec().complete(vector.type, vector.value, dialect=DIALECT, version=vector.version)
    assert OPINION.encode(vector.type, vector.version, value) == vector.canonical_data


TYPES = [
    ("VARINT", None, 500),
    ("OPTIONAL_FIELDS", None, 1500),
    ("OPTIONAL_FIELDS:FooResponse", None, 500),
    ("OPTIONAL_FIELDS:LookupRequest", None, 500),
    ("FooResponse", 8, 500),
    ("FooResponse", 9, 2000),
    ("FooRequest", 9, 1000),
    ("LookupRequest", 0, 300),
    ("RangeRequest", 5, 300),
    ("RangeRequest", 6, 300),
    ("OpenRequest", 3, 300),
    ("LookupRequest", 1, 1500),
    ("LookupResponse", 1, 1500),
    ("ResponseFrame:Foo", 9, 400),
    ("RequestFrame", None, 300),
]


def test_10000_messages_are_tried() -> None:
    assert sum(count for _, _, count in TYPES) >= 10_000


@pytest.mark.parametrize(("name", "version", "count"), TYPES)
def test_it_reads_generated_messages_as_the_reference_wrote_them(name: str, version: int | None, count: int) -> None:
    def check(value: Any) -> None:
        data = reference_codec().encode(name, value, dialect=DIALECT, version=version)
        assert equal(value, OPINION.decode(name, version, data)), data.hex()
        assert OPINION.encode(name, version, value) == data

    tried(count, check, values_of(name, DIALECT, version), f"{name} {version}")


@pytest.mark.parametrize(("name", "version", "count"), TYPES)
def test_it_reads_and_refuses_the_same_bytes(name: str, version: int | None, count: int) -> None:
    values = values_of(name, DIALECT, version)

    def canonical(random: Random) -> bytes:
        return reference_codec().encode(name, values(random), dialect=DIALECT, version=version)

    def check(data: bytes) -> None:
        try:
            expected = reference_codec().decode(name, data, dialect=DIALECT, version=version)
        except reference.DecodeError:
            expected = "refused"
        assert equal(expected, said(name, version, data)), data.hex()

    tried(count, check, nearly(canonical), f"nearly {name} {version}")


RELEASES = [vector for vector in vectors.load([DIALECT]) if vector.kind is VectorKind.EVOLVE]


def history(vector: Vector) -> list[Any]:
    old = vector.args["old"]
    return old if isinstance(old, list) else [old]


@pytest.mark.parametrize("vector", RELEASES, ids=lambda vector: vector.path)
def test_it_finds_compatible_what_the_vectors_do(vector: Vector) -> None:
    if vector.reject is not None:
        with pytest.raises(opinion.RefusedError):
            opinion.is_compatible(history(vector), vector.args["new"])
        return
    assert opinion.is_compatible(history(vector), vector.args["new"]) is not bool(vector.expected)


def test_it_finds_compatible_what_the_reference_does_of_any_three_releases() -> None:
    """Each release that some vector has, in every order of three: most of them no history that anybody planned."""
    releases: list[Any] = []
    for vector in RELEASES:
        if vector.reject is not None:
            continue
        releases += [one for one in (*history(vector), vector.args["new"]) if one not in releases]
    found = {True: 0, False: 0}
    for index, new in enumerate(releases):
        for step in (1, 2, 3, 5, 8, 13, 21, 34):
            old = [releases[(index + step * times) % len(releases)] for times in (1, 2)]
            told = opinion.is_compatible(old, new)
            assert told is (reference.evolve(old, new, dialect=DIALECT) == []), (old, new)
            found[told] += 1
    assert min(found.values()) > 20


# --- Wrong readings, planted in the reference -------------------------------------------------------------------------


def disagreements(asked: reference.Reference) -> set[str]:
    """The vectors on which the reference and the second opinion part."""

    def read(vector: Vector, _: Op) -> Any:
        return said(vector.type or "", vector.version, vector.data)

    return opinions.disagreements(asked, [(vector, Op.DECODE) for vector in READ], read)


def test_without_a_plant_they_agree() -> None:
    assert disagreements(reference_codec()) == set()


def _signed_tags(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(optional_fields, "read_uint16", read_int16)


def _tags_in_any_order(patch: pytest.MonkeyPatch) -> None:
    def read(reader: Reader, what: str = "") -> int:
        return Any_(int.from_bytes(reader.take(2, reader.pos, what)))

    class Any_(int):  # noqa: N801
        def __lt__(self, other: int) -> bool:
            return False

    patch.setattr(optional_fields, "read_uint16", read)


def _buffer_behind_the_fields(patch: pytest.MonkeyPatch) -> None:
    """Where the tags of today stand."""
    real = message._read_struct

    def read(node: Any, reader: Reader) -> Any:
        if not node.optional:
            return real(node, reader)
        value = {field.name: field.default for field in node.fields}
        value.update({field.name: message._read(field.node, reader) for field in node.plain})
        optional_fields.read_buffer(reader, node.tagged, value, message._read)
        return value

    patch.setattr(message, "_read_struct", read)


def _no_buffer_in_structures(patch: pytest.MonkeyPatch) -> None:
    """The body alone opens with one."""
    real = optional_fields.read_buffer

    def read(reader: Reader, *arguments: Any) -> Any:
        return real(reader, *arguments) if reader.pos == 0 else []

    patch.setattr(message, "read_buffer", read)


def _absent_is_null(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(message, "absent", lambda field, _: None)


def _size_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(optional_fields, "_demand_end", lambda window, start: None)


def _negative_ends_the_buffer(patch: pytest.MonkeyPatch) -> None:
    real = optional_fields.read_length
    patch.setattr(optional_fields, "read_length", lambda reader, what="": max(0, real(reader, what)))


PLANTS: dict[str, tuple[Plant, str]] = {
    "R-482-1, negative": (_negative_ends_the_buffer, "length-unsigned"),
    "R-482-4": (_signed_tags, "tag-32768-after-32767"),
    "R-482-5": (_tags_in_any_order, "descending"),
    "R-482-6, behind": (_buffer_behind_the_fields, "foo"),
    "R-482-6, body alone": (_no_buffer_in_structures, "two-foos"),
    "R-482-7": (_absent_is_null, "stated-default-absent"),
    "R-482-9": (_size_ignored, "value-too-short-for-its-length"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_wrong_reading_in_the_reference_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, shown_by = PLANTS[name]
    plant(monkeypatch)
    assert shown_by in disagreements(reference_codec())


@pytest.mark.parametrize(
    ("ruling", "reading", "shown_by"),
    [
        ("R-482-1", "other", "length-unsigned"),
        ("R-482-2", "other", "length-counts-the-tag"),
        ("R-482-7", "other", "optional-absent"),
        ("R-482-8", "other", "unknown-first"),
        ("R-482-9", "other", "null-and-a-byte"),
        ("R-D-1", "other", "overlong-one"),
        ("R-D-2", "other", "text-not-utf-8"),
    ],
)
def test_another_reading_of_the_reference_is_noticed(ruling: str, reading: str, shown_by: str) -> None:
    asked = reference.Reference(reference.rules_with(reference.rulings(DIALECT).values(), {ruling: reading}))
    asked.configure({"schemas": SCHEMAS}, dialect=DIALECT)
    assert shown_by in disagreements(asked)
